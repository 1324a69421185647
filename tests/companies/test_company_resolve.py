"""Records that are one company, and what changed between two answers."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processor_time import least_cpu_s

from bizcrawl.companies.assess import Company
from bizcrawl.companies.differences import Change, differences
from bizcrawl.companies.resolve import Record, resolve
from bizcrawl.companies.unreached import at_home, listing_pages, unreached


def company(key: str, name: str, rank: int = 1, *domains: str) -> Company:
    return Company(key, name, f"http://{key}/", (key, *domains), "", "", "", "company", False, rank, 1.0, "")


def test_the_same_name_in_one_country_is_one_company_and_in_two_countries_is_not() -> None:
    found = resolve(
        [
            Record("a.test", "Larch Pumps Ltd", "France"),
            Record("b.test", "Larch Pumps Limited", "France"),
            Record("c.test", "Larch Pumps Ltd", "Japan"),
        ]
    )
    assert found["b.test"] == "a.test"
    assert found["c.test"] == "c.test"


def test_other_brackets_and_other_words_keep_companies_apart() -> None:
    names = [
        "Larch (Japan)",
        "Larch (Ireland)",
        "North Star Foods",
        "South Star Foods",
        "Union Quarry",
        "Union Barge",
    ]
    assert len(set(resolve([Record(name, name) for name in names]).values())) == len(names)


def test_namesakes_of_one_word_need_a_country_or_a_legal_form_in_common() -> None:
    found = resolve(
        [
            Record("a.test", "Kraken"),
            Record("b.test", "Kraken"),
            Record("c.test", "Larch AG"),
            Record("d.test", "Larch AG"),
        ]
    )
    assert found == {"a.test": "a.test", "b.test": "b.test", "c.test": "c.test", "d.test": "c.test"}
    listed = resolve([Record("a.test", "Kraken"), Record("b.test", "Kraken", visited=False)])
    assert listed["b.test"] == "a.test"


def test_a_tie_joins_what_a_like_name_alone_would_not() -> None:
    records = [Record("a.test", "Brindle", ties=frozenset({"a.test"}))]
    records += [Record("b.test", "Brindle Pumps", ties=frozenset({"b.test", "a.test"}))]
    assert resolve(records)["b.test"] == "a.test"
    short = [Record("3m.test", "3M", ties=frozenset({"3m.test"}))]
    far = Record("3m-pumps.test", "3M Pumps")
    assert resolve([*short, far])["3m-pumps.test"] == "3m-pumps.test"
    tied = replace(far, ties=frozenset({"3m.test"}))
    assert resolve([*short, tied])["3m-pumps.test"] == "3m.test", "no word is long enough to look them up by"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Larch Pumps (UK) Ltd", "Larch Pumps Ltd", True),  # nothing contradicts
        ("Larch Rotork GmbH", "Larch Rotork Ltd", True),  # namesakes of two telling words are rare
        ("Kiln Ltd", "Kiln Limited", True),
        ("Kiln Ltd", "Kiln GmbH", False),
    ],
)
def test_visited_sites_of_one_name_are_one_company_unless_something_contradicts(
    a: str, b: str, same: bool
) -> None:
    """docs/companies.md, "One row a company"."""
    assert (resolve([Record("a.test", a), Record("b.test", b)])["b.test"] == "a.test") is same


@given(st.lists(st.text(alphabet="abc &.", max_size=12), max_size=20))
def test_resolve_is_idempotent(names: list[str]) -> None:
    mains = resolve([Record(str(n), name) for n, name in enumerate(names)])
    assert all(mains[main] == main for main in mains.values())


def test_work_grows_with_the_number_of_names_not_with_its_square() -> None:
    def cpu_s(n: int) -> float:
        records = [Record(str(i), f"Firm{i * 7919 % 999_983} Works{i % 89} Ltd") for i in range(n)]
        return least_cpu_s(lambda: resolve(records))

    assert cpu_s(8_000) < 10 * max(cpu_s(2_000), 0.02)


def test_differences_follow_a_company_by_its_sites_and_then_by_its_name() -> None:
    before = [
        company("a.test", "Alder AG"),
        company("b.test", "Birch Ltd"),
        company("c.test", "Cedar Inc"),
        company("e.test", "Elm Timber SA"),
    ]
    now = [
        company("a.test", "Alder AG"),
        company("birch.test", "Birch Ltd"),
        company("c.test", "Quince Inc"),
        company("d.test", "Damson SpA"),
    ]
    found = [(entry.change, entry.company, entry.before) for entry in differences(before, now)]
    assert found == [
        (Change.APPEARED, "d.test", ""),
        (Change.VANISHED, "e.test", "e.test"),
        (Change.MOVED, "birch.test", "b.test"),
        (Change.RENAMED, "c.test", "Cedar Inc"),
    ]


def test_a_company_that_the_crawl_did_not_come_to_has_not_vanished() -> None:
    before = [
        company("asked.test", "Alder AG"),
        company("listed.test", "Birch Ltd"),
        company("far.test", "Cedar Inc"),
    ]
    with duckdb.connect() as former, duckdb.connect() as renewed:
        former.execute("CREATE TABLE evidence (company VARCHAR, kind VARCHAR, page VARCHAR)")
        former.execute(
            "INSERT INTO evidence VALUES ('listed.test', 'listed', 'http://hub.test/'), "
            "('far.test', 'listed', 'http://hub.test/'), ('far.test', 'listed', 'http://other.test/')"
        )
        renewed.execute("CREATE TABLE calls (kind VARCHAR, url VARCHAR)")
        renewed.execute("CREATE TABLE pages (final_url VARCHAR)")
        renewed.execute(
            "INSERT INTO calls VALUES ('fail', 'http://asked.test/'), ('visit', 'http://hub.test')"
        )
        renewed.execute("INSERT INTO pages VALUES ('http://hub.test/')")
        missed = unreached(before, listing_pages(former), renewed)
    assert missed == {"far.test"}
    found = {entry.company: entry.change for entry in differences(before, [], unreached=missed)}
    assert found == {
        "asked.test": Change.VANISHED,
        "listed.test": Change.VANISHED,
        "far.test": Change.UNREACHED,
    }


def test_a_company_that_was_met_at_home_has_not_vanished() -> None:
    before = [company(f"{name}.test", name) for name in ("weighed", "turned", "parked", "empty", "gone")]
    with duckdb.connect() as renewed:
        renewed.execute("CREATE TABLE evidence (company VARCHAR, kind VARCHAR)")
        renewed.execute("INSERT INTO evidence VALUES ('weighed.test', 'small'), ('gone.test', 'unverified')")
        renewed.execute("CREATE TABLE hosts (domain VARCHAR, pages BIGINT, verdict VARCHAR)")
        renewed.execute(
            "INSERT INTO hosts VALUES ('turned.test', 3, 'directory'), ('parked.test', 1, 'parked'), "
            "('empty.test', 1, 'dead'), ('gone.test', 0, 'unseen')"
        )
        met = at_home(before, renewed)
    assert {entry.company: entry.change for entry in differences(before, [], at_home=met)} == {
        "weighed.test": Change.UNRANKED,
        "turned.test": Change.UNRANKED,
        "parked.test": Change.VANISHED,
        "empty.test": Change.VANISHED,
        "gone.test": Change.VANISHED,
    }


def test_equal_answers_do_not_differ_and_low_ranks_can_be_left_out() -> None:
    answer = [company("a.test", "Alder AG", 1), company("b.test", "Birch Ltd", 90)]
    assert differences(answer, answer) == []
    assert differences(answer[:1], answer, top=50) == []


@pytest.mark.parametrize(("then", "now", "shown"), [(5, 90, True), (90, 5, True), (90, 91, False)])
def test_a_company_that_ranked_high_then_or_ranks_high_now_is_among_the_first(
    then: int, now: int, shown: bool
) -> None:
    found = differences(
        [company("a.test", "Alder AG", then)], [company("alder.test", "Alder AG", now)], top=50
    )
    assert [entry.change for entry in found] == [Change.MOVED] * shown


def test_differences_stand_by_change_and_then_by_rank() -> None:
    before = [company("a.test", "Alder AG", 2), company("z.test", "Zinnia SA", 1)]
    now = [company("b.test", "Birch Ltd", 2), company("y.test", "Yew Inc", 1)]
    found = [(entry.change, entry.company) for entry in differences(before, now)]
    assert found == [
        (Change.APPEARED, "y.test"),
        (Change.APPEARED, "b.test"),
        (Change.VANISHED, "z.test"),
        (Change.VANISHED, "a.test"),
    ]
