"""Reading ODP dumps: both layouts, every fault repaired and counted, nothing lost between chunks."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odp_text import HEAD, TAIL, dump, page, topic
from processor_time import within_cpu_s

from testbed.odp.content import read_content
from testbed.odp.faults import DumpError, FaultKind
from testbed.odp.load import Loaded, connect, load_dumps
from testbed.odp.stream import Chunk, chunks

SHARED = Path(__file__).parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared beds and corpora are not here")


def loaded(
    tmp_path: Path, data: bytes, name: str = "content.rdf.u8"
) -> tuple[duckdb.DuckDBPyConnection, Loaded]:
    path = tmp_path / name
    path.write_bytes(data)
    con = connect(":memory:")
    return con, load_dumps(con, [path])


def rows(con: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return con.execute("SELECT category, url, title, description, kind FROM listings ORDER BY ALL").fetchall()


def faults(con: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    return con.execute("SELECT kind, line FROM faults ORDER BY line, kind").fetchall()


class TestLayouts:
    def test_a_page_names_its_category_since_2003(self, tmp_path: Path) -> None:
        con, _ = loaded(
            tmp_path, dump(topic("Top/A", "http://a.example/"), page("http://a.example/", "Top/A"))
        )
        assert rows(con) == [("Top/A", "http://a.example/", "T", "D", "link")]

    def test_before_2003_the_category_names_its_pages(self, tmp_path: Path) -> None:
        con, found = loaded(tmp_path, dump(topic("Top/A", "http://a.example/"), page("http://a.example/")))
        assert rows(con) == [("Top/A", "http://a.example/", "T", "D", "link")]
        assert not found.faults

    def test_the_order_of_categories_and_pages_does_not_matter(self, tmp_path: Path) -> None:
        con, _ = loaded(tmp_path, dump(page("http://a.example/"), topic("Top/A", "http://a.example/")))
        assert rows(con) == [("Top/A", "http://a.example/", "T", "D", "link")]

    def test_before_2003_one_page_describes_all_categories_that_link_to_it(self, tmp_path: Path) -> None:
        url = "http://a.example/"
        con, _ = loaded(tmp_path, dump(topic("Top/A", url), page(url, title="Both"), topic("Top/B", url)))
        assert [(row[0], row[2]) for row in rows(con)] == [("Top/A", "Both"), ("Top/B", "Both")]

    def test_a_link_without_a_page_is_a_listing_without_words(self, tmp_path: Path) -> None:
        con, _ = loaded(tmp_path, dump(topic("Top/A", "http://a.example/")))
        assert rows(con) == [("Top/A", "http://a.example/", None, None, "link")]

    def test_kinds_of_links_are_kept(self, tmp_path: Path) -> None:
        text = dump(
            topic("Top/A", "http://a.example/", kind="link1"),
            topic("Top/B", "http://b.example/x.pdf", kind="pdf"),
            page("http://b.example/x.pdf", "Top/B"),
        )
        con, _ = loaded(tmp_path, text)
        assert [(row[0], row[4]) for row in rows(con)] == [("Top/A", "link1"), ("Top/B", "pdf")]

    @pytest.mark.parametrize("kinds", [("link", "rss"), ("rss", "link"), ("atom1", "link")])
    def test_an_external_url_that_is_listed_as_a_feed_too_stays_one(
        self, tmp_path: Path, kinds: tuple[str, str]
    ) -> None:
        """A37: only link and link1 count as external URLs, and this one has a link."""
        links = "".join(f'<{kind} r:resource="http://a.example/"/>' for kind in kinds)
        con, _ = loaded(
            tmp_path, dump(f'<Topic r:id="Top/A">{links}</Topic>', page("http://a.example/", "Top/A"))
        )
        assert [row[4] for row in rows(con)] == ["link"]

    def test_the_empty_id_is_the_root(self, tmp_path: Path) -> None:
        con, _ = loaded(tmp_path, dump(topic("", "http://a.example/")))
        assert rows(con)[0][0] == "Top"

    def test_priority_ages_and_unknown_children_are_kept(self, tmp_path: Path) -> None:
        extra = "<priority>1</priority><ages>kids</ages><uksite>1</uksite><topic>Top/A</topic></ExternalPage>"
        text = page("http://a.example/", "Top/A").replace("  <topic>Top/A</topic>\n</ExternalPage>", extra)
        con, _ = loaded(tmp_path, dump(text))
        row = con.execute("SELECT priority, ages, extra FROM listings").fetchone()
        assert row == (1, "kids", '{"uksite": "1"}')

    @pytest.mark.parametrize("namespace", ["http://dmoz.org/rdf", "http://directory.mozilla.org/rdf"])
    def test_namespaces_vary_and_local_names_count(self, tmp_path: Path, namespace: str) -> None:
        text = dump(page("http://a.example/", "Top/X")).replace(b"http://dmoz.org/rdf/", namespace.encode())
        assert loaded(tmp_path, text)[1].listings == 1

    @pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
    def test_compression_is_told_by_content_not_by_name(self, tmp_path: Path, pack) -> None:
        data = pack(dump(page("http://a.example/", "Top/X")))
        assert loaded(tmp_path, data, "dump.bin")[1].listings == 1


class TestFaults:
    """Cases f01-f08 of the public reports, and what else old dumps hold."""

    def test_bytes_that_are_no_utf8_are_windows_1252(self, tmp_path: Path) -> None:
        text = dump(page("http://a.example/", "Top/X", "CafE"), page("http://ok.example/", "Top/X", "OK"))
        con, _ = loaded(tmp_path, text.replace(b"CafE", b"Caf\xe9"))
        assert [row[2] for row in rows(con)] == ["Café", "OK"]
        assert faults(con) == [("illegal_utf8", 4)]

    @pytest.mark.parametrize(
        "fault", [b"\x0b", b"&#11;", b"\x01", b"&#x0;", b"\xef\xbf\xbf", b"\xed\xa0\x80"]
    )
    def test_characters_that_xml_forbids_are_left_out(self, tmp_path: Path, fault: bytes) -> None:
        con, found = loaded(tmp_path, dump(page("http://a.example/", "Top/X", "A@B")).replace(b"@", fault))
        assert rows(con)[0][2] == "AB"
        assert sum(found.faults.values()) == 1

    def test_a_bare_ampersand_does_not_change_the_url(self, tmp_path: Path) -> None:
        text = dump(
            page("http://a.example/?x=1&y=2", "Top/X"),
            page("http://b.example/?x=1&amp;y=2", "Top/X", "A &amp; B"),
        )
        con, found = loaded(tmp_path, text)
        assert [row[1] for row in rows(con)] == ["http://a.example/?x=1&y=2", "http://b.example/?x=1&y=2"]
        assert rows(con)[1][2] == "A & B"
        assert found.faults == {"bare_ampersand": 1}

    def test_html_names_are_characters_in_text_and_themselves_in_urls(self, tmp_path: Path) -> None:
        con, found = loaded(
            tmp_path, dump(page("http://a.example/?a&copy;=1", "Top/X", "Caf&eacute; &nbsp;Bar &nosuch;"))
        )
        assert rows(con)[0][1:3] == ("http://a.example/?a&copy;=1", "Café \xa0Bar &nosuch;")
        assert found.faults == {"bare_ampersand": 1, "undefined_entity": 3}

    def test_illegal_bytes_in_a_url_are_sent_as_they_stand(self, tmp_path: Path) -> None:
        url = b"http://a.example/caf\xe9?q=\x02"
        text = dump(topic("Top/X", "URL"), page("URL", "Top/X")).replace(b"URL", url)
        con, _ = loaded(tmp_path, text)
        assert rows(con) == [("Top/X", "http://a.example/caf%E9?q=%02", "T", "D", "link")]

    def test_a_line_end_in_a_url_is_no_blank(self, tmp_path: Path) -> None:
        con, found = loaded(
            tmp_path,
            dump(page("http://a.example/long/\npath", "Top/X"), page("http://b.example/a b", "Top/X")),
        )
        assert [row[1] for row in rows(con)] == ["http://a.example/long/path", "http://b.example/a b"]
        assert found.faults == {"line_break_in_url": 1}

    def test_long_and_wrapped_texts_arrive_whole(self, tmp_path: Path) -> None:
        text = "Makes pumps &amp; valves for beer &amp; wine.\n" * 500
        con, _ = loaded(tmp_path, dump(page("http://a.example/", "Top/X", description=text)))
        assert rows(con)[0][3] == text.replace("&amp;", "&").strip()

    def test_markup_left_in_a_text_is_text(self, tmp_path: Path) -> None:
        con, _ = loaded(tmp_path, dump(page("http://a.example/", "Top/X", description="for <b>all</b> uses")))
        assert rows(con)[0][3] == "for all uses"

    def test_a_less_than_sign_in_a_text_is_text(self, tmp_path: Path) -> None:
        con, found = loaded(
            tmp_path,
            dump(
                page("http://a.example/", "Top/X", description="a < b"), page("http://ok.example/", "Top/X")
            ),
        )
        assert [row[3] for row in rows(con)] == ["a < b", "D"]
        assert found.faults == {"stray_markup": 1}
        assert faults(con)[0][1] == 5

    def test_a_record_without_end_is_closed_and_the_next_one_is_whole(self, tmp_path: Path) -> None:
        broken = page("http://a.example/", "Top/X").replace("</ExternalPage>\n", "")
        con, found = loaded(tmp_path, dump(broken, page("http://ok.example/", "Top/X")))
        assert [row[1] for row in rows(con)] == ["http://a.example/", "http://ok.example/"]
        assert found.faults == {"unclosed_record": 1}

    def test_half_a_category_at_the_end_of_a_cut_file_is_not_taken_for_one(self, tmp_path: Path) -> None:
        text = dump(page("http://ok.example/", "Top/X"), page("http://a.example/", "Top/Business/Pumps"))
        con, found = loaded(tmp_path, text[: text.index(b"/Pumps")])
        assert rows(con) == [("Top/X", "http://ok.example/", "T", "D", None)]
        assert found.faults["cut_short"] == 1
        assert found.faults["page_without_category"] == 1

    def test_a_dump_that_ends_with_its_last_record_has_it_whole(self, tmp_path: Path) -> None:
        text = dump(page("http://a.example/", "Top/X")).removesuffix(f"\n{TAIL}".encode())
        con, _ = loaded(tmp_path, text)
        assert rows(con) == [("Top/X", "http://a.example/", "T", "D", None)]
        assert faults(con) == [("cut_short", 7)]

    def test_damaged_compression_keeps_what_came_before(self, tmp_path: Path) -> None:
        many = [page(f"http://a{i}.example/", "Top/X", description=str(hash(str(i)))) for i in range(20_000)]
        data = gzip.compress(dump(*many))
        _, found = loaded(tmp_path, data[: len(data) // 2])
        assert found.faults["cut_short"] == 1
        assert 1_000 < found.listings < 20_000

    def test_an_undeclared_prefix_is_declared(self, tmp_path: Path) -> None:
        text = dump(page("http://a.example/", "Top/X")).replace(
            b' xmlns:d="http://purl.org/dc/elements/1.0/"', b""
        )
        con, found = loaded(tmp_path, text)
        assert rows(con)[0][2] == "T"
        assert found.faults == {"undeclared_prefix": 1}
        assert con.execute("SELECT line, detail FROM faults").fetchall() == [(4, "d:")]

    @pytest.mark.parametrize(
        ("description", "faults"),
        [
            # a dump in another encoding than it says: every word is repaired (28 s a megabyte once)
            ("Производители насосов и клапанов " * 600, 4 * 600 * 10),
            # comments that are never closed (minutes once)
            ("<!-- " * 6_000 + "&", 6_001 * 10),
        ],
        ids=["encoding", "comments"],
    )
    def test_many_faults_take_no_longer_each_than_few(
        self, tmp_path: Path, description: str, faults: int
    ) -> None:
        urls = [f"http://h{i}.example/" for i in range(10)]
        data = dump(topic("Top/A/B", *urls), *(page(url, "Top/A/B", description=description) for url in urls))
        begin = time.process_time()
        con, found = loaded(tmp_path, data.decode().encode("koi8-r"))
        assert time.process_time() - begin < 3
        assert [row[1] for row in rows(con)] == urls
        assert sum(found.faults.values()) == faults

    @pytest.mark.parametrize("filling", ["x", "<!-- ", "< x "])
    def test_records_behind_a_long_stretch_without_any_are_read(
        self, tmp_path: Path, filling: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A dump was refused as a whole for one comment that nobody closed, when it went on for long."""
        monkeypatch.setattr("testbed.odp.stream._RECORD_BYTES", 500_000)
        ok = [page(f"http://ok{i}.example/", "Top/X") for i in range(2)]
        path = tmp_path / "c.rdf"
        path.write_bytes(dump(ok[0], filling * (1_100_000 // len(filling)), ok[1]))
        con = connect(":memory:")
        found = load_dumps(con, [path], chunk_bytes=100_000)
        assert [row[1] for row in rows(con)] == ["http://ok0.example/", "http://ok1.example/"]
        assert sum(found.faults.values()) == 1

    def test_comments_before_the_first_record_and_behind_the_root_are_no_records(
        self, tmp_path: Path
    ) -> None:
        data = dump(topic("Top/A", "http://a.example/"), page("http://a.example/", "Top/A"))
        plain = loaded(tmp_path, data)[0]
        said = (
            b"<!-- <Topic> -->"
            + data.replace(b"<RDF", b"<!-- <RDX> with <Topic> and <Alias> --><!----><RDF", 1)
            + b"<!-- </RDF> ends -->"
        )
        con, _ = loaded(tmp_path, said)
        assert rows(con) == rows(plain) != []
        assert faults(con) == []

    def test_a_comment_that_is_never_closed_before_the_first_record_hides_none(self, tmp_path: Path) -> None:
        con, _ = loaded(tmp_path, dump("<!-- all of\n", page("http://a.example/", "Top/X", "A & B")))
        assert [row[1:3] for row in rows(con)] == [("http://a.example/", "A & B")]
        assert faults(con) == [("bare_ampersand", 5)]

    def test_a_comment_that_is_never_closed_is_text_and_hides_no_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("testbed.odp.stream._RECORD_BYTES", 100_000)
        many = [page(f"http://a{i}.example/", "Top/X") for i in range(5_000)]
        path = tmp_path / "c.rdf"
        path.write_bytes(dump(page("http://a.example/", "Top/X", title="<!-- x"), *many))
        found = load_dumps(connect(":memory:"), [path], chunk_bytes=10_000)
        assert (found.listings, found.faults) == (5_001, {"stray_markup": 1})

    def test_a_page_that_is_described_many_times_is_listed_once_in_each_category(
        self, tmp_path: Path
    ) -> None:
        """In the layout before 2003: 4 million listings came of 400 kB once."""
        url = "http://a.example/"
        pages = [page(url, title=f"T{i}") for i in range(100)]
        con, found = loaded(tmp_path, dump(*pages, *(topic(f"Top/A{i}", url) for i in range(100))))
        assert len({row[2] for row in rows(con)}) == 1
        assert (found.listings, found.faults) == (100, {"repeated_page": 99})

    def test_a_page_without_url_is_counted(self, tmp_path: Path) -> None:
        con, found = loaded(tmp_path, dump(page("", "Top/X"), page("http://ok.example/", "Top/X")))
        assert found.listings == 1
        assert faults(con) == [("unreadable_record", 3)]

    def test_entities_of_a_document_type_are_never_expanded(self, tmp_path: Path) -> None:
        bomb = b'<!DOCTYPE RDF [<!ENTITY secret SYSTEM "file:///etc/hostname">]>\n'
        text = dump(page("http://a.example/", "Top/X", "&secret;")).replace(b"<RDF", bomb + b"<RDF", 1)
        con, found = loaded(tmp_path, text)
        assert rows(con)[0][2] == "&secret;"
        assert found.faults == {"undefined_entity": 1}


class TestSizes:
    @pytest.mark.parametrize(
        "data",
        [
            # a root that is never closed (14 s for 40 kB once)
            b"<" + b"a" * 400_000 + page("http://a.example/", "Top/X").encode(),
            HEAD.encode() + page("http://a.example/").encode() + b"<!--<Topic >" * 1_000,
            HEAD.encode() + page("http://a.example/").encode() + b"<!--<Topic >-->" * 40_000,
        ],
        ids=["root", "open comments", "comments"],
    )
    def test_a_dump_is_cut_in_time(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "c.rdf"
        path.write_bytes(data)
        assert within_cpu_s(1, lambda: list(chunks(path)))

    def test_a_category_larger_than_its_chunks_is_not_read_with_each_of_them(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("testbed.odp.stream._MOST_CONTEXT_BYTES", 20_000)
        urls = [f"http://h{i}.example/" for i in range(2_000)]
        path = tmp_path / "c.rdf"
        path.write_bytes(dump(topic("Top/A", *urls), *map(page, urls)))
        pieces = list(chunks(path, 20_000))
        assert len(pieces) > 10
        assert sum(len(piece.context) for piece in pieces) < path.stat().st_size
        con = connect(":memory:")
        assert load_dumps(con, [path], chunk_bytes=20_000).listings == len(urls)
        assert con.execute("SELECT DISTINCT category, title, kind FROM listings").fetchall() == [
            ("Top/A", "T", "link")
        ]

    def test_a_dump_can_come_through_a_pipe(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        data = gzip.compress(dump(page("http://a.example/", "Top/X")))
        with ThreadPoolExecutor(1) as beside:
            beside.submit(pipe.write_bytes, data)
            assert load_dumps(connect(":memory:"), [pipe], processes=1).listings == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (b"<html><body>moved</body></html>", "no dump of the Open Directory"),
            (b"", "is empty"),
            (b"\xff\xd8\xff\xe0 a picture", "no dump of the Open Directory"),
            (b"\x1f\x8b\x08\x00garbage", "cannot be read"),
            (b"PK\x03\x04" + bytes(100), "save the table as CSV"),
            (b"\x28\xb5\x2f\xfd" + bytes(100), "unzstd"),
            (dump(topic("Top/A"), topic("Top/B")), "structure dump"),
        ],
    )
    def test_something_else_is_refused_in_one_line_that_names_the_file(
        self, tmp_path: Path, data: bytes, says: str
    ) -> None:
        with pytest.raises(DumpError, match=says) as refusal:
            loaded(tmp_path, data)
        assert "content.rdf.u8" in str(refusal.value)
        assert "\n" not in str(refusal.value)

    def test_a_content_dump_is_no_structure(self, tmp_path: Path) -> None:
        path = tmp_path / "c.rdf"
        path.write_bytes(dump(page("http://a.example/", "Top/X")))
        with pytest.raises(DumpError, match="content dump"):
            load_dumps(connect(":memory:"), [path], [path])

    def test_a_refused_dump_leaves_the_database_as_it_was(self, tmp_path: Path) -> None:
        con, before = loaded(tmp_path, dump(page("http://a.example/", "Top/X")))
        bad = tmp_path / "bad.rdf"
        bad.write_bytes(dump(topic("Top/A")))
        with pytest.raises(DumpError):
            load_dumps(con, [bad])
        assert con.execute("SELECT count(*) FROM listings").fetchone() == (before.listings,)
        assert load_dumps(con, [tmp_path / "content.rdf.u8"]).listings == 2 * before.listings


class TestStructure:
    def test_ties_between_categories_are_read(self, tmp_path: Path) -> None:
        structure = tmp_path / "structure.rdf"
        structure.write_text(
            HEAD + '<Topic r:id="">\n<catid>1</catid>\n<d:Title>Top</d:Title>\n'
            '<narrow2 r:resource="Top/A"/>\n</Topic>\n'
            '<Topic r:id="Top/A"><d:Title>A</d:Title>'
            "<d:Description>About &lt;b&gt;A&lt;/b&gt;</d:Description>"
            '<symbolic1 r:resource="See: also:Top/B"/>'
            '<altlang r:resource="German:Top/World/Deutsch"/>'
            '<letterbar r:resource="Top/A/B"/><newsgroup r:resource="news:a"/></Topic>\n'
            '<Alias r:id="Also:Top/A"><d:Title>Also</d:Title><Target r:resource="Top/C"/></Alias>\n' + TAIL
        )
        content = tmp_path / "content.rdf"
        content.write_bytes(dump(page("http://a.example/", "Top/A/D")))
        con = connect(":memory:")
        load_dumps(con, [content], [structure])
        links = con.execute("SELECT kind, target, label, rank FROM category_links ORDER BY kind").fetchall()
        assert links == [
            ("alias", "Top/C", "Also", 0),
            ("altlang", "Top/World/Deutsch", "German", 0),
            ("letterbar", "Top/A/B", None, 0),
            ("narrow", "Top/A", None, 2),
            ("newsgroup", "news:a", None, 0),
            ("symbolic", "Top/B", "See: also", 1),
        ]
        tree = con.execute("SELECT category, parent, leaf FROM categories ORDER BY category").fetchall()
        assert tree == [("Top", None, False), ("Top/A", "Top", False), ("Top/A/D", "Top/A", True)]
        described = con.execute("SELECT description FROM categories WHERE category = 'Top/A'").fetchone()
        assert described == ("About <b>A</b>",)


def _many() -> bytes:
    records = []
    for c in range(18):
        urls = [f"http://h{c}-{i}.example/?a=1&b={i}" for i in range(c % 9)]
        records.append(topic(f"Top/C{c}", *urls))
        records += [page(url, None if i % 3 == 0 else f"Top/C{c}", f"T{i}") for i, url in enumerate(urls)]
        if c % 5 == 0:
            records.append('<!-- <ExternalPage about="http://never.example/"> -->\n')
    return dump(*records)


class TestChunks:
    @pytest.mark.parametrize("chunk_bytes", [97, 1_500])
    def test_where_a_dump_is_cut_changes_nothing(self, tmp_path: Path, chunk_bytes: int) -> None:
        path = tmp_path / "c.rdf"
        path.write_bytes(_many())
        pieces = list(chunks(path, chunk_bytes))
        assert len(pieces) > 3
        assert all(a.line < b.line for a, b in pairwise(pieces))
        assert any(piece.context for piece in pieces)
        found = []
        for size in (1 << 22, chunk_bytes):
            con = connect(":memory:")
            load_dumps(con, [path], chunk_bytes=size)
            listings = con.execute("SELECT category, url, title FROM listings ORDER BY ALL").fetchall()
            found.append((listings, faults(con)))
        assert found[0] == found[1]
        assert len(found[0][0]) == sum(c % 9 for c in range(18))
        assert not any("never" in url for _, url, _ in found[0][0])

    def test_processes_change_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("testbed.odp.load._SMALL_BYTES", 0)
        path = tmp_path / "c.rdf"
        path.write_bytes(_many())
        query = "SELECT * FROM listings ORDER BY ALL"
        found = []
        for processes in (1, 2):
            con = connect(":memory:")
            load_dumps(con, [path], processes=processes, chunk_bytes=2_000)
            found.append(con.execute(query).fetchall())
        assert found[0] == found[1]


class TestReadingProperties:
    @given(st.binary(max_size=400))
    @settings(max_examples=200)
    def test_no_bytes_raise_and_good_records_around_them_survive(self, noise: bytes) -> None:
        noise = noise.replace(b"<!--", b"").replace(b"ExternalPage", b"")
        data = (
            page("http://a.example/", "Top/X").encode() + noise + page("http://b.example/", "Top/X").encode()
        )
        found = read_content(Chunk(data, 1))
        assert "http://b.example/" in [row[1] for row in found.loose_pages]

    @given(
        st.text(
            alphabet=st.characters(codec="latin-1", exclude_characters='"<>\t\n\r'), min_size=1, max_size=40
        )
    )
    @settings(max_examples=200)
    def test_a_repaired_url_keeps_every_character(self, path: str) -> None:
        """Whatever stands in a URL still stands there, itself or percent-encoded."""
        raw = path.encode("latin-1")
        found = read_content(Chunk(page("http://a.example/URL", "Top/X").encode().replace(b"URL", raw), 1))
        (url,) = [row[1] for row in found.loose_pages]
        from html import unescape
        from urllib.parse import quote_from_bytes, unquote_to_bytes

        kept = unquote_to_bytes(quote_from_bytes(url.encode(), safe="%"))
        try:
            sent = raw.decode("utf-8").encode()
        except UnicodeDecodeError:
            sent = raw
        if "&" not in path and "%" not in path:
            assert kept.strip() in {
                unquote_to_bytes(b"http://a.example/" + sent).strip(),
                b"http://a.example/" + sent.strip(),
            }
        else:
            assert unescape(url).startswith("http://a.example/")


@needs_shared
class TestRealFiles:
    def test_the_faulty_dump_of_bizweb_lists_what_the_clean_one_lists(self) -> None:
        bed = SHARED / "beds" / "bizweb"
        found = []
        for name in ("content.rdf.u8.gz", "content.clean.rdf.u8.gz"):
            con = connect(":memory:")
            result = load_dumps(con, [bed / name], [bed / "structure.rdf.u8.gz"])
            found.append((con, result))
        (faulty, with_faults), (clean, without) = found
        assert with_faults.faults == {
            "bare_ampersand": 2,
            "illegal_character": 2,
            "illegal_utf8": 2,
            "undefined_entity": 2,
        }
        assert without.faults == {}
        assert (without.categories, without.listings) == (373, 3262)
        query = "SELECT category, url, kind, priority FROM listings ORDER BY ALL"
        assert faulty.execute(query).fetchall() == clean.execute(query).fetchall()
        texts = "SELECT url, title, description FROM listings"
        differing = set(faulty.execute(texts).fetchall()) - set(clean.execute(texts).fetchall())
        # the faults themselves brought words along: Café, Société, Research & development
        assert sorted(
            word for _, *t in differing for word in ("Café", "Société", "&") if word in " ".join(t)
        ) == ["&", "&", "Café", "Café", "Société"]

    @pytest.mark.parametrize(
        ("name", "categories", "listings", "described"),
        [
            ("deimos_xmlexample_dmoz2_2010.xml", 6, 81, 81),
            ("deimos_xmlexample_final.xml", 11, 135, 0),
            ("deimos_xmlexample_v2.xml", 6, 75, 75),
            ("joost_dmoz_example.xml", 20, 70, 70),
        ],
    )
    def test_real_excerpts_have_all_their_pages(
        self, tmp_path: Path, name: str, categories: int, listings: int, described: int
    ) -> None:
        with tarfile.open(SHARED / "corpora" / "odp_excerpts.tar.xz") as archive:
            member = archive.extractfile(f"odp/{name}")
            assert member is not None
            con, found = loaded(tmp_path, member.read(), name)
        titles = con.execute("SELECT count(title) FROM listings").fetchone()
        assert (found.categories, found.listings, titles) == (categories, listings, (described,))

    def test_the_public_reports_of_faults(self, tmp_path: Path) -> None:
        lines = (SHARED / "cases" / "cases.jsonl").read_text().splitlines()
        cases = [case for case in map(json.loads, lines) if case["area"] == "f"]
        assert len(cases) >= 6
        for case in cases:
            data = (
                bytes.fromhex(case["input"]["rdf_hex"])
                if "rdf_hex" in case["input"]
                else case["input"]["rdf"].encode()
            )
            con, found = loaded(tmp_path, data)
            expected = case["expected"]
            pages = expected.get("pages")
            if isinstance(pages, int):
                assert found.listings == pages, case["id"]
            elif pages and isinstance(pages[0], str):
                assert [row[1] for row in rows(con)] == pages, case["id"]
            titles = con.execute("SELECT title FROM listings ORDER BY url").fetchall()
            if "title_a" in expected:
                assert titles[0][0] in expected["title_a"], case["id"]
            for key in ("title", "description"):
                if key in expected:
                    value = con.execute(f"SELECT {key} FROM listings").fetchone()
                    assert value == (expected[key],), case["id"]
            if "titles" in expected:
                assert sorted(title or "" for (title,) in titles) == sorted(expected["titles"]), case["id"]


def test_every_kind_of_fault_says_what_is_done_about_it() -> None:
    assert all(kind.value == kind.name.lower() for kind in FaultKind)
