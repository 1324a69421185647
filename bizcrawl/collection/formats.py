"""Results as files: CSV, Excel, JSON, JSON Lines, Parquet and Markdown, row by row as they come in.

Text cells of CSV and Excel can't run as formulas, cells of Markdown can't be markup, and JSON spells control
characters out; ``raw`` gives CSV and Excel the text as it stands in the collection (Excel still takes it for
text). JSON Lines and Parquet always hold it as it stands. Reading a file back: an apostrophe at the start of
a text that would otherwise look like a formula was put there by the export.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa
import pyarrow.parquet

from bizcrawl.collection.reader import Answer
from bizcrawl.errors import BizcrawlError
from bizcrawl.plaintext import CONTROL, markdown, spreadsheet, storable, terminal, visible

EXCEL_ROWS = 1_048_576
"""Rows of a sheet; more go to the next one."""
EXCEL_CELL_CHARS = 32_767

Convert: TypeAlias = Callable[[Any], object]
"""What is made of a value."""
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Written:
    """What went into a file."""

    rows: int
    cut_cells: int = 0
    """Texts that were longer than a cell of Excel may be."""


def rows_of(
    answer: Answer, conversion: Callable[[pa.DataType], Convert | None] | None = None
) -> Iterator[tuple[object, ...]]:
    """Rows as plain values: numbers, texts, booleans, times, lists and dicts.

    `conversion` says for a column's type what is made of its values instead; None: they stay as they are.
    """
    converts = [(conversion or _plain)(field.type) for field in answer.schema]
    for batch in answer.batches:
        columns = [
            column.to_pylist() if convert is None else map(convert, column.to_pylist())
            for column, convert in zip(batch.columns, converts, strict=True)
        ]
        yield from zip(*columns, strict=True)


def shown(value: object) -> str:
    """A value as one line of text for a screen."""
    return terminal(value if isinstance(value, str) else _text(value))


def json_text(value: object) -> str:
    """A value as JSON; no control character stands in it as itself."""
    return _spelled(_jsonable(value))


def _spelled(jsonable: object) -> str:
    text = _ENCODE(jsonable)
    return CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], storable(text))


class _Utf8:
    """Texts into bytes. A `TextIOWrapper` would close the sink, standard output too, when a write fails."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink

    def write(self, text: str) -> int:
        """Write a text; the bytes it took."""
        return self._sink.write(text.encode())


def write_csv(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """RFC 4180 with a header, UTF-8."""
    writer = csv.writer(_Utf8(sink), lineterminator="\r\n")
    as_cell: Callable[[str], str] = storable if raw else spreadsheet
    writer.writerow([as_cell(name) for name in answer.columns])

    def cell(value: object) -> object:
        if isinstance(value, str):
            return as_cell(value)
        return value if _is_number(value) else as_cell(_text(value))

    def cells(kind: pa.DataType) -> Convert | None:
        return None if pa.types.is_integer(kind) else _after(_plain(kind), cell)

    count = 0
    for row in rows_of(answer, cells):
        count += 1
        writer.writerow(row)
    return Written(count)


def write_jsonl(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """One JSON object a line."""
    names, count = _unique(answer.columns), 0
    for row in rows_of(answer, _json_values):
        count += 1
        sink.write(f"{_spelled(dict(zip(names, row, strict=True)))}\n".encode())
    return Written(count)


def write_json(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """One array of objects."""
    names, count = _unique(answer.columns), 0
    sink.write(b"[")
    for count, row in enumerate(rows_of(answer, _json_values), 1):
        start = "" if count == 1 else ","
        sink.write(f"{start}\n{_spelled(dict(zip(names, row, strict=True)))}".encode())
    sink.write(b"\n]\n" if count else b"]\n")
    return Written(count)


def write_parquet(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """Parquet, zstd; types as DuckDB gives them."""
    schema = pa.schema(
        [field.with_name(name) for field, name in zip(answer.schema, _unique(answer.columns), strict=True)]
    )
    rows = 0
    try:
        with pyarrow.parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
            for batch in answer.batches:
                rows += batch.num_rows
                writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
    except pa.ArrowNotImplementedError as error:
        raise BizcrawlError(
            f"a column has a type that Parquet lacks ({error}); cast it in a SELECT"
        ) from error
    return Written(rows)


def write_markdown(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """A Markdown table."""

    def line(cells: list[str]) -> bytes:
        return f"| {' | '.join(cells)} |\n".encode()

    sink.write(line([markdown(name) for name in answer.columns]))
    sink.write(line(["---:" if is_numeric(field.type) else "---" for field in answer.schema]))
    count = 0
    for row in rows_of(answer):
        count += 1
        sink.write(line([_text(v) if _is_number(v) else markdown(_text(v)) for v in row]))
    return Written(count)


def write_xlsx(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """An Excel workbook; numbers are numbers, everything else is text."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    cut = count = 0
    as_cell: Callable[[str], str] = visible if raw else spreadsheet
    rows = rows_of(answer)
    for part in itertools.count(1):
        sheet = book.create_sheet("rows" if part == 1 else f"rows {part}")
        sheet.append([as_cell(name) for name in answer.columns])
        in_sheet = 0
        for row in itertools.islice(rows, EXCEL_ROWS - 1):
            in_sheet += 1
            cells: list[object] = []
            for value in row:
                if _is_number(value) or isinstance(value, bool) or value is None:
                    cells.append(value)
                    continue
                text = as_cell(_text(value))
                cut += len(text) > EXCEL_CELL_CHARS
                cell = WriteOnlyCell(sheet, text[:EXCEL_CELL_CHARS])
                # a text that begins with = is no formula, whoever wrote it
                cell.data_type = "s"
                cells.append(cell)
            sheet.append(cells)
        count += in_sheet
        if in_sheet < EXCEL_ROWS - 1:
            break
    book.save(sink)
    return Written(count, cut)


WRITERS: dict[str, Callable[[Answer, BinaryIO, bool], Written]] = {
    "csv": write_csv,
    "json": write_json,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
    "markdown": write_markdown,
    "xlsx": write_xlsx,
}
SUFFIXES = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".md": "markdown",
    ".xlsx": "xlsx",
}
BINARY = frozenset({"parquet", "xlsx"})


def _plain(kind: pa.DataType) -> Convert | None:
    """What makes a plain value of one of a type; None: it is one."""
    if pa.types.is_map(kind):
        return lambda pairs: None if pairs is None else dict(pairs)
    if pa.types.is_decimal(kind):
        return lambda number: None if number is None else _number(number)
    return None


def _json_values(kind: pa.DataType) -> Convert | None:
    """What makes a value that JSON knows of one of a type; None: it knows it."""
    known = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    return None if known else _after(_plain(kind), _jsonable)


def _after(first: Convert | None, second: Convert) -> Convert:
    return second if first is None else lambda value: second(first(value))


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _is_number(value: object) -> bool:
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and finite


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict | tuple):
        return json_text(value)
    jsonable = _jsonable(value)
    return jsonable if isinstance(jsonable, str) else str(value)


def _jsonable(value: object) -> object:
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
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_jsonable(item) for item in value]
    return str(value)


def _unique(names: list[str]) -> list[str]:
    """The names, with a number after those that repeat."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result
