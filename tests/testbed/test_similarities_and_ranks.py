"""Similarities and ranks of pages, worked out a second time in a few lines of Python beside the SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import log, sqrt
from statistics import fmean

import duckdb
import pytest
from small_web import TOPIC

from contexts.text import stems
from testbed.experiment import run_experiment
from testbed.measures.table import MEASURES
from testbed.measuring import measure_runs
from testbed.pagegraph import PageGraph
from testbed.single_run import RecordedBed

POINTS = (1, 3, 6)


class Pool:
    """The pages that all runs visited, and what they say."""

    def __init__(self, con: duckdb.DuckDBPyConnection, graph: PageGraph) -> None:
        self.visited: dict[int, list[int]] = {}
        for run, page in con.execute("SELECT run, page FROM visits ORDER BY run, n").fetchall():
            self.visited.setdefault(run, []).append(page)
        self.pages = sorted({page for pages in self.visited.values() for page in pages})
        trees = {page: graph.tree(page) for page in self.pages}
        self.tf = {page: Counter(tree.stems[i] for i in tree.tokens) for page, tree in trees.items()}
        frequency = Counter(stem for counts in self.tf.values() for stem in counts)
        self.idf = {stem: log(len(self.pages) / n) for stem, n in frequency.items()}
        self.page_rank = dict(con.execute("SELECT page, page_rank FROM web_pages").fetchall())

    def product(self, a: Counter[str], b: Counter[str], weight: Callable[[int], float]) -> float:
        """Dot product of two texts, terms weighted by a function of their frequency and by idf."""
        return sum(weight(a[s]) * weight(b[s]) * self.idf[s] ** 2 for s in (a & b) if s in self.idf)


@pytest.fixture(scope="module")
def con(small_bed: RecordedBed) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(":memory:")
    run_experiment(con, small_bed, [TOPIC], ["best-first", "hub-seeking"], pages=6)
    names = ("mean_similarity", "static_lexical", "static_linkage", "dynamic_lexical", "dynamic_linkage")
    measure_runs(con, small_bed.name, [MEASURES[name] for name in names], POINTS)
    return con


@pytest.fixture(scope="module")
def pool(con: duckdb.DuckDBPyConnection, small_graph: PageGraph) -> Pool:
    return Pool(con, small_graph)


def measured(con: duckdb.DuckDBPyConnection, measure: str) -> dict[tuple[int, int], float]:
    rows = con.execute("SELECT run, n, value FROM measurements WHERE measure = ?", [measure]).fetchall()
    return {(run, n): value for run, n, value in rows}


def test_mean_similarity_is_the_mean_cosine_of_tf_idf(con: duckdb.DuckDBPyConnection, pool: Pool) -> None:
    """R83, TOIT eq. 2 and 3: idf is of the pages that all crawls fetched."""
    described = Counter(stems(TOPIC.description))

    def cosine(page: Counter[str]) -> float:
        norms = [pool.product(counts, counts, float) for counts in (page, described)]
        return pool.product(page, described, float) / sqrt(norms[0] * norms[1]) if all(norms) else 0.0

    found = measured(con, "mean_similarity")
    assert len(found) == len(POINTS) * len(pool.visited)
    for (run, n), value in found.items():
        assert value == pytest.approx(fmean(cosine(pool.tf[page]) for page in pool.visited[run][:n]))
    assert max(found.values()) > 0


def logged(frequency: int) -> float:
    return 1 + log(frequency)


def ranked_by_words(pool: Pool) -> list[int]:
    described = Counter(stems(TOPIC.description))

    def score(page: int) -> float:
        length = sqrt(pool.product(pool.tf[page], pool.tf[page], logged))
        return round(pool.product(pool.tf[page], described, logged) / length, 9) if length else 0.0

    return sorted(pool.pages, key=lambda page: (-score(page), page))


def ranked_by_links(pool: Pool) -> list[int]:
    keywords = set(stems(TOPIC.topic.keywords))
    return sorted(
        pool.pages,
        key=lambda page: (-len(keywords & pool.tf[page].keys()), -pool.page_rank[page], page),
    )


@pytest.mark.parametrize(("by", "ranked"), [("lexical", ranked_by_words), ("linkage", ranked_by_links)])
def test_static_and_dynamic_ranks_are_those_of_the_pool(
    con: duckdb.DuckDBPyConnection, pool: Pool, by: str, ranked: Callable[[Pool], list[int]]
) -> None:
    """R101: the share of the best N that a crawl fetched at all, and the mean rank of its first N.

    R102, A35: by dot product with the description, as ltc. R103: by keywords, those with as many by PageRank.
    """
    order = ranked(pool)
    static, dynamic = measured(con, f"static_{by}"), measured(con, f"dynamic_{by}")
    for run, visited in pool.visited.items():
        for n in POINTS:
            assert static[run, n] == pytest.approx(len(set(order[:n]) & set(visited)) / n)
            assert dynamic[run, n] == pytest.approx(fmean(order.index(page) + 1 for page in visited[:n]))
    assert len(set(static.values())) > 1
    assert len(set(dynamic.values())) > 3


def test_page_ranks_are_those_of_the_whole_record(
    con: duckdb.DuckDBPyConnection, pool: Pool, small_graph: PageGraph
) -> None:
    """A35: damping 0.8; of a page without links every page has a share."""
    linked: dict[int, set[int]] = {page: set() for page in range(len(small_graph))}
    for page, target in con.execute("SELECT page, target FROM page_links").fetchall():
        linked[page].add(target)
    pages = len(linked)
    ranks = dict.fromkeys(linked, 1 / pages)
    for _ in range(200):
        given = Counter(
            {
                target: sum(
                    ranks[p] / len(linked[p] or linked) for p in linked if target in (linked[p] or linked)
                )
                for target in linked
            }
        )
        ranks = {page: 0.2 / pages + 0.8 * given[page] for page in linked}
    assert pool.page_rank == pytest.approx(ranks)
