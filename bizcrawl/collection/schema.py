"""The tables and views of a collection, with what each is for written into the file itself.

`VERSION` is what the file carries; `migrations` says how an older file becomes a newer one.
"""

from __future__ import annotations

from datetime import datetime

import duckdb

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
COMMENTS = {
    "collection": "What this file is and which version of the schema it carries",
    "crawls": "One row per run: what was asked, by which strategy, and why it ended",
    "crawls.topic": "Name of the topic",
    "crawls.hubs": "Seeds that are hubs rather than companies",
    "crawls.dropped": "Times that a full frontier let go of a URL; counted when the run ends",
    "crawls.gated": "Hosts had to wait, so order depended on time; resume does not ask next again",
    "pages": "One row per fetched page, numbered in the order in which they were visited",
    "pages.page": "Number of the page in this file, in order of visit",
    "pages.url": "URL that was asked for",
    "pages.final_url": "URL after redirects",
    "pages.domain": "Registrable domain of the final URL",
    "pages.charset_source": "How the charset was known",
    "pages.body_hash": "SHA-256 of the decoded body",
    "pages.text": "Text of the page, white space folded",
    "pages.depth": "Links followed from a seed",
    "pages.parent": "URL of the page whose link led here",
    "pages.score": "Score with which it was taken from the frontier",
    "pages.similarity": "Cosine of the page with the topic's keywords",
    "pages.relevant": "What the predicate says of it; NULL without one",
    "pages.tidy_road": "Which tidier made the tag tree",
    "pages.tidy_difference": "Where the two roads to the tree part; empty: they do not; NULL: one was taken",
    "tidy_differences": "Pages of which the fast road made another tree than html5lib",
    "pages.status": "304: unchanged since the earlier crawl that was refreshed, whose tag tree was taken",
    "pages.etag": "Validator that the server sent; refresh asks with it",
    "pages.last_modified": "Date that the server sent; refresh asks with it",
    "pages.soft_404": "Whether it says 'not found' in spite of its status; NULL in older files",
    "pages.sketch": "64 bits of its text, which differ little where texts do; NULL for a short one",
    "pages.robots_tags": "What X-Robots-Tag and meta robots ask of this crawler; NULL in older files",
    "duplicates": "Pages of one run with the same content under several URLs",
    "near_duplicates": "Pages whose text is nearly that of an earlier page of the run",
    "pages.cuts": "Limits that cut the page",
    "trees": "The tag tree of each page, packed; what resume and context read",
    "links": "One row per occurrence of a link on a page",
    "links.page": "Number of the page on which it stands",
    "links.context": "Text around the link, cut to 300 characters",
    "links.score": "What the strategy gave this occurrence",
    "links.parts": "What the score was made from, by name",
    "links.aggregation_node": "Node of the tag tree whose text is the context",
    "links.fate": "queued, or the reason for which it was turned away",
    "calls": "The calls made to the strategy, in order: what resume replays",
    "calls.kind": "start, next, visit or fail, or what the analyst said: accept, reject or withdraw",
    "calls.url": "URL visited or failed; the company of which the analyst said something",
    "calls.given": "URLs that next gave out; further sites of the company that was judged",
    "calls.at_s": "Seconds of crawling before the call",
    "decisions": "One row per URL that was turned away, with the reason",
    "hosts": "One row per host: robots.txt, delay, pages, failures, verdict",
    "hosts.verdict": "What its site is held to be: company, directory, dead, unseen and others",
    "hosts.verdict_reasons": "The signs that settled the verdict, strongest first",
    "companies": "One row per company, keyed by its main registrable domain",
    "companies.language": "Primary subtag of the language that its pages state; empty if none does",
    "companies.verdict": "What the analyst said: accepted or rejected",
    "evidence": "One row per reason that speaks for or against a company",
    "competitors": "The ranked competitors with the reasons for their rank",
    "hubs": "Pages that link to one or more of the known companies; hub_score counts from two on",
    "progress": "After each page: how the crawl was doing",
    "harvest": "The pages, most similar to the topic first",
    "frontier": "Every URL met, with its state: queued, leased, done or failed",
    "turned_away": "How often each reason turned something away",
}


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
    for name, comment in COMMENTS.items():
        thing = "COLUMN" if "." in name else "VIEW" if name in VIEW_NAMES else "TABLE"
        con.execute(f"COMMENT ON {thing} {name} IS '{comment.replace(chr(39), chr(39) * 2)}'")
