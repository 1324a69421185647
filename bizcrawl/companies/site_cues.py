"""Signs of what a site is, as data: usual words of navigation, names and texts, and whom they speak for.

The table is ``cues.tsv``: what is held to be signs is there for anyone to read and change. Everything that
judges sites reads it through this module.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, TypeAlias

from bizcrawl.companies.data import lines
from bizcrawl.companies.names import fold, fold_label, is_written_together
from bizcrawl.companies.site_kinds import SiteKind

Shop: TypeAlias = Literal["shop"]
SHOP: Shop = "shop"
"""Signs of a marketplace that makers which sell on their own site have, too."""

Cue: TypeAlias = tuple[SiteKind | Shop, float]
"""What a sign speaks for, and its points."""


@cache
def _table() -> Mapping[str, Mapping[str, tuple[Cue, ...]]]:
    """Cues of each sign, by where it stands and by the folded sign."""
    table: dict[str, dict[str, list[Cue]]] = defaultdict(lambda: defaultdict(list))
    for line in lines("cues.tsv"):
        kind, where, sign, points = line.split("\t")
        speaks_for = SHOP if kind == SHOP else SiteKind(kind)
        table[where][fold(sign)].append((speaks_for, float(points)))
    return {where: {sign: tuple(cues) for sign, cues in signs.items()} for where, signs in table.items()}


@cache
def _pattern(where: str) -> re.Pattern[str]:
    """Any sign of a place, as whole words where these have spaces between them."""
    signs = sorted(_table()[where], key=len, reverse=True)
    together = [re.escape(sign) for sign in signs if is_written_together(sign[0])]
    apart = [re.escape(sign) for sign in signs if not is_written_together(sign[0])]
    return re.compile("|".join([rf"(?<![^\W_])(?:{'|'.join(apart)})(?![^\W_])", *together]))


def cues_of(where: str, sign: str) -> tuple[Cue, ...]:
    """Cues of a whole sign: a ``type`` or ``top`` label, as it is."""
    return _table()[where].get(sign, ())


def navigation_cues(anchor: str) -> tuple[Cue, ...]:
    """Cues of the text of a link by which a site leads to its own divisions."""
    return cues_of("nav", fold_label(anchor))


def cues_in(where: str, text: str) -> Iterator[tuple[str, Cue]]:
    """Every sign of ``name`` or ``text`` that stands in a text, once, with each of its cues."""
    for sign in dict.fromkeys(_pattern(where).findall(fold(text))):
        for cue in _table()[where][sign]:
            yield sign, cue
