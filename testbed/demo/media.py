"""Those who write about companies or sell their things: press, blogs, markets, a university, an encyclopedia.

They name competitors side by side, but only some of their pages are hubs: a "top ten" is, an article about
a prize is not.
"""

from __future__ import annotations

from testbed.demo import prose
from testbed.demo.markup import LAYOUTS, Entry, link
from testbed.demo.names import Business, Company
from testbed.demo.places import Place, Plan, business, place, places
from testbed.demo.site import Site

ARTICLES = 9
SESSION_DIGITS = 12


def press_sites(plan: Plan) -> list[Site]:
    """Trade papers: a front page of headlines, articles that name one to three companies, a buyers' guide."""
    sites = []
    for number, paper in enumerate(places("press")):
        rng = plan.rng(paper.home)
        site = Site(paper.home, paper.name, rng, layout=LAYOUTS[4 - number % 3])
        site.menu = [
            Entry("/", "News"),
            Entry("/guide/", "Buyers' guide"),
            Entry("/subscribe.html", "Subscribe"),
        ]
        headlines = []
        for n in range(ARTICLES):
            trade = business(paper.businesses[n % len(paper.businesses)])
            named = rng.sample(plan.of(trade.key), rng.choice((1, 2, 3)))
            title = _headline(named[0], trade, site)
            headlines.append(Entry(f"/{2019 + n % 5}/{n + 1:03d}.html", title))
            site.page(headlines[-1].href, title, *_article(site, named, trade))
        site.page("/", paper.name, site.links(headlines))
        site.page("/subscribe.html", "Subscribe", *map(site.paragraph, prose.plain(rng, 2)))
        _buyers_guide(plan, site, paper)
        sites.append(site)
    return sites


def _headline(company: Company, trade: Business, site: Site) -> str:
    product = site.rng.choice(trade.products)
    return site.rng.choice(
        (
            f"{company.brand} opens new works in {company.town}",
            f"{company.brand} wins prize for {product}",
            f"Large order for {product}",
            f"What is new in {site.rng.choice(trade.trades)}",
        )
    )


def _article(site: Site, named: list[Company], trade: Business) -> list[str]:
    rng = site.rng
    sentences = [
        f"{link(c.home, c.brand)} of {c.town} said on {rng.choice(('Monday', 'Tuesday', 'Friday'))} "
        f"that demand for {rng.choice(trade.products)} is {rng.choice(('rising', 'falling', 'stable'))}."
        for c in named
    ]
    return [
        *map(site.prose, sentences),
        *map(site.paragraph, prose.chatter(rng, 2)),
        site.prose(link("/", "More news")),
    ]


def _buyers_guide(plan: Plan, site: Site, paper: Place) -> None:
    """A guide in sections: one block for each business, in running lines rather than lists."""
    blocks = []
    for key in paper.businesses:
        trade = business(key)
        named = site.rng.sample(plan.of(key), 7)
        blocks.append(site.heading(site.rng.choice(trade.trades).capitalize()))
        blocks.append(site.prose(", ".join(link(c.home, c.brand) for c in named) + "."))
    site.page("/guide/", "Buyers' guide", *blocks)


def blog_sites(plan: Plan) -> list[Site]:
    """Blogs: chatter, a blogroll, and one "top ten" for each business they care about."""
    sites = []
    rolls = [Entry(b.home, b.name) for b in places("blog")] + [Entry(p.home, p.name) for p in places("ring")]
    for blog in places("blog"):
        rng = plan.rng(blog.home)
        site = Site(blog.home, blog.name, rng, robots="open")
        site.menu = [Entry("/", "Home"), Entry("/about/", "Me")]
        posts = []
        for key in blog.businesses:
            trade = business(key)
            ten = rng.sample(plan.of(key), 10)
            rows = [
                Entry(c.home, c.brand, rng.choice(("solid", "dear but good", "never failed me", "")))
                for c in ten
            ]
            posts.append(Entry(f"/top-ten-{key}/", f"Top ten: {rng.choice(trade.trades)}"))
            site.page(
                posts[-1].href,
                posts[-1].text,
                *map(site.paragraph, prose.chatter(rng, 2)),
                site.links(rows, "ol"),
            )
        for n in range(3):
            posts.append(
                Entry(f"/post-{n + 1}/", rng.choice(("Sunday thoughts", "On patience", "A reader writes")))
            )
            site.page(posts[-1].href, posts[-1].text, *map(site.paragraph, prose.chatter(rng, 5)))
        roll = [e for e in rolls if e.href != blog.home]
        site.page("/", blog.name, site.links(posts), site.heading("Blogroll"), site.links(roll))
        site.page("/about/", "Me", *map(site.paragraph, prose.chatter(rng, 4)))
        sites.append(site)
    return sites


def marketplace_sites(plan: Plan) -> list[Site]:
    """Marketplaces: offers of many businesses under session ids; a shop names its company, or links to it."""
    sites = []
    for market in places("marketplace"):
        rng = plan.rng(market.home)
        site = Site(market.home, market.name, rng, layout=LAYOUTS[2], robots="partly")
        site.menu = [Entry("/", "Market"), Entry("/terms.html", "Terms")]
        offers = []
        for key in market.businesses:
            trade = business(key)
            for company in rng.sample(plan.of(key), 3):
                product = rng.choice(trade.products)
                path = f"/offer/{company.host.split('.')[-2]}"
                offers.append(
                    Entry(
                        f"{path}?sid={_session(rng.random())}", product.capitalize(), f"from {company.town}"
                    )
                )
                shop = link(company.home, company.brand) if rng.random() < 0.6 else company.brand
                site.page(
                    path,
                    product.capitalize(),
                    site.prose(f"Sold by {shop}."),
                    *map(site.paragraph, prose.plain(rng, 2)),
                )
        site.page("/", market.name, site.links(offers))
        site.page("/terms.html", "Terms", *map(site.paragraph, prose.plain(rng, 4)))
        sites.append(site)
    return sites


def _session(luck: float) -> str:
    return f"{int(luck * 16**SESSION_DIGITS):0{SESSION_DIGITS}x}"


def university_site(plan: Plan) -> Site:
    """A university: lecture notes in the words of the businesses, and a page of partners from all of them."""
    where = place("university")
    rng = plan.rng(where.home)
    site = Site(where.home, where.name, rng, layout=LAYOUTS[0], charset="iso-8859-1", declared="neither")
    site.menu = [
        Entry("/", "University"),
        Entry("/research/", "Research"),
        Entry("/partners.html", "Industry partners"),
    ]
    notes = [
        Entry(f"/research/{key}.html", f"Notes on {business(key).products[0]}")
        for key in ("roasting", "kilns", "pumps", "seeds")
    ]
    site.page("/", where.name, *map(site.paragraph, prose.chatter(rng, 3)))
    site.page("/research/", "Research", site.links(notes))
    for note in notes:
        trade = business(note.href.split("/")[-1].removesuffix(".html"))
        words = prose.listed(rng.sample(trade.products, 4))
        site.page(
            note.href,
            note.text,
            site.paragraph(f"Lecture on {words}."),
            *map(site.paragraph, prose.chatter(rng, 3)),
        )
    partners = [Entry(c.home, c.brand) for c in rng.sample(plan.companies, 9)]
    site.page("/partners.html", "Industry partners", site.links(partners))
    return site


def encyclopedia_site(plan: Plan) -> Site:
    """An encyclopedia: full of the right words, with hardly a link that leads out."""
    where = place("encyclopedia")
    rng = plan.rng(where.home)
    site = Site(where.home, where.name, rng, layout=LAYOUTS[3], robots="open")
    keys = ("roasting", "coffee", "kilns", "gaming", "sails")
    site.menu = [Entry(f"/wiki/{key.capitalize()}", key.capitalize()) for key in keys]
    site.page("/", where.name, site.paragraph("Anybody can write here."))
    for key in keys:
        trade = business(key)
        body = [
            site.paragraph(f"{p.capitalize()} are used in {rng.choice(trade.trades)}.")
            for p in trade.products[:6]
        ]
        sources = [Entry(p.home, p.name) for p in places("press", key)] + [
            Entry(place("university").home, "Norhaven")
        ]
        site.page(
            f"/wiki/{key.capitalize()}", key.capitalize(), *body, site.heading("Sources"), site.links(sources)
        )
    return site


def social_site(plan: Plan) -> Site:
    """A social network: a profile for a fifth of the companies, with a link home and strangers as friends."""
    where = place("social")
    rng = plan.rng(where.home)
    site = Site(where.home, where.name, rng, layout=LAYOUTS[4], robots="open")
    site.menu = [Entry("/", "Chirpbook"), Entry("/login", "Log in")]
    members = [c for c in plan.companies if rng.random() < 0.2]
    paths = {c.host: f"/{c.host.removeprefix('www.').split('.')[0]}" for c in members}
    site.page("/", where.name, site.links([Entry(paths[c.host], c.brand) for c in members[:12]]))
    site.page("/login", "Log in", site.paragraph("Forgotten your password?"))
    for company in members:
        friends = [Entry(paths[c.host], c.brand) for c in rng.sample(members, 4) if c is not company]
        site.page(
            paths[company.host],
            f"{company.brand} on Chirpbook",
            site.prose(f"{company.town} {link(company.home, company.home)}"),
            *map(site.paragraph, prose.chatter(rng, 1)),
            site.links(friends),
        )
    return site
