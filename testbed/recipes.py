"""How topics are made from a directory: the papers' protocols, each a function of that name.

A recipe reads the tables `listings` and `categories` of a directory and gives test bed topics. Randomness
is seeded per topic, so that the topics of one category are the same whatever else the directory holds.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter

import duckdb

from bizcrawl.topic import Topic
from bizcrawl.urls import key_of, parse
from testbed.topics import BedTopic, TopicsError

BUSINESS_ENDS = re.compile(r"(?:^|[/_])(?:Companies|Consultants|Manufacturers)$")
"""R1 and A15: the last word of the path, whole, in this case."""
REGIONAL = frozenset({"Regional", "World", "International"})
"""R3: components of a path that rule a category out."""
SEEDS = 10
MORE_THAN = 20
LEAF_LINKS = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """A page listed in a category."""

    url: str
    """As the directory spells it."""
    title: str
    description: str


Recipe = Callable[[duckdb.DuckDBPyConnection, int], list[BedTopic]]


def business(con: duckdb.DuckDBPyConnection, random_seed: int) -> list[BedTopic]:
    """Business topics of R1-R9: categories of companies, consultants or manufacturers with more than 20 URLs.

    Ten URLs drawn at random are the seeds, all others the targets (R5). The paper's dump gave 159 (R4).
    """
    topics = []
    for category, entries in _listed(con, _is_business):
        if len(entries) <= MORE_THAN:
            continue
        rng = random.Random(f"business {random_seed} {category}")
        seeds = set(rng.sample(range(len(entries)), SEEDS))
        topics.append(
            BedTopic(
                Topic(category, tuple(entries[i].url for i in sorted(seeds)), keywords_of(category)),
                targets=tuple(entry.url for i, entry in enumerate(entries) if i not in seeds),
                description=_described(entries),
                facts={"recipe": "business", "random_seed": random_seed},
            )
        )
    return topics


def leaves(con: duckdb.DuckDBPyConnection, random_seed: int, count: int = 50) -> list[BedTopic]:
    """Leaf topics of R62 with D = 0: seeds and targets are the same (R60). `links_away` moves the seeds
    away.
    """
    topics = []
    for category, entries in _random_leaves(con, random.Random(f"leaves {random_seed}"), count):
        urls = tuple(entry.url for entry in entries)
        topic = Topic(category, urls, keywords_of(category))
        facts = {"recipe": "leaves", "random_seed": random_seed, "distance": 0}
        topics.append(BedTopic(topic, targets=urls, description=_described(entries), facts=facts))
    return topics


def examples(con: duckdb.DuckDBPyConnection, random_seed: int, count: int = 100) -> list[BedTopic]:
    """Leaf topics of R98: up to ten examples each, from which the crawl starts (EvE task 1)."""
    topics = []
    for category, entries in _random_leaves(con, random.Random(f"examples {random_seed}"), count):
        rng = random.Random(f"examples {random_seed} {category}")
        chosen = sorted(rng.sample(range(len(entries)), min(SEEDS, len(entries))))
        urls = tuple(entries[i].url for i in chosen)
        topic = Topic(category, urls, keywords_of(category))
        facts = {"recipe": "examples", "random_seed": random_seed, "distance": 0}
        description = _described([entries[i] for i in chosen])
        topics.append(BedTopic(topic, targets=urls, description=description, facts=facts))
    return topics


RECIPES: dict[str, Recipe] = {"business": business, "leaves": leaves, "examples": examples}
"""Recipes by name. `neighbours` is `examples` with its seeds moved two links away (`testbed.links_away`)."""


def recipe_named(name: str) -> Recipe:
    """A recipe by name; TopicsError names those there are."""
    if name not in RECIPES:
        raise TopicsError(f"no recipe is called {name!r}; there are: {', '.join(RECIPES)}, neighbours")
    return RECIPES[name]


def keywords_of(category: str) -> str:
    """All alphanumeric tokens of a category's name but those of the most general category (R6).

    >>> keywords_of("Top/Games/Gambling/Equipment/Manufacturers")
    'Gambling Equipment Manufacturers'
    """
    parts = category.removeprefix("Top/").split("/")
    return " ".join(re.findall(r"[^\W_]+", " ".join(parts[1:] or parts)))


def _is_business(category: str) -> bool:
    return bool(BUSINESS_ENDS.search(category)) and REGIONAL.isdisjoint(category.split("/"))


_ENTRIES = """
SELECT category, url, coalesce(title, ''), coalesce(description, '') FROM listings
SEMI JOIN (SELECT unnest(?) AS category) USING (category)
WHERE coalesce(kind, 'link') IN ('link', 'link1') ORDER BY category, url
"""


def _listed(
    con: duckdb.DuckDBPyConnection, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, list[Entry]]]:
    """Categories with their external http(s) pages, each URL once (A16), in order of name and URL.

    One scan of the listings, however many categories are wanted.
    """
    names = con.execute("SELECT DISTINCT category FROM listings").fetchall()
    found = con.cursor().execute(_ENTRIES, [[name for (name,) in names if wanted(name)]])
    rows = iter(lambda: found.fetchmany(10_000), [])
    for category, listed in groupby(chain.from_iterable(rows), key=itemgetter(0)):
        yield category, _unique(listed)


def _entries(con: duckdb.DuckDBPyConnection, category: str) -> list[Entry]:
    return _unique(con.execute(_ENTRIES, [[category]]).fetchall())


def _unique(rows: Iterable[tuple[str, str, str, str]]) -> list[Entry]:
    entries: dict[str, Entry] = {}
    for _, url, title, description in rows:
        if address := parse(url):
            entries.setdefault(key_of(address), Entry(url, title, description))
    return list(entries.values())


def _random_leaves(
    con: duckdb.DuckDBPyConnection, rng: random.Random, count: int
) -> Iterator[tuple[str, list[Entry]]]:
    """Leaf categories with at least five external links, met by randomized breadth-first walks (R62).

    One walk starts at each main category; they take turns, so that every area has its share.
    """
    children = _tree(con)
    rows = con.execute("SELECT category FROM listings GROUP BY category HAVING count(*) >= ?", [LEAF_LINKS])
    large = {category for (category,) in rows.fetchall()}
    walks = [_walk(main, children, rng) for main in children.get("Top", children.get("", ()))]
    found = 0
    while walks and found < count:
        for walk in list(walks):
            for leaf in walk:
                entries = _entries(con, leaf) if leaf in large else []
                if len(entries) >= LEAF_LINKS:
                    yield leaf, entries
                    found += 1
                    break
            else:
                walks.remove(walk)
            if found == count:
                break


def _tree(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Children of each category, in order of name; categories that a path goes through are there, named or
    not.
    """
    children: dict[str, dict[str, None]] = {}
    for (category,) in con.execute("SELECT category FROM categories ORDER BY category").fetchall():
        child = category
        while child:
            parent = child.rpartition("/")[0]
            known = children.setdefault(parent, {})
            if child in known:
                break
            known[child] = None
            child = parent
    return {parent: list(names) for parent, names in children.items()}


def _walk(start: str, children: dict[str, list[str]], rng: random.Random) -> Iterator[str]:
    level = [start]
    while level:
        rng.shuffle(level)
        yield from (category for category in level if category not in children)
        level = [child for category in level for child in children.get(category, ())]


def _described(entries: Sequence[Entry]) -> str:
    """Titles and descriptions of all entries, joined (R7, R62)."""
    return " ".join(text for entry in entries for text in (entry.title, entry.description) if text)
