"""What a reader and the writer's process say to each other: lines of JSON that `wire` carries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bizcrawl.collection.sql_faults import SqlMistake, SqlRefused, SqlStopped
from bizcrawl.companies.opinions import Judgement
from bizcrawl.errors import BizcrawlError, WrongUse

_FAULTS: dict[str, type[BizcrawlError]] = {
    fault.__name__: fault for fault in (SqlMistake, SqlRefused, SqlStopped, WrongUse)
}
"""Faults that stay what they are on the way; others arrive as `BizcrawlError`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query; answered by the parts of its result."""

    sql: str
    parameters: Sequence[object]
    seconds: float
    """How long it may take."""

    def line(self) -> bytes:
        """As it is sent."""
        said = {"sql": self.sql, "parameters": list(self.parameters), "seconds": self.seconds}
        return json.dumps(said).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Saying:
    """What the analyst says of companies; answered by their keys."""

    judgement: Judgement
    companies: Sequence[str]
    """As the analyst names them."""
    note: str

    def line(self) -> bytes:
        """As it is sent."""
        said = {"judge": self.judgement, "companies": list(self.companies), "note": self.note}
        return json.dumps(said).encode() + b"\n"


Message: TypeAlias = Question | Saying


def message_in(line: bytes) -> Message:
    """The message that a line is. Raises ValueError if it is none."""
    try:
        said = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply for a message") from error
    match said:
        case {"sql": str(sql), "parameters": list(parameters), "seconds": int() | float() as seconds}:
            return Question(sql, parameters, _time_in(seconds))
        case {"judge": str(judgement), "companies": list(companies), "note": str(note)}:
            return Saying(Judgement(judgement), [str(company) for company in companies], note)
    raise ValueError("no message")


def _time_in(said: float) -> float:
    """Seconds, more than 0; may be infinite. JSON has numbers that are none, and whole ones beyond floats."""
    try:
        seconds = float(said)
    except OverflowError as error:
        raise ValueError("no length of time") from error
    if not seconds > 0:
        raise ValueError("no length of time")
    return seconds


def fault_line(fault: BizcrawlError) -> bytes:
    """A fault as it is sent."""
    return json.dumps({"kind": type(fault).__name__, "message": str(fault)}).encode()


def fault_in(line: bytes) -> BizcrawlError:
    """The fault that was sent."""
    told = json.loads(line)
    return _FAULTS.get(told["kind"], BizcrawlError)(told["message"])
