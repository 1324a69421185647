"""Names and leads as pages state them, with the faults that pages have (cases e17, g04, g13)."""

from __future__ import annotations

import pytest

from bizcrawl.companies.facts import PageFacts, facts_of
from bizcrawl.companies.sites import Site, platform_of, site_of
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
    ],
)
def test_a_platform_is_not_taken_for_the_company_that_uses_it(url: str, site: str, kind: str) -> None:
    platform = platform_of(host_of(url))
    assert platform is not None
    assert (site_of(url), platform.kind) == (site, kind)
    verdict = verdict_of(Site(site))
    assert verdict.may_be_company is (kind == "site")
    assert not verdict_of(Site(platform.domain)).may_be_company
