"""Experiments on a web small enough to count by hand: runs, resuming, every measure, reports, the gate."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from small_web import PAGES, TOPIC

from bizcrawl.errors import WrongUse
from testbed import experiment
from testbed.claims import Claim
from testbed.experiment import ExperimentError, run_experiment
from testbed.gate import Floors, GateError, check, digest_of_bed, fallen, measured, pinned
from testbed.measures.table import MEASURES, measure_named
from testbed.measuring import measure_runs
from testbed.oracle import FAR, Ways, distances, oracle
from testbed.pagegraph import PageGraph
from testbed.plots import curve_svg
from testbed.report.content import WebReport, report_of
from testbed.report.writing import html, write_markdown
from testbed.reproduction import Ground, findings
from testbed.results import curves, efforts, per_topic
from testbed.single_run import RecordedBed, Task, make_run, strategy_names
from testbed.topic_table import save_topics
from testbed.topics import write_topics

STRATEGIES = ("breadth-first", "best-first", "dom", "hub-seeking")


@pytest.fixture(scope="module")
def results(small_bed: RecordedBed) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(":memory:")
    save_topics(con, [TOPIC])
    run_experiment(con, small_bed, [TOPIC], STRATEGIES, pages=6, repeats=2, random_seed=3)
    measure_runs(con, small_bed.name, MEASURES.values(), [1, 2, 4, 6])
    return con


def value(con: duckdb.DuckDBPyConnection, measure: str, strategy: str, n: int) -> float:
    row = con.execute(
        "SELECT avg(m.value) FROM measurements m JOIN runs r USING (run) "
        "WHERE measure = ? AND strategy = ? AND n = ?",
        [measure, strategy, n],
    ).fetchone()
    assert row is not None
    return row[0]


def urls(con: duckdb.DuckDBPyConnection, strategy: str) -> list[str]:
    rows = con.execute(
        "SELECT p.url FROM runs r JOIN visits v USING (run) JOIN web_pages p ON p.page = v.page "
        "WHERE r.strategy = ? AND r.repeat = 0 ORDER BY v.n",
        [strategy],
    ).fetchall()
    return [url for (url,) in rows]


class TestOracle:
    def test_it_takes_the_shortest_ways_to_all_targets(self, small_graph: PageGraph) -> None:
        visited = oracle(Ways(small_graph), TOPIC, len(small_graph), 100)
        found = [small_graph.final_url(page) for page in visited]
        assert found[:3] == ["http://seed-a.example/", "http://mid.example/", "http://target-1.example/"]
        # other and list from mid, or far and farther from seed-b: two pages more either way, then the target
        assert found[-1] == "http://target-2.example/"
        assert len(found) == 6

    def test_excluded_pages_are_on_no_way(self, small_graph: PageGraph) -> None:
        ways = Ways(small_graph, ["http://mid.example/"])
        assert ways.page_at("http://mid.example/") == -1
        seeds = [ways.page_at(url) for url in TOPIC.topic.seeds]
        away = distances(ways, seeds, len(small_graph))
        assert away[ways.page_at("http://target-2.example/")] == 3
        assert away[ways.page_at("http://target-1.example/")] == FAR

    def test_a_redirect_to_an_excluded_page_is_none(self, small_graph: PageGraph) -> None:
        assert Ways(small_graph, ["http://target-2.example/"]).page_at("http://moved.example/") == -1

    def test_its_budget_is_kept(self, small_graph: PageGraph) -> None:
        assert len(oracle(Ways(small_graph), TOPIC, len(small_graph), 2)) == 2


class TestRuns:
    def test_every_visit_is_kept(self, results: duckdb.DuckDBPyConnection) -> None:
        assert urls(results, "breadth-first") == [
            "http://seed-a.example/",
            "http://seed-b.example/",
            "http://mid.example/",
            "http://far.example/",
            "http://target-1.example/",
            "http://other.example/",
        ]

    def test_a_dead_link_is_outside_the_record(self, results: duckdb.DuckDBPyConnection) -> None:
        (effort,) = [e for e in efforts(results, _web(results)) if e.strategy == "breadth-first"]
        assert effort.missing == pytest.approx(1 / 7)  # gone.example among seven chosen
        assert effort.flagged

    def test_only_chance_is_repeated(self, results: duckdb.DuckDBPyConnection) -> None:
        rows = results.execute("SELECT strategy, count(*) FROM runs GROUP BY ALL").fetchall()
        counts = dict(rows)
        assert counts["random"] == 2
        assert counts["best-first"] == counts["oracle"] == 1

    def test_a_second_call_makes_nothing_again(
        self, results: duckdb.DuckDBPyConnection, small_bed: RecordedBed
    ) -> None:
        assert run_experiment(results, small_bed, [TOPIC], STRATEGIES, pages=6, repeats=2, random_seed=3) == 0
        assert run_experiment(results, small_bed, [], STRATEGIES, pages=6) == 0

    @pytest.mark.parametrize("random_seed", [4, 5])
    def test_another_random_seed_makes_only_what_no_run_has_drawn_yet(
        self, small_bed: RecordedBed, random_seed: int
    ) -> None:
        con = duckdb.connect(":memory:")
        run_experiment(con, small_bed, [TOPIC], ["dom"], pages=6, repeats=2, random_seed=3)
        run_experiment(con, small_bed, [TOPIC], ["dom"], pages=6, repeats=2, random_seed=random_seed)
        rows = con.execute(
            "SELECT strategy, list(random_seed ORDER BY random_seed) FROM runs GROUP BY ALL"
        ).fetchall()
        assert dict(rows)["random"] == sorted({3, 4, random_seed, random_seed + 1})
        assert dict(rows)["dom"] == dict(rows)["oracle"] == [3]

    @pytest.mark.parametrize("strategies", [["dom"], ["dom", "infospiders"]])
    def test_progress_counts_the_runs_that_are_made_and_ends_with_the_last(
        self, small_bed: RecordedBed, strategies: list[str]
    ) -> None:
        con, told = duckdb.connect(":memory:"), []
        save_topics(con, [TOPIC])
        for repeats in (1, 3):
            made = run_experiment(
                con,
                small_bed,
                [TOPIC],
                strategies,
                pages=6,
                repeats=repeats,
                progress=lambda *n: told.append(n),
            )
            assert told[-1] == (made, made)
            assert [done for done, _ in told[:made]] == list(range(1, made + 1))
            told.clear()
        run_experiment(
            con, small_bed, [TOPIC], ["best-first"], pages=6, repeats=3, progress=lambda *n: told.append(n)
        )
        assert told == [(1, 3), (1, 1)], "it drew nothing, so the first repeat was enough"

    def test_an_interrupted_experiment_goes_on(
        self, small_bed: RecordedBed, results: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[Task] = []

        def failing(task: Task):
            if len(made) == 2:
                raise KeyboardInterrupt
            made.append(task)
            return make_run(task)

        con = duckdb.connect(":memory:")
        monkeypatch.setattr(experiment, "make_run", failing)
        with pytest.raises(KeyboardInterrupt):
            run_experiment(con, small_bed, [TOPIC], STRATEGIES, pages=6, random_seed=3)
        assert con.execute("SELECT count(*) FROM runs").fetchone() == (2,)
        monkeypatch.setattr(experiment, "make_run", make_run)
        assert run_experiment(con, small_bed, [TOPIC], STRATEGIES, pages=6, random_seed=3) == 4
        for strategy in STRATEGIES:
            assert urls(con, strategy) == urls(results, strategy)

    def test_a_short_crawl_that_drew_nothing_does_not_spare_the_repeats_of_a_longer_one(
        self, small_bed: RecordedBed
    ) -> None:
        con = duckdb.connect(":memory:")
        run_experiment(con, small_bed, [TOPIC], ["infospiders"], pages=2, repeats=2)
        con.execute("UPDATE runs SET random = false")  # as of a strategy that draws later on
        run_experiment(con, small_bed, [TOPIC], ["infospiders"], pages=6, repeats=2)
        query = "SELECT count(*) FROM runs WHERE strategy = 'infospiders' AND pages = 6"
        assert con.execute(query).fetchone() == (2,)

    def test_root_aggregation_and_alpha_one_are_best_first(self, small_bed: RecordedBed) -> None:
        """R27."""
        runs = [
            make_run(Task(small_bed, TOPIC, name, 0, 0, 10)).pages.tolist()
            for name in ("best-first", "dom:aggregation=page", "dom:alpha=1")
        ]
        assert runs[0] == runs[1] == runs[2]

    def test_strategies_are_named_with_options(self) -> None:
        assert strategy_names("dom, best-first:n=256+max_frontier=256,dom") == (
            "dom",
            "best-first:n=256+max_frontier=256",
        )
        assert "hub-seeking" in strategy_names("all")
        assert strategy_names("oracle,evolved:weights=paper") == ("oracle", "evolved:weights=paper")
        for wrong in ("nosuch", "dom:alpha", "dom:nosuch=1"):
            with pytest.raises(WrongUse):
                strategy_names(wrong)

    def test_the_web_of_another_bed_is_told_and_leaves_nothing_behind(self, small_bed: RecordedBed) -> None:
        con = duckdb.connect(":memory:")
        elsewhere = replace(TOPIC, topic=replace(TOPIC.topic, seeds=("http://elsewhere.example/",)))
        with pytest.raises(ExperimentError, match="no seed of any topic is a page of it"):
            run_experiment(con, small_bed, [elsewhere], ["dom"], pages=3)
        assert con.execute("SELECT count(*) FROM webs").fetchone() == (0,)

    def test_a_file_that_is_written_anew_makes_another_strategy(
        self, small_bed: RecordedBed, tmp_path: Path
    ) -> None:
        (path := tmp_path / "rank.json").write_text(
            '{"format": "bizcrawl rank weights 1", "weights": {"HUB": 1}}'
        )
        (first,) = strategy_names(f"evolved:max_frontier=9+weights={path}")
        assert re.fullmatch(f"evolved:max_frontier=9\\+weights={re.escape(str(path))}@[0-9a-f]{{8}}", first)
        assert strategy_names(first) == (first,)
        assert make_run(Task(small_bed, TOPIC, first, 0, 0, 3)).pages.size == 3
        path.write_text('{"format": "bizcrawl rank weights 1", "weights": {"HUB": 2}}')
        assert strategy_names(f"evolved:max_frontier=9+weights={path}") != (first,)
        with pytest.raises(WrongUse, match=re.escape(f"{path}: has changed since the runs with")):
            make_run(Task(small_bed, TOPIC, first, 0, 0, 3))


class TestMeasures:
    """Values that can be counted on the drawing in small_web."""

    def test_recall_counts_dead_targets_too(self, results: duckdb.DuckDBPyConnection) -> None:
        assert [value(results, "recall", "breadth-first", n) for n in (1, 2, 4, 6)] == [
            0,
            0,
            0,
            pytest.approx(1 / 3),
        ]
        assert value(results, "recall", "oracle", 6) == pytest.approx(2 / 3)

    def test_reachable_recall_does_not(self, results: duckdb.DuckDBPyConnection) -> None:
        assert value(results, "reachable_recall", "oracle", 6) == 1.0

    def test_a_target_that_is_named_twice_is_one(self, small_bed: RecordedBed) -> None:
        targets = ("http://target-1.example/", "HTTP://target-1.example:80/", "http://target-1.example/#top")
        con = duckdb.connect(":memory:")
        run_experiment(con, small_bed, [replace(TOPIC, targets=targets)], ["dom"], pages=6)
        measure_runs(con, small_bed.name, [MEASURES["recall"], MEASURES["reachable_recall"]], [6])
        assert value(con, "recall", "oracle", 6) == value(con, "reachable_recall", "oracle", 6) == 1.0

    def test_the_site_of_a_target_that_redirects_to_another_host_is_found(
        self, small_bed: RecordedBed
    ) -> None:
        con = duckdb.connect(":memory:")
        topic = replace(TOPIC, targets=("http://moved.example/", "http://dead.example/"))
        run_experiment(con, small_bed, [topic], ["dom"], pages=6)
        measure_runs(con, small_bed.name, [MEASURES["recall"], MEASURES["site_recall"]], [6])
        assert value(con, "recall", "oracle", 6) == value(con, "site_recall", "oracle", 6) == 0.5

    def test_one_value_for_all_topics_has_no_error_and_no_test(self, small_bed: RecordedBed) -> None:
        con = duckdb.connect(":memory:")
        topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
        run_experiment(con, small_bed, topics, ["best-first"], pages=6)
        con.execute("UPDATE runs SET cpu_s = 1 + run; UPDATE visits SET cpu_s = 1 + run")
        measure_runs(con, small_bed.name, MEASURES.values(), [6])
        found = curves(con, small_bed.name, "performance_per_cost")
        assert all(math.isnan(point.error) for points in found.values() for point in points)
        claim = Claim("R92", "", "performance_per_cost", (("best-first", "breadth-first"),))
        (finding,) = findings([Ground("small", "plain", con, small_bed.name)], [claim])
        (one,) = finding.comparisons
        assert one.topics == 2
        assert one.difference == pytest.approx(found["best-first"][0].mean - found["breadth-first"][0].mean)
        assert math.isnan(one.paired_p)
        assert (one.wins, one.losses) == (0, 0)

    def test_harvest_rate_and_lift(self, results: duckdb.DuckDBPyConnection) -> None:
        names = ("breadth-first", "oracle", "random")
        rates = {name: value(results, "harvest_rate", name, 6) for name in names}
        assert rates["breadth-first"] == pytest.approx(1 / 6)
        assert rates["oracle"] == pytest.approx(2 / 6)
        assert rates["random"] > 0, "with this random seed"
        for name in names:
            assert value(results, "lift", name, 6) == pytest.approx(rates[name] / rates["random"])

    def test_distance_is_the_mean_number_of_links(self, results: duckdb.DuckDBPyConnection) -> None:
        assert value(results, "distance", "breadth-first", 6) == pytest.approx((0 + 0 + 1 + 1 + 2 + 2) / 6)
        assert [value(results, "greatest_distance", "breadth-first", n) for n in (2, 4, 6)] == [0, 1, 2]

    def test_cohesiveness_counts_links_to_seeds_and_targets(self, results: duckdb.DuckDBPyConnection) -> None:
        # mid → target-1, target-1 → seed-a, six pages; not before both ends were visited
        assert value(results, "cohesiveness", "breadth-first", 4) == 0
        assert value(results, "cohesiveness", "breadth-first", 6) == pytest.approx(2 / 6)
        # seed-a, seed-b, target-1; target-1 → seed-a
        assert value(results, "community_cohesiveness", "breadth-first", 6) == pytest.approx(1 / 3)

    def test_precision_is_equation_1_to_3(
        self, results: duckdb.DuckDBPyConnection, small_graph: PageGraph
    ) -> None:
        pool = {page for (page,) in results.execute("SELECT DISTINCT page FROM visits").fetchall()}
        counts = {page: _counts(small_graph, page) for page in pool}
        df = {stem: sum(stem in c for c in counts.values()) for c in counts.values() for stem in c}

        def weights(tf: dict[str, int]) -> dict[str, float]:
            known = {stem: n for stem, n in tf.items() if stem in df}
            top = max(known.values(), default=1)
            return {stem: (0.5 + 0.5 * n / top) * math.log(len(pool) / df[stem]) for stem, n in known.items()}

        from contexts.text import stems

        described: dict[str, int] = {}
        for stem in stems(TOPIC.description):
            described[stem] = described.get(stem, 0) + 1
        # the maximum of a page is over all its terms; all of them are in the pool
        d = weights(described)
        visited = [
            page
            for (page,) in results.execute(
                "SELECT page FROM runs JOIN visits USING (run) WHERE strategy = 'breadth-first' ORDER BY n"
            ).fetchall()
        ]
        cosines = []
        for page in visited[:4]:
            p = weights(counts[page])
            dot = sum(w * d.get(stem, 0.0) for stem, w in p.items())
            norm = math.sqrt(sum(w * w for w in p.values()) * sum(w * w for w in d.values()))
            cosines.append(dot / norm if norm else 0.0)
        assert value(results, "precision", "breadth-first", 4) == pytest.approx(sum(cosines) / 4)

    def test_ranks_are_over_the_pool(self, results: duckdb.DuckDBPyConnection) -> None:
        pages = results.execute(
            "SELECT count(*), max(lexical_rank), max(linkage_rank) FROM page_scores"
        ).fetchone()
        assert pages is not None
        assert pages[0] == pages[1] == pages[2]
        for measure in ("static_lexical", "static_linkage"):
            assert 0 <= value(results, measure, "breadth-first", 4) <= 1

    def test_costs_average_to_one(self, results: duckdb.DuckDBPyConnection) -> None:
        rows = results.execute(
            "SELECT strategy, avg(value) FROM measurements JOIN runs USING (run) "
            "WHERE measure = 'relative_cost' AND n = 6 GROUP BY ALL"
        ).fetchall()
        assert sum(cost for _, cost in rows) / len(rows) <= 1.0 + 1e-6

    def test_costs_and_what_they_bring_are_equations_8_and_9(self, small_bed: RecordedBed) -> None:
        """R84: best-first takes 3 s a page, the others 1 s, so the mean of the three crawls of 6 pages is
        (18 + 6 + 6) / 3 = 10 s; the oracle's time is no cost. R85: means over topics come before the product.
        """
        con = duckdb.connect(":memory:")
        other = replace(
            TOPIC,
            topic=replace(TOPIC.topic, name="B"),
            targets=("http://mid.example/", "http://dead.example/"),
            description="a page about pumps",
        )
        run_experiment(con, small_bed, [TOPIC, other], ["best-first"], pages=6, repeats=1)
        con.execute("UPDATE visits SET cpu_s = n; UPDATE runs SET cpu_s = 6 WHERE strategy <> 'oracle'")
        con.execute(
            "UPDATE visits SET cpu_s = 3 * n "
            "WHERE run IN (SELECT run FROM runs WHERE strategy = 'best-first')"
        )
        con.execute("UPDATE runs SET cpu_s = 0 WHERE strategy = 'oracle'")
        measure_runs(con, small_bed.name, MEASURES.values(), [2, 6])
        costs = {
            (name, n): value(con, "relative_cost", name, n)
            for name in ("best-first", "breadth-first", "random")
            for n in (2, 6)
        }
        assert costs == pytest.approx(
            {
                ("best-first", 2): 0.6,
                ("best-first", 6): 1.8,
                ("breadth-first", 2): 0.2,
                ("breadth-first", 6): 0.6,
                ("random", 2): 0.2,
                ("random", 6): 0.6,
            }
        )
        for name in ("best-first", "breadth-first"):
            recall, similarity = (value(con, measure, name, 6) for measure in ("recall", "mean_similarity"))
            assert recall * similarity > 0
            assert value(con, "performance_per_cost", name, 6) == pytest.approx(
                recall * similarity / costs[name, 6]
            )

    def test_shares_of_a_crawl_that_found_no_more_pages_are_of_those_there_are(
        self, small_bed: RecordedBed
    ) -> None:
        """R101, R115, R131."""
        con = duckdb.connect(":memory:")
        run_experiment(con, small_bed, [TOPIC], ["best-first"], pages=50)
        names = ("harvest_rate", "static_lexical", "static_linkage", "cohesiveness")
        measure_runs(con, small_bed.name, [MEASURES[name] for name in names], [50])
        fetched = len(urls(con, "best-first"))
        assert fetched < 50
        assert value(con, "harvest_rate", "best-first", 50) == pytest.approx(2 / fetched)
        for name in ("static_lexical", "static_linkage"):
            assert value(con, name, "best-first", 50) == 1.0, "it fetched all that anybody did"
        # target-1 and the list → seed-a; the list → seed-b; mid → target-1; farther and the list → target-2
        assert value(con, "cohesiveness", "best-first", 50) == pytest.approx(6 / fetched)

    def test_nothing_is_measured_beyond_a_budget(
        self, results: duckdb.DuckDBPyConnection, small_bed: RecordedBed
    ) -> None:
        measure_runs(results, small_bed.name, [measure_named("recall")], [1, 2, 4, 6, 1_000])
        assert results.execute("SELECT max(n) FROM measurements WHERE measure = 'recall'").fetchone() == (6,)

    def test_shorter_crawls_in_the_same_file_change_no_figure_of_longer_ones(
        self, small_bed: RecordedBed
    ) -> None:
        found = []
        for budgets in ((6,), (2, 6)):
            con = duckdb.connect(":memory:")
            for pages in budgets:
                run_experiment(con, small_bed, [TOPIC], STRATEGIES, pages=pages, repeats=2)
            con.execute("UPDATE visits SET cpu_s = n; UPDATE runs SET cpu_s = 1 WHERE strategy <> 'oracle'")
            measure_runs(con, small_bed.name, MEASURES.values(), [2, 4, 6])
            at_both = {name: per_topic(con, small_bed.name, name, n) for name in MEASURES for n in (2, 6)}
            found.append(at_both)
        assert found[0] == found[1]

    def test_costs_of_crawls_of_other_lengths_are_on_one_scale(self, small_bed: RecordedBed) -> None:
        con = duckdb.connect(":memory:")
        run_experiment(con, small_bed, [TOPIC], ["best-first"], pages=2)
        run_experiment(con, small_bed, [TOPIC], ["dom"], pages=6)
        con.execute("UPDATE visits SET cpu_s = n; UPDATE runs SET cpu_s = 1")  # all cost the same a page
        measure_runs(con, small_bed.name, [MEASURES["relative_cost"]], [2, 6])
        assert value(con, "relative_cost", "dom", 2) == value(con, "relative_cost", "best-first", 2) == 1.0

    def test_unknown_measures_are_named(self) -> None:
        with pytest.raises(WrongUse, match="reachable_recall"):
            measure_named("nosuch")


@pytest.fixture(scope="module")
def reports(results: duckdb.DuckDBPyConnection) -> list[WebReport]:
    return report_of(results)


class TestReports:
    def test_every_measure_is_shown(
        self, reports: list[WebReport], results: duckdb.DuckDBPyConnection
    ) -> None:
        measured = {name for (name,) in results.execute("SELECT measure FROM measurements").fetchall()}
        assert measured >= set(MEASURES) - {"lift"}  # there is none where random order finds nothing
        shown = [section.measure.name for section in reports[0].sections]
        assert shown == [name for name in MEASURES if name in measured]

    def test_html_is_one_file_that_loads_nothing(self, reports: list[WebReport]) -> None:
        page = html(reports, "Bed <b>")
        assert "<title>Bed &lt;b&gt;</title>" in page
        assert page.count("<svg") >= 10
        assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", re.sub(r'xlink:href="#[^"]*"', "", page))
        assert "<script" not in page
        assert "<strong>breadth-first</strong> chose 14.3 %" in page

    def test_markdown_names_every_strategy_and_draws_every_curve(
        self, reports: list[WebReport], tmp_path: Path
    ) -> None:
        files = write_markdown(reports, tmp_path / "r.md", "Bed")
        text = (tmp_path / "r.md").read_text()
        for name in (*STRATEGIES, "random", "oracle"):
            assert name in text
        for picture in re.findall(r"\]\((r/[^)]*)\)", text):
            assert (tmp_path / picture) in files
            assert (tmp_path / picture).read_text().startswith("<?xml")
        for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
            head, rule, *_ = table.splitlines()
            assert head.count("|") == rule.count("|")

    def test_figures_stand_under_their_own_number_of_pages(
        self, small_bed: RecordedBed, tmp_path: Path
    ) -> None:
        con = duckdb.connect(":memory:")
        save_topics(con, [TOPIC])
        run_experiment(con, small_bed, [TOPIC], ["hub-seeking"], pages=60)
        run_experiment(con, small_bed, [TOPIC], ["dom"], pages=120)
        # what has no value at first, as lift where random order has found nothing yet, is not moved up
        measure_runs(con, small_bed.name, [MEASURES["recall"]], [50, 60, 100, 120])
        con.execute(
            "DELETE FROM measurements WHERE n = 100 AND run IN (FROM runs SELECT run WHERE pages = 120)"
        )
        (made,) = report_of(con, measure=False)
        write_markdown([made], tmp_path / "r.md", "Bed")
        lines = (tmp_path / "r.md").read_text().splitlines()
        dom, hub = (next(x for x in lines if x.startswith(f"| {name} |")) for name in ("dom", "hub-seeking"))
        assert "| strategy | 100 | 120 | gap closed |" in lines
        assert re.fullmatch(
            r"\| dom \| – ± – \| 0\.\d+ ± – \| – \|", dom
        )  # hub-seeking has no 120 to compare
        assert hub == "| hub-seeking | – ± – | – ± – | – |"
        assert [row.strategy for row in made.sections[0].rows][:2] == ["dom", "hub-seeking"]

    def test_a_strategy_is_tested_against_the_best_of_the_papers_that_was_run(
        self, small_bed: RecordedBed
    ) -> None:
        con = duckdb.connect(":memory:")
        topics = [replace(TOPIC, topic=replace(TOPIC.topic, name=name)) for name in ("A", "B")]
        save_topics(con, topics)
        for run, against in (("fish-search", "breadth-first"), ("dom", "dom")):
            run_experiment(con, small_bed, topics, [run], pages=6)
            (web,) = report_of(con)
            compared = {(one.better, one.worse) for test in web.tests for one in test.comparisons}
            assert ("fish-search", against) in compared

    def test_an_interrupted_experiment_is_reported_as_far_as_it_went(
        self, small_bed: RecordedBed, tmp_path: Path
    ) -> None:
        one_host = replace(TOPIC, topic=replace(TOPIC.topic, name="Top/Other", seeds=TOPIC.topic.seeds[:1]))
        con = duckdb.connect(":memory:")
        save_topics(con, [TOPIC, one_host])
        run_experiment(con, small_bed, [TOPIC], ["dom"], pages=6)
        assert report_of(con)[0].groups == []  # no table of topics that were not run
        run_experiment(con, small_bed, [one_host], [], pages=6)
        made = report_of(con)
        assert [(title, topics) for title, topics, _ in made[0].groups] == [
            ("seeds on several hosts", 1),
            ("all seeds on one host", 1),
        ]
        write_markdown(made, tmp_path / "r.md", "Bed")
        for text in ((tmp_path / "r.md").read_text(), html(made, "Bed")):
            assert "Not run on all 2 topics" in text
            assert re.search(r"dom(\*\*|</strong>) on 1\.", text)

    def test_the_same_figures_give_the_same_bytes(self, reports: list[WebReport]) -> None:
        section = reports[0].sections[0]
        curves = {row.strategy: row.points for row in section.rows}
        drawn = {curve_svg(curves, "recall", "recall") for _ in range(2)}
        assert len(drawn) == 1
        assert "breadth-first" in drawn.pop()


class TestGate:
    @pytest.fixture
    def bed(self, small_bed: RecordedBed, tmp_path: Path) -> tuple[RecordedBed, Path]:
        path = tmp_path / "topics.jsonl"
        write_topics([TOPIC], path)
        return small_bed, path

    def test_floors_hold_where_they_were_pinned(self, bed: tuple[RecordedBed, Path], tmp_path: Path) -> None:
        now = measured(*bed, ["dom", "best-first"], ["recall"], [4, 6])
        floors = pinned("small", *bed, now, [4, 6], ["recall"])
        floors.write(tmp_path / "floors.json")
        again = Floors.read(tmp_path / "floors.json")
        assert again == floors
        assert check(again, *bed) == now

    def test_a_bed_is_known_by_what_it_holds_however_it_is_compressed(self, tmp_path: Path) -> None:
        topics = tmp_path / "topics.jsonl"
        topics.write_text("{}\n")
        digests = set()
        for level in (1, 9):
            web = tmp_path / f"{level}.warc.gz"
            web.write_bytes(gzip.compress(b"one record " * 100, level) + gzip.compress(b"another", level))
            digests.add(digest_of_bed(web, topics))
        (tmp_path / "plain.warc").write_bytes(b"one record " * 100 + b"another")
        assert digests == {digest_of_bed(tmp_path / "plain.warc", topics)}

    @pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:20] + b"?" + data[21:]])
    def test_a_damaged_bed_is_no_bed_for_floors(
        self, damage: Callable[[bytes], bytes], tmp_path: Path
    ) -> None:
        web = tmp_path / "web.warc.gz"
        web.write_bytes(damage(gzip.compress(b"one record " * 100)))
        with pytest.raises(GateError, match=r"web\.warc\.gz: is damaged"):
            digest_of_bed(web, web)

    def test_a_lower_value_fails_and_is_named(self, bed: tuple[RecordedBed, Path]) -> None:
        now = measured(*bed, ["dom"], ["recall", "distance"], [6])
        raised = {"dom": {"recall@6": now["dom"]["recall@6"] + 0.1, "distance@6": now["dom"]["distance@6"]}}
        floors = pinned("small", *bed, raised, [6], ["recall", "distance"])
        with pytest.raises(GateError, match=r"dom recall@6: 0\.\d+, pinned at"):
            check(floors, *bed)

    def test_lower_is_better_for_some_measures(self, bed: tuple[RecordedBed, Path]) -> None:
        floors = Floors("small", "", (6,), ("distance",), {"dom": {"distance@6": 1.0}})
        assert not fallen(floors, {"dom": {"distance@6": 0.9}})
        assert fallen(floors, {"dom": {"distance@6": 1.1}})
        assert fallen(floors, {})

    def test_another_bed_is_not_compared(self, bed: tuple[RecordedBed, Path]) -> None:
        floors = Floors("small", "0" * 64, (6,), ("recall",), {"dom": {"recall@6": 0.0}})
        with pytest.raises(GateError, match="is not the bed"):
            check(floors, *bed)

    def test_pinning_does_not_lower_a_floor_unasked(self, bed: tuple[RecordedBed, Path]) -> None:
        high = pinned("small", *bed, {"dom": {"recall@6": 0.9}}, [6], ["recall"])
        low = {"dom": {"recall@6": 0.5}}
        with pytest.raises(GateError, match="--allow-regression"):
            pinned("small", *bed, low, [6], ["recall"], high)
        assert pinned("small", *bed, low, [6], ["recall"], high, allow_regression=True).floors == low


def _web(con: duckdb.DuckDBPyConnection) -> str:
    row = con.execute("SELECT web FROM webs").fetchone()
    assert row is not None
    return str(row[0])


def _counts(graph: PageGraph, page: int) -> dict[str, int]:
    tree = graph.tree(page)
    counts: dict[str, int] = {}
    for token in tree.tokens.tolist():
        counts[tree.stems[token]] = counts.get(tree.stems[token], 0) + 1
    return counts


def test_a_strategy_that_fails_says_on_which_topic(
    small_bed: RecordedBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("testbed.single_run.simulate", failing)
    with pytest.raises(ZeroDivisionError) as raised:
        make_run(Task(small_bed, TOPIC, "dom:alpha=0.5", 0, 7, 6))
    assert f"strategy dom:alpha=0.5, topic {TOPIC.name}, random seed 7" in raised.value.__notes__[0]


def test_the_small_web_is_what_is_drawn(small_graph: PageGraph) -> None:
    assert len(small_graph) == len(PAGES)
