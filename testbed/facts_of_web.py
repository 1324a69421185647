"""What measures need to know of a web and of the topics on it, as tables."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import igraph
import numpy as np
import pyarrow as pa

from bizcrawl.urls import host_of, key_of, parse
from contexts.text import stems
from testbed.oracle import FAR, Ways, distances
from testbed.pagegraph import PageGraph
from testbed.topics import BedTopic

DAMPING = 0.8
"""As in TOIT (R67, A35)."""


def store_web(con: duckdb.DuckDBPyConnection, web: str, digest: str, graph: PageGraph) -> None:
    """Put the pages, terms and links of a web into the tables, in place of what they hold of it."""
    for table in ("webs", "web_pages", "page_terms", "page_links", "targets", "distances"):
        con.execute(f"DELETE FROM {table} WHERE web = ?", [web])  # noqa: S608 - our own tables
    con.execute("INSERT INTO webs VALUES (?, ?, ?)", [web, digest, len(graph)])
    sources, targets = _links(graph)
    urls = [graph.final_url(page) for page in range(len(graph))]
    _insert(
        con,
        "web_pages",
        web,
        page=np.arange(len(graph), dtype=np.int32),
        url=urls,
        host=[host_of(url) for url in urls],
        page_rank=_page_rank(len(graph), sources, targets),
    )
    _insert(con, "page_links", web, page=sources, target=targets)
    pages, words, counts = _terms(graph)
    _insert(
        con,
        "page_terms",
        web,
        page=pages,
        stem=pa.DictionaryArray.from_arrays(pa.array(words), pa.array(graph.stems)).cast(pa.string()),
        tf=counts,
    )


def store_topics(
    con: duckdb.DuckDBPyConnection, web: str, graph: PageGraph, topics: Sequence[BedTopic]
) -> None:
    """Put targets, distances from the seeds and terms of topics into the tables."""
    for topic in topics:
        ways = Ways(graph, topic.excluded)
        starts = [ways.page_at(url) for url in (*topic.topic.seeds, *topic.topic.hubs)]
        away = distances(ways, [page for page in starts if page >= 0], len(graph))
        reached = np.flatnonzero(away != FAR).astype(np.int32)
        _insert(
            con, "distances", web, topic=[topic.name] * len(reached), page=reached, distance=away[reached]
        )
        # a set (R44): a target that a topics file names twice, in whatever spelling, is one
        spelled: dict[str, str] = {}
        for url in topic.targets:
            spelled.setdefault(key_of(parse(url) or url), url)
        targets = list(spelled.values())
        found = [ways.page_at(url) for url in targets]
        _insert(
            con,
            "targets",
            web,
            topic=[topic.name] * len(found),
            url=targets,
            page=[page if page >= 0 else None for page in found],
            host=[host_of(url) for url in targets],
            distance=[int(away[page]) if page >= 0 and away[page] != FAR else None for page in found],
        )
        _store_terms(con, topic)


def _store_terms(con: duckdb.DuckDBPyConnection, topic: BedTopic) -> None:
    con.execute("DELETE FROM topic_terms WHERE topic = ?", [topic.name])
    for source, text in (("description", topic.description), ("keywords", topic.topic.keywords)):
        found, counts = np.unique(np.array(list(stems(text)), dtype=object), return_counts=True)
        values = {"topic": [topic.name] * len(found), "source": [source] * len(found)}
        _insert(con, "topic_terms", None, **values, stem=list(found), tf=counts.astype(np.int32))


def _insert(con: duckdb.DuckDBPyConnection, table: str, web: str | None, **columns: object) -> None:
    con.register("incoming", pa.table(columns))
    constant = "? AS web, " if web is not None else ""
    parameters = [web] if web is not None else []
    con.execute(f"INSERT INTO {table} BY NAME SELECT {constant}* FROM incoming", parameters)  # noqa: S608
    con.unregister("incoming")


def _links(graph: PageGraph) -> tuple[np.ndarray, np.ndarray]:
    """Distinct links between pages of the record, as two columns."""
    ways = Ways(graph)
    pairs = [(page, target) for page in range(len(graph)) for target in ways.linked(page)]
    columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _page_rank(pages: int, sources: np.ndarray, targets: np.ndarray) -> list[float]:
    edges = np.column_stack((sources, targets)).tolist()
    links = igraph.Graph(pages, edges, directed=True)  # type: ignore[no-untyped-call]
    ranks: list[float] = links.pagerank(damping=DAMPING)  # type: ignore[no-untyped-call]
    return ranks


def _terms(graph: PageGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Page, stem and frequency of every term of every page, as three columns."""
    a = graph.arrays
    page_of = np.repeat(np.arange(len(graph), dtype=np.int64), np.diff(a.token_at))
    words = a.words[a.tokens + a.word_at[page_of]]
    keys, counts = np.unique(page_of * len(graph.stems) + words, return_counts=True)
    pages, stems_ = np.divmod(keys, len(graph.stems))
    return pages.astype(np.int32), stems_.astype(np.int32), counts.astype(np.int32)
