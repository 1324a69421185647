"""What the facts of many pages take, which are in memory together."""

from __future__ import annotations

from bizcrawl.companies.facts import PageFacts, facts_of
from contexts.stored import from_bytes, to_bytes
from contexts.tidy import tidy


def stored(word: str) -> PageFacts:
    """Facts of a page, made of its stored tag tree as after a crawl."""
    tree = from_bytes(to_bytes(tidy(f"<p>{word} makes pumps and valves")))
    return facts_of(f"http://{word}.test/", f"http://{word}.test/", tree, ())


def test_a_word_that_many_pages_have_is_kept_once() -> None:
    first, second = stored("alder"), stored("birch")
    shared = {id(stem) for stem in first.stems} & {id(stem) for stem in second.stems}
    assert {stem for stem in first.stems if id(stem) in shared} >= {"pump", "valv"}
