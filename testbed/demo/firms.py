"""Sites of companies: a home page and two or three more, none of which names a competitor."""

from __future__ import annotations

import json
from random import Random

from testbed.demo import prose
from testbed.demo.markup import Entry, link
from testbed.demo.names import BUSINESSES, SEEDS, Business, Company
from testbed.demo.places import Plan, business, places, some
from testbed.demo.site import Site

CHARSETS = {
    "Russia": "windows-1251",
    "Japan": "shift_jis",
    "China": "gb18030",
    "Poland": "iso-8859-2",
    "Turkey": "windows-1254",
    "Germany": "iso-8859-1",
    "Spain": "windows-1252",
}
"""Encodings that sites of a country like to use."""

HABITS = ("framed", "refreshed", "splash", "json-ld", "plain", "json-ld", "plain", "plain")
"""How home pages greet; most say at once what the company does."""


def company_sites(plan: Plan) -> list[Site]:
    """The site of every company, and the hosts that only redirect to it."""
    sites: list[Site] = []
    by_business = {b.key: b for b in BUSINESSES}
    for company in plan.companies:
        rng = plan.rng(company.host)
        if company.business is None:
            sites.append(_outsider_site(plan, company, rng))
            continue
        is_seed = plan.of(company.business).index(company) < SEEDS
        sites.append(_company_site(plan, company, by_business[company.business], rng, is_seed=is_seed))
        if has_alias(plan, company):
            sites.append(_alias(company, rng))
    return sites


def has_alias(plan: Plan, company: Company) -> bool:
    """Whether a company also answers, with a redirect, with or without ``www``; one in six does."""
    return company.business is not None and plan.companies.index(company) % 6 == 0


def alias_home(company: Company) -> str:
    """The home page under that other host name, which redirects to the real one."""
    bare = company.host.removeprefix("www.")
    return f"http://{bare}/" if company.host != bare else f"http://www.{bare}/"


def _alias(company: Company, rng: Random) -> Site:
    site = Site(alias_home(company), company.name, rng, robots="missing")
    site.moved("/", company.home, rng.choice((301, 302, 308)))
    return site


def _company_site(plan: Plan, company: Company, trade: Business, rng: Random, *, is_seed: bool) -> Site:
    charset = CHARSETS.get(company.country, "utf-8") if rng.random() < 0.6 else "utf-8"
    robots = "open" if is_seed else rng.choices((None, "closed", "broken"), (94, 4, 2))[0]
    site = Site(company.home, company.name, rng, charset=charset, robots=robots)
    ending = rng.choice((".html", ".htm", ".php", "/"))
    about, products, links = (f"/{stem}{ending}" for stem in rng.choice(_STEMS))
    site.menu = [
        Entry("/", "Home"),
        Entry(about, "About us"),
        Entry(products, "Products"),
        Entry(links, "Links"),
    ]
    _home(site, company, trade, "plain" if is_seed else rng.choice(HABITS))
    if not is_seed and rng.random() < 0.3:
        site.moved(about, site.home, 302)
    else:
        site.page(
            about,
            f"About {company.brand}",
            *map(site.paragraph, prose.about_company(rng, company, trade, rng.choice((1, 2, 3)))),
            *map(site.paragraph, prose.plain(rng, 3)),
            site.paragraph(f"{company.name}, {company.town}, {company.country}"),
        )
    if is_seed or rng.random() < 0.4:
        if rng.random() < 0.5:
            site.put("/price-list.pdf", 200, {"content-type": "application/pdf"}, b"%PDF-1.4\n%%EOF\n")
        site.page(products, "Products", *_products(site, company, trade, rng))
    else:
        site.moved(products, site.url(about), 302)
    site.page(
        links,
        rng.choice(("Links", "Partners", "Network")),
        *_partners(plan, site, company, trade, is_seed=is_seed),
    )
    return site


_STEMS = (
    ("about", "products", "links"),
    ("company", "range", "partners"),
    ("profile", "machines", "network"),
)


def _home(site: Site, company: Company, trade: Business, habit: str) -> None:
    rng = site.rng
    facts = prose.about_company(rng, company, trade, rng.choice((2, 3, 4)))
    blocks = [site.paragraph(s) for s in (prose.welcome(company), *facts, *prose.plain(rng, 2)) if s]
    head = ""
    if habit == "json-ld":
        head = _json_ld(company)
    if habit == "framed":
        site.html(
            "/",
            f"<html><head><title>{company.brand}</title></head><frameset cols=150,*>"
            "<frame src=/nav.html name=nav><frame src=/main.html name=main></frameset></html>",
        )
        site.html(
            "/nav.html",
            "<html><head><title>nav</title></head><body>"
            + "<br>".join(f"<a href={e.href} target=main>{e.text}</a>" for e in site.menu),
        )
        site.page("/main.html", company.name, *blocks)
    elif habit == "refreshed":
        head = '<meta http-equiv="refresh" content="0; url=/home.html">'
        site.page("/", company.brand, head=head)
        site.page("/home.html", company.name, *blocks)
    elif habit == "splash":
        site.page(
            "/",
            company.brand,
            site.prose(link(site.menu[1].href, "Enter")),
            site.paragraph("Best with sound."),
        )
    else:
        site.page("/", rng.choice((company.name, f"{company.brand} - Home")), *blocks, head=head)


def _json_ld(company: Company) -> str:
    record = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "name": company.name,
        "url": company.home,
        "address": {
            "@type": "PostalAddress",
            "addressLocality": company.town,
            "addressCountry": company.country,
        },
    }
    return f'<script type="application/ld+json">{json.dumps(record, ensure_ascii=False)}</script>'


def _products(site: Site, company: Company, trade: Business, rng: Random) -> list[str]:
    offered = rng.sample(trade.products, 5)
    return [
        site.heading(f"What {company.brand} makes"),
        *(site.paragraph(f"{product.capitalize()}: {prose.plain(rng, 1)[0]}") for product in offered),
        site.prose(link("/price-list.pdf", "Price list")),
    ]


def _partners(plan: Plan, site: Site, company: Company, trade: Business, *, is_seed: bool) -> list[str]:
    """Association, fair, press and partners from other businesses: the ways out of a company's site."""
    rng = site.rng
    out: list[Entry] = []
    for kind, chance in (("association", 0.5), ("fair", 0.45), ("press", 0.35), ("dealer", 0.25)):
        out += [
            Entry(p.home, p.name) for p in places(kind, trade.key) if rng.random() < chance + 0.25 * is_seed
        ]
    others = [b for b in BUSINESSES if b.key != trade.key]
    strangers = [*plan.of(None), *plan.of(rng.choice(others).key)]
    out += [Entry(c.home, c.brand, rng.choice(_TIES)) for c in rng.sample(strangers, 3)]
    if rng.random() < 0.3:
        social = places("social")[0]
        out.append(Entry(f"{social.home}{company.host.removeprefix('www.').split('.')[0]}", "Follow us"))
    if rng.random() < 0.2:
        out.append(Entry(rng.choice(places("university")).home, "Research partner"))
    rng.shuffle(out)
    return [site.links(out), site.prose(f"Back to the {link('/', 'start page')}.")]


_TIES = ("", "our customer", "our bank", "supplier", "friends of the house", "")


def _outsider_site(plan: Plan, company: Company, rng: Random) -> Site:
    """A bank, a freight line: its references come from every business, which makes it no hub."""
    site = Site(company.home, company.name, rng)
    site.menu = [Entry("/", "Home"), Entry("/references.html", "References")]
    site.page("/", company.name, *map(site.paragraph, prose.plain(rng, 5)))
    clients = [Entry(c.home, c.brand) for c in rng.sample(plan.companies, 6) if c.host != company.host]
    site.page("/references.html", "References", site.paragraph(prose.plain(rng, 1)[0]), site.links(clients))
    return site


def dealer_sites(plan: Plan) -> list[Site]:
    """Dealers: companies that make nothing and list the brands they carry."""
    sites: list[Site] = []
    for dealer in places("dealer"):
        rng = plan.rng(dealer.home)
        site = Site(dealer.home, dealer.name, rng)
        site.menu = [Entry("/", "Home"), Entry("/brands.html", "Brands"), Entry("/used.html", "Used")]
        makers = some(rng, plan.of(dealer.businesses[0]), 0.3)
        trade = business(dealer.businesses[0])
        site.page(
            "/",
            dealer.name,
            *map(site.paragraph, prose.plain(rng, 4)),
            site.prose(link("/brands.html", "Our brands")),
        )
        site.page("/brands.html", "Brands we carry", site.links([Entry(c.home, c.brand) for c in makers]))
        site.page(
            "/used.html",
            "Used machines",
            *(site.paragraph(f"Used {p}, as seen.") for p in trade.products[:4]),
        )
        sites.append(site)
    return sites
