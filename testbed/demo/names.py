"""The businesses and companies of the demo web, all of them invented.

The businesses are chosen to be mistaken for each other: roasters and kilns share burners and drums, makers
of roasting machines and coffee traders share coffee. Brands stand written out in ``trades.toml``, so that
the demo reads like a real trade; the rest (legal form, town, host, description) is drawn from the seed of
the demo web.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Country:
    """Where a company can sit."""

    name: str
    legal_forms: tuple[str, ...]
    """As written after the name; "" for a trade name without one."""
    towns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Business:
    """One line of business: a category of the directory and the words that its companies use."""

    key: str
    category: str
    """Path in the directory, most general first."""
    keywords: str
    """The words of the category, as a user would type them."""
    products: tuple[str, ...]
    trades: tuple[str, ...]
    """What its companies say they do."""
    customers: tuple[str, ...]
    brands: tuple[str, ...]
    """``Brand/country`` for each company, README seeds first."""


@dataclass(frozen=True, slots=True)
class Company:
    """One invented company with a site of its own."""

    name: str
    brand: str
    host: str
    """Host of its home page."""
    home: str
    """URL of its home page."""
    town: str
    country: str
    business: str | None
    """Key of its business, None for a company outside all of them."""


_TRADES = tomllib.loads(files("testbed.demo").joinpath("trades.toml").read_text(encoding="utf-8"))


def _frozen(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


COUNTRIES: Mapping[str, Country] = {code: Country(**_frozen(t)) for code, t in _TRADES["countries"].items()}
BUSINESSES: tuple[Business, ...] = tuple(Business(**_frozen(table)) for table in _TRADES["businesses"])
OUTSIDERS: tuple[str, ...] = tuple(_TRADES["outsiders"])
"""``Brand/country`` of companies of no business: what real sites link to beside their trade."""

SEEDS = 5
"""The first companies of each business are the seeds of its topic."""

_PLAIN = str.maketrans("äöüßåéèêëïîôóíáãçñşıİłŁŞÖÜÄ", "aousaeeeeiiooiaacnsiilLSOUA")


def slug(brand: str) -> str:
    """A brand as a label of a host name: ASCII letters and digits, words joined by hyphens."""
    plain = brand.translate(_PLAIN).lower().replace("&", "and").replace("'", "")
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in plain).split())


def _shortened(label: str) -> str:
    """The first words of a label, at least ten characters of them."""
    words = label.split("-")
    taken = next((n for n in range(1, len(words)) if len("-".join(words[:n])) >= 10), len(words))
    return "-".join(words[:taken])


def draw_company(rng: Random, entry: str, business: str | None, *, plain_host: bool) -> Company:
    """Give a ``Brand/country`` its legal form, town and host.

    With `plain_host` the home page is the short ``https://brand.example/`` that a README can show.
    """
    brand, _, code = entry.partition("/")
    country = COUNTRIES[code]
    form = rng.choice(country.legal_forms)
    name = f"{form} {brand}" if code == "ru" else f"{brand} {form}".strip()
    label = slug(brand)
    if not plain_host:
        label = label.replace("-", "") if rng.random() < 0.3 and len(label) < 20 else _shortened(label)
    host = f"{label}.example"
    scheme = "https"
    if not plain_host:
        scheme = rng.choice(("http", "https"))
        host = rng.choice((host, f"www.{host}"))
    return Company(
        name, brand, host, f"{scheme}://{host}/", rng.choice(country.towns), country.name, business
    )


def companies(seed: int) -> tuple[Company, ...]:
    """Every company of the demo web, business by business, the seeds of each first."""
    drawn = [
        draw_company(Random(f"{seed}/{entry}"), entry, business.key, plain_host=number < SEEDS)
        for business in BUSINESSES
        for number, entry in enumerate(business.brands)
    ]
    drawn += [draw_company(Random(f"{seed}/{entry}"), entry, None, plain_host=False) for entry in OUTSIDERS]
    return tuple(drawn)
