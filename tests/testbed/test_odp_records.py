"""What a record of an ODP dump says: rows of its page, its category and their ties, before any table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from odp_text import dump, page, topic

from testbed.odp.content import LISTING, Content, read_content
from testbed.odp.faults import FaultKind
from testbed.odp.repair import Findings, repaired
from testbed.odp.stream import Chunk, chunks
from testbed.odp.structure import CategoryLink, read_structure

URL = "http://a.example/"


def pieces(tmp_path: Path, *records: str) -> Iterator[Chunk]:
    path = tmp_path / "dump.rdf.u8"
    path.write_bytes(dump(*records))
    return chunks(path)


def content(tmp_path: Path, *records: str) -> Content:
    (rows,) = map(read_content, pieces(tmp_path, *records))
    return rows


def test_a_page_is_matched_with_the_links_of_the_category_that_it_follows_at_once(tmp_path: Path) -> None:
    """What stands loose waits in memory until the whole dump has been read; of most dumps that is nothing."""
    others = [page(f"http://{name}.example/", where) for name, where in (("b", "Top/A"), ("c", None))]
    links = topic("Top/A", URL, "http://b.example/", "http://c.example/")
    rows = content(tmp_path, links, page(URL, "Top/A"), *others)
    assert [row[:2] + row[4:5] for row in rows.listings] == [
        ("Top/A", f"http://{name}.example/", "link") for name in "abc"
    ]
    assert (rows.loose_pages, rows.loose_links, rows.faults) == ([], [], [])


def test_what_does_not_belong_to_the_category_before_it_stands_loose_and_so_do_its_links(
    tmp_path: Path,
) -> None:
    elsewhere = [page(URL, "Top/B"), page("http://x.example/"), page("http://y.example/", "Top/A")]
    rows = content(tmp_path, topic("Top/A", URL, "http://z.example/"), *elsewhere)
    assert rows.listings == []
    assert [(row[0], row[1], row[4]) for row in rows.loose_pages] == [
        ("Top/B", URL, None),
        (None, "http://x.example/", None),
        ("Top/A", "http://y.example/", None),
    ]
    assert rows.loose_links == [("Top/A", URL, "link"), ("Top/A", "http://z.example/", "link")]


def test_of_the_links_of_each_category_those_stand_loose_that_no_page_has_answered(tmp_path: Path) -> None:
    ties = '<related r:resource="Top/C"/><symbolic r:resource="x:Top/D"/></Topic>'
    first = topic("Top/A", URL, "http://b.example/").replace("</Topic>", ties)
    rows = content(tmp_path, first, page(URL, "Top/A"), topic("Top/B", URL))
    assert rows.loose_links == [("Top/A", "http://b.example/", "link"), ("Top/B", URL, "link")]
    assert [category.category for category in rows.categories] == ["Top/A", "Top/B"]


@pytest.mark.parametrize("name", ["about", "r:about"])
@pytest.mark.parametrize("address", [URL, "http://a.exa\nmple/"])
@pytest.mark.parametrize("category", ["Top/A", "Top/B"])
def test_a_page_has_its_address_with_or_without_prefix_and_without_line_ends(
    tmp_path: Path, name: str, address: str, category: str
) -> None:
    rows = content(tmp_path, topic("Top/A", URL), page(address, category).replace("about", name))
    assert [row[1] for row in (*rows.listings, *rows.loose_pages)] == [URL]
    assert len(rows.listings) == (category == "Top/A")


def test_every_child_of_a_page_has_its_column_and_others_stand_together(tmp_path: Path) -> None:
    children = (
        "<priority>1</priority><ages>teens</ages><mediadate>2004-05-01</mediadate>"
        "<uksite>é</uksite><other>x</other>"
    )
    text = page(URL, "Top/A").replace("</ExternalPage>", f"{children}</ExternalPage>")
    (row,) = content(tmp_path, topic("Top/A", URL), text).listings
    assert dict(zip(LISTING, row, strict=True)) == {
        "category": "Top/A",
        "url": URL,
        "title": "T",
        "description": "D",
        "kind": "link",
        "priority": 1,
        "ages": "teens",
        "mediadate": "2004-05-01",
        "extra": '{"other": "x", "uksite": "é"}',
    }


def test_blanks_around_addresses_and_categories_are_none_of_theirs(tmp_path: Path) -> None:
    listed = topic(" Top/A ", f" {URL} ")
    (row,) = content(tmp_path, listed, page(f" {URL} ", " Top/A ", " T ", "\nD ")).listings
    assert row[:5] == ("Top/A", URL, "T", "D", "link")
    for blank in ("", " "):
        rows = content(tmp_path, topic(blank, URL), page(URL, blank))
        assert [category.category for category in rows.categories] == ["Top"]
        assert rows.listings[0][0] == "Top"


@pytest.mark.parametrize("kind", ["link", "link1", "pdf", "pdf1", "rss", "rss1", "atom", "atom1"])
def test_every_kind_of_link_is_kept(tmp_path: Path, kind: str) -> None:
    """A37."""
    rows = content(tmp_path, topic("Top/A", URL, "http://b.example/", kind=kind), page(URL, "Top/A"))
    assert [row[4] for row in rows.listings] == [kind]
    assert rows.loose_links == [("Top/A", "http://b.example/", kind)]


@pytest.mark.parametrize("kinds", [("link", "link1"), ("link1", "link"), ("pdf1", "link1")])
def test_of_two_links_with_one_address_the_one_that_says_more_counts(
    tmp_path: Path, kinds: tuple[str, str]
) -> None:
    """A37; link1 is the one that the editors want to be seen first."""
    links = "".join(f'<{kind} r:resource="{URL}"/>' for kind in kinds)
    (row,) = content(tmp_path, f'<Topic r:id="Top/A">{links}</Topic>', page(URL, "Top/A")).listings
    assert row[4] == "link1"


@pytest.mark.parametrize(
    ("sound", "spoiled", "url", "title", "kind"),
    [
        (">T<", ">T ]]> T<", URL, "T ]]> T", FaultKind.MALFORMED_RECORD),
        (">T<", ' 1="2" q:="3">T < T<', URL, "T < T", FaultKind.STRAY_MARKUP),
        (">T<", ">T<!-- < --><!----> < T<", URL, "T < T", FaultKind.STRAY_MARKUP),
        (f'"{URL}"', f'"{URL}?x<y"', f"{URL}?x<y", "T", FaultKind.STRAY_MARKUP),
        (f'"{URL}"', f'"{URL}" note="a < b"', URL, "T", FaultKind.STRAY_MARKUP),
        (f'"{URL}"', f'"{URL}" 2="3"', URL, "T", FaultKind.MALFORMED_RECORD),
    ],
)
def test_no_page_is_lost_for_what_xml_forbids_in_a_text_or_a_tag(
    tmp_path: Path, sound: str, spoiled: str, url: str, title: str, kind: FaultKind
) -> None:
    """Each of these was counted as a record that can't be read, though its address and words can."""
    rows = content(tmp_path, page(URL, "Top/A").replace(sound, spoiled), page("http://b.example/", "Top/A"))
    assert [row[1:3] for row in rows.loose_pages] == [(url, title), ("http://b.example/", "T")]
    assert [fault.kind for fault in rows.faults] == [kind]


def test_a_link_whose_page_is_not_there_loses_the_line_end_in_its_address_too(tmp_path: Path) -> None:
    rows = content(tmp_path, topic("Top/A", "http://a.example/x\ny"))
    assert rows.loose_links == [("Top/A", "http://a.example/xy", "link")]
    assert [fault.kind for fault in rows.faults] == [FaultKind.LINE_BREAK_IN_URL]


def test_a_page_without_an_address_is_told_with_its_line(tmp_path: Path) -> None:
    rows = content(tmp_path, topic("Top/A", URL), page(URL, "Top/A"), page("", "Top/A"))
    lines = dump(topic("Top/A", URL), page(URL, "Top/A"), page("", "Top/A")).decode().split("\n")
    (fault,) = rows.faults
    assert (fault.kind, fault.detail) == (FaultKind.UNREADABLE_RECORD, "a page without URL")
    assert lines[fault.line - 1] == '<ExternalPage about="">'


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), (" 7 ", 7), ("999999999999999", 10**15 - 1), ("9" * 16, None), ("9" * 30, None), ("x", None)],
)
def test_a_number_that_no_column_holds_is_none(tmp_path: Path, text: str, number: int | None) -> None:
    rows = content(tmp_path, topic("Top/A", URL).replace("<catid>7<", f"<catid>{text}<"))
    assert [category.catid for category in rows.categories] == [number]


@pytest.mark.parametrize(
    ("reference", "is_legal"),
    [
        *((f"&#{code};", True) for code in (9, 10, 13, 0x20, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF)),
        *((f"&#x{code:x};", True) for code in (0x9, 0x20, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF)),
        *((f"&#{code};", False) for code in (0, 8, 11, 0x1F, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x110000)),
        *((f"&#x{code:X};", False) for code in (0x8, 0x1F, 0xD800, 0xFFFE, 0x110000)),
    ],
)
def test_a_reference_to_what_is_no_character_of_xml_is_left_out_and_told(
    reference: str, is_legal: bool
) -> None:
    """XML 1.0, production 2."""
    found = Findings(1)
    assert repaired(f"a{reference}b".encode(), found) == (f"a{reference}b" if is_legal else "ab")
    assert [fault.kind for fault in found.faults] == ([] if is_legal else [FaultKind.ILLEGAL_CHARACTER])


def test_every_tie_of_a_category_is_read_with_its_rank_and_label(tmp_path: Path) -> None:
    ties = ["narrow", "narrow1", "narrow2", "symbolic", "symbolic1", "symbolic2", "related", "altlang",
            "altlang1", "letterbar", "newsGroup", "newsgroup", "editor"]  # fmt: skip
    children = "".join(f'<{tie} r:resource=" News: today:Top/B "/>' for tie in ties)
    text = (
        f'<Topic r:id=" Top/A "><catid>5</catid><d:Title>A</d:Title>{children}'
        f'<narrow r:resource=""/><unknown r:resource="Top/C"/></Topic>'
        '<Alias r:id="Also here:Top/A"><d:Title>x</d:Title><Target r:resource="Top/B"/></Alias>'
        "<Other/>" + page(URL, "Top/A") * 2
    )
    (rows,) = map(read_structure, pieces(tmp_path, text))
    assert [(row.category, row.catid, row.title) for row in rows.categories] == [("Top/A", 5, "A")]
    wanted = []
    for tie in ties:
        kind, rank = tie.rstrip("12").lower(), int(tie[-1]) if tie[-1] in "12" else 0
        is_labelled = kind in {"symbolic", "altlang"}
        target, label = ("Top/B", "News: today") if is_labelled else ("News: today:Top/B", None)
        wanted.append(CategoryLink("Top/A", kind, target, label, rank))
    assert rows.category_links == [*wanted, CategoryLink("Top/A", "alias", "Top/B", "Also here", 0)]
    assert rows.external_pages == 2


def test_a_tie_without_label_has_none_and_blanks_around_words_are_none_of_theirs(tmp_path: Path) -> None:
    text = (
        '<Topic r:id=""><catid>1</catid><d:Title> All <b/>of it\n</d:Title>'
        '<symbolic r:resource="Elsewhere"/></Topic>'
        '<Alias r:id=" Top/A "><Target r:resource=" Top/B "/><Other r:resource="Top/C"/></Alias>'
    )
    (rows,) = map(read_structure, pieces(tmp_path, text))
    assert [(row.category, row.title) for row in rows.categories] == [("Top", "All of it")]
    assert rows.category_links == [
        CategoryLink("Top", "symbolic", "Elsewhere", None, 0),
        CategoryLink("Top/A", "alias", "Top/B", None, 0),
    ]
