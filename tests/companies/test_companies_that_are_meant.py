"""Which company a user means by a name, a domain or a rank."""

from __future__ import annotations

import pytest
from processor_time import within_cpu_s

from bizcrawl.companies.named import Named
from bizcrawl.errors import WrongUse

NAMES = (
    "Royal Kiln Ltd",
    "Royal Kilns",
    "Acme Pumps",
    "AcmePumps Inc.",
    "Baker & Hughes Ovens",
    "Oven Works",
)


def named(*names: str) -> Named:
    known = [
        (f"c{at}.test", name, [f"c{at}.test", f"c{at}.example"], at or None) for at, name in enumerate(names)
    ]
    return Named(lambda _sql, _parameters: known)


def test_the_name_itself_is_meant_rather_than_one_that_differs_by_a_plural() -> None:
    assert named(*NAMES).key_of("royal kiln") == "c0.test"
    assert named(*NAMES).key_of("Royal Kilns Limited") == "c1.test"


def test_a_name_is_found_however_its_words_are_put() -> None:
    assert named(*NAMES).key_of("Hughes & Baker Oven") == "c4.test"
    assert named("OvenWorks GmbH").key_of("oven works") == "c0.test"


@pytest.mark.parametrize("meant", ["c5.example", " C5.test ", "#5", "https://www.c5.test/about"])
def test_a_site_a_url_and_a_rank_name_their_company(meant: str) -> None:
    assert named(*NAMES).key_of(meant) == "c5.test"


def test_of_several_that_may_be_meant_none_is_chosen() -> None:
    with pytest.raises(WrongUse, match=r"which company is meant.*c2\.test.*c3\.test"):
        named(*NAMES).key_of("Acme pumps")
    with pytest.raises(WrongUse, match=r"which company is meant.*Oven Works \(c5\.test\)"):
        named(*NAMES).key_of("Oven Worx")


@pytest.mark.parametrize("meant", ["nobody", "#99", "#0", "#²", "#" + "9" * 5_000, "#", ""])
def test_who_is_not_there_is_meant_by_nothing(meant: str) -> None:
    with pytest.raises(WrongUse, match="has no such company"):
        named(*NAMES).key_of(meant)


def test_hundreds_of_names_are_looked_up_among_thousands_in_no_time() -> None:
    """Each was compared with every name: a list of 200 took a minute to accept."""
    names = [f"{first} {second}" for first in map(word, range(60)) for second in map(word, range(60, 120))]
    known = named(*names)
    known.key_of(names[0])
    assert within_cpu_s(0.5, lambda: [known.key_of(name) for name in names[:400]])[-1] == "c399.test"


def word(number: int) -> str:
    return "".join("bdfgklmnpr"[int(digit)] + "o" for digit in f"{number:03}") + "x"
