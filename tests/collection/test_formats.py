"""Results as files: what goes in comes out again, and nothing in it runs."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hostile_strings import OWN, TRIGGER, has_control, published
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.cli.sql import _written
from bizcrawl.collection import formats, safe_sql
from bizcrawl.collection.reader import Answer
from bizcrawl.collection.replacing import replacing, write_text
from bizcrawl.errors import BizcrawlError, WrongUse


def answer(**columns: list[object]) -> Answer:
    table = pa.table(columns)
    return Answer(table.schema, iter(table.to_batches()))


def written(kind: str, result: Answer, raw: bool = False) -> bytes:
    sink = io.BytesIO()
    formats.WRITERS[kind](result, sink, raw)
    return sink.getvalue()


def csv_rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def test_csv_guards_texts_and_headers_and_leaves_numbers_alone() -> None:
    """Case i08."""
    result = answer(**{"=1+1": ['=HYPERLINK("http://x.example","y")'], "name": ["@SUM(1)"], "score": [-0.25]})
    assert csv_rows(written("csv", result)) == [
        ["'=1+1", "name", "score"],
        ['\'=HYPERLINK("http://x.example","y")', "'@SUM(1)", "-0.25"],
    ]


def test_raw_csv_is_what_stands_in_the_collection() -> None:
    assert csv_rows(written("csv", answer(a=["=1+1"]), raw=True)) == [["a"], ["=1+1"]]


@pytest.mark.parametrize("raw", [False, True])
def test_excel_takes_no_text_for_a_formula(raw: bool) -> None:
    texts = [text for text in OWN if "\ud83d" not in text]
    book = openpyxl.load_workbook(
        io.BytesIO(written("xlsx", answer(text=texts, n=list(range(len(texts)))), raw))
    )
    sheet = book.active
    for row in sheet.iter_rows(min_row=2):
        assert row[0].data_type in {"s", "inlineStr"} or row[0].value is None
        assert row[1].data_type == "n"
        assert raw or not TRIGGER.match(str(row[0].value or ""))


def test_excel_cuts_long_texts_and_says_how_many() -> None:
    sink = io.BytesIO()
    counted = formats.write_xlsx(answer(text=["x" * 40_000, "short"]), sink)
    assert counted == formats.Written(rows=2, cut_cells=1)


def test_excel_has_dates_as_dates_and_no_digit_of_a_number_is_lost() -> None:
    """What it can't hold is text: whole numbers beyond 15 digits, times with a zone, days before 1900."""
    when, zoned = datetime(2026, 11, 28, 12, 30, 15), datetime(2026, 1, 2, 3, tzinfo=UTC)  # noqa: DTZ001
    result = answer(
        when=[when], day=[date(2026, 11, 28)], zoned=[zoned], old=[date(1850, 1, 1)],
        most=[999_999_999_999_999], beyond=[-(2**62)],
    )  # fmt: skip
    (_, row) = openpyxl.load_workbook(io.BytesIO(written("xlsx", result))).active.iter_rows()
    assert [cell.value for cell in row] == [
        when,
        datetime(2026, 11, 28),  # noqa: DTZ001
        "2026-01-02T03:00:00+00:00",
        "1850-01-01",
        999_999_999_999_999,
        str(-(2**62)),
    ]
    assert [cell.is_date for cell in row] == [True, True, False, False, False, False]


@pytest.mark.parametrize("spelled", ["00:00:15.811864", "1 year 2 months 3 days -04:05:06", "-1 day"])
def test_an_interval_is_written_as_duckdb_writes_it(spelled: str) -> None:
    con = duckdb.connect()
    table = con.sql(f"SELECT INTERVAL '{spelled}' AS took, NULL::INTERVAL AS never").to_arrow_table()
    for kind in ("csv", "jsonl", "markdown", "xlsx", "parquet"):
        data = written(kind, Answer(table.schema, iter(table.to_batches())), raw=True)
        if kind == "parquet":
            assert pa.parquet.read_table(io.BytesIO(data)).to_pylist() == [{"took": spelled, "never": None}]
        elif kind == "xlsx":
            assert openpyxl.load_workbook(io.BytesIO(data)).active["A2"].value == spelled
        else:
            assert spelled in data.decode().replace("\\", "")


def test_values_beyond_pythons_are_written_as_they_are() -> None:
    """Times outside of the years 1 to 9999 or in nanoseconds, maps within lists and maps of lists, decimals
    of more digits than a double has, and types of which Arrow gets bytes or another number.
    """
    spelled = {
        "TIMESTAMP 'infinity'": "infinity",
        "[DATE '-infinity']": '["-infinity"]',
        "{'day': DATE '0044-03-15 (BC)'}": '{"day": "-0043-03-15"}',
        "DATE '12000-01-01'": "12000-01-01",
        "TIMESTAMPTZ '12000-01-01 00:00:00+00'": "12000-01-01T00:00:00.000000+00:00",
        "TIMESTAMP_NS '2026-01-01 00:00:00.123456789'": "2026-01-01T00:00:00.123456789",
        "MAP {'at': TIME_NS '12:00:00.123456789'}": "{at='12:00:00.123456789'}",
        "[MAP {'a': 1}, NULL]": '[{"a": 1}, null]',
        "MAP {[1, 2]: {'m': MAP {3: 1.5::DECIMAL(3, 1)}}}": '{"[1, 2]": {"m": {"3": 1.5}}}',
        "12345678901234567890.25::DECIMAL(38, 2)": "12345678901234567890.25",
        "TIMETZ '12:00:00+02'": "12:00:00+02",
        "340282366920938463463374607431768211455::UHUGEINT": "340282366920938463463374607431768211455",
        "BIT '10101'": "10101",
    }
    parts = safe_sql.run(duckdb.connect(), f"SELECT {', '.join(spelled)}")
    _, row = csv_rows(written("csv", Answer(next(parts), parts), raw=True))
    assert row == list(spelled.values())


def test_excel_goes_on_in_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "EXCEL_ROWS", 4)
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", answer(n=list(range(7))))))
    assert [sheet.max_row for sheet in book] == [4, 4, 2]
    assert book.sheetnames == ["rows", "rows 2", "rows 3"]
    assert [sheet["A2"].value for sheet in book] == [0, 3, 6]


def test_at_the_edges_of_what_excel_holds_nothing_is_lost() -> None:
    """A cell takes 32,767 characters, a number 15 digits; its calendar has a day too many in 1900."""
    result = answer(
        text=["x" * 32_767, "x" * 32_768],
        n=[10**15 - 1, 10**15],
        day=[date(1901, 1, 1), date(1900, 12, 31)],
        nothing=pa.array([None, None], pa.int64()),  # type: ignore[arg-type]
    )
    sink = io.BytesIO()
    assert formats.write_xlsx(result, sink) == formats.Written(2, cut_cells=1)
    _, held, beyond = openpyxl.load_workbook(sink).active.iter_rows()
    assert [len(row[0].value) for row in (held, beyond)] == [32_767, 32_767]
    assert [row[1].value for row in (held, beyond)] == [10**15 - 1, str(10**15)]
    assert [row[2].value for row in (held, beyond)] == [datetime(1901, 1, 1), "1900-12-31"]  # noqa: DTZ001
    assert [row[3].value for row in (held, beyond)] == [None, None]


@pytest.mark.parametrize("kind", [pa.int8(), pa.float32(), pa.decimal128(9, 2)])
def test_columns_of_numbers_stand_to_the_right(kind: pa.DataType) -> None:
    table = answer(n=pa.array([1], kind), text=["1"])  # type: ignore[arg-type]
    assert written("markdown", table).decode().splitlines()[1] == "| ---: | --- |"


VALUES: dict[str, object] = {
    "text": "a|b",
    "whole": 3,
    "real": 0.5,
    "not_a_number": float("nan"),
    "money": Decimal("1.50"),
    "yes": True,
    "when": datetime(2026, 11, 28, 12),  # noqa: DTZ001 - stored without zone
    "day": date(2026, 11, 28),
    "bytes": b"\x00\xff",
    "many": ["a", "b"],
    "nothing": None,
}


def test_json_lines_hold_every_type() -> None:
    data = written("jsonl", answer(**{name: [value] for name, value in VALUES.items()}))
    assert json.loads(data) == {
        "text": "a|b",
        "whole": 3,
        "real": 0.5,
        "not_a_number": None,
        "money": 1.5,
        "yes": True,
        "when": "2026-11-28T12:00:00",
        "day": "2026-11-28",
        "bytes": "00ff",
        "many": ["a", "b"],
        "nothing": None,
    }


def test_json_is_one_valid_array_also_when_empty() -> None:
    assert json.loads(written("json", answer(a=[1, 2]))) == [{"a": 1}, {"a": 2}]
    assert json.loads(written("json", answer(a=pa.array([], pa.int64())))) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [*formats.WRITERS])
def test_the_rows_of_all_parts_of_an_answer_are_written_and_counted(kind: str) -> None:
    table = pa.table({"n": list(range(7))})
    sink = io.BytesIO()
    result = Answer(table.schema, iter(table.to_batches(max_chunksize=3)))
    assert formats.WRITERS[kind](result, sink, False) == formats.Written(7)
    assert formats.WRITERS[kind](Answer(table.schema, iter(())), io.BytesIO(), False) == formats.Written(0)
    text = {
        "csv": "n\r\n" + "".join(f"{n}\r\n" for n in range(7)),
        "json": "[\n" + ",\n".join(f'{{"n": {n}}}' for n in range(7)) + "\n]\n",
        "jsonl": "".join(f'{{"n": {n}}}\n' for n in range(7)),
        "markdown": "| n |\n| ---: |\n" + "".join(f"| {n} |\n" for n in range(7)),
    }
    if kind in text:
        assert sink.getvalue().decode() == text[kind]
    elif kind == "parquet":
        assert pa.parquet.read_table(sink).to_pydict() == {"n": list(range(7))}
    else:
        sheet = openpyxl.load_workbook(sink).active
        assert [row[0].value for row in sheet.iter_rows()] == ["n", *range(7)]


def test_what_parquet_cannot_hold_is_told_in_one_line() -> None:
    table = duckdb.connect().sql("SELECT union_value(a := 1) AS either").to_arrow_table()
    with pytest.raises(BizcrawlError, match=r"a type that Parquet lacks .* cast it in a SELECT"):
        written("parquet", Answer(table.schema, iter(table.to_batches())))


def test_parquet_gives_back_types_and_texts() -> None:
    table = pa.parquet.read_table(io.BytesIO(written("parquet", answer(a=["=1+1\x1b"], n=[1]))))
    assert table.to_pylist() == [{"a": "=1+1\x1b", "n": 1}]


def test_columns_of_the_same_name_are_kept_apart() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for kind in ("jsonl", "parquet"):
        data = written(kind, Answer(batch.schema, iter([batch])))
        found = (
            json.loads(data) if kind == "jsonl" else pa.parquet.read_table(io.BytesIO(data)).to_pylist()[0]
        )
        assert found == {"a": 1, "a_2": 2}


def test_markdown_is_a_table_whatever_stands_in_it() -> None:
    lines = written("markdown", answer(text=OWN[:20], n=list(range(20)))).decode().splitlines()
    assert len(lines) == 22
    assert lines[1] == "| --- | ---: |"


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.sampled_from(OWN[:-20])))
def test_texts_come_back_from_json_lines_and_parquet_as_they_were(texts: list[str]) -> None:
    texts = [text for text in texts if "\ud83d" not in text]
    column = pa.array(texts, pa.string())
    lines = written("jsonl", answer(text=column)).decode().split("\n")[:-1]  # type: ignore[arg-type]
    assert [json.loads(line)["text"] for line in lines] == texts
    table = pa.parquet.read_table(io.BytesIO(written("parquet", answer(text=column))))  # type: ignore[arg-type]
    assert table["text"].to_pylist() == texts


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])) | st.sampled_from(OWN), min_size=1)
)
def test_no_way_out_carries_control_characters_or_formulas(texts: list[str]) -> None:
    texts = [text for text in texts if "\ud83d" not in text] + published()
    for kind in ("csv", "json", "jsonl", "markdown"):
        assert not has_control(written(kind, answer(text=texts)).decode(), but="\r\n\t")  # type: ignore[arg-type]
    for row in csv_rows(written("csv", answer(text=texts)))[1:]:  # type: ignore[arg-type]
        assert not any(TRIGGER.match(cell) for cell in row)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_text_is_a_formula_wherever_spreadsheets_divide_csv(delimiter: str) -> None:
    """In much of Europe they do so at semicolons: quotes around what holds a comma begin no cell there."""
    texts: list[object] = [
        "Acorn;=cmd|'/c calc'!A1;",
        "Acorn, of Kent\n=1+1",
        'Acorn;"=1+1"',
        "Acorn;\u00a0 +1\r\n\t@SUM(1)",
        "Acorn;;\n=1",
    ]
    data = written("csv", answer(place=[1] * len(texts), text=texts)).decode()
    rows = csv.reader(io.StringIO(data, newline=""), delimiter=delimiter)
    assert not [cell for row in rows for cell in row if TRIGGER.match(cell.strip())]


def test_no_output_takes_the_place_of_a_database(tmp_path: Path) -> None:
    """`testbed topics bed.duckdb --to bed.duckdb` replaced a bed and all of its runs by its topics."""
    path = tmp_path / "bed.duckdb"
    duckdb.connect(str(path)).close()
    before = path.read_bytes()
    with pytest.raises(WrongUse, match="is a database, which is not overwritten"):
        write_text(path, "topics")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("former")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half a fi")
            raise RuntimeError("killed here")

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "former"
    assert list(tmp_path.iterdir()) == [path]
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "former"
    assert path.read_text() == "new"


def test_a_place_that_can_not_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BizcrawlError, match=r"can't be written"), replacing(tmp_path / "none" / "out.csv"):
        pass


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    link, file = tmp_path / "out.csv", tmp_path / "real.csv"
    file.write_text("former")
    link.symlink_to(file)
    with replacing(link) as sink:
        sink.write(b"new")
    assert link.is_symlink()
    assert file.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replacing(pipe) as sink:
            sink.write(b"rows")
        assert os.read(reader, 10) == b"rows"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_full_device_is_told_in_one_line_and_stays(tmp_path: Path) -> None:
    full = tmp_path / "full.csv"
    full.symlink_to("/dev/full")
    with pytest.raises(BizcrawlError, match="No space left"), replacing(full) as sink:
        sink.write(b"rows")
    assert stat.S_ISCHR(full.stat().st_mode)


def test_a_workbook_that_finds_the_disk_full_says_nothing_when_it_goes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    full = tmp_path / "full.xlsx"
    full.symlink_to("/dev/full")
    with pytest.raises(BizcrawlError, match="No space left"), replacing(full) as sink:
        formats.write_xlsx(answer(text=[str(number) * 999 for number in range(999)]), sink)
    gc.collect()
    assert capsys.readouterr().err == ""


def test_a_workbook_is_written_also_by_a_clock_that_was_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_the_epoch(_now: float | None = None) -> time.struct_time:
        return time.gmtime(0)

    monkeypatch.setattr(time, "localtime", at_the_epoch)
    sink = io.BytesIO()
    formats.write_xlsx(answer(text=["pumps"]), sink)
    book = openpyxl.load_workbook(sink)
    assert [row[0].value for row in book.worksheets[0]] == ["text", "pumps"]


def test_an_export_to_excel_that_is_interrupted_leaves_no_rows_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """openpyxl clears up when the interpreter ends, which a command after Ctrl-C does not wait for."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    batch = pa.RecordBatch.from_pydict({"text": ["x"] * 99})

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch
        assert list(tmp_path.iterdir())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        formats.write_xlsx(Answer(batch.schema, batches()), io.BytesIO())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("query", "columns", "rows"),
    [
        ("SELECT 1 AS a, 2 AS a", ["a", "a"], [(1, 2)]),
        ("SELECT 1 AS a, 'x' AS b WHERE false", ["a", "b"], []),
        ("SELECT 2::HUGEINT << 100 AS a, 1 AS b", ["a", "b"], [(str(2**101), 1)]),
        ("CREATE TABLE t (a INT); INSERT INTO t VALUES (7), (8)", ["Count"], [(2,)]),
    ],
)
def test_what_statements_that_may_write_answer_has_all_its_columns(
    query: str, columns: list[str], rows: list[tuple[object, ...]]
) -> None:
    with duckdb.connect() as con:
        answer = _written(con, query)
        assert (answer.columns, list(answer.rows())) == (columns, rows)
