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


def python_values(column: pa.Array) -> list[Any]:
    """The values of a column; a time that Python has none for, as of the year -43, as text in ISO 8601."""
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        return [_python_value(scalar) for scalar in column]
    return values


def _python_value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        if isinstance(scalar, pa.MapScalar):
            return [tuple(map(_python_value, pair.values())) for pair in scalar.values]
        if isinstance(scalar, pa.StructScalar):
            return {name: _python_value(item) for name, item in scalar.items()}
        if isinstance(scalar, pa.ListScalar | pa.FixedSizeListScalar):
            return [_python_value(item) for item in scalar.values]
        if isinstance(scalar, pa.UnionScalar):
            return _python_value(scalar.value)
        return _time_text(scalar)


def _time_text(scalar: pa.Scalar) -> str:
    """A date, a time or a point in time, before the year 1, after 9999, in nanoseconds or infinite."""
    import numpy as np

    kind, count = scalar.type, scalar.value
    if pa.types.is_time(kind):
        return str(np.datetime64(count, kind.unit)).partition("T")[2]
    days = pa.types.is_date(kind)
    # DuckDB's infinite dates and times
    if abs(count) == 2 ** (31 if days else 63) - 1:
        return "infinity" if count > 0 else "-infinity"
    text = str(np.datetime64(count, "D" if days else kind.unit))
    year, dash, rest = text.removeprefix("-").partition("-")
    sign = "-" * text.startswith("-")
    return f"{sign}{year:0>4}{dash}{rest}{'' if days or not kind.tz else '+00:00'}"


def plain(kind: pa.DataType) -> Convert | None:
    """What makes a plain value of one of a type; None: it is one."""
    if pa.types.is_decimal(kind):
        return _unless_null(_number)
    if pa.types.is_map(kind):
        key, item = (plain(part) or _same for part in (kind.key_type, kind.item_type))
        return _unless_null(lambda pairs: {_as_key(key(k)): item(v) for k, v in pairs})
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        one = plain(kind.value_type)
        return None if one is None else _unless_null(lambda items: [one(item) for item in items])
    if pa.types.is_struct(kind):
        parts = {field.name: plain(field.type) or _same for field in kind}
        if all(part is _same for part in parts.values()):
            return None
        return _unless_null(lambda held: {name: parts[name](item) for name, item in held.items()})
    return None


def _unless_null(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _same(value: object) -> object:
    return value


def _as_key(value: object) -> object:
    return json_text(value) if isinstance(value, list | dict) else value


def json_values(kind: pa.DataType) -> Convert | None:
    """The function that makes values of a type into values that JSON knows; None if JSON knows them as they
    are.
    """
    known = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    return None if known else after(plain(kind), jsonable)


def after(first: Convert | None, second: Convert) -> Convert:
    """One conversion after another, if there is another."""
    return second if first is None else lambda value: second(first(value))


def _number(value: Decimal) -> int | float | Decimal:
    """As a number that all know, if that takes no digit from it."""
    if value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else value


def is_number(value: object) -> bool:
    """Whether a value is a finite number; true and false are none."""
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and finite


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
        number = _number(value)
        return number if isinstance(number, int) else float(number)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, pa.MonthDayNano):
        return interval_text(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {text_of(key): jsonable(item) for key, item in value.items()}
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
