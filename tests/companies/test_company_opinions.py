"""What the analyst says of companies: what holds after several opinions, and what a crawl asks for then."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest
from companies_pages import company_page, page_of

from bizcrawl.companies.assess import Opinions, assess
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.opinions import Judged, Judgement, Opinion
from bizcrawl.companies.suggestions import Suggestions
from bizcrawl.strategies.table import make_strategy
from bizcrawl.strategies.verifying import Verifying
from bizcrawl.topic import Topic

PUMPS = "manufactures centrifugal pumps and valves for water works."
ONE_SEED = Topic("pumps", ("http://www.brindle.test/",), "pumps and valves")


def accept(company: str, *others: str) -> Opinion:
    return Opinion(Judgement.ACCEPT, company, others)


def reject(company: str, *others: str) -> Opinion:
    return Opinion(Judgement.REJECT, company, others)


def withdraw(company: str, *others: str) -> Opinion:
    return Opinion(Judgement.WITHDRAW, company, others)


def test_the_last_opinion_on_a_company_counts_and_holds_for_all_its_sites() -> None:
    opinions = Opinions() | accept("a.test", "a.example") | reject("b.test") | reject("a.test", "a.example")
    assert opinions.accepted == frozenset()
    assert opinions.rejected == {"a.test", "a.example", "b.test"}
    assert (opinions | accept("b.test")).accepted == {"b.test"}


def test_an_opinion_that_is_withdrawn_holds_for_none_of_its_sites() -> None:
    for say in (accept, reject):
        withdrawn = Opinions() | say("a.test", "a.example") | withdraw("a.test", "a.example")
        assert withdrawn == Opinions()


def test_a_rejected_company_does_not_come_back_under_its_second_domain(pump_web: list[PageFacts]) -> None:
    twin = company_page("larch-pumps.test", "Larch AG", "manufactures centrifugal pumps and valves.")
    pages = [*pump_web, twin]
    (larch,) = [c for c in assess(pages, ONE_SEED).ranked if c.name == "Larch AG"]
    others = [domain for domain in larch.domains if domain != larch.company]
    found = assess(pages, ONE_SEED, Opinions() | reject(larch.company, *others))
    (row,) = [c for c in found.companies if c.name == "Larch AG"]
    assert row.rank is None
    assert set(row.domains) == set(larch.domains)


def test_an_opinion_follows_a_company_that_moves(pump_web: list[PageFacts]) -> None:
    moved = page_of(
        "http://www.larch-group.test/",
        "<title>Larch AG</title><h1>Larch AG</h1><p>Larch AG makes pumps and valves.<p>&copy; Larch AG",
        asked="http://www.larch.test/",
    )
    found = assess([*pump_web, moved], ONE_SEED, Opinions() | reject("larch.test"))
    assert "larch-group.test" in [c.company for c in found.companies]
    assert "larch-group.test" not in [c.company for c in found.ranked]


def list_of(hub: str, members: Sequence[str]) -> PageFacts:
    """A page of an association that lists some sites and has a next page."""
    rows = "".join(f"<li><a href='http://www.{host}/'>{host}</a></li>" for host in members)
    return page_of(
        f"http://{hub}/members",
        f"<title>Members - Association {hub}</title><nav><a href='/'>The association</a>"
        f" <a href='/members?p=2'>2</a></nav><h1>Members</h1><ul>{rows}</ul>",
    )


PUMP_LIST, FLOUR_LIST = "http://pump-list.test/members?p=2", "http://flour-list.test/members?p=2"


@pytest.fixture
def suggestions(pump_web: list[PageFacts]) -> Suggestions:
    """After a crawl that met a hundred pump makers, and a list of pump makers and one of millers."""
    suggestions = Suggestions(ONE_SEED)
    for first, second in product("bdfgklmprt", repeat=2):
        name = f"{first}ola{second}umex"
        suggestions.visit(company_page(f"{name}.test", f"{name.title()} Ltd", PUMPS))
    for page in pump_web[:6]:
        suggestions.visit(page)
    suggestions.visit(list_of("pump-list.test", ["brindle.test", "larch.test", "unseen.test"]))
    suggestions.visit(list_of("flour-list.test", ["mill.test", "rye.test"]))
    return suggestions


def asked_for(suggestions: Suggestions) -> dict[str, float]:
    """Value by URL, of all that is suggested; nothing of it is visited."""
    found = suggestions.next(5_000)
    suggestions.judge(accept("nobody.test"), [suggestion.url for suggestion in found])
    return {suggestion.url: suggestion.value for suggestion in found}


def test_lists_of_an_accepted_company_are_read_on(suggestions: Suggestions) -> None:
    suggestions.judge(reject("mill.test"))
    assert FLOUR_LIST not in asked_for(suggestions)
    suggestions.judge(accept("mill.test"))
    after = asked_for(suggestions)
    assert after[FLOUR_LIST] > 0.5
    assert after["http://www.mill.test/about"] == after["http://www.brindle.test/about"], "as the seed's"


def test_lists_of_rejected_companies_ask_for_no_page(suggestions: Suggestions) -> None:
    before = asked_for(suggestions)
    assert before[PUMP_LIST] > 0.2
    assert "http://www.larch.test/about" in before
    suggestions.judge(reject("larch.test"))
    assert not [url for url in asked_for(suggestions) if "larch.test" in url]
    for company in ("brindle.test", "unseen.test"):
        suggestions.judge(reject(company))
    assert PUMP_LIST not in asked_for(suggestions)


def test_pages_of_a_rejected_hub_are_not_asked_for(suggestions: Suggestions) -> None:
    suggestions.judge(reject("pump-list.test"))
    assert not [url for url in asked_for(suggestions) if "pump-list.test" in url]


@pytest.mark.parametrize(("strategy", "heeds"), [("apprentice", True), ("breadth-first", False)])
def test_the_main_strategy_heeds_opinions_and_others_need_not(strategy: str, heeds: bool) -> None:
    within = make_strategy(strategy, random.Random(1))
    assert isinstance(within, Judged) is heeds
    verifying = Verifying(within, Suggestions(ONE_SEED), 0.5)
    verifying.start(ONE_SEED)
    verifying.judge(accept("larch.test"))
