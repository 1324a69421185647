"""Weights of a rank function, and the file they rest in with where they came from (R122, R128, R129)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bizcrawl.errors import WrongUse
from bizcrawl.text_files import json_in, number_in

FORMAT = "bizcrawl rank weights 1"
LINK_STRUCTURE = ("HUB", "AUTHORITY", "COMM_in", "COMM_out")
"""Scores from the graph alone, in the order of `bizcrawl.strategies.neighbourhood`."""
_PARENT = re.compile(r"PARENT_([1-9])$")


class BadWeights(WrongUse):
    """A weights file or a weight that cannot be used; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class RankWeights:
    """Rank(u) = Σ w_i S_i(u), Σ w_i = 1 (eq. 2)."""

    by_score: Mapping[str, float]
    """Weight by name of the score: HUB, AUTHORITY, COMM_in, COMM_out, PARENT_k, or a link signal."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Where the weights came from: bed, topics, fitness, random seed, generations."""

    def __post_init__(self) -> None:
        if not self.by_score or not any(self.by_score.values()):
            raise BadWeights("rank weights are all zero: there is nothing to rank by")
        for name, weight in self.by_score.items():
            if not 0 <= weight < float("inf"):
                raise BadWeights(f"the weight of {name} must be 0 or more, not {weight}")

    @property
    def generations(self) -> int:
        """The greatest k of PARENT_k with a weight; 1 if there is none."""
        found = [int(m[1]) for name in self.by_score if (m := _PARENT.match(name))]
        return max(found, default=1)

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of scores that are neither link structure nor PARENT_k."""
        return tuple(n for n in self.by_score if n not in LINK_STRUCTURE and not _PARENT.match(n))

    def normalised(self) -> RankWeights:
        """The same order of URLs, with weights that sum to 1."""
        total = sum(self.by_score.values())
        return RankWeights({name: w / total for name, w in self.by_score.items()}, self.origin)


PAPER = RankWeights(
    {
        "HUB": 0.025828,
        "AUTHORITY": 0.025852,
        "COMM_in": 0.196382,
        "COMM_out": 0.312661,
        "PARENT_1": 0.250646,
        "PARENT_2": 0.093023,
        "PARENT_3": 0.080103,
        "PARENT_4": 0.005168,
        "PARENT_5": 0.010336,
    },
    {"source": "Johnson, Tsioutsiouliklis, Giles 2003, Table 1 (R128)"},
)
"""The best weights that the paper evolved for crawls of 10,000 URLs; its table lists no others (A33)."""
BEST_FIRST = RankWeights({"PARENT_1": 1.0}, {"source": "Best-First (R129)"})
NAMED: Mapping[str, RankWeights] = {"paper": PAPER, "best-first": BEST_FIRST}


def read_weights(name_or_path: str) -> RankWeights:
    """Weights by name (``paper``, ``best-first``) or from a file that ``bizcrawl testbed evolve`` wrote.

    Raises `BadWeights` with one line that says what is wrong with the file.
    """
    if name_or_path in NAMED:
        return NAMED[name_or_path]
    path = Path(name_or_path)
    try:
        record = json_in(path.read_bytes())
    except OSError as problem:
        raise BadWeights(
            f"{path}: cannot be read ({problem.strerror}); weights are a file, or one of: {', '.join(NAMED)}"
        ) from None
    except ValueError as problem:
        raise BadWeights(f"{path}: not JSON: {problem}") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        why = f"not a file of rank weights; its format should be {FORMAT!r}"
        raise BadWeights(f"{path}: {why}; make one with 'bizcrawl testbed evolve'")
    try:
        by_score = {str(name): number_in(weight) for name, weight in record["weights"].items()}
        return RankWeights(by_score, dict(record.get("origin") or {}))
    except (KeyError, AttributeError, TypeError, ValueError):
        raise BadWeights(f"{path}: 'weights' must hold one number for each score") from None
    except BadWeights as problem:
        raise BadWeights(f"{path}: {problem}") from None
