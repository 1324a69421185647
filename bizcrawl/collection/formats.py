"""Results as files: CSV, Excel, JSON, JSON Lines, Parquet and Markdown, row by row as they come in.

Text cells of CSV and Excel can't run as formulas, cells of Markdown can't be markup, and JSON spells control
characters out; ``raw`` gives CSV and Excel the text as it stands in the collection (Excel still takes it for
text). JSON Lines and Parquet always hold it as it stands. Reading a file back: an apostrophe before what
would otherwise look like a formula, where a text or what may be taken for another cell begins, was put there
by the export.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pyarrow as pa
import pyarrow.parquet

from bizcrawl.collection.reader import Answer
from bizcrawl.collection.values import (
    Convert,
    after,
    interval_text,
    is_number,
    json_of,
    json_values,
    plain,
    python_values,
    text_of,
)
from bizcrawl.errors import BizcrawlError
from bizcrawl.plaintext import csv_cell, markdown, spreadsheet, storable, terminal, visible

EXCEL_ROWS = 1_048_576
"""Rows of a sheet; more go to the next one."""
EXCEL_CELL_CHARS = 32_767
EXCEL_DIGITS = 15
"""Of a whole number; Excel makes zeros of those beyond."""
EXCEL_FIRST_YEAR = 1900


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
    converts = [(conversion or plain)(field.type) for field in answer.schema]
    for batch in answer.batches:
        columns = [
            python_values(column) if convert is None else map(convert, python_values(column))
            for column, convert in zip(batch.columns, converts, strict=True)
        ]
        yield from zip(*columns, strict=True)


def shown(value: object) -> str:
    """A value as one line of text for a screen."""
    return terminal(value if isinstance(value, str) else text_of(value))


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
    as_cell: Callable[[str], str] = storable if raw else csv_cell
    writer.writerow([as_cell(name) for name in answer.columns])

    def cell(value: object) -> object:
        if isinstance(value, str):
            return as_cell(value)
        return value if is_number(value) else as_cell(text_of(value))

    def cells(kind: pa.DataType) -> Convert | None:
        return None if pa.types.is_integer(kind) else after(plain(kind), cell)

    count = 0
    for row in rows_of(answer, cells):
        count += 1
        writer.writerow(row)
    return Written(count)


def write_jsonl(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """One JSON object a line."""
    names, count = _unique(answer.columns), 0
    for row in rows_of(answer, json_values):
        count += 1
        sink.write(f"{json_of(dict(zip(names, row, strict=True)))}\n".encode())
    return Written(count)


def write_json(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """One array of objects."""
    names, count = _unique(answer.columns), 0
    sink.write(b"[")
    for count, row in enumerate(rows_of(answer, json_values), 1):
        start = "" if count == 1 else ","
        sink.write(f"{start}\n{json_of(dict(zip(names, row, strict=True)))}".encode())
    sink.write(b"\n]\n" if count else b"]\n")
    return Written(count)


def write_parquet(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """Parquet, zstd; types as DuckDB gives them, intervals as text, which Parquet lacks."""
    named = [
        field.with_name(name) for field, name in zip(answer.schema, _unique(answer.columns), strict=True)
    ]
    schema = pa.schema([f.with_type(pa.string()) if pa.types.is_interval(f.type) else f for f in named])
    rows = 0
    try:
        with pyarrow.parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
            for batch in answer.batches:
                rows += batch.num_rows
                columns = [
                    pa.array(map(interval_text, column.to_pylist()), pa.string())
                    if pa.types.is_interval(column.type)
                    else column
                    for column in batch.columns
                ]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
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
        sink.write(line([text_of(v) if is_number(v) else markdown(text_of(v)) for v in row]))
    return Written(count)


def write_xlsx(answer: Answer, sink: BinaryIO, raw: bool = False) -> Written:
    """An Excel workbook; numbers and dates are such as far as Excel can hold them, all else is text."""
    from openpyxl import Workbook
    from openpyxl.writer.excel import ExcelWriter

    book = Workbook(write_only=True)
    archive = None
    try:
        written = _filled(book, answer, raw)
        for sheet in book.worksheets:
            sheet.close()
        archive = _Archive(sink, "w", ZIP_DEFLATED, strict_timestamps=False)
        ExcelWriter(book, archive).save()
    except BaseException:
        if archive is not None:
            archive.fp = None  # at its end it would write to what is closed by then, and say so
        for sheet in book.worksheets:  # rows wait in files of their own, and a command may end at once
            with suppress(OSError, ValueError):
                if not sheet.closed:
                    sheet.close()
                sheet._writer.cleanup()
        raise
    return written


class _Archive(ZipFile):
    """What a workbook is kept in. Its members bear no time: there is none before 1980, as a clock says that
    has not been set.
    """

    def writestr(
        self, name: Any, data: Any, compress_type: int | None = None, level: int | None = None
    ) -> None:
        """As any archive does."""
        member = ZipInfo(name)
        member.external_attr = 0o600 << 16
        super().writestr(member, data, compress_type or ZIP_DEFLATED, level)


def _filled(book: Any, answer: Answer, raw: bool) -> Written:
    """Write the rows to sheets of a workbook."""
    from openpyxl.cell import WriteOnlyCell

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
                if _excel_holds(value):
                    cells.append(value)
                    continue
                # a number of too many digits is no formula either
                text = str(value) if is_number(value) else as_cell(text_of(value))
                cut += len(text) > EXCEL_CELL_CHARS
                cell = WriteOnlyCell(sheet, text[:EXCEL_CELL_CHARS])
                # a text that begins with = is no formula, whoever wrote it
                cell.data_type = "s"
                cells.append(cell)
            sheet.append(cells)
        count += in_sheet
        if in_sheet < EXCEL_ROWS - 1:
            break
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


def _excel_holds(value: object) -> bool:
    """Whether Excel has a value like that, and keeps all of it but what is below a millisecond."""
    if isinstance(value, datetime | date):
        return value.year > EXCEL_FIRST_YEAR and getattr(value, "tzinfo", None) is None
    if isinstance(value, Decimal) or (isinstance(value, int) and abs(value) >= 10**EXCEL_DIGITS):
        return False
    return is_number(value) or isinstance(value, bool) or value is None


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _unique(names: list[str]) -> list[str]:
    """The names, with a number after those that repeat."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result
