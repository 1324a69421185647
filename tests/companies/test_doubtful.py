"""What is said of sites that are not ranked, and of seeds that are no companies."""

from __future__ import annotations

from companies_pages import company_page, page_of

from bizcrawl.companies.assess import assess
from bizcrawl.companies.doubtful import doubts_about_seeds, not_ranked
from bizcrawl.topic import Topic


def test_every_site_that_was_met_is_ranked_known_or_counted_by_what_it_is() -> None:
    links = "".join(
        f"<li><a href='http://{host}.test/'>{host}</a>" for host in ("acorn", "birch", "gone", "far")
    )
    hub = page_of(
        "http://hub.test/", f"<title>Pump directory</title><a href='/add'>Add company</a><ul>{links}"
    )
    pages = [hub, company_page("acorn.test", "Acorn", "pumps"), company_page("birch.test", "Birch", "pumps")]
    found = assess(pages, Topic("pumps", ("http://www.acorn.test/",), "pumps"), dead={"gone.test"})
    counts = not_ranked(found)
    assert (counts["directory"], counts["dead"]) == (1, 1)
    assert counts.total() + sum(len(company.domains) for company in found.companies) == len(found.verdicts)


def test_seeds_on_one_site_and_seeds_that_are_no_companies_are_named() -> None:
    portal = page_of("http://portal.test/a", "<title>Pump directory</title><a href='/add'>Add company</a>")
    pages = [portal, company_page("acorn.test", "Acorn", "pumps")]
    seeds = ("http://portal.test/a", "http://portal.test/b", "http://www.acorn.test/")
    topic = Topic("pumps", seeds, "pumps")
    one, other = doubts_about_seeds(assess(pages, topic), topic)
    assert one == "2 seeds are one site and count as one company: portal.test"
    assert other.startswith("a seed that seems to be no company: portal.test, directory (")
    assert "“add company”" in other


def test_a_seed_that_leads_to_the_site_of_another_company_is_named() -> None:
    oak = "<title>Oak</title><p>&copy; Oak Ltd"
    bought = page_of("http://www.oak.test/", oak, "http://birch.test/")
    former = page_of("http://www.oak.test/", oak, "http://oaks.test/")  # a former domain, which is no seed
    acorn = company_page("acorn.test", "Acorn", "pumps")
    topic = Topic("pumps", ("http://birch.test/", "http://www.acorn.test/"), "pumps")
    found = assess([former, bought, acorn], topic)
    assert any({"birch.test", "oaks.test"} <= set(company.domains) for company in found.companies)
    assert [*doubts_about_seeds(found, topic)] == [
        "a seed that leads to another site: birch.test, to Oak Ltd, oak.test"
    ]


def test_a_seed_that_does_not_answer_is_not_said_to_be_no_company() -> None:
    topic = Topic("pumps", ("http://www.acorn.test/", "http://gone.test/"), "pumps")
    found = assess([company_page("acorn.test", "Acorn", "pumps")], topic, dead={"gone.test"})
    assert [*doubts_about_seeds(found, topic)] == []
