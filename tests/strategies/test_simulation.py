"""Page graphs and crawls in virtual time, held against the crawl that fetches."""

from __future__ import annotations

import asyncio
import random
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from strategies_web import EXCLUDED, HOSTS, TOPIC, write_web

from bizcrawl.crawl import Crawl
from bizcrawl.download import Rules, download
from bizcrawl.errors import BizcrawlError
from bizcrawl.harvest import Harvested, Harvester
from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.scope import Exclusions
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.table import STRATEGIES, make_strategy
from bizcrawl.tally import Budget
from bizcrawl.web import Failure
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.warc_parts import NotAWarcError
from contexts.aggregation import Aggregation, _parsed
from contexts.aggregation.ancestors import ancestor
from contexts.vectors import Query
from testbed.pagegraph import PageGraph
from testbed.pagegraph_folder import open_graph
from testbed.simulate import Visits, simulate


@pytest.fixture(scope="module")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_web(tmp_path_factory.mktemp("web") / "web.warc.gz")


@pytest.fixture(scope="module")
def graph(warc: Path) -> PageGraph:
    return open_graph(warc)


def crawl(graph: PageGraph, name: str, pages: int = 1000, seed: int = 1) -> Visits:
    return simulate(graph, TOPIC, make_strategy(name, random.Random(seed)), pages, EXCLUDED)


class TestRules:
    def test_only_good_pages_count_and_stale_links_fall_away(self, graph: PageGraph) -> None:
        """R56, A36."""
        visits = crawl(graph, "breadth-first", 20)
        assert len(visits) == len(visits.urls) == 20
        assert set(crawl(graph, "breadth-first").turned_away) == {
            Reason.NOT_RECORDED,
            Reason.HTTP_ERROR,
            Reason.NOT_HTML,
            Reason.EMPTY,
            Reason.REDIRECT_LOOP,
            Reason.EXCLUDED,
            Reason.ROBOTS,
            Reason.ROBOTS_UNREACHABLE,
            Reason.SEEN_AS_OTHER_URL,
        }

    def test_robots_txt_of_the_record_is_obeyed(self, graph: PageGraph) -> None:
        assert graph.outcome("http://fir.example/private") is Reason.ROBOTS
        assert graph.outcome("http://larch.example/p1") is Reason.ROBOTS_UNREACHABLE
        assert isinstance(graph.outcome("http://elm.example/private"), int)

    def test_redirects_lead_to_the_page_and_it_counts_once(self, graph: PageGraph) -> None:
        page = graph.outcome("http://elm.example/old")
        assert not isinstance(page, Reason)
        assert graph.final_url(page) == "http://elm.example/p1"
        visits = crawl(graph, "breadth-first")
        assert len(set(visits.pages)) == len(visits.pages) == len(set(visits.final_urls))
        assert any(url.endswith("/old") for url in visits.urls)

    def test_excluded_pages_are_refused_even_behind_a_redirect(self, graph: PageGraph) -> None:
        assert isinstance(graph.outcome(EXCLUDED[0]), int)
        assert EXCLUDED[0] not in crawl(graph, "breadth-first").final_urls
        exclusions = Exclusions.of(["http://elm.example/p1"])
        assert (
            graph.outcome("http://elm.example/old", lambda url: exclusions.ruling(url).reason)
            is Reason.EXCLUDED
        )


class TestGraph:
    def test_it_answers_as_the_pages_themselves_do(self, graph: PageGraph, warc: Path) -> None:
        """Similarities, links and tag trees are those of a page that was fetched and tidied."""
        query = Query.from_text("pump makers of steel valves")
        with RecordedWeb(warc) as web:
            for page in graph.pages():
                answer = web.lookup(page.url)
                assert not isinstance(answer, Failure)
                fetched = asyncio.run(fetch(page.url, web, Rules(traps=None), Harvester()))
                assert isinstance(fetched, Harvested)
                other = fetched.page
                assert list(page.links) == list(other.links)
                assert page.similarity(query) == other.similarity(query)
                for aggregation in ("parent", "page", "anchor", "ancestor:2"):
                    ours = page.context_similarities(query, aggregation)
                    assert np.array_equal(ours, other.context_similarities(query, aggregation))
                assert page.tree.text == other.tree.text
                assert page.tree.stems == other.tree.stems
                assert page.tree.attributes == other.tree.attributes
                assert [page.tree.path(link.node) for link in page.links] == [
                    other.tree.path(link.node) for link in other.links
                ]

    def test_it_is_kept_beside_the_warc_and_made_anew_when_that_changes(self, tmp_path: Path) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        assert len(open_graph(warc)) == len(open_graph(warc))
        kept = list((tmp_path / "web.warc.gz.graph").glob("*/tokens.npy"))
        assert len(kept) == 1
        write_web(warc, 4)
        assert len(open_graph(warc)) == 5 * len(HOSTS) + 1
        again = list((tmp_path / "web.warc.gz.graph").glob("*/tokens.npy"))
        assert len(again) == 1
        assert again != kept

    def test_a_cache_that_can_not_be_looked_into_is_asked_for_only_where_there_is_no_other_place(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """That of another user ended every run over a record, though the graph is kept beside it."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ("long" * 100)))
        warc = write_web(tmp_path / "web.warc.gz", 2)
        assert open_graph(warc).urls
        write_web(warc, 4)
        tmp_path.chmod(0o555)
        with pytest.raises(BizcrawlError, match="name another place with XDG_CACHE_HOME"):
            open_graph(warc)

    def test_making_it_is_told_and_opening_it_is_not(self, tmp_path: Path) -> None:
        warc, told = write_web(tmp_path / "web.warc.gz", 2), []
        for _ in range(2):
            open_graph(warc, progress=lambda *n: told.append(n))
        assert told[0][0] == 1
        assert told[-1] == (told[-1][1], told[-1][1])
        assert len(told) == told[-1][1]

    def test_a_bundle_and_an_old_record_that_change_are_read_anew(self, tmp_path: Path) -> None:
        for name in ("web.wacz", "recorded.gz", "folder"):
            web = tmp_path / name
            for hosts in (2, 4):
                warc = write_web(tmp_path / "new.warc.gz", hosts)
                if name == "web.wacz":
                    with zipfile.ZipFile(web, "w") as bundle:
                        bundle.write(warc, "archive/web.warc.gz")
                elif name == "folder":
                    web.mkdir(exist_ok=True)
                    warc.rename(web / "web.arc.gz")
                else:
                    warc.rename(web)
                with RecordedWeb(web) as record:
                    urls = {url for url in record.urls() if not url.endswith("robots.txt")}
                assert set(open_graph(web).urls) >= urls, (name, hosts)

    def test_pages_at_another_cap_are_kept_beside(self, tmp_path: Path) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        for cap in (10_000, 100_000, 10_000, None):
            open_graph(warc, cap)
        kept = {path.parent.name.partition("-")[0] for path in tmp_path.glob("*.graph/*/tokens.npy")}
        assert kept == {"10000", "100000", "whole"}

    def test_what_is_no_record_is_said_and_leaves_nothing_behind(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("no record")
        for name in ("notes.txt", "absent.warc.gz"):
            with pytest.raises(NotAWarcError, match=name):
                open_graph(tmp_path / name)
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    def test_what_cannot_be_read_of_a_record_is_counted_whenever_it_is_opened(self, tmp_path: Path) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        warc.write_bytes(warc.read_bytes()[:-40])
        assert sum(open_graph(warc).faults.values()) == sum(open_graph(warc).faults.values()) == 1

    def test_a_cache_folder_can_be_named(self, tmp_path: Path) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        open_graph(warc, cache=tmp_path / "cache")
        assert not (tmp_path / "web.warc.gz.graph").exists()
        assert len(list((tmp_path / "cache").glob("*/*/tokens.npy"))) == 1

    def test_a_folder_that_is_marked_read_only_is_left_alone_even_by_root(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        (tmp_path / "shared").mkdir()
        warc = write_web(tmp_path / "shared" / "web.warc.gz", 2)
        (tmp_path / "shared").chmod(0o555)
        open_graph(warc)
        assert [path.name for path in (tmp_path / "shared").iterdir()] == ["web.warc.gz"]
        assert len(list((tmp_path / "cache" / "bizcrawl" / "graphs").glob("*/*/tokens.npy"))) == 1
        (tmp_path / "shared").chmod(0o755)

    def test_contexts_at_another_aggregation_are_worked_out_once_and_kept(self, tmp_path: Path) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        first = open_graph(warc).spans("ancestor:2")
        assert len(list(tmp_path.glob("web.warc.gz.graph/*/spans-ancestor:2.npz"))) == 1
        again = open_graph(warc).spans("ancestor:2")
        assert np.array_equal(first.starts, again.starts)
        assert np.array_equal(first.norms, again.norms)

    def test_contexts_of_another_package_are_not_kept_for_its_code_may_change(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        warc = write_web(tmp_path / "web.warc.gz", 2)
        seen = []
        for levels in (1, 2):
            own = Aggregation(ancestor, levels)
            monkeypatch.setattr("contexts.aggregation.aggregation", lambda name, own=own: own)
            _parsed.cache_clear()
            seen.append(open_graph(warc).spans("own").ends.tolist())
        _parsed.cache_clear()
        assert seen[0] != seen[1]

    def test_links_of_some_kinds_alone(self, graph: PageGraph) -> None:
        cut = graph.only_kinds(("area",))
        assert all(not page.links for page in cut.pages())
        whole = graph.only_kinds(("a", "area"))
        query = Query.from_text("pump")
        for ours, theirs in zip(whole.pages(), graph.pages(), strict=True):
            assert list(ours.links) == list(theirs.links)
            assert np.array_equal(
                ours.context_similarities(query, "parent"), theirs.context_similarities(query, "parent")
            )


async def fetch(url: str, web: RecordedWeb, rules: Rules, harvester: Harvester) -> Harvested | Failure:
    outcome = await download(url, web, rules)
    return outcome if isinstance(outcome, Failure) else await harvester.harvest(outcome)


class Silent:
    """A journal that keeps the order of visits alone."""

    def __init__(self) -> None:
        self.visits: list[str] = []
        self.failures: list[tuple[str, Reason]] = []

    def called(self, kind: str, urls: Sequence[str], n: int = 0) -> None: ...

    def visited(self, link: ScoredLink, harvested: Harvested, scored: Sequence[ScoredLink]) -> None:
        self.visits.append(link.url)

    def failed(self, link: ScoredLink, failure: Failure) -> None:
        self.failures.append((link.url, failure.reason))

    async def flush(self, wait: bool = False) -> None: ...


@pytest.mark.parametrize("name", [*STRATEGIES])
async def test_the_crawl_that_fetches_visits_the_same_pages_in_the_same_order(
    name: str, warc: Path, graph: PageGraph
) -> None:
    """One connection, recorded web; R136."""
    web, journal = RecordedWeb(warc, 10_000), Silent()
    rules = Rules(traps=None, exclusions=Exclusions.of(EXCLUDED), robots=Robots(web, lambda: 0.0, "bizcrawl"))
    harvester = Harvester()
    live = Crawl(
        TOPIC,
        make_strategy(name, random.Random(3)),
        lambda link: fetch(link.url, web, rules, harvester),
        journal,
        Budget(pages=60),
    )
    await live.run()
    await web.close()
    simulated = simulate(graph, TOPIC, make_strategy(name, random.Random(3)), 60, EXCLUDED)
    assert journal.visits == simulated.urls
    assert len(journal.visits) == 60 or name == "fish-search"
    assert len(journal.failures) == sum(simulated.turned_away.values())


@pytest.mark.parametrize("name", [*STRATEGIES])
def test_one_random_seed_gives_the_same_visits(name: str, graph: PageGraph) -> None:
    assert crawl(graph, name, 50, seed=5).urls == crawl(graph, name, 50, seed=5).urls


@pytest.mark.parametrize("name", ["random", "infospiders"])
def test_another_random_seed_gives_others(name: str, graph: PageGraph) -> None:
    assert crawl(graph, name, 50, seed=5).urls != crawl(graph, name, 50, seed=6).urls
