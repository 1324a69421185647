"""Back-links from a collection: the links of every page that earlier crawls fetched, asked in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bizcrawl.collection.reader import reading
from bizcrawl.urls import host_of, key_of, parse

_QUERY = """
WITH wanted AS (SELECT unnest($urls) AS url, unnest($hosts) AS host),
same AS (  -- spellings that redirect to the page count as the page
    SELECT w.url, w.host, w.url AS spelling FROM wanted w
    UNION
    SELECT w.url, w.host, p.url FROM wanted w JOIN pages p ON p.final_url = w.url
    UNION
    SELECT w.url, w.host, p.final_url FROM wanted w JOIN pages p ON p.url = w.url),
found AS (
    SELECT DISTINCT s.url, p.final_url AS source
    FROM same s JOIN links l ON l.url = s.spelling JOIN pages p USING (page)
    WHERE p.host <> s.host),
cited AS (
    SELECT l.url, count(DISTINCT l.page) AS in_degree FROM links l
    WHERE l.url IN (SELECT source FROM found) GROUP BY l.url)
SELECT f.url, f.source FROM found f LEFT JOIN cited c ON c.url = f.source
QUALIFY row_number() OVER (PARTITION BY f.url ORDER BY coalesce(c.in_degree, 0) DESC, f.source) <= $limit
ORDER BY f.url, coalesce(c.in_degree, 0) DESC, f.source
"""


class CollectionBacklinks:
    """A collection (R135) as a source of back-links."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        """See `Backlinks`."""
        spelled = {key_of(parse(url) or url): url for url in urls}
        values = {"urls": list(spelled), "hosts": [host_of(key) for key in spelled], "limit": limit}
        found: dict[str, list[str]] = {}
        with reading(self._path) as con:
            for key, source in con.execute(_QUERY, values).fetchall():
                found.setdefault(spelled[key], []).append(source)
        return found
