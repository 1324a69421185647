"""Lists of URLs by category, as people save them: what is good in them is read, what is bad is counted."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processor_time import within_cpu_s

from bizcrawl.errors import BizcrawlError
from testbed.directory import load_directory
from testbed.directory_rows import directory_rows, lists_urls
from testbed.json_values import NoValue, json_values
from testbed.odp.load import connect

LIST = "url,category,title,description\nhttp://a.example/,Top/A,Müller,x\nhttp://b.example/,Top/B,T,\n"
RECORDS = [
    {"url": "http://a.example/", "category": "Top/A", "title": "Müller"},
    {"url": "http://b.example/", "category": "Top/B"},
]


def loaded(
    tmp_path: Path, content: bytes, name: str = "list.csv"
) -> tuple[list[tuple[object, ...]], dict[str, int]]:
    (tmp_path / name).write_bytes(content)
    con = connect(":memory:")
    found = load_directory(con, tmp_path / name)
    listed = con.execute("SELECT url, category, title FROM listings ORDER BY url").fetchall()
    return listed, found.faults


BOTH = [("http://a.example/", "Top/A", "Müller"), ("http://b.example/", "Top/B", "T")]


@pytest.mark.parametrize(
    "save",
    [
        str.encode,
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: text.replace(",", ";").encode(),
        lambda text: text.replace(",", "\t").encode(),
        lambda text: text.replace("url,category", "URL, Category ").encode(),
        lambda text: b"\n\n" + text.encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: bz2.compress(text.encode()),
        lambda text: lzma.compress(text.encode()),
    ],
)
def test_a_list_means_the_same_however_it_was_saved(tmp_path: Path, save: Callable[[str], bytes]) -> None:
    assert loaded(tmp_path, save(LIST)) == (BOTH, {})


class TestFaults:
    def test_bytes_that_are_no_utf8_are_windows_1252(self, tmp_path: Path) -> None:
        text = LIST.replace("http://b.example/", "http://b.example/é")
        listed, faults = loaded(tmp_path, text.encode("cp1252"))
        assert [row[0] for row in listed] == ["http://a.example/", "http://b.example/%E9"]
        assert (listed[0], faults) == (BOTH[0], {"illegal_utf8": 2})

    @pytest.mark.parametrize("row", ["http://c.example/", ",Top/C,T,d", " , ,,"])
    def test_a_row_that_is_short_or_lacks_an_address_costs_no_other(self, tmp_path: Path, row: str) -> None:
        """One made all rows one column each, and the list was refused for having no column url."""
        assert loaded(tmp_path, f"{LIST}{row}\n".encode()) == (BOTH, {"unreadable_record": 1})

    def test_a_row_with_cells_to_spare_is_read(self, tmp_path: Path) -> None:
        listed, faults = loaded(tmp_path, f"{LIST}http://c.example/,Top/C,T,d,more\n".encode())
        assert (listed, faults) == ([*BOTH, ("http://c.example/", "Top/C", "T")], {})

    def test_a_quote_that_nobody_closed_hides_no_row(self, tmp_path: Path) -> None:
        listed, faults = loaded(tmp_path, LIST.replace("Müller", '"Müller').encode())
        assert [row[0] for row in listed] == ["http://a.example/", "http://b.example/"]
        assert faults == {"unclosed_quote": 1}

    def test_a_damaged_or_cut_file_gives_what_came_before(self, tmp_path: Path) -> None:
        many = LIST + "".join(f"http://h{i}.example/,Top/C,{hash(str(i))},x\n" for i in range(20_000))
        packed = gzip.compress(many.encode())
        listed, faults = loaded(tmp_path, packed[: len(packed) // 2])
        assert 1_000 < len(listed) < 20_000
        assert faults["cut_short"] == 1

    def test_of_ten_thousand_columns_those_that_are_wanted_are_read(self, tmp_path: Path) -> None:
        others = ",".join(f"c{i}" for i in range(10_000))
        text = f"{others},url,category\n" + f"{',' * 10_000}http://a.example/,Top/A\n" * 5
        assert len(loaded(tmp_path, text.encode())[0]) == 5

    @pytest.mark.parametrize("name", ["none.csv", "list*.csv"])
    def test_a_file_that_is_not_there_is_told_so(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "list.csv").write_text(LIST)
        with pytest.raises(BizcrawlError, match="No such file"):
            load_directory(connect(":memory:"), tmp_path / name)


class TestJson:
    @pytest.mark.parametrize(
        "text",
        [
            json.dumps(RECORDS),
            json.dumps(RECORDS, indent=2),
            "\ufeff" + json.dumps(RECORDS),
            "\r\n".join(map(json.dumps, RECORDS)),
            "".join(map(json.dumps, RECORDS)),
            json.dumps(RECORDS).replace("url", "URL"),
        ],
    )
    def test_an_array_and_values_one_after_the_other_mean_the_same(self, tmp_path: Path, text: str) -> None:
        listed, faults = loaded(tmp_path, text.encode(), "list.json")
        assert (listed, faults) == ([BOTH[0], (*BOTH[1][:2], None)], {})

    @pytest.mark.parametrize(
        ("more", "fault"),
        [
            ('{"url": "http://c.exam\n', "malformed_record"),
            ("[" * 100_000 + "\n", "malformed_record"),
            ('{"url": ["http://c.example/"], "category": "Top/C"}\n', "unreadable_record"),
            ('{"url": null, "category": "Top/C"}\n', "unreadable_record"),
            ("5\n", "unreadable_record"),
            ('{"url": %s}\n' % ("9" * 10_000), "malformed_record"),
        ],
    )
    def test_a_value_that_is_no_row_costs_no_other(self, tmp_path: Path, more: str, fault: str) -> None:
        """Beside a row without an address, the addresses of all others came with quotes around them."""
        first, second = map(json.dumps, RECORDS)
        listed, faults = loaded(tmp_path, f"{first}\n{more}{second}\n".encode(), "list.ndjson")
        assert ([row[0] for row in listed], faults) == (
            ["http://a.example/", "http://b.example/"],
            {fault: 1},
        )

    @pytest.mark.parametrize("cut", [1, 20, 40])
    def test_an_array_that_was_cut_gives_what_came_before(self, tmp_path: Path, cut: int) -> None:
        listed, faults = loaded(tmp_path, json.dumps(RECORDS).encode()[:-cut], "list.json")
        assert listed[0] == BOTH[0]
        assert faults == {"cut_short": 1}

    def test_half_a_character_is_left_out(self, tmp_path: Path) -> None:
        text = json.dumps([RECORDS[0] | {"title": "Müller\ud83d"}])
        assert loaded(tmp_path, text.encode(), "list.json") == (BOTH[:1], {"illegal_character": 1})

    @pytest.mark.parametrize("text", ["", " ", "[]", "{}", "5", '{"a": {"url": "x", "category": "y"}}'])
    def test_what_is_no_list_is_refused_in_one_line(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(BizcrawlError, match=r"list\.json: (is empty|has no column category)"):
            loaded(tmp_path, text.encode(), "list.json")


@settings(max_examples=50)
@given(st.lists(st.recursive(st.integers() | st.text(), st.lists), max_size=5), st.integers(0, 2))
def test_values_are_read_whatever_is_read_at_once(values: list[object], layout: int) -> None:
    text = [json.dumps(values), json.dumps(values, indent=1), json.dumps(values, ensure_ascii=False)][layout]
    assert [value for _, value in json_values(io.StringIO(text))] == values


@given(st.text(alphabet='[]{}",:\n1a'))
def test_no_text_raises_or_goes_on_for_ever(text: str) -> None:
    for line, value in json_values(io.StringIO(text)):
        assert line >= 1
        assert value is not NoValue


LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)
TOPICS = json.dumps({"topic": "Top/A", "keywords": "a", "seeds": ["http://a.example/"], "targets": []}) + "\n"


@pytest.mark.parametrize(
    ("name", "text", "is_list"),
    [
        ("list.jsonl", LINES, True),
        ("list.jsonl", "{}\n" + LINES, True),
        ("topics.jsonl", TOPICS, False),
        ("topics.jsonl", "", False),
        ("topics.jsonl", "no JSON\n", False),
        ("list.csv", "", True),
        ("list.ndjson", "", True),
        ("content.rdf.u8", "", False),
    ],
)
def test_a_list_is_told_from_topics_by_its_rows(tmp_path: Path, name: str, text: str, is_list: bool) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert lists_urls(path) == is_list
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert lists_urls(path) == is_list


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("list.json", '{"url": "http://a.example/", "category": "Top/A"},\n'),
        ("list.json", '{"url": "http://a\n'),
        ("list.json", '{"url": '),
        ("list.json", "[1,"),
        ("list.json", '{"a":\n'),
        ("list.json", "[1,\n"),
        ("list.json", '"\n'),
        ("list.json", '"\\"'),
        ("list.csv", 'a"b,"\n'),
        ("list.csv", '"a,b\n'),
    ],
)
def test_a_list_takes_time_by_its_length(tmp_path: Path, name: str, unit: str) -> None:
    head = "url,category\n" if name.endswith(".csv") else "[\n"
    (tmp_path / name).write_text(head + unit * (200_000 // len(unit)))

    def read(path: Path) -> int:
        try:
            return sum(1 for _ in directory_rows(path))
        except BizcrawlError:
            return 0

    within_cpu_s(2.5, partial(read, tmp_path / name))
