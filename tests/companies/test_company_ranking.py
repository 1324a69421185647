"""From pages to ranked companies: lists, wording, links, verdicts of the analyst, and the sums in SQL."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from math import log
from pathlib import Path

import duckdb
import pytest
from companies_pages import company_page, page_of
from hypothesis import given, settings
from hypothesis import strategies as st

from bizcrawl.companies.assess import Opinions, assess, why
from bizcrawl.companies.evidence import Evidence, by_company, joined_evidence, size_evidence
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.hubs import listings_of
from bizcrawl.companies.memory import Memory
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.ranking import points_sql, scores, weights
from bizcrawl.companies.sites import sites_of
from bizcrawl.companies.standing import standing_of
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.topic import Topic

DOCS = Path(__file__).parents[2] / "docs" / "companies.md"
PUMPS = Topic("pumps", ("http://www.brindle.test/", "http://www.kiln.test/"), "pumps and valves")


def order_of(pages: Sequence[PageFacts], topic: Topic = PUMPS, opinions: Opinions = Opinions()) -> list[str]:  # noqa: B008
    return [company.company for company in assess(pages, topic, opinions).ranked]


def test_rivals_come_first_and_hubs_seeds_and_partners_are_no_rivals(pump_web: list[PageFacts]) -> None:
    order = order_of(pump_web)
    assert set(order[:2]) == {"larch.test", "quarry.test"}
    assert not {"brindle.test", "kiln.test", "pump-makers.test", "free-links.test"} & set(order)
    assert "mill.test" not in order[:2]


def test_why_names_the_list_and_the_similarity(pump_web: list[PageFacts]) -> None:
    first = assess(pump_web, PUMPS).ranked[0]
    assert "listed with 2 of your companies on 1 hub" in first.why
    assert "similar" in first.why


def test_lists_of_link_farms_count_for_nothing(pump_web: list[PageFacts]) -> None:
    rows = by_company(assess(pump_web, PUMPS).evidence)
    pages = {row.page for rows_of in rows.values() for row in rows_of if row.kind == EvidenceKind.LISTED}
    assert pages == {"http://pump-makers.test/members"}


def test_a_link_from_a_known_company_speaks_against_rivalry(pump_web: list[PageFacts]) -> None:
    rows = by_company(assess(pump_web, PUMPS).evidence)["mill.test"]
    assert [row.page for row in rows if row.kind == EvidenceKind.LINKED] == ["http://www.kiln.test/"]
    points = {kind.kind: kind.points for kind in weights("competitors")}
    assert (
        points[EvidenceKind.LINKED]
        < 0
        < {kind.kind: kind.points for kind in weights("partners")}[EvidenceKind.LINKED]
    )


@pytest.mark.parametrize(
    "title", ["Kiln vs. Larch", "The best alternatives to Larch", "Kiln und Larch im Vergleich"]
)
def test_a_page_that_compares_a_known_company_with_another_does_not_speak_against_rivalry(
    pump_web: list[PageFacts], title: str
) -> None:
    link = "<table><tr><td><a href='http://www.larch.test/'>Larch</a></table>"
    page = page_of("http://www.kiln.test/larch", f"<title>{title} | Kiln</title><h1>{title}</h1>{link}")
    back = page_of("http://www.larch.test/kiln", f"<h1>{title}</h1><a href='http://www.kiln.test/'>Kiln</a>")
    assert not [
        row
        for row in assess([*pump_web, page, back], PUMPS).evidence
        if row.kind == EvidenceKind.LINKED and row.company == "larch.test"
    ]


def test_partners_are_ranked_by_links_where_rivals_are_not(pump_web: list[PageFacts]) -> None:
    rivals = [c.company for c in assess(pump_web, PUMPS).ranked]
    partners = [c.company for c in assess(pump_web, PUMPS, question="partners").ranked]
    assert partners[0] == "mill.test"
    assert rivals[0] in {"larch.test", "quarry.test"}


def test_the_reasons_in_words_are_those_that_count_for_the_question(pump_web: list[PageFacts]) -> None:
    def why(question: str, company: str) -> str:
        ranked = assess(pump_web, PUMPS, question=question).ranked
        return next(found.why for found in ranked if found.company == company)

    assert why("partners", "mill.test").startswith("kiln.test links to it")
    assert "links to it" not in why("competitors", "larch.test")
    assert why("competitors", "larch.test").startswith("listed with 2 of your companies on 1 hub; pages ")
    assert "small site, strength " in why("acquisitions", "larch.test")
    assert "small site" not in why("competitors", "larch.test")


def test_mirrored_lists_count_once(pump_web: list[PageFacts]) -> None:
    copied = page_of(
        "http://mirror.test/members",
        "<title>Members (copy) - Association directory</title><a href='/'>The association</a><ul>"
        + "".join(
            f"<li><a href='http://www.{h}.test/'>{h}</a></li>" for h in ("brindle", "kiln", "larch", "quarry")
        )
        + "</ul>",
    )
    sites = sites_of([*pump_web, copied])
    companies = ["brindle.test", "kiln.test", "larch.test", "quarry.test"]
    assert [listing.hub for listing in listings_of(sites, companies)] == ["pump-makers.test"]


@pytest.mark.parametrize(
    ("link", "is_listed"),
    [
        ("<a href='http://www.roomly.test/h{0}'>Book now</a>", False),
        ("<a href='http://www.roomly.test/h{0}'>Roomly {0}</a>", True),
        ("<a href='http://www.roomly.test/'>Roomly Hotels</a>", True),
        ("<a href='http://www.roomly.test/h{0}'>web site</a>", True),
    ],
)
def test_who_is_linked_to_beside_the_entries_of_others_is_none_of_those_listed(
    link: str, is_listed: bool, pump_web: list[PageFacts]
) -> None:
    hosts = ("brindle", "kiln", "larch")
    entry = "<div><h3>{0}</h3><p>pumps by {0}</p><a href='http://www.{0}.test/'>web site</a> {1}</div>"
    rows = "".join(entry.format(host, link.format(n)) for n, host in enumerate(hosts))
    page = page_of("http://guide.test/", f"<title>Business directory</title><h1>Pumps</h1>{rows}")
    found = by_company(assess([*pump_web, page], PUMPS).evidence)
    assert [row.kind for row in found["larch.test"] if row.kind == EvidenceKind.LISTED]
    listed = [
        row for row in found.get("roomly.test", ()) if row.kind == EvidenceKind.LISTED and "guide" in row.page
    ]
    assert bool(listed) is is_listed


@pytest.mark.parametrize(("editions", "hubs"), [(2, 3), (3, 2), (5, 2)])
def test_hubs_that_all_link_to_one_another_count_once(
    editions: int, hubs: int, pump_web: list[PageFacts]
) -> None:
    others_listed = ["ashdown.test", "elmgate.test", "oakham.test", "yewtree.test", "firbeck.test"][:editions]
    for n, other in enumerate(others_listed):
        others = "".join(f"<a href='http://finder{k}.test/'>.{k}</a>" for k in range(editions) if k != n)
        members = ["brindle.test", "kiln.test", "larch.test", other]
        rows = "".join(f"<li><a href='http://www.{host}/'>{host}</a></li>" for host in members)
        title = f"<title>Business directory {n}</title><nav><a href='/add'>Add company</a></nav>"
        pump_web.append(page_of(f"http://finder{n}.test/pumps", f"{title}<ul>{rows}</ul><p>Also in {others}"))
    rows_of = by_company(assess(pump_web, PUMPS).evidence)
    assert sum(row.kind == EvidenceKind.LISTED for row in rows_of["larch.test"]) == hubs
    assert all(any(row.kind == EvidenceKind.LISTED for row in rows_of[other]) for other in others_listed)


@pytest.mark.parametrize(
    "body",
    [
        "<p>Pumps by {}.</p><h2>Sport</h2><div><blockquote>Weather by {}</blockquote></div>",
        "<p>{}</p><p>{}</p>",
        "<p>{} has sued {}.</p>",
        "{} and, much later, <b>{}</b>",
    ],
)
def test_links_that_stand_in_no_list_are_not_listed_together(body: str) -> None:
    links = (f"<a href='http://{name}.test/'>{name}</a>" for name in ("brindle", "weather"))
    directory = page_of(
        "http://news-directory.test/", f"<title>Directory of news</title>{body.format(*links)}"
    )
    assert not listings_of(sites_of([directory]), ["brindle.test", "weather.test"])
    assert EvidenceKind.LISTED not in {row.kind for row in assess([directory], PUMPS).evidence}


def test_three_names_in_a_row_are_a_list_beside_others_that_are_none() -> None:
    names = ("brindle", "larch", "quarry", "weather", "sport")
    row = "<p>Among the makers are {}, {} and {}.</p><p>{}</p><h2>More</h2><div>{}</div>"
    text = row.format(*(f"<a href='http://{name}.test/'>{name}</a>" for name in names))
    sites = sites_of([page_of("http://paper.test/", text)])
    found = listings_of(sites, [f"{name}.test" for name in names])
    assert [list(listing.members) for listing in found] == [["brindle.test", "larch.test", "quarry.test"]]


def test_an_accepted_company_works_as_a_seed_and_a_rejected_one_is_out(pump_web: list[PageFacts]) -> None:
    before = {c.company: c.score for c in assess(pump_web, PUMPS).ranked}
    accepted = assess(pump_web, PUMPS, Opinions(accepted=frozenset({"larch.test"})))
    assert "larch.test" not in [c.company for c in accepted.ranked]
    assert "listed with 3 of your companies" in next(
        c.why for c in accepted.ranked if c.company == "quarry.test"
    )
    rejected = assess(pump_web, PUMPS, Opinions(rejected=frozenset({"larch.test"})))
    assert "larch.test" in before
    assert "larch.test" not in [c.company for c in rejected.ranked]
    kept = next(c for c in rejected.companies if c.company == "larch.test")
    assert kept.rank is None


def test_a_rejected_seed_loses_its_influence(pump_web: list[PageFacts]) -> None:
    without = assess(pump_web, PUMPS, Opinions(rejected=frozenset({"kiln.test"})))
    first = without.ranked[0]
    assert "listed with 1 of your companies" in first.why


def test_dead_listings_are_not_ranked_and_unvisited_ones_are_marked(pump_web: list[PageFacts]) -> None:
    hub = page_of(
        "http://pump-makers.test/more",
        "<title>Members - Association of Pump Makers</title><a href='/'>The association</a><ul>"
        "<li><a href='http://brindle.test/'>Brindle</a> pumps<li><a href='http://gone.test/'>Gone</a> pumps"
        "<li><a href='http://unseen.test/'>Unseen Pumps Ltd</a> valves and pumps</ul>",
    )
    found = assess([*pump_web, hub], PUMPS, dead=["gone.test"])
    assert "gone.test" not in [c.company for c in found.ranked]
    assert [row.weight for row in found.evidence if row.kind == EvidenceKind.UNVERIFIED] == [1.0]
    assert "unverified" in {row.kind for row in found.evidence if row.company == "unseen.test"}


@pytest.mark.parametrize("name", ["Larch AG", "Larch Rotork"])
def test_one_company_on_two_domains_is_one_row(pump_web: list[PageFacts], name: str) -> None:
    twins = [
        company_page(f"larch-{place}.test", name, "manufactures centrifugal pumps and valves.")
        for place in ("north", "south")
    ]
    found = assess([*pump_web, *twins], PUMPS)
    both = [c for c in found.ranked if c.name == name]
    assert len(both) == 1
    assert {"larch-north.test", "larch-south.test"} <= set(both[0].domains)


def test_a_standing_that_remembers_is_the_one_that_does_not(pump_web: list[PageFacts]) -> None:
    """What was found of a site is found anew when pages or links come in that say something else."""
    more = "<title>Quarry finder</title><nav><a href='/add'>Add company</a></nav><h1>Business directory</h1>"
    news = page_of("http://paper.test/", "<p>Rolls by <a href='http://www.unseen.test/'>Unseen Rolls</a></p>")
    later = [
        page_of("http://www.quarry.test/find", more),
        page_of("http://www.mill.test/a", "<title>Products | Mill</title><p>Pumps and valves for mills"),
        news,
        company_page("unseen.test", "Unseen Ltd", "makes pumps and valves"),
    ]
    memory = Memory()
    pages: list[PageFacts] = []
    for page in (*pump_web, *later):
        pages.append(page)
        if page.host == "www.oven.test" or page in later:
            assert standing_of(pages, PUMPS, memory=memory) == standing_of(pages, PUMPS)
    accepted = Opinions(accepted=frozenset({"larch.test"}))
    assert standing_of(pages, PUMPS, accepted, memory=memory) == standing_of(pages, PUMPS, accepted)


@pytest.mark.parametrize(
    ("command", "question"),
    [
        ("discover partners", "partners"),
        ("discover acquisitions", "acquisitions"),
        ("discover companies", "companies"),
        ("discover", "competitors"),
        ("crawl", "competitors"),
        ("testbed record", "competitors"),
    ],
)
def test_a_collection_answers_the_question_for_which_it_was_made(command: str, question: str) -> None:
    assert question_of(command) == question


def test_scores_come_apart_into_the_points_of_kinds(pump_web: list[PageFacts]) -> None:
    found = assess(pump_web, PUMPS)
    with duckdb.connect() as con:
        con.execute("CREATE TABLE evidence(company VARCHAR, kind VARCHAR, weight DOUBLE)")
        con.executemany(
            "INSERT INTO evidence VALUES (?, ?, ?)",
            [[row.company, row.kind, row.weight] for row in found.evidence],
        )
        parts = con.sql(f"SELECT company, sum(points) FROM ({points_sql()}) GROUP BY company").fetchall()
    by_parts = dict(parts)
    for company in found.ranked:
        assert company.score == pytest.approx(by_parts[company.company], abs=1e-3)


def test_points_are_those_of_the_docs() -> None:
    """docs/companies.md, "Evidence and points"."""
    table = re.findall(r"^\| `(\w+)` \|.*\| ([−.\d]+) \| ([−.\d]+) \| ([−.\d]+) \|$", DOCS.read_text(), re.M)
    assert len(table) == len(EvidenceKind)
    for kind, *printed in table:
        for question, points in zip(("competitors", "partners", "acquisitions"), printed, strict=True):
            counted = {weight.kind: weight.points for weight in weights(question)}.get(
                EvidenceKind(kind), 0.0
            )
            assert counted == float(points.replace("−", "-")), (question, kind)
    assert {(w.kind, w.points) for w in weights("companies")} == {(w.kind, w.points) for w in weights()}


def test_rows_of_lists_are_summed_and_dampened_and_those_of_other_kinds_are_not() -> None:
    """docs/companies.md: points · ln(1 + 5 · sum) / ln 6."""
    kinds = (
        (EvidenceKind.LISTED, 0.5),
        (EvidenceKind.LISTED, 0.3),
        (EvidenceKind.ALIKE, 0.5),
        (EvidenceKind.LINKED, 1.0),
        (EvidenceKind.UNVERIFIED, 1.0),
        (EvidenceKind.SIMILAR, 0.9),
    )
    found = scores([Evidence("a", kind, weight) for kind, weight in kinds])
    assert found["a"] == pytest.approx(6 * log(1 + 5 * 0.8) / log(6) + 5 * 0.5 - 1.5 - 0.5)


def test_lists_that_name_a_second_site_are_the_company_s_each_hub_once() -> None:
    def listed(company: str, hub: str) -> Evidence:
        return Evidence(company, EvidenceKind.LISTED, 0.5, f"http://{hub}.test/members")

    main, second = listed("a.test", "one"), listed("b.test", "two")
    rows = [
        main,
        listed("b.test", "one"),
        second,
        Evidence("b.test", EvidenceKind.ALIKE, 0.9),
        Evidence("a.test", EvidenceKind.LINKED, 1.0, "http://three.test/"),
        listed("b.test", "three"),
    ]
    joined = joined_evidence(rows, {"b.test": "a.test"})
    hubs = [row.page for row in joined if row.kind == EvidenceKind.LISTED]
    assert {row.company for row in joined} == {"a.test"}
    assert hubs == [f"http://{hub}.test/members" for hub in ("one", "two", "three")]
    assert EvidenceKind.ALIKE not in {row.kind for row in joined}, "its own pages speak for the main site"


def test_a_small_site_that_nobody_links_to_is_the_smallest_there_is() -> None:
    """docs/companies.md: near 1 for a small site that few link to."""
    small = page_of("http://small.test/", "<title>Small</title><p>Pumps")
    links = "".join(f"<a href='/{n}'>{n}</a>" for n in range(50))
    large = page_of("http://large.test/", f"<title>Large</title>{links}<a href='http://known.test/'>k</a>")
    known = page_of("http://known.test/", "<title>Known</title><p>Pumps")
    sites = sites_of([small, large, known])
    strength = {row.company: row.weight for row in size_evidence(list(sites), sites)}
    assert strength["small.test"] == 1.0
    assert strength["small.test"] > strength["known.test"] > 0.5 > strength["large.test"] > 0


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.floats(0, 1)), max_size=8))
def test_more_lists_never_lower_a_score(rows: list[tuple[str, float]]) -> None:
    evidence = [Evidence(company, EvidenceKind.LISTED, weight) for company, weight in rows]
    before = scores(evidence).get("a", 0.0)
    assert scores([*evidence, Evidence("a", EvidenceKind.LISTED, 0.5)])["a"] >= before


def test_the_analysis_is_a_function_of_pages_in_their_order(pump_web: list[PageFacts]) -> None:
    again = pickle.loads(pickle.dumps(pump_web))
    assert assess(pump_web, PUMPS) == assess(again, PUMPS)


def test_companies_can_be_ranked_by_keywords_without_any_known_one(pump_web: list[PageFacts]) -> None:
    topic = Topic("pumps", (), "pumps and valves")
    found = assess(pump_web, topic, question="companies").ranked
    assert {company.company for company in found[:4]} == {
        "brindle.test",
        "kiln.test",
        "larch.test",
        "quarry.test",
    }


def test_a_question_without_weights_is_an_error() -> None:
    with pytest.raises(ValueError, match="acquisitions, companies, competitors, partners"):
        weights("gossip")


def test_no_pages_and_no_words_give_an_empty_answer() -> None:
    assert assess([], PUMPS).ranked == []
    assert order_of([page_of("http://www.brindle.test/", "")]) == []


def test_a_site_that_says_nothing_is_neither_like_the_known_companies_nor_unlike_them() -> None:
    businesses = {
        "pump": "hose pumps and seals",
        "oven": "deck ovens for bread",
        "lift": "trucks with a mast",
    }
    pages = [
        company_page(f"{kind}{number}.test", f"{kind}{number} Ltd", f"makes {words} number{number}")
        for kind, words in businesses.items()
        for number in range(4)
    ]
    script = page_of("http://script.test/", "<title>script</title><div id=app></div>")
    topic = Topic("pumps", ("http://www.pump0.test/", "http://www.pump1.test/"), "hose pumps")
    alike = {row.company for row in assess([*pages, script], topic).evidence if row.kind == "alike"}
    assert "pump2.test" in alike
    assert "script.test" not in alike


def test_what_a_known_company_writes_beside_a_link_is_not_what_the_other_site_says() -> None:
    link = "<p>Hose pumps by Pump0 and Pump1 stand in the <a href='http://www.closed.test/'>yard list</a></p>"
    pages = [company_page(f"pump{n}.test", f"Pump{n} Ltd", "makes hose pumps", link) for n in range(2)]
    pages += [company_page(f"oven{n}.test", f"Oven{n} Ltd", f"bakes bread number{n}") for n in range(6)]
    topic = Topic("pumps", ("http://www.pump0.test/", "http://www.pump1.test/"), "hose pumps")
    found = assess(pages, topic)
    assert not {row.kind for row in found.evidence if row.company == "closed.test"} & {"alike", "keywords"}
    assert "closed.test" not in [company.company for company in found.ranked]


def test_a_site_that_turns_out_to_be_a_known_company_s_is_one_for_a_ranking_that_remembers_too() -> None:
    """What it writes beside its links was still taken for a stranger's word."""
    link = "<p>Hose pumps by Pump0 and Pump1 stand in the <a href='http://www.closed.test/'>yard list</a></p>"
    topic = Topic("pumps", ("http://www.pump0.test/", "http://www.pump1.test/"), "hose pumps")
    crawl = Suggestions(topic)
    for page in (
        *(company_page(f"pump{n}.test", f"Pump{n} Ltd", "makes hose pumps") for n in range(2)),
        *(company_page(f"oven{n}.test", f"Oven{n} Ltd", f"bakes bread number{n}") for n in range(6)),
        page_of(
            "http://former.test/news/yards", f"<title>Yards</title><h1>{'Yards and more ' * 20}</h1>{link}"
        ),
    ):
        crawl.visit(page)
    assert EvidenceKind.KEYWORDS in {
        row.kind for row in crawl.assessment("competitors").evidence if row.company == "closed.test"
    }
    leads = {"http://former.test/": "http://www.pump0.test/"}
    assert crawl.assessment("competitors", leads=leads) == assess(crawl.pages, topic, leads=leads)


def test_who_only_has_the_legal_form_of_the_known_companies_is_not_like_them() -> None:
    """Of companies whose sites were not visited "Co., Ltd." was all that told."""
    known = [
        company_page(f"pump{i}.test", f"Pump{i} Co., Ltd.", f"makes pumps and seal{i}") for i in range(3)
    ]
    others = [
        company_page(f"other{i}.test", f"Other{i} SpA", f"bakes bread{i % 4} and rolls") for i in range(8)
    ]
    listed = page_of(
        "http://www.hub.test/",
        "<title>Directory</title><p>Add company</p><ul>"
        "<li><a href=http://www.form.test/>Acorn Co., Ltd.</a><li><a href=http://www.none.test/>Birch</a></ul>",
    )
    found = assess([*known, *others, listed], Topic("pumps", tuple(page.url for page in known), "pumps"))
    alike = {row.company: row.weight for row in found.evidence if row.kind == "alike"}
    assert "pump1.test" in alike
    assert alike.get("form.test", 0.0) == alike.get("none.test", 0.0)


def test_sites_of_other_businesses_are_not_alike_only_because_one_of_them_has_to_be_most_alike() -> None:
    pumps = "makes hose pumps that move slurry through tubes and dosing pumps for acid"
    others = (
        "bakes bread in deck ovens with steam for a hose",
        "lets trucks with a mast to move pallets",
        "writes software for payrolls",
        "paints walls",
    )
    pages = [company_page(f"pump{n}.test", f"Pump{n} Ltd", pumps) for n in range(3)]
    pages += [company_page(f"other{n}.test", f"Other{n} Ltd", others[n % 4]) for n in range(12)]
    topic = Topic("pumps", tuple(f"http://www.pump{n}.test/" for n in range(3)), "hose pumps")
    found = assess(pages, topic).evidence
    alike = [row.weight for row in found if row.kind == "alike" and row.company.startswith("other")]
    assert 0 < max(alike) < 0.2


def fair_of(*hosts: str) -> PageFacts:
    """A page of a fair that lists some sites and none of the known companies."""
    rows = "".join(f"<li><a href='http://www.{host}/'>{host}</a></li>" for host in hosts)
    return page_of(
        "http://water-fair.test/exhibitors",
        f"<title>Exhibitors - Water Fair</title><nav><a href='/'>The fair</a></nav><h1>Exhibitors</h1>"
        f"<ul>{rows}</ul>",
    )


def test_who_stands_beside_the_first_of_the_ranking_is_listed_beside_companies_like_the_known(
    pump_web: list[PageFacts],
) -> None:
    found = assess([*pump_web, fair_of("larch.test", "newcomer.test")], PUMPS)
    (row,) = (row for row in by_company(found.evidence)["newcomer.test"] if row.kind == EvidenceKind.LISTED)
    assert row.snippet.startswith("1 company of the kind among 2 on “Exhibitors - Water Fair”")
    newcomer = next(company for company in found.ranked if company.company == "newcomer.test")
    assert newcomer.why == "listed with companies of the kind on 1 hub"
    assert 0 < row.weight <= round(0.8 / 3, 4), "each counts for at most 0.8 of a known one, in a list of two"


def test_lists_count_for_less_beside_companies_like_the_known_than_beside_the_known(
    pump_web: list[PageFacts],
) -> None:
    def strength(*others: str) -> float:
        rows = by_company(assess([*pump_web, fair_of(*others, "newcomer.test")], PUMPS).evidence)
        return sum(row.weight for row in rows["newcomer.test"] if row.kind == EvidenceKind.LISTED)

    assert 0 < strength("larch.test", "quarry.test") < strength("brindle.test", "kiln.test")


def test_who_stands_beside_companies_that_are_not_like_the_known_is_not_listed(
    pump_web: list[PageFacts],
) -> None:
    rows = by_company(assess([*pump_web, fair_of("oven.test", "newcomer.test")], PUMPS).evidence)
    assert EvidenceKind.LISTED not in {row.kind for row in rows.get("newcomer.test", ())}


def test_hubs_without_a_known_company_do_not_count_among_those_that_list_some(
    pump_web: list[PageFacts],
) -> None:
    found = assess([*pump_web, fair_of("larch.test", "newcomer.test")], PUMPS)
    larch = next(company for company in found.ranked if company.company == "larch.test")
    assert larch.why.startswith("listed with 2 of your companies on 1 hub;")


def test_why_calls_nothing_similar_pages_that_were_not_visited() -> None:
    rows = [Evidence("x.test", EvidenceKind.SIMILAR, 0.2)]
    assert why(rows) == "pages 0.20 similar"
    assert why([*rows, Evidence("x.test", EvidenceKind.UNVERIFIED, 1.0)]) == "entries 0.20 similar"


def test_why_says_up_to_where_not_every_hub_lists_as_many_of_the_known() -> None:
    def listed(*numbers: int) -> str:
        beside = (f"{n} of your companies" if n else "4 companies of the kind" for n in numbers)
        return why(
            [
                Evidence("x.test", EvidenceKind.LISTED, 0.3, "", "", f"{who} among 9 on “Hub”: X")
                for who in beside
            ]
        )

    assert listed(1, 2, 1) == "listed with up to 2 of your companies on 3 hubs"
    assert listed(2, 2, 0) == "listed with 2 of your companies on 2 hubs"
    assert listed(1) == "listed with 1 of your companies on 1 hub"


def test_without_a_known_company_lists_are_weighed_by_who_says_the_keywords(
    pump_web: list[PageFacts],
) -> None:
    words_alone = Topic("pumps", (), "pumps and valves", hubs=("http://pump-makers.test/members",))
    found = assess([*pump_web, fair_of("larch.test", "kiln.test", "newcomer.test")], words_alone)
    (row,) = (row for row in by_company(found.evidence)["newcomer.test"] if row.kind == EvidenceKind.LISTED)
    assert row.snippet.startswith("2 companies of the kind among 3 on “Exhibitors - Water Fair”")
    order = [company.company for company in found.ranked]
    assert set(order[:4]) == {"brindle.test", "kiln.test", "larch.test", "quarry.test"}
    assert "newcomer.test" in order
    assert "oven.test" not in order
