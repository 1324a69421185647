"""How an older collection becomes one of this version.

A file carries the version of its schema. Opened for writing, an older one is brought up step by step in one
transaction, so that it is of the former version or of the new one, never of something in between. Only
reading changes nothing: then an older file is refused with the reason and the command that brings it up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from bizcrawl.collection import schema
from bizcrawl.collection.opening import CollectionError, roll_back, version_of
from bizcrawl.errors import file_trouble

VERDICTS_ARE_CALLS = """
INSERT INTO calls BY NAME
SELECT crawl, last_call + row_number() OVER (ORDER BY company) AS call,
    CASE verdict WHEN 'accepted' THEN 'accept' ELSE 'reject' END AS kind, company AS url, 0 AS n,
    list_filter(domains, lambda domain: domain <> company) AS given, NULL AS reason, '' AS detail, at_s
FROM companies, (
    SELECT crawl, max(call) AS last_call, max(at_s) AS at_s FROM calls
    WHERE crawl = (SELECT max(crawl) FROM crawls) GROUP BY crawl
) WHERE verdict IN ('accepted', 'rejected')
"""
"""What the analyst said stood beside the companies alone; `resume` heeds it as the last call of the crawl."""

VALIDATORS = """
ALTER TABLE pages ADD COLUMN IF NOT EXISTS etag VARCHAR DEFAULT '';
ALTER TABLE pages ADD COLUMN IF NOT EXISTS last_modified VARCHAR DEFAULT '';
"""

SOFT_404 = "ALTER TABLE pages ADD COLUMN IF NOT EXISTS soft_404 BOOLEAN"
"""NULL for pages that nobody looked at for it."""

REASONS_AND_LANGUAGE = """
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS verdict_reasons VARCHAR[];
ALTER TABLE companies ADD COLUMN IF NOT EXISTS language VARCHAR DEFAULT '';
"""
"""Filled when the companies are ranked the next time."""

SKETCHES_AND_TAGS = """
ALTER TABLE pages ADD COLUMN IF NOT EXISTS sketch UBIGINT;
ALTER TABLE pages ADD COLUMN IF NOT EXISTS robots_tags VARCHAR[];
ALTER TABLE crawls ADD COLUMN IF NOT EXISTS dropped BIGINT;
"""
"""NULL for pages and runs of which nobody took them."""

STEPS: Mapping[int, str] = {
    1: VERDICTS_ARE_CALLS,
    2: VALIDATORS,
    3: SOFT_404,
    4: REASONS_AND_LANGUAGE,
    5: SKETCHES_AND_TAGS,
}
"""SQL that makes version n + 1 of version n, by n."""


def bring_up(
    path: Path, con: duckdb.DuckDBPyConnection, steps: Mapping[int, str] = STEPS, target: int = schema.VERSION
) -> list[int]:
    """Upgrade a file that is open for writing to a version, and its views to those of this bizcrawl; returns
    the versions that it went through.

    Raises `CollectionError` for a file that is newer, or older than the oldest step.
    """
    found = _not_newer(path, con, target)
    todo = list(range(found, target))
    if missing := [version for version in todo if version not in steps]:
        raise CollectionError(
            f"{path} has schema {found}, and there is no way from {missing[0]} to {target}; "
            "export its tables with the bizcrawl that wrote it"
        )
    con.execute("BEGIN")
    try:
        for version in todo:
            con.execute(steps[version])
        # views have no version: they are made anew, so that a file of this version has today's as well
        schema.create_views(con)
        con.execute("UPDATE collection SET schema_version = ?", [target])
        con.execute("COMMIT")
    except duckdb.Error as error:
        roll_back(con)
        message = file_trouble(error) or " ".join(str(error).split())
        failed = f"brought from schema {found} to {target}" if todo else "opened for writing"
        raise CollectionError(f"{path} could not be {failed}: {message}") from error
    return todo


def check_readable(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Raise unless a file that is only read has this version, and the tables of it."""
    found = _not_newer(path, con, schema.VERSION)
    if found < schema.VERSION:
        raise CollectionError(
            f"{path} was written by an older bizcrawl (schema {found}, this one has {schema.VERSION}); "
            f"upgrade it with `bizcrawl merge {path}`"
        )
    there = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if missing := [name for name in schema.TABLE_NAMES if name not in there]:
        raise CollectionError(
            f"{path} says it is a collection of bizcrawl, but has no table {missing[0]}; name another file"
        )


def _not_newer(path: Path, con: duckdb.DuckDBPyConnection, known: int) -> int:
    """The version of a file. Raises if it is newer than the one that is known."""
    found = version_of(path, con)
    if found > known:
        raise CollectionError(
            f"{path} was written by a newer bizcrawl (schema {found}, this one knows {known}); "
            "upgrade bizcrawl"
        )
    return found
