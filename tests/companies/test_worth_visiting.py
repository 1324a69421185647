"""What a crawl is told to visit for the sake of the answer."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from companies_pages import company_page, page_of

from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic

PUMPS = Topic("pumps", ("http://www.brindle.test/", "http://www.kiln.test/"), "pumps and valves")


def after_visits(pages: Iterable[PageFacts]) -> Suggestions:
    """After some pages, among as many others as it takes to look at how companies stand."""
    suggestions = Suggestions(PUMPS)
    for n in range(40):
        suggestions.visit(company_page(f"filler{n}.test", f"Filler {n} Ltd", "sells things."))
    for page in pages:
        suggestions.visit(page)
    return suggestions


def test_suggestions_verify_listed_companies_and_read_lists_on(pump_web: list[PageFacts]) -> None:
    hub = page_of(
        "http://pump-makers.test/members",
        "<title>Members - Association of Pump Makers</title><a href='/'>The association</a>"
        "<a href='/members?p=2'>2</a><ul><li><a href='http://www.brindle.test/'>Brindle</a> pumps"
        "<li><a href='http://www.kiln.test/'>Kiln</a> valves"
        "<li><a href='http://unseen.test/'>Unseen</a> pumps</ul>",
    )
    suggestions = after_visits([*pump_web, hub])
    urls = [suggestion.url for suggestion in suggestions.next(100)]
    assert "http://unseen.test/" in urls
    assert "http://pump-makers.test/members?p=2" in urls
    assert "http://www.larch.test/about" in urls
    assert len(urls) == len(set(urls))
    assert not set(urls) & {page.final_url for page in pump_web}


@pytest.mark.parametrize(
    "anchor",
    [
        "2",
        "Б",
        "か行",
        "Next »",
        "Nächste Seite",
        "Suivants",
        "次のページ",
        "下一页",
        "다음",
        "الصفحة التالية",
    ],
)
def test_the_next_page_of_a_list_that_names_known_companies_is_suggested(
    pump_web: list[PageFacts], anchor: str
) -> None:
    hub = page_of(
        "http://pump-makers.test/list",
        "<title>Association of Pump Makers</title><a href='/statutes'>Statutes</a> <a href='?p=2'>"
        f"{anchor}</a><ul><li><a href='http://www.brindle.test/'>B</a><li><a href='http://x.test/'>X</a></ul>",
    )
    suggestions = after_visits([*pump_web, hub])
    reasons = {suggestion.url: suggestion.why for suggestion in suggestions.next(500)}
    assert reasons["http://pump-makers.test/list?p=2"] == "more of a list of pump-makers.test"


def test_the_home_page_of_a_company_of_which_only_another_page_was_visited_is_suggested() -> None:
    suggestions = after_visits(
        company_page(f"{label}.test", f"{label} Ltd", "makes pumps and valves.", page="p/valves")
        for label in ("brindle", "kiln", "larch")
    )
    reasons = {suggestion.url: suggestion.why for suggestion in suggestions.next(500)}
    assert reasons["http://www.brindle.test/"] == "home page of brindle.test"
    assert reasons["http://www.larch.test/"] == "home page of larch.test"


def test_where_there_is_nothing_else_to_visit_few_pages_are_enough_for_suggestions(
    pump_web: list[PageFacts],
) -> None:
    suggestions = Suggestions(PUMPS)
    for page in pump_web:
        suggestions.visit(page)
    assert not suggestions.next(100)
    found = suggestions.next(100, at_once=True)
    assert "http://www.larch.test/about" in [suggestion.url for suggestion in found]
    assert not suggestions.next(100, at_once=True), "the same pages say nothing new"


def test_a_failed_suggestion_is_not_made_again_and_its_host_is_dead(pump_web: list[PageFacts]) -> None:
    hub = page_of(
        "http://pump-makers.test/more",
        "<title>Members - Association of Pump Makers</title><ul><li><a href='http://www.brindle.test/'>B</a>"
        "<li><a href='http://gone.test/'>Gone</a> pumps</ul>",
    )
    suggestions = after_visits([*pump_web, hub])
    suggestions.fail("http://gone.test/", Reason.DNS)
    assert "http://gone.test/" not in [suggestion.url for suggestion in suggestions.next(500)]
    assert suggestions.dead == {"gone.test"}
    assert suggestions.assessment("competitors").verdicts["gone.test"].kind == "dead"


def test_what_failed_is_not_suggested_again_though_its_host_may_answer(pump_web: list[PageFacts]) -> None:
    """A timeout is no sign that nobody lives there, and the page is not asked for once more all the same."""
    suggestions = after_visits(pump_web)
    about = "http://www.larch.test/about"
    suggestions.fail(about, Reason.TIMEOUT)
    assert not suggestions.dead
    urls = [suggestion.url for suggestion in suggestions.next(500)]
    assert "http://www.larch.test/products" in urls
    assert about not in urls


def test_the_list_of_members_of_an_association_that_known_companies_belong_to_is_suggested(
    pump_web: list[PageFacts],
) -> None:
    """docs/companies.md, "What the crawl does for the answer"."""
    member = "<a href='http://trade.test/'>Member of the trade association</a>"
    known = [
        company_page(f"{name}.test", name.title(), "makes pumps", member, page="us")
        for name in ("brindle", "kiln")
    ]
    home = page_of(
        "http://trade.test/",
        "<title>Trade association</title><h1>The association</h1><a href='/m'>Members</a>"
        "<a href='/press'>Press</a><a href='/bread'>Bread</a><a href='/pump'>All about pumps</a>",
    )
    found = {suggestion.url: suggestion for suggestion in after_visits([*pump_web, *known, home]).next(500)}
    members, topical = found["http://trade.test/m"], found["http://trade.test/pump"]
    assert members.why == topical.why == "who is listed by trade.test"
    assert members.value > topical.value
    assert not {"http://trade.test/press", "http://trade.test/bread"} & found.keys()


def test_a_ranking_meanwhile_changes_nothing_that_is_suggested() -> None:
    """It joins sites that redirect, and what it had found of such a site was held to be found of the site
    alone: a crawl that had been ranked meanwhile could not be replayed, so not resumed.
    """
    topic = Topic("pumps", ("http://www.pump0.test/", "http://www.pump1.test/"), "hose pumps")
    first = [
        *(company_page(f"pump{n}.test", f"Pump{n} Ltd", "makes hose pumps") for n in range(2)),
        *(company_page(f"oven{n}.test", f"Oven{n} Ltd", f"bakes bread number{n}") for n in range(6)),
        page_of("http://yard.test/a", "<p>Hose pumps at <a href='http://former.test/'>Former Pumps</a></p>"),
    ]
    then = page_of("http://yard.test/b", "<p>Bread and rolls by <a href='http://now.test/'>Now</a></p>")
    suggested = []
    for ranks in (False, True):
        suggestions = Suggestions(topic)
        for page in first:
            suggestions.visit(page)
        if ranks:
            suggestions.assessment("competitors", leads={"http://former.test/": "http://now.test/"})
        suggestions.visit(then)
        suggested.append(suggestions.next(20, at_once=True))
    assert suggested[0]
    assert suggested[0] == suggested[1]
