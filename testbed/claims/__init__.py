"""Every comparative result of the papers, as something that runs can be held against.

A claim names strategies, a measure, a number of pages as a share of the paper's, and which strategy was
better. What no recorded bed can answer is listed all the same, with the reason.
"""

from __future__ import annotations

from pathlib import Path

from testbed.claims import adaptive, business, exploring, learning, topical
from testbed.claims.claim import Claim as Claim

CLAIMS: tuple[Claim, ...] = (
    *business.CLAIMS,
    *topical.CLAIMS,
    *adaptive.CLAIMS,
    *exploring.CLAIMS,
    *learning.CLAIMS,
)


def name_and_kind(bed: Path) -> tuple[str, str]:
    """Of a bed whose file is ``NAME[-KIND].duckdb``, such as ``bizweb-augmented.duckdb``."""
    name, _, kind = bed.stem.partition("-")
    return name, kind or "plain"


def claimed_strategies(kind: str) -> tuple[str, ...]:
    """Every strategy that a claim about beds of a kind names, in the order of the claims."""
    names: list[str] = []
    for claim in CLAIMS:
        for better, worse in claim.pairs:
            names += [better] * (kind == claim.better_on) + [worse] * (kind == claim.worse_on)
    return tuple(dict.fromkeys(names))
