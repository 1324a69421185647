"""What a strategy is made from: options that say what they do, and what it is given beside them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any, TypeVar

from bizcrawl.errors import WrongUse
from bizcrawl.frontier import MAX_URLS
from bizcrawl.page import Page
from contexts.aggregation import UnknownAggregationError, check

MAX_BUFFER = 2_048
"""R58: the largest buffer of TOIT; also the bound of crawlers that do much work for each waiting URL."""


class UnknownOption(WrongUse):
    """A strategy was given a parameter that it does not have, or a value that the parameter can't take."""


def option(default: Any, meaning: str, *, file: bool = False) -> Any:
    """A field with its default and one line on what it does and where it comes from. Where its value names a
    `file`, an experiment takes other contents of the file for another strategy.
    """
    return field(default=default, metadata={"help": meaning, "file": file})


def file_options(kind: type[Options]) -> frozenset[str]:
    """The options whose values name files."""
    return frozenset(f.name for f in fields(kind) if f.metadata.get("file"))


@dataclass(frozen=True, slots=True)
class Options:
    """What every strategy can be told."""

    max_frontier: int = option(MAX_URLS, "URLs that may wait; the worst is dropped beyond (R12, R58)")
    hosts_apart: int = option(0, "D: take D URLs in a row from D hosts where there are any; 0 is off (R14)")


@dataclass(frozen=True, slots=True)
class Givens:
    """What a strategy is given beside its options; most need the first alone."""

    rng: random.Random
    """The only source of randomness."""
    admits: Callable[[str], bool] | None = None
    """Whether a URL may enter a frontier at all: scope, exclusions and traps are the crawl's to judge."""
    is_good: Callable[[Page], bool] | None = None
    """The user's predicate (R106), for those that learn from it."""
    score_page: Callable[[Page], float] | None = None
    """A page classifier; positive means relevant (R119)."""


_LEAST = {"max_frontier": 1, "hosts_apart": 0}
"""Of what every strategy can be told."""

O = TypeVar("O", bound=Options)  # noqa: E741

_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def build_options(kind: type[O], values: Mapping[str, Any]) -> O:
    """Options from values by name; text is converted to what the field holds.

    Raises `UnknownOption` with one line that names the options there are.
    """
    known = {f.name: f for f in fields(kind)}
    converted = {}
    for name, value in values.items():
        name = name.replace("-", "_")
        if name not in known:
            raise UnknownOption(f"no option is called {name!r}; there are: {', '.join(sorted(known))}")
        converted[name] = _convert(name, value, _kind(known[name].type))
    options = kind(**converted)
    for name in known:
        value = getattr(options, name)
        require(not isinstance(value, float) or isfinite(value), name, "a finite number", value)
        if name in _LEAST:
            require(value >= _LEAST[name], name, f"{_LEAST[name]} or more", value)
    return options


def _kind(declared: object) -> str:
    """The name of a field's type: a text if its module postpones annotations, otherwise a type."""
    return declared.__name__ if isinstance(declared, type) else str(declared)


def _convert(name: str, value: Any, kind: str) -> Any:
    if not isinstance(value, str) or kind == "str":
        return value
    if kind not in _ARTICLES:
        raise UnknownOption(
            f"option {name} is declared as {kind}; a text becomes str, int, float or bool only"
        )
    try:
        if kind == "bool":
            return _WORDS[value.strip().lower()]
        return {"int": int, "float": float}[kind](value)
    except (KeyError, ValueError):
        raise UnknownOption(f"option {name} takes {_ARTICLES[kind]}, not {value!r}") from None


_ARTICLES = {"int": "a whole number", "float": "a number", "bool": "yes or no"}


def require_aggregation(name: str) -> None:
    """Check the name of an aggregation. Raises `UnknownOption` with one line."""
    try:
        check(name)
    except UnknownAggregationError as error:
        raise UnknownOption(f"option aggregation: {error}") from None


def require(condition: bool, name: str, range_text: str, value: object) -> None:
    """Check a parameter's range. Raises `UnknownOption` with one line."""
    if not condition:
        raise UnknownOption(f"option {name} must be {range_text}, not {value}")
