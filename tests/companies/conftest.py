"""A small web of pump makers for tests of the company analysis."""

from __future__ import annotations

import pytest
from companies_pages import company_page, page_of

from bizcrawl.companies.facts import PageFacts


@pytest.fixture
def pump_web() -> list[PageFacts]:
    """Two known pump makers, two others, a bakery, an association that lists the pump makers, a link
    exchange."""
    pumps = "manufactures centrifugal pumps and valves for water works."
    members = ["brindle.test", "kiln.test", "larch.test", "quarry.test"]
    rows = "".join(f"<li><a href='http://www.{host}/'>{host}</a> pumps</li>" for host in members)
    everyone = "".join(
        f"<li><a href='http://www.{host}/'>{host}</a></li>" for host in [*members, "oven.test", "mill.test"]
    )
    return [
        company_page("brindle.test", "Brindle Pumps Ltd", pumps),
        company_page(
            "kiln.test", "Royal Kiln GmbH", pumps, "<a href='http://www.mill.test/'>our partner</a>"
        ),
        company_page("larch.test", "Larch AG", pumps),
        company_page("quarry.test", "Quarry Inc", "makes pumps for wells and irrigation."),
        company_page("oven.test", "Oven Ltd", "bakes bread, rolls and cakes for hotels."),
        company_page("mill.test", "Mill Ltd", "grinds flour, rye and oats for bakers."),
        page_of(
            "http://pump-makers.test/members",
            f"<title>Members - Association of Pump Makers</title><nav><a href='/'>The association</a>"
            f" <a href='/members?p=2'>2</a></nav><h1>Members</h1><ul>{rows}</ul>",
        ),
        page_of(
            "http://free-links.test/",
            f"<title>Link exchange</title><h1>Free link exchange</h1><ul>{everyone}</ul>",
        ),
    ]
