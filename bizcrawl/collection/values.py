"""What a value of a collection becomes outside it: a plain value, a text, JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa

from bizcrawl.plaintext import CONTROL, storable

Convert: TypeAlias = Callable[[Any], object]
"""What is made of a value."""
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def plain(kind: pa.DataType) -> Convert | None:
    """What makes a plain value of one of a type; None: it is one."""
    if pa.types.is_map(kind):
        return lambda pairs: None if pairs is None else dict(pairs)
    if pa.types.is_decimal(kind):
        return lambda number: None if number is None else _number(number)
    return None


def json_values(kind: pa.DataType) -> Convert | None:
    """What makes a value that JSON knows of one of a type; None: it knows it."""
    known = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    return None if known else after(plain(kind), jsonable)


def after(first: Convert | None, second: Convert) -> Convert:
    """One conversion after another, if there is another."""
    return second if first is None else lambda value: second(first(value))


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def is_number(value: object) -> bool:
    """Whether a value is a finite number; true and false are none."""
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and finite


def text_of(value: object) -> str:
    """A value as text: lists and maps as JSON, nothing for NULL."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json_text(value)
    known = jsonable(value)
    return known if isinstance(known, str) else str(value)


def jsonable(value: object) -> object:
    """A value of what JSON knows: times in ISO 8601, bytes in hexadecimal, no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, pa.MonthDayNano):
        return interval_text(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [jsonable(item) for item in value]
    return str(value)


def interval_text(interval: pa.MonthDayNano | None) -> str | None:
    """An interval as DuckDB writes it: ``1 year 2 months 3 days 04:05:06.789``."""
    if interval is None:
        return None
    months, days, nanoseconds = interval
    years, months = (int(math.copysign(n, months)) for n in divmod(abs(months), 12))
    said = [
        f"{n} {unit}{'s' * (abs(n) != 1)}"
        for n, unit in ((years, "year"), (months, "month"), (days, "day"))
        if n
    ]
    if nanoseconds or not said:
        seconds, rest = divmod(abs(nanoseconds) // 1_000, 1_000_000)
        clock = f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        said.append(f"{'-' * (nanoseconds < 0)}{clock}{f'.{rest:06}'.rstrip('0') if rest else ''}")
    return " ".join(said)


def json_text(value: object) -> str:
    """Any value as JSON."""
    return json_of(jsonable(value))


def json_of(known: object) -> str:
    """A value that JSON knows as JSON, in one line; no control character stands in it as itself."""
    return _without_controls(_ENCODE(known))


def json_page(known: object) -> str:
    """The same over several lines, for people."""
    return _without_controls(json.dumps(known, ensure_ascii=False, indent=2))


def _without_controls(text: str) -> str:
    return CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], storable(text))
