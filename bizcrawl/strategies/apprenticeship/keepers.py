"""Who keeps lists: whether a site is a directory, an association, a fair, a paper, or else a company.

Nearly all that names the targets of a topic stands on inner pages of those who keep lists; an inner page of a
company hardly ever names anybody. Both give themselves away by the first page that is seen of them: by their
divisions ("Exhibitors", "Issuers" here, "Products", "Careers" there) and by what they are called. The signs
are those by which the analysis of companies judges sites, too (`bizcrawl.companies.site_cues`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from bizcrawl.companies.site_cues import Cue, cues_in, navigation_cues
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.strategies.apprenticeship.cues import MAX_ANCHOR_CHARS

KEEPERS = frozenset(kind for kind in SiteKind if kind.is_hub) | {SiteKind.EXCHANGE, SiteKind.PERSONAL}
"""Kinds of sites that name companies for a purpose of their own; personal ones are blogs with rankings."""
ENOUGH = 5.0
"""Points that settle what a site is."""

_SIDES: Mapping[str, float] = {**dict.fromkeys(KEEPERS, 1.0), SiteKind.COMPANY: -1.0}
_BETWEEN_LABELS = re.compile(r"[.\-_]")


@lru_cache(maxsize=65_536)
def division_points(anchor: str) -> float:
    """What a link to a division of its own says of a site: above 0 for a keeper, below for a company."""
    return _points(navigation_cues(anchor))


@lru_cache(maxsize=65_536)
def name_points(name: str) -> float:
    """What a title or a host's name says of a site: above 0 for a keeper."""
    return _points(cue for _, cue in cues_in("name", name))


def keeping(domain: str, title: str, divisions: Iterable[str]) -> float:
    """How much a page speaks for a site that keeps lists: 1 settles it, -1 settles that it is a company.

    `divisions` are the texts of links within the site.
    """
    points = sum(map(division_points, {text for text in divisions if len(text) <= MAX_ANCHOR_CHARS}))
    points += name_points(title) + name_points(_BETWEEN_LABELS.sub(" ", domain))
    return max(-1.0, min(1.0, points / ENOUGH))


def _points(cues: Iterable[Cue]) -> float:
    return sum(points * _SIDES.get(kind, 0.0) for kind, points in cues)
