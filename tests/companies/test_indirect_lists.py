"""Lists that lead to companies in two steps, and URLs that lead elsewhere."""

from __future__ import annotations

import pytest
from companies_pages import company_page, page_of

from bizcrawl.companies.assess import Assessment, assess
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.naming import identity_of
from bizcrawl.companies.sites import sites_of
from bizcrawl.topic import Topic

FIRMS = {"acorn": "Acorn Pumps GmbH", "birch": "Birch Ltd", "cedar": "Cedar Inc.", "dogwood": "Dogwood AG"}
HOMES = [company_page(f"{label}.test", name, "makes hose pumps.") for label, name in FIRMS.items()]
TOPIC = Topic("pumps", ("http://www.acorn.test/", "http://www.birch.test/"), "hose pumps")
NAV = (
    "<nav><a href='/'>Home</a> <a href='/add'>Add company</a> <a href='http://agency.test/'>Agency</a></nav>"
)


def directory(path: str, title: str, body: str, asked: str = "") -> PageFacts:
    return page_of(
        f"http://www.finder.test/{path}", f"<title>{title}</title>{NAV}<h1>{title}</h1>{body}", asked
    )


def list_of(href: str) -> PageFacts:
    entries = "".join(f"<li><a href='{href.format(label)}'>{name}</a> pumps" for label, name in FIRMS.items())
    return directory("pumps", "Pumps", f"<ul>{entries}</ul>")


def listed(assessment: Assessment) -> dict[str, tuple[str, str]]:
    return {row.company: (row.page, row.link) for row in assessment.evidence if row.kind == "listed"}


def test_companies_to_which_the_entries_of_a_list_redirect_are_listed_together() -> None:
    asked = "http://www.finder.test/out?to={}"
    homes = [
        page_of(home.final_url, f"<title>{name}</title><p>&copy; {name}", asked.format(label))
        for (label, name), home in zip(FIRMS.items(), HOMES, strict=True)
    ]
    found = listed(assess([list_of("/out?to={}"), *homes], TOPIC))
    assert found["cedar.test"] == ("http://www.finder.test/pumps", asked.format("cedar"))
    assert set(found) == {f"{label}.test" for label in FIRMS}


def test_a_redirect_to_a_page_that_was_visited_before_counts_as_well() -> None:
    leads = {f"http://www.finder.test/out?to={label}": f"http://www.{label}.test/" for label in FIRMS}
    assert "cedar.test" in listed(assess([list_of("/out?to={}"), *HOMES], TOPIC, leads=leads))


def test_a_redirect_that_nobody_may_follow_leads_where_its_address_says() -> None:
    pages = [list_of("/out?id=7&url=http%3A%2F%2Fwww.{}.test%2Fen"), *HOMES[:2]]
    found = assess(pages, TOPIC)
    assert set(listed(found)) == {f"{label}.test" for label in FIRMS}
    unvisited = next(c for c in found.companies if c.company == "dogwood.test")
    assert (unvisited.name, unvisited.home_page) == ("Dogwood AG", "http://www.dogwood.test/")
    at_home = "/login?back=http%3A%2F%2Fwww.finder.test%2F{}"
    assert not listed(assess([list_of(at_home), *HOMES], TOPIC))


@pytest.mark.parametrize(
    "href",
    [
        "https://clicks.test/c?id=7&dest=https%3A%2F%2Fwww.{}.test%2F",
        "https://go.finder.test/?u=http://www.{}.test/",
        "/leave?site=www.{}.test",
        "/out/http://www.{}.test/",
        "https://archive.test/2019/http:/www.{}.test/",
    ],
)
def test_clicks_that_another_host_counts_lead_to_the_companies_of_the_list(href: str) -> None:
    found = assess([list_of(href), *HOMES[:2]], TOPIC)
    assert set(listed(found)) == {f"{label}.test" for label in FIRMS}
    assert listed(found)["cedar.test"][1].endswith(href.format("cedar"))
    assert next(c.name for c in found.companies if c.company == "dogwood.test") == "Dogwood AG"
    assert "clicks.test" not in found.verdicts


def test_redirects_of_another_host_that_were_followed_lead_there_too() -> None:
    leads = {f"https://clicks.test/c/{label}": f"http://www.{label}.test/" for label in FIRMS}
    found = assess([list_of("https://clicks.test/c/{}"), *HOMES], TOPIC, leads=leads)
    assert set(listed(found)) == {f"{label}.test" for label in FIRMS}
    # who leads to several companies is none, though nobody followed all of its links
    del leads["https://clicks.test/c/dogwood"]
    found = assess([list_of("https://clicks.test/c/{}"), *HOMES], TOPIC, leads=leads)
    assert set(listed(found)) == {"acorn.test", "birch.test", "cedar.test"}


def test_a_company_that_redirects_one_of_its_pages_elsewhere_stays_in_the_list() -> None:
    leads = {"http://www.cedar.test/pumps": "http://www.dogwood.test/"}
    entries = "".join(f"<li><a href='http://www.{label}.test/'>{label}</a>" for label in ("acorn", "birch"))
    page = directory(
        "pumps", "Pumps", f"<ul>{entries}<li><a href='http://www.cedar.test/pumps'>Cedar</a></ul>"
    )
    assert {"cedar.test", "dogwood.test"} <= set(listed(assess([page, *HOMES], TOPIC, leads=leads)))


@pytest.mark.parametrize("visit", ["http://www.{}.test/", "/visit?to=http%3A%2F%2Fwww.{}.test%2F"])
def test_of_several_sites_that_a_page_of_a_directory_links_to_it_is_about_the_one_called_like_it(
    visit: str,
) -> None:
    profiles = [
        directory(
            f"firm/{label}",
            name,
            f"<p>{name} makes pumps.</p><p><a rel=nofollow href='{visit.format(label)}'>Visit site</a>"
            f"<p>Sources: <a href='http://daily{label}.test/{label}'>{name} has a new owner</a>",
        )
        for label, name in FIRMS.items()
    ]
    found = listed(assess([list_of("/firm/{}"), *profiles, *HOMES[:3]], TOPIC))
    assert set(found) == {f"{label}.test" for label in FIRMS}


def test_companies_that_have_a_page_each_in_a_directory_are_listed_together() -> None:
    profiles = [
        directory(
            f"firm/{label}{'/' * (label == 'birch')}",
            name,
            f"<p>{name} makes pumps.</p><p><a href='http://www.{label}.test/'>To the website</a>",
            f"http://www.finder.test/firm/{label}",
        )
        for label, name in FIRMS.items()
    ]
    pages = [list_of("/firm/{}"), *profiles, *HOMES[:3]]
    found = listed(assess(pages, TOPIC))
    assert found["cedar.test"] == ("http://www.finder.test/pumps", "http://www.finder.test/firm/cedar")
    assert set(found) == {f"{label}.test" for label in FIRMS}
    unvisited = next(c for c in assess(pages, TOPIC).companies if c.company == "dogwood.test")
    assert (unvisited.name, unvisited.home_page) == ("Dogwood AG", "http://www.dogwood.test/")


def test_companies_that_have_a_host_each_below_a_directory_are_listed_together() -> None:
    profiles = [
        page_of(
            f"http://{label}.finder.test/",
            f"<title>{name}</title><h1>{name}</h1><a href='http://www.{label}.test/'>To the website</a>",
        )
        for label, name in FIRMS.items()
    ]
    pages = [directory("", "Finder", ""), list_of("http://{}.finder.test/"), *profiles, *HOMES[:3]]
    found = listed(assess(pages, TOPIC))
    assert found["cedar.test"] == ("http://www.finder.test/pumps", "http://cedar.finder.test/")
    assert set(found) == {f"{label}.test" for label in FIRMS}


def test_a_site_whose_pages_are_about_another_site_each_is_a_directory_whatever_its_labels() -> None:
    def base_of(profiles: int, others: int) -> list[PageFacts]:
        nav = (
            "<nav><a href='/'>Home</a> <a href='/investors'>Investors</a> <a href='/about'>About us</a></nav>"
        )
        pages = [page_of("http://www.base.test/", f"<title>Base</title>{nav}<p>Who makes what</p>")]
        for n in range(profiles + others):
            link = f"<a href='http://www.firm{n}.test/'>firm{n}.test</a>" if n < profiles else ""
            body = f"<title>Firm{n} | Base</title>{nav}<h2>Firm{n}</h2><p>makes pumps</p>{link}"
            pages.append(page_of(f"http://www.base.test/c/{n}", body))
        return pages

    def kind_of(pages: list[PageFacts]) -> str:
        return assess([*HOMES, *pages], TOPIC).verdicts["base.test"].kind

    assert kind_of(base_of(profiles=12, others=4)) == "directory"
    assert kind_of(base_of(profiles=6, others=0)) == "company"
    assert kind_of(base_of(profiles=12, others=20)) == "company"


def test_companies_at_the_end_of_a_long_list_of_pages_of_a_directory_are_listed_too() -> None:
    others = "".join(f"<li><a href='/firm/other{n}'>Other {n}</a>" for n in range(1_000))
    entries = "".join(f"<li><a href='/firm/{label}'>{name}</a>" for label, name in FIRMS.items())
    profiles = [
        directory(f"firm/{label}", name, f"<p><a href='http://www.{label}.test/'>To the website</a>")
        for label, name in FIRMS.items()
    ]
    index = directory("pumps", "Pumps", f"<ul>{others}{entries}</ul>")
    assert set(listed(assess([index, *profiles, *HOMES], TOPIC))) == {f"{label}.test" for label in FIRMS}


def test_articles_that_mention_a_company_each_are_no_list_of_companies() -> None:
    articles = [
        directory(
            f"firm/{label}",
            f"{name} opens a second plant in the north of the country",
            f"<p>Says <a href='http://www.{label}.test/'>{name}</a>.",
        )
        for label, name in FIRMS.items()
    ]
    assert not listed(assess([list_of("/firm/{}"), *articles, *HOMES], TOPIC))


def test_a_seed_whose_page_moved_to_another_site_is_the_company_there() -> None:
    moved = page_of("http://new.test/en/", "<title>New AG</title><p>&copy; New AG", "http://old.test/en/")
    topic = Topic("pumps", ("http://old.test/en/", "http://www.birch.test/"), "pumps")
    assert {c.company for c in assess([moved, *HOMES], topic).companies if c.is_seed} == {
        "new.test",
        "birch.test",
    }


def test_a_domain_that_redirects_to_a_page_visited_before_is_no_company_of_its_own() -> None:
    rows = "".join(f"<li><a href='http://{host}.test/'>{host}</a>" for host in ("www.acorn", "formerly", "x"))
    pages = [*HOMES, directory("pumps", "Pumps", f"<ul>{rows}</ul>")]
    found = assess(pages, TOPIC, leads={"http://formerly.test/": "http://www.cedar.test/"})
    assert {c.company: c.domains for c in found.companies}["cedar.test"] == ("cedar.test", "formerly.test")
    assert "formerly.test" not in {c.company for c in found.companies}


def test_a_site_that_says_nothing_of_itself_but_lists_known_companies_is_a_hub_and_no_company() -> None:
    entries = "".join(f"<dt><a href='http://www.{label}.test/'>{name}</a>" for label, name in FIRMS.items())
    guide = page_of("http://guide.test/", f"<title>鉄</title><dl>{entries}</dl>")
    found = assess([*HOMES, guide], TOPIC)
    assert listed(found)["cedar.test"][0] == "http://guide.test/"
    assert found.verdicts["guide.test"].kind == "directory"
    assert found.verdicts["guide.test"].reasons[0] == "lists 2 of your companies together"
    assert "guide.test" not in {c.company for c in found.companies}
    assert "guide.test" in {c.company for c in assess([*HOMES, guide], TOPIC, question="partners").companies}


def test_sites_of_one_company_for_several_countries_are_one_row() -> None:
    world = "<p><a href='http://www.cedar.test/'>Worldwide</a> <a href='http://www.cedar.example/'>DE</a></p>"
    german = company_page("cedar.example", "Cedar GmbH", "baut Pumpen.", world)
    namesake = company_page("cedar.invalid", "Cedar SARL", "fabrique des meubles.")
    found = assess([*HOMES, german, namesake], TOPIC)
    domains = {c.company: c.domains for c in found.companies}
    assert domains["cedar.test"] == ("cedar.test", "cedar.example")
    assert "cedar.example" not in domains
    assert "cedar.test" not in domains.get("cedar.invalid", ())


def test_a_top_page_that_redirects_further_in_is_the_home_page() -> None:
    home = page_of(
        "http://larch.test/en/start.html", "<title>Larch | Pumps</title><h1>Larch</h1>", "http://larch.test/"
    )
    job = page_of("http://larch.test/job", "<title>Jobs for fitters</title>")
    site = sites_of([job, home])["larch.test"]
    assert site.home == home
    assert identity_of(site).name == "Larch"


def test_the_home_page_is_at_the_own_host_of_a_site_and_not_at_its_jobs_or_dealers() -> None:
    jobs = page_of("http://jobs.larch.test/", "<title>Work with us | Careers</title><h1>Work with us</h1>")
    home = page_of("http://www.larch.test/index.html", "<title>Larch Pumps</title><h1>Larch Pumps</h1>")
    deep = page_of("http://www.larch.test/p/1", "<title>Pump 1</title>")
    assert sites_of([jobs, deep, home])["larch.test"].home == home
    assert sites_of([deep, jobs])["larch.test"].home == jobs
