"""Names and leads as pages state them, with the faults that pages have (cases e17, g04, g13, g14)."""

from __future__ import annotations

import pytest

from bizcrawl.companies.facts import PageFacts, facts_of
from bizcrawl.companies.site_keys import platform_of, site_of
from bizcrawl.companies.sites import Site, sites_of
from bizcrawl.companies.verdicts import verdict_of
from bizcrawl.urls import host_of
from contexts.links import links
from contexts.tidy import tidy

URL = "http://brindle.example/"
BUSINESS = "Brindle makes diaphragm pumps and valves for breweries, dairies and wineries in forty countries."


def said_by(page: str) -> PageFacts:
    tree = tidy(page)
    return facts_of(URL, URL, tree, links(tree, URL))


@pytest.mark.parametrize(
    "notice",
    [
        "We use cookies to improve your visit. Accept all or manage settings. Read the cookie policy.",
        "This website uses its own and third-party cookies so that you have the best visit there can be.",
        "Wir verwenden Cookies, um Inhalte und Anzeigen zu personalisieren und Zugriffe zu analysieren.",
        "Cookies nous permettent de vous servir. En continuant, vous acceptez leur utilisation sur ce site.",
        "Utilizamos cookies propias y de terceros para mejorar nuestros servicios y mostrarle publicidad.",
    ],
)
def test_a_notice_on_cookies_is_not_what_a_company_does(notice: str) -> None:
    page = f"<div class=cookie-consent><p>{notice}</p></div><main><h1>Brindle</h1><p>{BUSINESS}</p></main>"
    assert said_by(page).lead == BUSINESS
    assert said_by(f"<p>{notice}</p>").lead == ""


def test_a_paragraph_without_spaces_says_as_much_in_half_the_characters() -> None:
    said = "当社は香川県高松市で業務用製麺機の開発・製造・販売を行っています。"
    assert said_by(f"<p>製麺機</p><p>{said}</p>").lead == said
    assert said_by("<p>We make pumps for beer and for wine.</p>").lead == ""


def test_who_bakes_cookies_may_say_so() -> None:
    baker = "Our bakery has made oat cookies and gingerbread by hand for hotels and cafés since 1921."
    assert said_by(f"<p>{baker}</p><p>{BUSINESS}</p>").lead == baker


def test_character_references_in_structured_data_are_read() -> None:
    data = (
        '{"@type": "Organization", "name": "Hartwell &amp; Sons &#8211; Pumps", "url": "http://h.example/"}'
    )
    page = f"<script type=application/ld+json>{data}</script><p>{BUSINESS}"
    assert [organisation.name for organisation in said_by(page).organisations] == ["Hartwell & Sons – Pumps"]


@pytest.mark.parametrize(
    ("url", "site", "kind"),
    [
        ("https://youtu.be/x1", "youtu.be/x1", "profile"),
        ("https://wa.me/4912345", "wa.me/4912345", "profile"),
        ("https://linktr.ee/brindle", "linktr.ee/brindle", "profile"),
        ("https://bsky.app/profile/brindle", "bsky.app/profile/brindle", "profile"),
        ("https://maps.google.de/maps?q=brindle", "google.de/maps", "profile"),
        ("https://www.amazon.de/stores/Brindle", "amazon.de/stores", "market"),
        ("https://apps.apple.com/app/brindle/id1", "apps.apple.com/app", "market"),
        ("https://brindle.jimdo.com/", "brindle.jimdo.com", "site"),
        ("https://brindle.webnode.page/about", "brindle.webnode.page", "site"),
        ("https://brindle.blogspot.de/", "brindle.blogspot.de", "site"),
        ("http://members.tripod.com/Brindle/pumps.html", "members.tripod.com/brindle", "site"),
        ("http://brindle.tripod.com/", "brindle.tripod.com", "site"),
        ("http://brindle.narod.ru/pumps.html", "brindle.narod.ru", "site"),
        ("https://brindle-pumps.webnode.cz/", "brindle-pumps.webnode.cz", "site"),
        ("https://ameblo.jp/Brindle/", "ameblo.jp/brindle", "site"),
        ("https://brindle.1688.com/", "brindle.1688.com", "market"),
        ("https://cutt.ly/x1", "cutt.ly/x1", "profile"),
    ],
)
def test_a_platform_is_not_taken_for_the_company_that_uses_it(url: str, site: str, kind: str) -> None:
    platform = platform_of(host_of(url))
    assert platform is not None
    assert (site_of(url), platform.kind) == (site, kind)
    verdict = verdict_of(Site(site))
    assert verdict.may_be_company is (kind == "site")
    assert not verdict_of(Site(platform.domain)).may_be_company


SPONSORS = "".join(
    f"<li><a href='/?s={n}'>{word}</a>" for n, word in enumerate(["pumps", "labs", "jobs", "coats", "kits"])
)


@pytest.mark.parametrize(
    "page",
    [
        f"<title>brindle.example</title><h2>Related searches</h2>{SPONSORS}<p>This domain may be for sale.",
        f"<title>brindle.example</title><h1>Buy this domain</h1><p>It is offered by its owner. {SPONSORS}",
        f"<title>brindle.example</title><p>Diese Domain steht zum Verkauf. {SPONSORS}",
        f"<title>brindle.example</title><p>Questo dominio è in vendita. {SPONSORS}",
        "<title>Account Suspended</title><h1>This Account has been suspended.</h1><p>Contact your provider.",
        "<title>Apache2 Ubuntu Default Page: It works</title><p>" + "It tells you how to configure it. " * 30,
        "<title>Welcome to nginx!</title><p>If you see this page, the web server is successfully installed.",
    ],
)
def test_a_domain_that_waits_for_a_buyer_or_a_site_is_parked_whatever_its_sponsors(page: str) -> None:
    (site,) = sites_of([said_by(page)]).values()
    assert verdict_of(site).kind == "parked"


def test_a_domain_that_leads_to_who_sells_domains_is_no_company() -> None:
    sold = "https://www.hugedomains.com/domain_profile.cfm?d=brindle"
    tree = tidy("<title>HugeDomains</title><a href=/about>About us</a><p>&copy; 2024 HugeDomains LLC")
    sites = sites_of([facts_of(URL, sold, tree, links(tree, sold))])
    assert not any(verdict_of(site).may_be_company for site in sites.values())


def test_a_company_that_sells_land_or_names_is_one() -> None:
    menu = "<nav><a href=/about>About us</a> <a href=/products>Products</a></nav>"
    for does in (
        "Houses and land: every plot is for sale.",
        "Search for a name and buy this domain from us.",
    ):
        page = (
            f"<title>Brindle</title>{menu}<h1>Brindle</h1><p>{does} {BUSINESS * 3}<p>&copy; 2024 Brindle Ltd."
        )
        (site,) = sites_of([said_by(page)]).values()
        assert verdict_of(site).kind == "company"
