"""What a page states about whose it is: structured data, the copyright line at its foot, e-mail addresses."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bizcrawl.urls import domain_of

MAX_NAME_CHARS = 1_000
TAIL_CHARS = 3_000
"""Of the text is searched for a copyright line."""

_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright|版[权權]所有\s*[:：])\s*(?:copyright|©|\(c\))?\s*(?:by\s+)?([^©|•·]{2,120})",
    re.IGNORECASE,
)
_MAIL = re.compile(r"(?<=[\w.+-])@([\w-]+(?:\.[\w-]+)+)")
_LEAD = re.compile(r"^(?:[\s\d,;:–—-]+|by\s)+", re.IGNORECASE)
_YEARS_AFTER = re.compile(r"[\s,;(–-]*\b(?:19|20)\d\d(?:\s*[-–/]\s*(?:19|20)?\d\d)?[\s).]*$")
_AFTER_OWNER = re.compile(
    r"all rights|alle rechte|tous droits|todos (?:los|os) d|tutti i diritti|alla rättigheter|alle rettigheder"
    r"|alle rettigheter|kaikki oikeudet|wszelkie prawa|wszystkie prawa|všechna práva|minden jog"
    r"|toate drepturile|tüm hakları|her hakkı|все права|всі права|усі права|всички права"
    r"|με επιφύλαξη|جميع الحقوق|כל הזכויות|无断|無断|版权所有|版權所有|保留所有|모든 권리|모든권리"
    r"|(?<!\.\w)\.\s+(?=[^\W\d_]\w+\s+\w+\s+\w+)",
    re.IGNORECASE,
)
_ENDS_IN_ABBREVIATION = re.compile(r"\.\w{1,4}\.$|\b(?:ltd|inc|co|corp|pvt|bhd|cie)\.$", re.IGNORECASE)
_NESTED = ("@graph", "publisher", "mainEntity", "author")


@dataclass(frozen=True, slots=True)
class Organisation:
    """An organisation that a page describes in JSON-LD (schema.org)."""

    kind: str
    """The schema.org type as written, such as ``Organization`` or ``NewsArticle``."""
    name: str
    url: str
    country: str


def owner_in(text: str, borders: Sequence[int] = ()) -> str:
    """Whom the last copyright line of a page names, years taken off.

    `borders`: where in the text blocks and links begin and end, ascending; no name crosses one.
    """
    last = ""
    for match in _COPYRIGHT.finditer(_divided(text, borders)):
        last = match.group(1)
    named = _LEAD.sub("", last)
    year_stands_before = re.search(r"\d{4}", last.removesuffix(named))
    named = _AFTER_OWNER.split(named.partition("\n")[0], maxsplit=1)[0]
    last = named if year_stands_before else _YEARS_AFTER.sub("", named)
    last = " ".join(last.split())[:120].strip(" ,;-–")
    return last if _ENDS_IN_ABBREVIATION.search(last) else last.rstrip(". ")


def _divided(text: str, borders: Sequence[int]) -> str:
    """The end of a text, in which a copyright line stands, with a line break at each border."""
    begin = max(0, len(text) - TAIL_CHARS)
    places = [begin, *(place for place in borders if place > begin), len(text)]
    return "\n".join(text[a:b] for a, b in pairwise(places))


def mail_domains_in(text: str) -> tuple[str, ...]:
    """Registrable domains of the e-mail addresses in a text, by name, twenty at most."""
    if "@" not in text:
        return ()
    found = {domain_of(match.group(1).lower()) for match in _MAIL.finditer(text)}
    return tuple(sorted(found))[:20]


def organisations_in(bodies: Sequence[str]) -> Iterator[Organisation]:
    """Whatever has a schema.org type and a name in a page's JSON-LD; what is no JSON is passed over."""
    for body in bodies[:10]:
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            continue
        waiting: list[Any] = [data]
        seen = 0
        while waiting and seen < 500:
            item = waiting.pop()
            seen += 1
            if isinstance(item, list):
                waiting.extend(item)
            elif isinstance(item, dict):
                waiting.extend(item[key] for key in _NESTED if key in item)
                name, kind = item.get("name"), item.get("@type")
                kinds = kind if isinstance(kind, list) else [kind]
                kind = kinds[0] if kinds else None
                if isinstance(name, str) and name.strip() and isinstance(kind, str):
                    # a script's text has no character references, but many sites write it as if it had
                    name = " ".join(html.unescape(name[:MAX_NAME_CHARS]).split())[:200]
                    yield Organisation(kind, name, _text(item.get("url")), _country(item))


def _text(value: object) -> str:
    return value.strip()[:2_048] if isinstance(value, str) else ""


def _country(item: dict[str, Any]) -> str:
    address = item.get("address")
    if isinstance(address, list) and address:
        address = address[0]
    if not isinstance(address, dict):
        return ""
    country = address.get("addressCountry")
    if isinstance(country, dict):
        country = country.get("name")
    return _text(country)[:80]
