"""What a URL or the text of a link says by itself: where it leads, and whether to a list of companies.

Two kinds of texts lead to lists: usual labels of pages ("Members", "Exhibitor list"), and names of those who
keep lists (associations, fairs, directories, rankings). A label counts only as a whole, for "Company" within
the name of a company says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import ada_url

from bizcrawl.companies.data import lines
from bizcrawl.companies.names import fold, fold_label
from bizcrawl.urls import domain_of, host_of
from contexts.text import stems

MAX_WORDS = 6
"""Words of anchor and URL that are remembered of a link."""
WAY = 0.5
"""What the label of a page that leads to lists counts, against 1 for that of a list."""

MAX_ANCHOR_CHARS = 400
"""Longer anchors are passages of text, not names."""
_BODY = re.compile(
    r"associations?\b|federation|\bsociety\b|\binstitute\b|\bcouncil\b|\bunion\b|alliance|chamber|\bguild\b"
    r"|fair\b|expo\b|exposition|\bshow\b|exhibition|congress|conference|trade ?days"
    r"|director(?:y|ies)\b|listed (?:in|on|at|by)\b|member of\b|find us (?:in|on|at)\b|verified by\b"
    r"|suppliers$|companies\b|who is who|\btop \d+\b|\d .*(?:firms|names|stocks)|verband\b|messe\b",
    re.IGNORECASE,
)
"""Names of those who list companies, and of their lists: associations, fairs, directories, rankings."""
_LISTING_PATH = re.compile(
    r"member|exhibit|director(?:y|ies)|listing|companies|suppliers|manufacturers|vendors|participants"
    r"|categor|catalog|sector|industr(?:y|ies)\b|\btop-?\d|who-is-who",
    re.IGNORECASE,
)
"""Words in paths of lists of companies."""
_NO_LETTERS = re.compile(r"[^a-zA-Z]+")
_NEXT = re.compile(r"(?:next|more|older|page \d+|\d{1,3}|[a-z](?:\s?[-–]\s?[a-z])?|>+|»)\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UrlSigns:
    """What a URL alone says."""

    domain: str
    words: tuple[str, ...]
    """Stems of path and query."""
    cue: float
    depth: float
    """Segments of the path, of five."""
    is_root: float
    has_query: float


@dataclass(frozen=True, slots=True)
class AnchorSigns:
    """What an anchor text alone says."""

    words: tuple[str, ...]
    cue: float
    label: float
    """1 if it is a usual label of lists of companies, `WAY` for that of pages that lead to lists."""
    leads_on: float
    """It is labelled as the next part of something."""


@cache
def _labels() -> Mapping[str, float]:
    """Worth of a label, by its folded text."""
    ways = {fold(line): WAY for line in lines("ways_to_lists.txt")}
    return ways | {fold(line): 1.0 for line in lines("lists.txt")}


@lru_cache(maxsize=131_072)
def url_signs(url: str) -> UrlSigns:
    """The signs of a URL."""
    parsed = ada_url.URL(url)
    path = parsed.pathname
    rest = path + parsed.search
    return UrlSigns(
        domain=domain_of(host_of(url)),
        words=tuple(stems(_NO_LETTERS.sub(" ", rest)))[:MAX_WORDS] if len(rest) > 1 else (),
        cue=float(bool(_LISTING_PATH.search(rest))),
        depth=min(path.rstrip("/").count("/"), 5) / 5,
        is_root=float(len(rest) <= 1),
        has_query=float(bool(parsed.search)),
    )


def anchor_signs(anchor: str) -> AnchorSigns:
    """The signs of an anchor text; of one as long as a page, the signs of its beginning."""
    return _signs_of(anchor[:MAX_ANCHOR_CHARS])


@lru_cache(maxsize=65_536)
def _signs_of(anchor: str) -> AnchorSigns:
    return AnchorSigns(
        words=tuple(stems(anchor))[:MAX_WORDS],
        cue=float(bool(_BODY.search(anchor))),
        label=_labels().get(fold_label(anchor), 0.0),
        leads_on=float(bool(_NEXT.match(anchor))),
    )
