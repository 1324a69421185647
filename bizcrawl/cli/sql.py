"""``bizcrawl sql``: ask a collection anything, also while it is being written."""

from __future__ import annotations

import contextlib
import itertools
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import duckdb
import pyarrow as pa
import typer
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from bizcrawl.cli.choices import CollectionFile
from bizcrawl.cli.ctrl_c import ctrl_c
from bizcrawl.cli.saying import counted
from bizcrawl.cli.streams import Screen
from bizcrawl.collection import formats, safe_sql
from bizcrawl.collection.migrations import check_readable
from bizcrawl.collection.opening import connect
from bizcrawl.collection.reader import Answer, Reader
from bizcrawl.collection.replacing import replacing
from bizcrawl.collection.sql_faults import mistake
from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.plaintext import terminal_lines

SHOWN_ROWS = 1_000
"""A table on a screen ends here, and says so."""
LEAST_COLUMN_CHARS = 8
"""Of a table whose columns would have less nothing could be read: its rows stand one below the other."""


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"
    MARKDOWN = "markdown"
    XLSX = "xlsx"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="sql")(sql)


def sql(
    file: CollectionFile,
    query: Annotated[
        str | None, typer.Argument(help="One statement that reads; without it, a prompt.", metavar="[SELECT]")
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, typer.Option("--format", help="Default: table on a terminal, csv in a pipe.")
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option(
            "--also",
            help="Another collection to query as well, as NAME.table after the name of its file; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write to this file, in the format of its name or of --format."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Seconds after which a query is stopped.", min=0.1)
    ] = safe_sql.QUERY_SECONDS,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave texts in CSV and Excel as they are, even formulas.")
    ] = False,
    allow_write: Annotated[
        bool,
        typer.Option(
            "--allow-write", help="Let statements change the collection; nobody else may have it open."
        ),
    ] = False,
) -> None:
    """Query a collection with SQL: pages, links, companies, evidence, competitors, hubs, progress, …

    Works while a crawl is writing the file. Only statements that read are allowed; no file, network or
    setting can be reached.
    """
    reader = Reader(file, tuple(also or ()))
    if allow_write and also:
        raise WrongUse("--allow-write changes one collection; leave --also out")
    if query is None and sys.stdin.isatty():
        _prompt(reader, seconds, allow_write)
        return
    text = sys.stdin.read() if query is None or query == "-" else query
    with ctrl_c() as pressed, _asked(reader, text, seconds, allow_write, pressed) as answer:
        show(answer, format, out, raw)


def show(answer: Answer, format: Format | None, out: Path | None, raw: bool) -> None:  # noqa: A002
    """Write a result where and how it was asked for."""
    if out is not None:
        chosen = format_of(out, format)
        with replacing(out) as sink:
            written = formats.WRITERS[chosen](answer, sink, raw)
        tell(written, out)
        return
    chosen = str(format) if format else ("table" if sys.stdout.isatty() else "csv")
    if chosen == Format.TABLE:
        _print_table(answer, Screen())
        return
    if chosen in formats.BINARY and sys.stdout.isatty():
        raise WrongUse(f"{chosen} can't be shown on a terminal; add --out FILE")
    formats.WRITERS[chosen](answer, standard_output(), raw)
    sys.stdout.flush()


def format_of(out: Path, asked: Format | None) -> str:
    """How a file is written: as asked, else as its name says. Raises `WrongUse` if neither tells."""
    if asked == Format.TABLE:
        raise WrongUse(
            "--format table is for the terminal; choose csv, xlsx, jsonl, json, parquet or markdown"
        )
    if asked is not None:
        return str(asked)
    if str(out) == "-":
        return "csv"
    try:
        return formats.SUFFIXES[out.suffix.lower()]
    except KeyError:
        known = ", ".join(formats.SUFFIXES)
        raise WrongUse(f"{out}: the name doesn't tell the format ({known}); add --format") from None


def standard_output() -> BinaryIO:
    """Standard output for bytes."""
    sys.stdout.flush()
    return sys.stdout.buffer


def tell(written: formats.Written, out: Path) -> None:
    """Say what was written, on standard error."""
    cut = (
        f"; {counted(written.cut_cells, 'text')} cut to the {formats.EXCEL_CELL_CHARS:,} characters of a cell"
    )
    print(f"{counted(written.rows, 'row')} in {out}{cut if written.cut_cells else ''}", file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def _asked(
    reader: Reader, query: str, seconds: float, allow_write: bool, pressed: Callable[[], bool]
) -> Iterator[Answer]:
    if not allow_write:
        with reader.query(query, seconds=seconds, gone=pressed) as answer:
            yield answer
        return
    file = reader.path
    con = connect(file, read_only=not file.exists())  # to write would make one that is not there
    try:
        check_readable(file, con)
        with safe_sql.interrupting(con, seconds, pressed):
            yield _written(con, query)
    finally:
        con.close()


def _written(con: duckdb.DuckDBPyConnection, query: str) -> Answer:
    """Run statements that may write; the answer is the last one's."""
    try:
        con.execute(query)
        columns = [column[0] for column in con.description or ()]
        rows = con.fetchall()
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise mistake(error) from error
    by_column = zip(*rows, strict=True) if rows else [()] * len(columns)
    table = pa.Table.from_arrays(list(map(_column, by_column)), names=columns)  # names may repeat
    return Answer(table.schema, iter(table.to_batches()))


def _column(values: Sequence[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):  # values of several kinds, or whole numbers beyond 64 bits
        return pa.array([None if value is None else str(value) for value in values])


def _print_table(answer: Answer, console: Screen) -> None:
    rows = formats.rows_of(answer)
    shown = itertools.islice(rows, SHOWN_ROWS)
    is_wide = len(answer.columns) * LEAST_COLUMN_CHARS > console.width
    console.print(_records(answer, shown, console.width) if is_wide else _table(answer, shown))
    if next(rows, None) is not None:
        console.print(
            f"… only the first {SHOWN_ROWS:,} rows; for all of them --out FILE or LIMIT", markup=False
        )


def _table(answer: Answer, rows: Iterable[Sequence[object]]) -> Table:
    table = Table()
    for field in answer.schema:
        justify: JustifyMethod = "right" if formats.is_numeric(field.type) else "left"
        table.add_column(Text(formats.shown(field.name)), justify=justify)
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _records(answer: Answer, rows: Iterable[Sequence[object]], width: int) -> Table:
    """Each row with a line for each of its values, as far as that goes on a line."""
    names = max(map(len, answer.columns))
    table = Table(show_header=False)
    table.add_column(no_wrap=True, min_width=names)
    table.add_column(no_wrap=True)
    for row in rows:
        for name, value in zip(answer.columns, row, strict=True):
            text = Text(_cell(value))
            text.truncate(width - names - len("│  │  │"), overflow="ellipsis")
            table.add_row(Text(formats.shown(name)), text)
        table.add_section()
    return table


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else formats.shown(value)


def _prompt(reader: Reader, seconds: float, allow_write: bool) -> None:
    """Ask, answer, until the end of input."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() a history and line editing
    # Ctrl-C ends a statement or a query, not the prompt
    signal.signal(signal.SIGINT, signal.default_int_handler)
    console = Screen()
    # whether there is a collection at all is told at once
    reader.rows("SELECT 1")
    console.print("Statements end with ; - .tables lists the tables, .quit leaves.", markup=False)
    while (text := _statement()) is not None:
        if not text:
            continue
        try:
            with ctrl_c() as pressed, _asked(reader, text, seconds, allow_write, pressed) as answer:
                _print_table(answer, console)
        except BizcrawlError as error:
            console.print(Text(terminal_lines(str(error))))


TABLES = """
SELECT table_name AS name, estimated_size AS rows, comment FROM duckdb_tables() UNION ALL
SELECT view_name, NULL, comment FROM duckdb_views() WHERE NOT internal
"""


def _statement() -> str | None:
    """The next statement; "" for none, None at the end."""
    lines: list[str] = []
    while True:
        try:
            line = input("bizcrawl> " if not lines else "     ...> ")
        except EOFError:
            return None
        except KeyboardInterrupt:
            return ""
        if not lines and line.strip() in {".quit", ".exit", "quit", "exit"}:
            return None
        if not lines and line.strip() == ".tables":
            return TABLES
        lines.append(line)
        if line.rstrip().endswith(";") or not line.strip():
            return "\n".join(lines).strip()
