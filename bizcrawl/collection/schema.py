"""The tables and views of a collection, with what each is for written into the file itself.

`VERSION` is what the file carries; `migrations` says how an older file becomes a newer one.
"""

from __future__ import annotations

from datetime import datetime

import duckdb

from bizcrawl.collection.comments import COMMENTS
from bizcrawl.collection.views import VIEW_NAMES, VIEWS

VERSION = 6
"""Raise it with every change to a table, and add the step to `migrations.STEPS`."""

APPLICATION = "bizcrawl"

TABLES = """
CREATE TABLE collection (
    application VARCHAR NOT NULL,
    schema_version INTEGER NOT NULL,
    created_at TIMESTAMP NOT NULL,
    written_by VARCHAR NOT NULL
);
CREATE TABLE crawls (
    crawl INTEGER PRIMARY KEY,
    command VARCHAR NOT NULL,
    topic VARCHAR NOT NULL,
    seeds VARCHAR[] NOT NULL,
    hubs VARCHAR[] NOT NULL,
    keywords VARCHAR NOT NULL,
    strategy VARCHAR NOT NULL,
    strategy_options JSON NOT NULL,
    settings JSON NOT NULL,
    budget JSON NOT NULL,
    random_seed BIGINT NOT NULL,
    gated BOOLEAN NOT NULL,
    started_at TIMESTAMP NOT NULL,
    ended_at TIMESTAMP,
    stop_reason VARCHAR,
    dropped BIGINT
);
CREATE TABLE pages (
    crawl INTEGER NOT NULL,
    page BIGINT PRIMARY KEY,
    url VARCHAR NOT NULL,
    final_url VARCHAR NOT NULL,
    host VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    fetched_at TIMESTAMP NOT NULL,
    status INTEGER NOT NULL,
    media_type VARCHAR NOT NULL,
    charset VARCHAR NOT NULL,
    charset_source VARCHAR NOT NULL,
    body_bytes BIGINT NOT NULL,
    wire_bytes BIGINT NOT NULL,
    body_hash BLOB NOT NULL,
    title VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    depth INTEGER NOT NULL,
    parent VARCHAR NOT NULL,
    score DOUBLE NOT NULL,
    similarity DOUBLE NOT NULL,
    hub_score DOUBLE NOT NULL,
    relevant BOOLEAN,
    elapsed_s DOUBLE NOT NULL,
    tidy_road VARCHAR NOT NULL,
    tidy_difference VARCHAR,
    cuts VARCHAR[] NOT NULL,
    truncated BOOLEAN NOT NULL,
    rendered BOOLEAN NOT NULL,
    address VARCHAR NOT NULL,
    etag VARCHAR DEFAULT '',
    last_modified VARCHAR DEFAULT '',
    soft_404 BOOLEAN,
    sketch UBIGINT,
    robots_tags VARCHAR[],
    UNIQUE (crawl, url)
);
CREATE TABLE trees (
    page BIGINT NOT NULL,
    tree BLOB NOT NULL USING COMPRESSION uncompressed -- it is compressed already (contexts.stored)
);
CREATE TABLE links (
    crawl INTEGER NOT NULL,
    page BIGINT NOT NULL,
    position INTEGER NOT NULL,
    url VARCHAR NOT NULL,
    host VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    anchor VARCHAR NOT NULL,
    context VARCHAR NOT NULL,
    score DOUBLE NOT NULL,
    parts MAP(VARCHAR, DOUBLE) NOT NULL,
    path VARCHAR NOT NULL,
    node INTEGER NOT NULL,
    aggregation_node INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    rel VARCHAR NOT NULL,
    fate VARCHAR NOT NULL
);
CREATE TABLE calls (
    crawl INTEGER NOT NULL,
    call BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    url VARCHAR NOT NULL,
    n INTEGER NOT NULL,
    given VARCHAR[] NOT NULL,
    reason VARCHAR,
    detail VARCHAR NOT NULL,
    at_s DOUBLE NOT NULL
);
CREATE TABLE decisions (
    crawl INTEGER NOT NULL,
    url VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    parent VARCHAR NOT NULL,
    detail VARCHAR NOT NULL
);
CREATE TABLE hosts (
    host VARCHAR PRIMARY KEY,
    domain VARCHAR NOT NULL,
    robots VARCHAR NOT NULL,
    delay_s DOUBLE,
    pages BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    last_failure VARCHAR NOT NULL,
    verdict VARCHAR,
    verdict_reasons VARCHAR[]
);
CREATE TABLE companies (
    company VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL,
    home_page VARCHAR NOT NULL,
    domains VARCHAR[] NOT NULL,
    country VARCHAR NOT NULL,
    description VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    is_seed BOOLEAN NOT NULL,
    rank INTEGER,
    score DOUBLE NOT NULL,
    why VARCHAR NOT NULL,
    first_seen TIMESTAMP NOT NULL,
    last_seen TIMESTAMP NOT NULL,
    verdict VARCHAR,
    verdict_note VARCHAR,
    language VARCHAR DEFAULT ''
);
CREATE TABLE evidence (
    company VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    weight DOUBLE NOT NULL,
    page VARCHAR NOT NULL,
    link VARCHAR NOT NULL,
    snippet VARCHAR NOT NULL
);
"""

TABLE_NAMES = (
    "collection",
    "crawls",
    "pages",
    "trees",
    "links",
    "calls",
    "decisions",
    "hosts",
    "companies",
    "evidence",
)


def create(con: duckdb.DuckDBPyConnection, written_by: str, now: datetime) -> None:
    """Lay out an empty file; `now` in UTC, without zone."""
    con.execute("BEGIN")
    con.execute(TABLES)
    con.execute("INSERT INTO collection VALUES (?, ?, ?, ?)", [APPLICATION, VERSION, now, written_by])
    create_views(con)
    con.execute("COMMIT")


def create_views(con: duckdb.DuckDBPyConnection) -> None:
    """Make the views, and write down what everything is for."""
    con.execute(VIEWS)
    con.execute("".join(_comment(name, comment) for name, comment in COMMENTS.items()))


def _comment(name: str, comment: str) -> str:
    thing = "COLUMN" if "." in name else "VIEW" if name in VIEW_NAMES else "TABLE"
    return f"COMMENT ON {thing} {name} IS '{comment.replace(chr(39), chr(39) * 2)}';"
