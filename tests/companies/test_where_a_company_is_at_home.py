"""Of several sites of one company the one that stands for it."""

from __future__ import annotations

import pytest
from companies_pages import company_page

from bizcrawl.companies.assess import Assessment, Company, assess
from bizcrawl.companies.opinions import Judgement, Opinion, Opinions
from bizcrawl.topic import Topic

TOPIC = Topic("pumps", ("http://www.pump0.test/", "http://www.pump1.test/"), "hose pumps")
OTHERS = [
    *(company_page(f"pump{n}.test", f"Pump{n} Ltd", "makes hose pumps for slurry") for n in range(2)),
    *(company_page(f"oven{n}.test", f"Oven{n} Ltd", f"bakes bread number{n}") for n in range(6)),
]
SHOP = "sells hose pumps for slurry, hose pumps for acid and spare hoses of hose pumps"
STRUCTURED = (
    '<script type="application/ld+json">{"@type": "Organization", "name": "Quartz Fluid Systems Ltd", '
    '"url": "https://www.quartzfluid.test/"}</script>'
)


def assessed(beside: str, opinions: Opinions | None = None) -> tuple[Assessment, Company]:
    """A company whose shop says far more of the business than its own site."""
    name = "Quartz Fluid Systems Ltd"
    sites = [
        company_page("quartzfluid.test", name, "has been in fluid engineering since 1950"),
        company_page("quartz-pumps.test", name, SHOP, beside),
    ]
    found = assess([*OTHERS, *sites], TOPIC, opinions or Opinions())
    (company,) = [company for company in found.companies if "quartz-pumps.test" in company.domains]
    return found, company


@pytest.mark.parametrize("beside", ["<p>Mail: info@quartzfluid.test", STRUCTURED])
def test_a_company_is_at_home_where_its_other_sites_say_and_ranks_by_what_speaks_for_it(beside: str) -> None:
    found, company = assessed(beside)
    assert company.company == "quartzfluid.test"
    assert company.home_page == "http://www.quartzfluid.test/"
    assert company.domains == ("quartzfluid.test", "quartz-pumps.test")
    assert company.rank == 1
    pages = {row.page for row in found.evidence if row.company == company.company and row.kind == "alike"}
    assert pages == {"http://www.quartz-pumps.test/"}
    assert "quartz-pumps.test" not in {row.company for row in found.evidence}


def test_without_a_sign_the_site_for_which_most_speaks_stands_for_the_company() -> None:
    _, company = assessed("")
    assert company.company == "quartz-pumps.test"
    assert company.domains == ("quartz-pumps.test", "quartzfluid.test")


@pytest.mark.parametrize("judgement", [Judgement.ACCEPT, Judgement.REJECT])
def test_a_verdict_on_the_company_holds_for_the_site_that_spoke_for_it(judgement: Judgement) -> None:
    opinions = Opinions() | Opinion(judgement, "quartzfluid.test", ("quartz-pumps.test",))
    found, company = assessed("<p>Mail: info@quartzfluid.test", opinions)
    assert (company.company, company.rank) == ("quartzfluid.test", None)
    assert not {"quartzfluid.test", "quartz-pumps.test"} & {other.company for other in found.ranked}
