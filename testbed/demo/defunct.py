"""Companies that are no more, and what their addresses do now: old lists still carry them."""

from __future__ import annotations

from dataclasses import dataclass

from testbed.demo import prose
from testbed.demo.markup import LAYOUTS, Entry
from testbed.demo.places import Plan, places
from testbed.demo.site import Site


@dataclass(frozen=True, slots=True)
class Defunct:
    """A company that lists still name."""

    brand: str
    home: str
    business: str
    fate: str
    """parked, no host, timeout, gone, error, loop, empty, binary, bought."""


DEFUNCT: tuple[Defunct, ...] = (
    Defunct("Roastmaid", "http://roastmaid.example/", "roasting", "parked"),
    Defunct("Old Mill Roasters", "http://www.oldmill-roasters.example/", "roasting", "no host"),
    Defunct("Torrador Novo", "http://torradornovo.example/", "roasting", "gone"),
    Defunct("Pacific Bean Barn", "http://pacificbeanbarn.example/", "coffee", "parked"),
    Defunct("Kaffee Export Hansa", "http://kaffee-hansa.example/", "coffee", "loop"),
    Defunct("Pottersfire", "https://pottersfire.example/", "kilns", "error"),
    Defunct("Hotbox Kilns", "http://hotboxkilns.example/", "kilns", "parked"),
    Defunct("Suction & Son", "http://suction-and-son.example/", "pumps", "timeout"),
    Defunct("Aquathrust", "http://aquathrust.example/", "pumps", "empty"),
    Defunct("Three Cherries", "http://threecherries.example/", "gaming", "parked"),
    Defunct("Ace High Supply", "http://acehigh-supply.example/", "gaming", "bought"),
    Defunct("Gale & Daughter", "http://gale-daughter.example/", "sails", "binary"),
    Defunct("Topmast Lofts", "http://topmastlofts.example/", "sails", "no host"),
    Defunct("Earliest Seed", "http://earliestseed.example/", "seeds", "gone"),
    Defunct("Kitchen Plot", "http://kitchenplot.example/", "seeds", "parked"),
)


def defunct_of(business: str) -> list[Defunct]:
    """The companies of a business that are no more."""
    return [d for d in DEFUNCT if d.business == business]


def silent_hosts(fate: str) -> frozenset[str]:
    """Hosts that answer nothing at all: those with no address, or those that let every request time out."""
    return frozenset(d.home.split("/")[2] for d in DEFUNCT if d.fate == fate)


def defunct_sites(plan: Plan) -> list[Site]:
    """What answers at their addresses, where anything does."""
    sites = []
    for number, old in enumerate(DEFUNCT):
        if old.fate in {"no host", "timeout"}:
            continue
        site = Site(old.home, old.brand, plan.rng(old.home), layout=LAYOUTS[number % 3], robots="missing")
        _answer(plan, site, old)
        sites.append(site)
    return sites


def _answer(plan: Plan, site: Site, old: Defunct) -> None:
    html = {"content-type": "text/html"}
    match old.fate:
        case "parked":
            farm = places("farm")[0]
            related = [
                Entry(f"{farm.home}go?{n}", f"{word} offers")
                for n, word in enumerate(("cheap", "best", "top"))
            ]
            site.page(
                "/",
                f"{site.host} is for sale",
                site.paragraph("Buy this domain. Related searches:"),
                site.links(related),
            )
        case "gone":
            site.gone("/", 410, "Gone")
        case "error":
            site.gone("/", 500, "Internal Server Error")
        case "loop":
            site.moved("/", site.url("/index.php"), 302)
            site.moved("/index.php", site.url("/"), 302)
        case "empty":
            site.put("/", 200, html, b"")
        case "binary":
            site.put("/", 200, html, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
        case "bought":
            buyer = plan.of(old.business)[0]
            site.moved("/", site.url("/new"), 301)
            site.moved("/new", site.url("/moved/"), 302)
            site.moved("/moved/", buyer.home, 301)
        case fate:
            raise ValueError(f"no such fate: {fate}")
    site.page("/imprint.html", "Imprint", *map(site.paragraph, prose.plain(site.rng, 1)))
