"""What lies in wait for a crawler: link farms, a web ring, a calendar without end, sites that never say 404.

Some of it cannot be written down page by page. A `Rule` makes the answer to any path of its host when it is
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from urllib.parse import parse_qs, urlsplit

from testbed.demo import prose
from testbed.demo.hubs import ENDLESS_CALENDARS
from testbed.demo.markup import LAYOUTS, Entry, link
from testbed.demo.places import Plan, place, places
from testbed.demo.site import Answer, Site

FARM_PAGES = 4
LAST_RECORDED_MONTH = "2025-06"
"""A recorded copy of the demo web ends its calendars here."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Answers that are made when asked for."""

    answer: Callable[[str], Answer | None]
    """The answer to a URL for which nothing is written down; None for a plain 404."""


def farm_sites(plan: Plan) -> list[Site]:
    """Link farms and exchange lists: long lists of anything, each naming the others; false hubs all."""
    sites = []
    farms = [*places("farm"), *places("exchange")]
    for number, farm in enumerate(farms):
        rng = plan.rng(farm.home)
        site = Site(farm.home, farm.name, rng, layout=LAYOUTS[number % 2], robots="missing")
        site.menu = [Entry(f"/links{n}.html", f"Links {n}") for n in range(1, FARM_PAGES + 1)]
        kin = [
            Entry(f"{f.home}links{rng.randint(1, FARM_PAGES)}.html", f.name) for f in farms if f is not farm
        ]
        site.page(
            "/", farm.name, site.paragraph("Add your link free! Top sites of the web."), site.links(kin)
        )
        for n in range(1, FARM_PAGES + 1):
            anybody = rng.sample(plan.companies, 14)
            rows = [
                Entry(c.home, f"{rng.choice(('best', 'cheap', 'free', 'top'))} {c.brand.lower()}")
                for c in anybody
            ]
            site.page(f"/links{n}.html", f"Top sites {n}", site.links(rows), site.links(kin))
        sites.append(site)
    return sites


def ring_sites(plan: Plan) -> list[Site]:
    """A web ring of coffee drinkers: pages about coffee that lead to each other and to no company."""
    ring = place("ring")
    homes = [
        f"http://{name}-homepage.example/"
        for name in ("annas-crema", "joes-moka", "pourover-pete", "tilde-cup")
    ]
    hub = Site(ring.home, ring.name, plan.rng(ring.home), layout=LAYOUTS[0], robots="missing")
    hub.page(
        "/", ring.name, hub.paragraph("Home pages of coffee lovers."), hub.links([Entry(h, h) for h in homes])
    )
    sites = [hub]
    for number, home in enumerate(homes):
        rng = plan.rng(home)
        site = Site(home, "A coffee lover", rng, layout=LAYOUTS[number % 2], robots="missing")
        before, after = homes[number - 1], homes[(number + 1) % len(homes)]
        site.page(
            "/",
            "My coffee page",
            site.paragraph(
                "I love coffee. Coffee roasting at home in a popcorn machine: my equipment and my blends."
            ),
            *map(site.paragraph, prose.chatter(rng, 3)),
            site.prose(
                f"{link(before, 'previous')} | {link(ring.home, 'coffee ring')} | {link(after, 'next')}"
            ),
        )
        sites.append(site)
    return sites


def rules(plan: Plan, sites: Mapping[str, Site]) -> dict[str, Rule]:
    """Rules by host: calendars of the associations, and hosts that answer 200 to everything."""
    found = {}
    for number, body in enumerate(places("association")):
        site = sites[body.home]
        calendar = [_calendar(site)] if number < ENDLESS_CALENDARS else []
        found[site.host] = Rule(_first_of(_print_version(site), *calendar))
    for market in places("marketplace"):
        found[sites[market.home].host] = Rule(_session_blind(sites[market.home]))
    for outsider in plan.of(None)[:2]:
        site = sites[outsider.home]
        found[site.host] = Rule(_never_404(site))
    return found


def _calendar(site: Site) -> Callable[[str], Answer | None]:
    """A month for every month that is asked for, each with links to the months beside it."""

    def answer(url: str) -> Answer | None:
        parts = urlsplit(url)
        month = parse_qs(parts.query).get("month", [""])[0]
        year, _, number = month.partition("-")
        if parts.path != "/calendar.php" or not (
            year.isdecimal() and number.isdecimal() and 1 <= int(number) <= 12
        ):
            return None
        count = int(year) * 12 + int(number) - 1
        before, after = (f"/calendar.php?month={n // 12}-{n % 12 + 1:02d}" for n in (count - 1, count + 1))
        draft = _beside(site)
        draft.page(
            f"/calendar.php?month={month}",
            f"Calendar {month}",
            site.paragraph("No events in this month."),
            site.prose(f"{link(before, 'previous month')} {link(after, 'next month')}"),
        )
        return draft.answers[draft.url(f"/calendar.php?month={month}")]

    return answer


def _first_of(*answers: Callable[[str], Answer | None]) -> Callable[[str], Answer | None]:
    """The first answer that there is."""
    return lambda url: next((found for answer in answers if (found := answer(url))), None)


def _print_version(site: Site) -> Callable[[str], Answer | None]:
    """The same page again under ``print=1``."""

    def answer(url: str) -> Answer | None:
        bare = url.removesuffix("print=1")
        return site.answers.get(bare[:-1]) if bare != url and bare[-1] in "?&" else None

    return answer


def _session_blind(site: Site) -> Callable[[str], Answer | None]:
    """The page without its session id, whatever the id."""

    def answer(url: str) -> Answer | None:
        bare, _, query = url.partition("?")
        return site.answers.get(bare) if query.startswith("sid=") else None

    return answer


def _never_404(site: Site) -> Callable[[str], Answer | None]:
    """A friendly page with status 200 for every path there is not."""

    def answer(_url: str) -> Answer | None:
        draft = _beside(site)
        sorry = "Sorry, the page you were looking for could not be found."
        draft.page("/sorry", "Page not found", site.paragraph(sorry))
        return draft.answers[draft.url("/sorry")]

    return answer


def _beside(site: Site) -> Site:
    """An empty site of the same looks: pages made when asked for are not kept."""
    rng = Random(site.home)
    draft = Site(site.home, site.name, rng, layout=site.layout, charset=site.charset, declared=site.declared)
    draft.menu = site.menu
    return draft
