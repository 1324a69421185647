"""Crawler traps: sites whose links never end. Each rule says what it saw; nothing is dropped without a
reason.

`TrapRules` judges a URL by its looks alone. No rule on length is right by itself (``/img/img/`` is real), so
what looks cannot tell is left to `Sightings`, which remembers a little of each host: dated pages, session ids
and a run of pages with one and the same content.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.urls import MAX_URL_BYTES, host_of, key_of, session_in

_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20|21)\d\d)(?:[-/._](?:0?[1-9]|1[0-2])(?!\d)|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?![0-9a-z]))"
    r"|\b(?:year|yr|jahr|y)=(?P<only>\d{4})(?!\d)",
    re.IGNORECASE,
)
"""A year with a month, or with month and day run together, or a parameter for the year."""


THIS_YEAR = 2026
"""When this was written: a clock that shows an earlier year is wrong, and would make traps of real dates."""


@dataclass(frozen=True, slots=True)
class TrapRules:
    """Limits on the looks of a URL (HAZARDS row 3; the figures are Heritrix's where it has one)."""

    max_depth: int = 50
    """Links followed from a seed. A best-first crawl goes deep: 20, which suits breadth-first, cut off real
    pages.
    """
    max_path_segments: int = 20
    max_repeats: int = 2
    """The same one to three path segments may follow upon themselves so often."""
    max_same_pairs: int = 2
    """One and the same key=value pair may stand in a query so often."""
    max_query_keys: int = 16
    max_url_bytes: int = MAX_URL_BYTES

    def ruling(self, url: str, depth: int = 0) -> Ruling:
        """Whether a URL looks as if it led anywhere."""
        if depth > self.max_depth:
            return Ruling(Reason.TOO_DEEP, f"{depth} links from a seed")
        if len(url) > self.max_url_bytes:
            return Ruling(Reason.TRAP, f"URL of {len(url)} bytes")
        path, _, query = url.partition("#")[0].partition("?")
        if path.count("/") > 4:  # scheme and authority have two, and two segments cannot repeat thrice
            segments = [segment for segment in path.split("/")[3:] if segment]
            if len(segments) > self.max_path_segments:
                return Ruling(Reason.TRAP, f"{len(segments)} path segments")
            if repeated := _repeated(segments, self.max_repeats):
                return Ruling(Reason.TRAP, f"path repeats /{repeated}/")
        return self._query(query) if query else ALLOWED

    def _query(self, query: str) -> Ruling:
        pairs = [pair for pair in query.split("&") if pair]
        keys = {pair.partition("=")[0] for pair in pairs}
        if len(keys) > self.max_query_keys:
            return Ruling(Reason.TRAP, f"{len(keys)} query parameters")
        if len(pairs) > self.max_same_pairs:
            pair, times = Counter(pairs).most_common(1)[0]
            if times > self.max_same_pairs:
                return Ruling(Reason.TRAP, f"query repeats {pair}")
        return ALLOWED


def _repeated(segments: list[str], most: int) -> str:
    """The run of one to three segments that follows upon itself more than `most` times; "" if none does."""
    for size in (1, 2, 3):
        run = 0
        for i in range(size, len(segments)):
            run = run + 1 if segments[i] == segments[i - size] else 0
            if run >= size * most:
                return "/".join(segments[i - size + 1 : i + 1])
    return ""


class Sightings:
    """What one URL cannot show: calendars that run away, session ids, hosts that say one thing at every
    address.

    Holds counts per host only, so memory grows with hosts, not with pages. `year` is the present one, given
    by the caller; a dated page is one whose URL holds a year with a month, or a parameter for the year.
    """

    def __init__(
        self,
        year: int,
        *,
        max_dated_pages: int = 400,
        years_ahead: int = 1,
        max_sessions: int = 3,
        max_same: int = 10,
    ) -> None:
        self._last_year = max(year, THIS_YEAR) + years_ahead
        self._max_dated = max_dated_pages
        self._max_sessions = max_sessions
        self._max_same = max_same
        self._dated: Counter[str] = Counter()
        self._sessions: Counter[str] = Counter()
        self._runs: dict[str, tuple[int, int]] = {}

    def url(self, url: str) -> Ruling:
        """Count a URL that is about to be fetched, or say what trap it belongs to."""
        if found := _DATE.search(url, url.find("/", 8) + 1):
            year = int(found["year"] or found["only"])
            if year > self._last_year:
                return Ruling(Reason.TRAP, f"calendar in the year {year}")
            host = host_of(url)
            self._dated[host] += 1
            if self._dated[host] > self._max_dated:
                return Ruling(Reason.TRAP, f"more than {self._max_dated} dated pages on {host}")
        if session_in(url):
            key = key_of(url, trackers=True)
            self._sessions[key] += 1
            if self._sessions[key] > self._max_sessions:
                return Ruling(Reason.TRAP, f"more than {self._max_sessions} session ids for one page")
        return ALLOWED

    def content(self, host: str, digest: int) -> Ruling:
        """Count a good page of a host by the hash of its body; a trap once the host repeats itself."""
        last, times = self._runs.get(host, (0, 0))
        times = times + 1 if digest == last else 1
        self._runs[host] = digest, times
        if times > self._max_same:
            return Ruling(Reason.TRAP, f"{host} answers every address with one page")
        return ALLOWED
