"""Which company of a collection a user means: by its name, a domain, a URL or a rank."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from bizcrawl.companies.name_similarity import CANDIDATE, similarity
from bizcrawl.companies.names import parse_name
from bizcrawl.companies.site_keys import site_meant
from bizcrawl.errors import WrongUse

Rows = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
"""Asks a collection: SQL and its parameters to rows. `Reader.rows` is one."""

_RANK = re.compile(r"#([0-9]{1,9})")
SHOWN_CHOICES = 5
SAME_BUT_FOR_SPELLING = 0.97
"""Names so alike are one: words in another order, plurals, what is abbreviated."""


class Named:
    """The companies of a collection by what users call them. Asked for once, however many are looked up."""

    def __init__(self, rows: Rows) -> None:
        self._known = rows("SELECT company, name, domains, rank FROM companies ORDER BY rank NULLS FIRST", ())
        self._by_site: dict[str, str] = {}
        for key, _, domains, _ in self._known:
            for site in (key, *domains):
                self._by_site.setdefault(site, key)

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[str, str]]]:
        """Key and name of companies, by the name as it is compared, without its spaces."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for key, name, _, _ in self._known:
            found[_joined(name)].append((key, name))
        return found

    def key_of(self, text: str) -> str:
        """Key of the company that is meant by a domain, a URL, a name or a rank such as ``#3``.

        Raises `WrongUse` if there is none, or if several may be meant.
        """
        wanted = text.strip()
        if asked := _RANK.fullmatch(wanted):
            for key, _, _, rank in self._known:
                if rank == int(asked[1]):
                    return str(key)
        for site in (site_meant(wanted), wanted.lower()):
            if site in self._by_site:
                return self._by_site[site]
        same, near = self._by_name.get(_joined(wanted), []), []
        if not same:  # only now, for comparing with every name takes its time
            close = sorted(
                ((similarity(wanted, name), key, name) for key, name, *_ in self._known), reverse=True
            )
            same = [(key, name) for alike, key, name in close if alike >= SAME_BUT_FOR_SPELLING]
            near = [(key, name) for alike, key, name in close[:SHOWN_CHOICES] if alike >= CANDIDATE / 2]
        if len(same) == 1:
            return same[0][0]
        if like := same or near:
            choices = ", ".join(f"{name} ({key})" for key, name in like[:SHOWN_CHOICES])
            raise WrongUse(f"{text!r}: which company is meant? The nearest are {choices}")
        raise WrongUse(
            f"{text!r}: the collection has no such company; give a name, a domain or a rank such as '#3'"
        )


def _joined(name: str) -> str:
    return parse_name(name).key.replace(" ", "")
