"""Pages that list the companies of a business together: associations, trade fairs and directories.

The heading of a list names its business, the parent of a link hardly ever does; fairs and directories carry
several businesses in lists of their own, so that which list a link stands in decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from urllib.parse import quote

from testbed.demo import prose
from testbed.demo.defunct import Defunct, defunct_of
from testbed.demo.firms import alias_home, has_alias
from testbed.demo.markup import LAYOUTS, Entry, link
from testbed.demo.names import BUSINESSES, SEEDS, Business, Company
from testbed.demo.places import Place, Plan, business, place, places, some
from testbed.demo.site import Site

MEMBERS_PER_PAGE = 8
CALENDAR = "/calendar.php?month=2024-05"
ENDLESS_CALENDARS = 2
"""So many associations have a calendar without end; more would outnumber all other pages."""
OTHER_SCHEME = 0.85
"""One link in seven of a list is to http where the site has moved to https, or the other way round."""


def association_sites(plan: Plan) -> list[Site]:
    """Associations: a member list in two or more pages, events that never end, links to other bodies."""
    sites = []
    for number, body in enumerate(places("association")):
        rng = plan.rng(body.home)
        site = Site(body.home, body.name, rng, robots="slow" if number == 0 else "partly")
        members = "/members/" if number % 2 else "/directory.php?page=1"
        site.menu = [
            Entry("/", "Home"),
            Entry("/association.html", "The association"),
            Entry(members, rng.choice(("Members", "Member firms", "Who we are"))),
            Entry("/events.html", "Events"),
            Entry("/links.html", "Links"),
        ]
        site.page(
            "/",
            body.name,
            *map(site.paragraph, prose.plain(rng, 3)),
            site.prose(link(members, "Find a member")),
        )
        site.page("/association.html", "The association", *map(site.paragraph, prose.plain(rng, 5)))
        site.page("/events.html", "Events", *_events(site, body))
        if number >= ENDLESS_CALENDARS:
            site.page(CALENDAR, "Calendar", site.paragraph("Dates follow as soon as they are known."))
        site.page("/links.html", "Links", site.links(_neighbours(body)))
        site.page("/intern/minutes.html", "Minutes of the board", site.paragraph("For members alone."))
        _member_pages(plan, site, body, numbered=not number % 2)
        sites.append(site)
    return sites


def _member_pages(plan: Plan, site: Site, body: Place, *, numbered: bool) -> None:
    """The member list, cut into pages that name each other; one list for each business of the association."""
    rng = site.rng
    listing: list[tuple[str, Entry]] = []
    for key in body.businesses:
        entries = _listing(plan, site, key, share=0.62, dead=1)
        listing += [(business(key).key, entry) for entry in entries]
    pages = [listing[i : i + MEMBERS_PER_PAGE] for i in range(0, len(listing), MEMBERS_PER_PAGE)]
    paths = [_members_path(n, numbered=numbered) for n in range(1, len(pages) + 1)]
    for number, (path, rows) in enumerate(zip(paths, pages, strict=True)):
        blocks = [site.prose(link(f"{path}{'&' if '?' in path else '?'}print=1", "Print version"))]
        for key in dict.fromkeys(key for key, _ in rows):
            if len(body.businesses) > 1:
                blocks.append(site.heading(rng.choice(business(key).trades).capitalize()))
            blocks.append(site.links([entry for of_key, entry in rows if of_key == key]))
        others = [Entry(p, str(n)) for n, p in enumerate(paths, 1) if n != number + 1]
        blocks.append(site.prose("Page " + " ".join(link(e.href, e.text) for e in others)))
        site.page(path, "Members" if number == 0 else f"Members, page {number + 1}", *blocks)


def _members_path(number: int, *, numbered: bool) -> str:
    if numbered:
        return f"/directory.php?page={number}"
    return "/members/" if number == 1 else f"/members/page{number}.html"


def _events(site: Site, body: Place) -> list[str]:
    fairs = [f for f in places("fair") if set(f.businesses) & set(body.businesses)]
    return [
        site.paragraph("Where to meet our members this year."),
        site.links([Entry(f.home, f.name, "hall plan and exhibitors") for f in fairs]),
        site.prose(link(CALENDAR, "Calendar")),
    ]


def _neighbours(body: Place) -> list[Entry]:
    """Bodies and papers that an association links to, some of them of other businesses."""
    kin = [
        p
        for kind in ("association", "press", "university", "encyclopedia", "yellow")
        for p in places(kind)
        if p.home != body.home
        and (not p.businesses or kind == "association" or set(p.businesses) & set(body.businesses))
    ]
    return [Entry(p.home, p.name) for p in kin]


def fair_sites(plan: Plan) -> list[Site]:
    """Trade fairs: one exhibitor page with a list for each business, and the visitors' trifles."""
    sites = []
    for number, fair in enumerate(places("fair")):
        rng = plan.rng(fair.home)
        site = Site(fair.home, fair.name, rng, layout=LAYOUTS[number % len(LAYOUTS)])
        site.menu = [
            Entry("/", "Welcome"),
            Entry("/exhibitors.html", "Exhibitors"),
            Entry("/travel.html", "Travel and hotels"),
            Entry("/tickets.html", "Tickets"),
        ]
        site.page("/", fair.name, *map(site.paragraph, prose.plain(rng, 3)))
        site.page("/travel.html", "Travel", site.links([Entry(c.home, c.brand) for c in plan.of(None)[-3:]]))
        site.page("/tickets.html", "Tickets", *map(site.paragraph, prose.plain(rng, 2)))
        blocks = []
        for hall, key in enumerate((*fair.businesses, None), 1):
            title = rng.choice(business(key).trades).capitalize() if key else "Services"
            blocks.append(site.heading(f"Hall {hall}: {title}"))
            blocks.append(site.links(_listing(plan, site, key, share=0.5, dead=1, notes="stand")))
        site.page("/exhibitors.html", "Exhibitors", *blocks)
        sites.append(site)
    return sites


def _listing(
    plan: Plan, site: Site, key: str | None, *, share: float, dead: int, notes: str = ""
) -> list[Entry]:
    """Entries for a share of the companies of a business, seeds among them, and some that are no more.

    Lists are older than the sites they link to: now and then the link is to the host that redirects.
    """
    rng = site.rng
    listed: list[Company | Defunct] = list(some(rng, plan.of(key), share, at_least=4))
    if key is not None:
        listed += rng.sample(defunct_of(key), dead)
        seeds = plan.of(key)[:SEEDS]
        listed += [s for s in rng.sample(seeds, 2) if s not in listed]
    rng.shuffle(listed)
    return [
        Entry(
            _old_home(plan, c, rng.random()),
            c.brand,
            f"stand {rng.randint(10, 99)}" if notes == "stand" else "",
        )
        for c in listed
    ]


def _old_home(plan: Plan, listed: Company | Defunct, luck: float) -> str:
    if isinstance(listed, Company) and has_alias(plan, listed) and luck < 0.5:
        return alias_home(listed)
    if luck > OTHER_SCHEME:
        scheme, _, rest = listed.home.partition("://")
        return f"{'http' if scheme == 'https' else 'https'}://{rest}"
    return listed.home


def listed_companies(plan: Plan, trade: Business) -> list[Company]:
    """Companies that the Open Catalogue lists: the seeds and most others, the topic's targets."""
    everyone = plan.of(trade.key)
    return [*everyone[:SEEDS], *some(plan.rng(f"catalogue {trade.key}"), everyone[SEEDS:], 0.85)]


def catalogue_path(trade: Business) -> str:
    """Path of a business's category on the Open Catalogue and its mirror."""
    return f"/{trade.category}/"


def catalogue_sites(plan: Plan) -> list[Site]:
    """The Open Catalogue and its mirror: the category tree and, in its leaves, the listings."""
    sites = []
    for where in (place("catalogue"), place("mirror")):
        rng = plan.rng(where.home)
        site = Site(where.home, where.name, rng, layout=LAYOUTS[1], robots="open")
        site.menu = [Entry("/", "Top"), Entry("/about.html", "About")]
        children: dict[str, list[str]] = {}
        for trade in BUSINESSES:
            parts = trade.category.split("/")
            for depth in range(len(parts)):
                parent = "/" + "".join(f"{p}/" for p in parts[:depth])
                children.setdefault(parent, [])
                if parts[depth] not in children[parent]:
                    children[parent].append(parts[depth])
        for path, names in children.items():
            title = path.strip("/").replace("/", ": ").replace("_", " ") or where.name
            site.page(path, title, site.links([Entry(f"{path}{n}/", n.replace("_", " ")) for n in names]))
        for trade in BUSINESSES:
            rows = [
                Entry(c.home, c.name, prose.description(plan.rng(f"listing {c.host}"), trade))
                for c in sorted(listed_companies(plan, trade), key=lambda c: c.name)
            ]
            rows += [Entry(d.home, d.brand) for d in defunct_of(trade.key)[:1]]
            site.page(
                catalogue_path(trade), trade.category.rpartition("/")[2].replace("_", " "), site.links(rows)
            )
        site.page("/about.html", "About", site.paragraph("Kept by volunteers since 1998."))
        sites.append(site)
    return sites


def yellow_site(plan: Plan) -> Site:
    """Yellow pages: categories lead to detail pages, and only those to the company."""
    where = place("yellow")
    rng = plan.rng(where.home)
    site = Site(where.home, where.name, rng, layout=LAYOUTS[3], robots="partly")
    site.menu = [Entry("/", "Start"), Entry("/add.php", "Add your firm")]
    shown = [b for b in BUSINESSES if b.key in {"roasting", "pumps", "gaming", "kilns"}]
    site.page("/", where.name, site.links([Entry(f"/c/{b.key}", b.keywords.capitalize()) for b in shown]))
    site.page("/add.php", "Add your firm", site.paragraph("Write to us."))
    for trade in shown:
        firms = some(rng, plan.of(trade.key), 0.5)
        rows = [Entry(f"/firm/{quote(c.host.split('.')[-2])}", c.name, c.town) for c in firms]
        site.page(f"/c/{trade.key}", trade.keywords.capitalize(), site.links(rows))
        for row, firm in zip(rows, firms, strict=True):
            site.page(
                row.href,
                firm.name,
                site.paragraph(prose.description(rng, trade)),
                site.prose(f"{firm.town}, {firm.country}<br>{link(firm.home, 'Visit website')}"),
                site.prose(link(f"/c/{trade.key}", "Back to the list")),
            )
    return site


def finder_site(plan: Plan) -> Site:
    """An A to Z of everybody: every letter mixes all businesses, so sharing a list means nothing here."""
    where = place("finder")
    rng = plan.rng(where.home)
    site = Site(where.home, where.name, rng, layout=LAYOUTS[0], declared="wrong", charset="iso-8859-1")
    by_letter: dict[str, Sequence[Company]] = {
        letter: [c for c in plan.companies if c.brand.upper().startswith(letter)]
        for letter in ascii_uppercase
    }
    used = [letter for letter, firms in by_letter.items() if firms]
    site.menu = [Entry(f"/{letter}.htm", letter) for letter in used]
    site.page("/", where.name, site.paragraph("All firms from A to Z."))
    for letter in used:
        site.page(
            f"/{letter}.htm",
            f"Firms with {letter}",
            site.links([Entry(c.home, c.brand) for c in by_letter[letter]]),
        )
    return site
