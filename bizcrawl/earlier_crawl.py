"""What an earlier crawl has of pages: how to ask whether they have changed, and what to take if they haven't.

`refresh` sends the validators of RFC 9110, 13.1: If-None-Match with the entity tag that the server gave,
If-Modified-Since with its date. For a page that is unchanged the stored tag tree stands in, so it is neither
sent nor tidied again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bizcrawl.collection.reader import reading
from bizcrawl.collection.stored_values import tree_in
from bizcrawl.download import Download
from bizcrawl.harvest import Harvested, taken_from
from bizcrawl.robots.tags import Heed

_SENDABLE = re.compile(r"[\x20-\x7e]{1,1000}")
"""A stranger's validator goes back only if it can stand in a header as it is."""


@dataclass(frozen=True, slots=True)
class _Known:
    page: int
    etag: str
    last_modified: str


class EarlierCrawl:
    """The pages of an earlier collection, by the URL under which they answered. Close it after use."""

    def __init__(self, path: Path) -> None:
        """Raises `CollectionError` if it can't be read, or is being written."""
        self._stack = ExitStack()
        self._con = self._stack.enter_context(reading(path))
        # what a browser made of a page depends on more than the page, so those are always fetched, and so are
        # those whose tree the analyst has deleted
        rows = self._con.execute(
            "SELECT final_url, page, coalesce(etag, ''), coalesce(last_modified, '') FROM pages "
            "SEMI JOIN trees USING (page) "
            "WHERE NOT rendered AND (etag <> '' OR last_modified <> '') ORDER BY page"
        ).fetchall()
        self._known = {url: _Known(*rest) for url, *rest in rows}

    def conditions(self, url: str) -> Mapping[str, str]:
        """Header fields with which to ask for a page; {} if nothing is known by which to ask."""
        known = self._known.get(url)
        if known is None:
            return {}
        fields = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        return {name: value for name, value in fields.items() if _SENDABLE.fullmatch(value)}

    def page(self, download: Download, aggregation: str, heed: Heed) -> Harvested:
        """The page that was unchanged, as the earlier crawl tidied it."""
        known = self._known[download.final_url]
        row = self._con.execute(
            "SELECT t.tree, p.charset, p.charset_source, p.body_hash, p.body_bytes, p.tidy_difference, "
            "p.media_type, p.truncated, coalesce(p.robots_tags, []) "
            "FROM pages p JOIN trees t USING (page) WHERE page = ?",
            [known.page],
        ).fetchone()
        assert row is not None, "a page is stored with its tree, in one transaction"
        stored, charset, charset_source, body_hash, body_bytes, difference, media_type, truncated, tags = row
        tidied = taken_from(
            tree_in(stored, download.final_url),
            download.url,
            download.final_url,
            aggregation,
            heed,
            charset=charset,
            charset_source=charset_source,
            body_hash=body_hash,
            body_bytes=body_bytes,
            stored=stored,
            difference=difference,
        )
        before = {
            "content-type": media_type,
            "etag": known.etag,
            "last-modified": known.last_modified,
        }
        response = download.response
        response = replace(response, headers={**before, **response.headers}, truncated=truncated)
        robots_tags = tidied.robots_tags.union(tags)
        return Harvested(response, tidied, unchanged=True, robots_tags=robots_tags)

    def close(self) -> None:
        """Let go of the file."""
        self._stack.close()
