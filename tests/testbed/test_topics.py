"""Topics: the file, the table, the recipes of the papers."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odp_text import dump, page, topic

from bizcrawl.errors import BizcrawlError
from bizcrawl.topic import Topic
from testbed.directory import load_directory
from testbed.directory_rows import DirectoryError
from testbed.odp.load import connect, load_dumps
from testbed.recipes import business, examples, keywords_of, leaves, recipe_named
from testbed.topic_table import load_topics, save_topics
from testbed.topics import BedTopic, TopicsError, read_topics, write_topics

SHARED = Path(__file__).parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared beds and corpora are not here")


def directory(tmp_path: Path, sizes: dict[str, int]) -> duckdb.DuckDBPyConnection:
    records = []
    for category, size in sizes.items():
        urls = [f"http://c{i}.{len(category)}.example/" for i in range(size)]
        records.append(topic(category, *urls))
        records += [page(url, category, f"Title {i}", f"Description {i}") for i, url in enumerate(urls)]
    path = tmp_path / "content.rdf"
    path.write_bytes(dump(*records))
    con = connect(":memory:")
    load_dumps(con, [path])
    return con


class TestBusiness:
    """R1-R7, A15, A16."""

    @pytest.mark.parametrize(
        ("category", "taken"),
        [
            ("Top/Business/Pumps/Companies", True),
            ("Top/Business/Pumps/Consultants", True),
            ("Top/Business/Pump_Manufacturers", True),
            ("Top/Business/Pumps/companies", False),
            ("Top/Business/Pumps/Subcompanies", False),
            ("Top/Business/Companies/Pumps", False),
            ("Top/Regional/Europe/Companies", False),
            ("Top/Business/International/Companies", False),
            ("Top/World/Deutsch/Manufacturers", False),
            ("Top/Business/Worldwide/Manufacturers", True),
        ],
    )
    def test_the_path_decides(self, tmp_path: Path, category: str, taken: bool) -> None:
        assert bool(business(directory(tmp_path, {category: 21}), 1)) == taken

    def test_more_than_twenty_urls_are_needed(self, tmp_path: Path) -> None:
        con = directory(tmp_path, {"Top/A/Companies": 20, "Top/B/Manufacturers": 21})
        assert [t.name for t in business(con, 1)] == ["Top/B/Manufacturers"]

    def test_spellings_of_one_url_and_other_kinds_do_not_count(self, tmp_path: Path) -> None:
        urls = [f"http://c{i}.example/" for i in range(20)]
        more = ["HTTP://C0.example:80/#top", "http://c0.example", "mailto:a@b.example", "ftp://c.example/"]
        text = dump(
            topic("Top/A/Companies", *urls, *more),
            topic("Top/A/Companies", "http://x.example/x.pdf", kind="pdf"),
        )
        (tmp_path / "c.rdf").write_bytes(text)
        con = connect(":memory:")
        load_dumps(con, [tmp_path / "c.rdf"])
        assert business(con, 1) == []

    def test_ten_seeds_and_the_rest_are_targets(self, tmp_path: Path) -> None:
        (made,) = business(directory(tmp_path, {"Top/Games/Gambling/Equipment/Manufacturers": 33}), 7)
        assert len(made.topic.seeds) == 10
        assert len(made.targets) == 23
        assert not set(made.topic.seeds) & set(made.targets)
        assert made.topic.keywords == "Gambling Equipment Manufacturers"
        assert all(f"Description {i}" in made.description for i in range(33))

    def test_the_draw_depends_on_the_seed_and_on_nothing_else(self, tmp_path: Path) -> None:
        alone = directory(tmp_path, {"Top/A/Companies": 40})
        among = directory(tmp_path, {"Top/0/Companies": 30, "Top/A/Companies": 40})
        (first,) = business(alone, 3)
        assert business(among, 3)[1] == first
        assert business(alone, 4)[0].topic.seeds != first.topic.seeds

    @needs_shared
    def test_bizweb_gives_its_46_topics_with_all_their_urls(self) -> None:
        bed = SHARED / "beds" / "bizweb"
        con = connect(":memory:")
        load_dumps(con, [bed / "content.rdf.u8.gz"], [bed / "structure.rdf.u8.gz"])
        made = {t.name: t for t in business(con, 1)}
        given_ = {t.name: t for t in read_topics(bed / "topics.jsonl")}
        assert made.keys() == given_.keys()
        assert len(made) == 46
        for name, t in made.items():
            assert t.topic.keywords == given_[name].topic.keywords
            assert {*t.topic.seeds, *t.targets} == {*given_[name].topic.seeds, *given_[name].targets}


SIZES = {
    "Top/A": 9,
    "Top/A/Deep/Leaf": 5,
    "Top/A/Deep/Small": 4,
    "Top/B/Leaf": 12,
    "Top/C": 6,
    "Top/C/Leaf": 7,
}


class TestLeaves:
    """R62, R98."""

    def test_leaves_with_five_links_from_every_area(self, tmp_path: Path) -> None:
        made = leaves(directory(tmp_path, SIZES), 1)
        assert sorted(t.name for t in made) == ["Top/A/Deep/Leaf", "Top/B/Leaf", "Top/C/Leaf"]
        assert all(t.topic.seeds == t.targets for t in made)  # D = 0 (R60)

    def test_areas_take_turns(self, tmp_path: Path) -> None:
        sizes = {f"Top/{area}/L{i}": 5 for area in "AB" for i in range(10)}
        made = leaves(directory(tmp_path, sizes), 1, count=4)
        assert sorted(t.name[4] for t in made) == ["A", "A", "B", "B"]

    def test_examples_are_ten_at_most(self, tmp_path: Path) -> None:
        made = examples(directory(tmp_path, SIZES), 1)
        assert sorted(len(t.topic.seeds) for t in made) == [5, 7, 10]

    def test_unknown_recipes_are_named(self) -> None:
        with pytest.raises(TopicsError, match="business, leaves, examples"):
            recipe_named("nosuch")


@pytest.mark.parametrize(
    ("category", "keywords"),
    [
        ("Top/Games/Gambling/Equipment/Manufacturers", "Gambling Equipment Manufacturers"),
        ("Top/Business/Metals_and_Mining/Gold_&_Silver", "Metals and Mining Gold Silver"),
        ("Aeronautics", "Aeronautics"),
        ("Top/World/Français/Société", "Français Société"),
    ],
)
def test_keywords_leave_out_the_most_general_category(category: str, keywords: str) -> None:
    assert keywords_of(category) == keywords


URLS = st.text(max_size=40).map("http://h.example/?{}".format)
TOPICS = st.builds(
    BedTopic,
    topic=st.builds(
        Topic,
        name=st.text(min_size=1),
        seeds=st.lists(URLS, min_size=1, max_size=4).map(tuple),
        keywords=st.text(),
        hubs=st.lists(URLS, max_size=3).map(tuple),
    ),
    targets=st.lists(URLS, min_size=1, max_size=4).map(tuple),
    description=st.text(),
    excluded=st.lists(st.text(), max_size=3).map(tuple),
    facts=st.dictionaries(st.sampled_from(["family", "seed_hosts"]), st.integers() | st.text()),
)


class TestFileProperties:
    @given(st.lists(TOPICS, min_size=1, max_size=4, unique_by=lambda t: t.name))
    def test_what_is_written_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, made: list[BedTopic]
    ) -> None:
        path = tmp_path_factory.mktemp("topics") / "topics.jsonl"
        assert write_topics(made, path) == len(made)
        assert read_topics(path) == made

    @given(st.lists(TOPICS, min_size=1, max_size=3, unique_by=lambda t: t.name))
    @settings(max_examples=20)
    def test_what_is_saved_is_loaded(self, made: list[BedTopic]) -> None:
        with duckdb.connect(":memory:") as con:
            for _ in range(2):  # again in place of the first
                save_topics(con, made)
            assert {t.name: t for t in load_topics(con)} == {t.name: t for t in made}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{\n", "line 1: not JSON: Expecting property name enclosed in double quotes"),
        ('{"topic": "A", "keyw', "'bizcrawl testbed topics BED --to FILE' writes a bed's again"),
        ("[]", "a JSON object is expected"),
        (
            '{"topic": "A", "keywords": "a", "seeds": [], "targets": ["b"]}',
            "'seeds' must be a list of URLs and not empty",
        ),
        ('{"topic": "A", "keywords": "a", "seeds": "x", "targets": ["b"]}', "'seeds' must be"),
        (
            '{"topic": "A", "keywords": "a", "seeds": ["http://a.example/", "b.example"], "targets": ["c"]}',
            "line 1: 'seeds': 'b.example' is no URL; write it with http:// or https://",
        ),
        (
            '{"topic": "A", "keywords": "a", "seeds": ["http://a.example/"], "targets": ["mailto:c@d.e"]}',
            "'targets': 'mailto:c@d.e' is no URL",
        ),
        ('{"topic": 1, "keywords": "a", "seeds": ["x"], "targets": ["b"]}', "'topic' must be a text"),
        ("", "holds no topics"),
    ],
)
def test_a_bad_topics_file_is_named_with_its_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "topics.jsonl"
    path.write_text(line)
    with pytest.raises(TopicsError, match=r"topics\.jsonl") as error:
        read_topics(path)
    assert says in str(error.value)
    assert isinstance(error.value, BizcrawlError)


def test_a_topics_file_that_is_not_there_or_is_no_text_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(b"\xff\xfe\x00\xd8")
    for name in ("t.jsonl", "nowhere.jsonl"):
        with pytest.raises(TopicsError, match=rf"{name}: cannot be read as topics") as error:
            read_topics(tmp_path / name)
        assert "\n" not in str(error.value)


def test_only_the_last_line_may_have_been_cut_short_and_empty_ones_hold_nothing(tmp_path: Path) -> None:
    path, cut = tmp_path / "t.jsonl", '{"topic": "A", "keyw'
    made = BedTopic(Topic("A", ("http://a.example/",), "é"), ("http://b.example/",)).with_facts(family=3)
    write_topics([made.with_facts(size=7)], path)
    whole = path.read_text("utf-8")
    assert "é" in whole
    path.write_text(f"\n  \n{whole}\n", "utf-8")
    assert [topic.facts for topic in read_topics(path)] == [{"family": 3, "size": 7}]
    path.write_text(f"{cut}\n{whole}", "utf-8")
    with pytest.raises(TopicsError, match="line 1: not JSON") as error:
        read_topics(path)
    assert "cut short" not in str(error.value)


def test_two_topics_of_one_name_are_refused(tmp_path: Path) -> None:
    line = json.dumps(
        {"topic": "A", "keywords": "a", "seeds": ["http://x.example/"], "targets": ["http://y.example/"]}
    )
    (tmp_path / "t.jsonl").write_text(f"{line}\n{line}\n")
    with pytest.raises(TopicsError, match=r"line 2.*line 1 already"):
        read_topics(tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    "row",
    ["1, 'k', 'd', '{}'", "'a', NULL, 'd', '{}'", "'a', 'k', 'd', 'no JSON'", "'a', 'k', 'd', '[]'"],
)
def test_topics_that_somebody_else_made_are_refused_in_one_line(row: str) -> None:
    con = connect(":memory:")
    con.execute(
        f"CREATE TABLE topics AS SELECT * FROM (VALUES ({row})) t(topic, keywords, description, facts);"
        "CREATE TABLE topic_urls (topic VARCHAR, role VARCHAR, position INTEGER, url VARCHAR)"
    )
    with pytest.raises(TopicsError, match=r"none of bizcrawl's"):
        load_topics(con)


class TestDirectories:
    def test_a_csv_becomes_listings(self, tmp_path: Path) -> None:
        path = tmp_path / "list.csv"
        path.write_text(
            "URL,Category,Title\nhttp://a.example/,Top/A,Alpha\n,Top/A,Nobody\nhttp://b.example/,Top/B,\n"
        )
        con = connect(":memory:")
        found = load_directory(con, path)
        assert (found.categories, found.listings, found.faults) == (2, 2, {"unreadable_record": 1})

    def test_a_json_list_becomes_listings(self, tmp_path: Path) -> None:
        path = tmp_path / "list.json"
        path.write_text('[{}, {"url": "http://a.example/", "category": "Aeronautics", "keyword": ["x"]}]')
        assert load_directory(connect(":memory:"), path).listings == 1

    @pytest.mark.parametrize(("text", "says"), [("url,title\nx,y\n", "no column category"), ("", "list.csv")])
    def test_what_is_missing_is_said(self, tmp_path: Path, text: str, says: str) -> None:
        path = tmp_path / "list.csv"
        path.write_text(text)
        with pytest.raises(DirectoryError, match=says):
            load_directory(connect(":memory:"), path)
