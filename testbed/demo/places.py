"""Who on the demo web is not a company: the plan that every page links by.

Sites link to each other, so all homes are fixed here before the first page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from testbed.demo.names import BUSINESSES, Business, Company, companies

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A site that is no company."""

    kind: str
    name: str
    home: str
    businesses: tuple[str, ...] = ()
    """Keys of the businesses that it is about; empty for all or none."""


PLACES: tuple[Place, ...] = (
    Place(
        "association",
        "Guild of Roasting Machine Makers",
        "https://www.roasting-guild.example/",
        ("roasting",),
    ),
    Place(
        "association",
        "Coffee Engineering Federation",
        "http://www.cef-europe.example/",
        ("roasting", "coffee"),
    ),
    Place(
        "association", "Council of Coffee Importers", "https://coffee-importers-council.example/", ("coffee",)
    ),
    Place(
        "association", "Society of Kiln and Furnace Builders", "http://www.kilnsociety.example/", ("kilns",)
    ),
    Place("association", "Union of Pump Makers", "https://www.pumpmakers-union.example/", ("pumps",)),
    Place("association", "Gaming Suppliers Association", "https://gaming-suppliers.example/", ("gaming",)),
    Place("association", "Sailmakers' Guild", "http://www.sailmakers-guild.example/", ("sails",)),
    Place("association", "League of Vegetable Breeders", "https://www.breeders-league.example/", ("seeds",)),
    Place("fair", "Bean & Machine Expo", "https://www.beanmachine-expo.example/", ("roasting", "coffee")),
    Place("fair", "Thermotec", "http://www.thermotec-fair.example/", ("kilns", "roasting", "pumps")),
    Place("fair", "Chance & Play Show", "https://chanceplay-show.example/", ("gaming",)),
    Place("fair", "Harbour Boat Days", "https://harbourboatdays.example/", ("sails",)),
    Place("fair", "Greengrow", "http://www.greengrow-fair.example/", ("seeds", "pumps")),
    Place("press", "Roast & Process Review", "https://roastprocess-review.example/", ("roasting", "coffee")),
    Place(
        "press",
        "Plant Engineering Courier",
        "https://www.plantcourier.example/",
        ("kilns", "pumps", "roasting"),
    ),
    Place("press", "Casino Trade Weekly", "http://casinotradeweekly.example/", ("gaming",)),
    Place("press", "Field & Fleet", "https://fieldandfleet.example/", ("sails", "seeds")),
    Place("blog", "Second Crack Diary", "https://secondcrack-diary.example/", ("roasting", "coffee")),
    Place("blog", "The Rankery", "https://the-rankery.example/", ("pumps", "gaming", "roasting", "seeds")),
    Place("blog", "Mudpie Pottery Notes", "http://mudpie-notes.example/", ("kilns",)),
    Place("blog", "Leeward Log", "http://leeward-log.example/", ("sails",)),
    Place("catalogue", "Open Catalogue", "http://opencatalogue.example/"),
    Place("mirror", "Searchway Directory", "http://dir.searchway.example/"),
    Place("yellow", "Yellow Trade Pages", "https://www.yellowtrade.example/"),
    Place("finder", "Tradefinder A-Z", "http://tradefinder-az.example/"),
    Place("dealer", "Bean Counter Machine Supply", "https://beancounter-supply.example/", ("roasting",)),
    Place("dealer", "Pump Depot Midlands", "http://www.pumpdepot-midlands.example/", ("pumps",)),
    Place(
        "marketplace",
        "Machine Bazaar",
        "http://www.machinebazaar.example/",
        ("roasting", "kilns", "pumps", "gaming"),
    ),
    Place(
        "marketplace", "B2B Harbour", "https://b2b-harbour.example/", ("coffee", "seeds", "sails", "roasting")
    ),
    Place("university", "University of Norhaven", "http://www.uni-norhaven.example/"),
    Place("encyclopedia", "Freelore", "https://freelore.example/"),
    Place("social", "Chirpbook", "https://www.chirpbook.example/"),
    Place("farm", "Best Links 4 All", "http://bestlinks4all.example/"),
    Place("farm", "Topsites Exchange", "http://topsites-exchange.example/"),
    Place("exchange", "Swap-a-Link", "http://swap-a-link.example/"),
    Place("ring", "Coffee Lovers Ring", "http://coffeering.example/"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is known before the first page is written."""

    seed: int
    companies: tuple[Company, ...]

    def rng(self, purpose: str) -> Random:
        """A generator of its own for each purpose, so that no page depends on those made before it."""
        return Random(f"{self.seed}/{purpose}")

    def of(self, business: str | None) -> tuple[Company, ...]:
        """The companies of one business; those of none for None."""
        return tuple(c for c in self.companies if c.business == business)


def make_plan(seed: int) -> Plan:
    """The plan of the demo web of a random seed."""
    return Plan(seed, companies(seed))


def places(kind: str, business: str | None = None) -> list[Place]:
    """The places of a kind, of one business if one is named."""
    return [p for p in PLACES if p.kind == kind and (business is None or business in p.businesses)]


def place(kind: str) -> Place:
    """The only place of a kind."""
    (found,) = places(kind)
    return found


def business(key: str) -> Business:
    """A business by its key."""
    return next(b for b in BUSINESSES if b.key == key)


def some(rng: Random, items: Sequence[T], share: float, at_least: int = 0) -> list[T]:
    """A random share of the items, in their order."""
    number = min(len(items), max(at_least, round(share * len(items))))
    return [items[i] for i in sorted(rng.sample(range(len(items)), number))]
