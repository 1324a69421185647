"""The compact set of URLs that were dealt with."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.frontier.seen_urls import SeenUrls


class Numbered(str):
    """A text whose hash is what follows its #."""

    def __hash__(self) -> int:
        return int(self.partition("#")[2])


NUMBERS = st.integers(-3, 3).map(lambda n: n * 1024) | st.integers(0, 4)


@given(st.lists(NUMBERS), NUMBERS)
def test_it_holds_what_was_put_in_even_where_places_are_taken(numbers: list[int], other: int) -> None:
    urls = [Numbered(f"#{number}") for number in numbers]
    seen = SeenUrls(urls)
    assert all(url in seen for url in urls)
    # 0 marks a free place, so a hash of 0 is kept as 1
    assert (Numbered(f"#{other}") in seen) == ((other or 1) in {number or 1 for number in numbers})
    assert len(seen) == len({number or 1 for number in numbers})


def test_it_grows_with_what_is_put_in_and_takes_32_bytes_a_url_at_most() -> None:
    seen, known = SeenUrls(), set()
    for n in range(50_000):
        url = f"http://host{n % 77}.example/page/{n}"
        seen.add(url)
        seen.add(url)
        known.add(url)
    assert len(seen) == len(known)
    assert all(url in seen for url in known)
    assert not any(f"http://host{n % 77}.example/other/{n}" in seen for n in range(50_000))
    assert sys.getsizeof(seen._table) <= 32 * len(seen) + 100
