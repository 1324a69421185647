"""Which records of companies are one company, among as many as a crawl may find.

Names are compared only within blocks (a rare word, or the beginning of one, that both have), so the work
grows with the number of records and not with its square. A like name alone joins two records only if nothing
speaks against it: other countries, other qualifiers in brackets and other legal names keep them apart unless
something else ties them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bizcrawl.companies.name_similarity import CANDIDATE, SAME, key_similarity, weighted_words
from bizcrawl.companies.names import parse_name

MAX_BLOCK = 60
"""Larger blocks share a common word; their members meet in smaller ones, or not at all."""
PREFIX_CHARS = 5


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one company from one source."""

    key: str
    """Unique; a site's key, or any other."""
    name: str
    country: str = ""
    visited: bool = True
    """False if all that is known is a name that others give it."""
    ties: frozenset[str] = frozenset()
    """Whatever only one company has: its sites, the domains of its mail."""


def resolve(records: Sequence[Record]) -> dict[str, str]:
    """Key of the first record of the same company, by key of each record."""
    parents = list(range(len(records)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    for a, b in candidate_pairs(records):
        left, right = root(a), root(b)
        if left != right and same_company(records[a], records[b]):
            parents[max(left, right)] = min(left, right)
    return {record.key: records[root(at)].key for at, record in enumerate(records)}


def same_company(a: Record, b: Record) -> bool:
    """Whether two records are of one company."""
    if a.ties & b.ties:
        return alike(a.name, b.name) >= CANDIDATE
    left, right = parse_name(a.name), parse_name(b.name)
    if left.qualifier != right.qualifier and left.qualifier and right.qualifier:
        return False
    if a.country and b.country and a.country != b.country:
        return False
    if key_similarity(left.key, right.key) < SAME or not _says_something(left.key):
        return False
    # namesakes of one word are common: unless one of them is no more than a name in a list, the country or
    # the legal form has to be the same, too
    if _words_that_tell(left.key) > 1 or not (a.visited and b.visited):
        return True
    return bool(a.country and b.country) or _one_form(left.legal, right.legal)


def alike(a: str, b: str) -> float:
    """Similarity of names without regard to qualifiers."""
    return key_similarity(parse_name(a).key, parse_name(b).key)


def _words_that_tell(key: str) -> int:
    return sum(weight > 0.6 for _, weight in weighted_words(key))


def _one_form(a: str, b: str) -> bool:
    """Whether two legal forms are one: ltd is limited, corp is corporation."""
    return bool(a and b) and (a[0] == b[0] or a.startswith(b) or b.startswith(a))


def _says_something(key: str) -> bool:
    """Whether a name is more than one common word, so that two companies hardly share it by chance."""
    words = weighted_words(key)
    return sum(weight for _, weight in words) >= 0.9 or (len(words) >= 2 and len(key) >= 10)


def candidate_pairs(records: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Pairs of records worth comparing, each once, by shared blocks."""
    blocks: dict[str, list[int]] = defaultdict(list)
    for at, record in enumerate(records):
        for block in _blocks(record):
            blocks[block].append(at)
    seen: set[tuple[int, int]] = set()
    for members in blocks.values():
        if 2 <= len(members) <= MAX_BLOCK:
            for index, a in enumerate(members):
                for b in members[index + 1 :]:
                    if (a, b) not in seen:
                        seen.add((a, b))
                        yield a, b


def _blocks(record: Record) -> set[str]:
    key = parse_name(record.name).key
    words = weighted_words(key)
    joined = key.replace(" ", "")
    found = {f"={joined}", f"^{joined[:9]}"} if joined else set()
    heavy = [word for word, weight in words if weight >= 0.9 and len(word) >= 3]
    found |= {f"~{word[:PREFIX_CHARS]}" for word in heavy}
    found |= {
        f"{a[:4]}+{b[:4]}" for a, b in zip([w for w, _ in words], [w for w, _ in words[1:]], strict=False)
    }
    found |= {f"!{tie}" for tie in record.ties}
    return found
