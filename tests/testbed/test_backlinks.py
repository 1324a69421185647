"""Back-links from every kind of source, hubs from them (R34-R40), seeds some links away (R59, R99)."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from small_web import TOPIC

from bizcrawl.cli.crawling import crawl
from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan
from bizcrawl.tally import Budget
from contexts.tidy import tidy
from contexts.vectors import Query
from testbed.augment import NotAHub, augment, graph_page, mirror_cosine
from testbed.augmented_bed import augment_bed
from testbed.backlinks import BacklinkError, search
from testbed.backlinks.commoncrawl import CommonCrawlGraph
from testbed.backlinks.linkgraph import LinkGraph, graph_backlinks
from testbed.backlinks.opening import open_backlinks
from testbed.backlinks.search import SearchService
from testbed.links_away import links_away
from testbed.pagegraph import PageGraph

SEED_A, SEED_B = TOPIC.topic.seeds


class TestLinkGraph:
    async def test_the_most_cited_page_comes_first(self) -> None:
        graph = LinkGraph(
            [("http://a.x/", "http://s.x/"), ("http://b.x/", "http://s.x/"), ("http://c.x/", "http://b.x/")]
        )
        assert await graph.linking_to(["http://s.x/"], 10) == {"http://s.x/": ["http://b.x/", "http://a.x/"]}

    async def test_pages_of_the_same_host_do_not_count_unless_asked(self) -> None:
        links = [("http://s.x/about", "http://s.x/"), ("http://b.x/", "http://s.x/")]
        assert (await LinkGraph(links).linking_to(["http://s.x/"], 10))["http://s.x/"] == ["http://b.x/"]
        whole = LinkGraph(links, across_hosts=False)
        assert len((await whole.linking_to(["http://s.x/"], 10))["http://s.x/"]) == 2

    async def test_random_order_is_seeded(self) -> None:
        links = [(f"http://h{i}.x/", "http://s.x/") for i in range(30)]
        first, again, other = [
            (await LinkGraph(links, rng=random.Random(seed)).linking_to(["http://s.x/"], 10))["http://s.x/"]
            for seed in (1, 1, 2)
        ]
        assert first == again != other

    async def test_redirects_meet(self, small_graph: PageGraph) -> None:
        found = await graph_backlinks(small_graph).linking_to(["http://target-2.example/"], 10)
        assert set(found["http://target-2.example/"]) == {"http://farther.example/", "http://list.example/"}


class TestCommonCrawl:
    """The published format: vertices ``id<TAB>reversed name``, edges ``from<TAB>to``."""

    @pytest.fixture(params=[False, True], ids=["plain", "gzip"])
    def folder(self, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
        vertices = "0\tcom.dir\n1\tcom.seed-a\n2\torg.assoc\n3\tuk.co.seed-b\n4\tcom.dir.www2\n"
        edges = "0\t1\n0\t3\n2\t1\n2\t3\n4\t1\n1\t1\n1\t2\n"
        if request.param:
            (tmp_path / "cc-host-vertices.txt.gz").write_bytes(gzip.compress(vertices.encode()))
            (tmp_path / "cc-host-edges.txt.gz").write_bytes(gzip.compress(edges.encode()))
        else:
            (tmp_path / "vertices.txt").write_text(vertices)
            (tmp_path / "edges.txt").write_text(edges)
        return tmp_path

    async def test_sites_that_link_to_a_site(self, folder: Path) -> None:
        source = open_backlinks(str(folder))
        found = await source.linking_to(["http://www.seed-a.com/x", "https://seed-b.co.uk/"], 10)
        assert found == {
            "http://www.seed-a.com/x": ["https://assoc.org/", "https://dir.com/", "https://www2.dir.com/"],
            "https://seed-b.co.uk/": ["https://assoc.org/", "https://dir.com/"],
        }

    async def test_the_limit_is_kept(self, folder: Path) -> None:
        found = await CommonCrawlGraph.in_folder(folder).linking_to(["http://seed-a.com/"], 1)
        assert found == {"http://seed-a.com/": ["https://assoc.org/"]}

    async def test_domain_graphs_have_a_third_column(self, tmp_path: Path) -> None:
        (tmp_path / "domain-vertices.txt").write_text("0\tcom.dir\t12\n1\tcom.seed-a\t3\n")
        (tmp_path / "domain-edges.txt").write_text("0\t1\n")
        found = await CommonCrawlGraph.in_folder(tmp_path).linking_to(["http://shop.seed-a.com/"], 5)
        assert found == {"http://shop.seed-a.com/": ["https://dir.com/"]}

    async def test_a_file_that_is_none_is_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "vertices.txt").write_text("not\ta\tgraph\tat all\n")
        (tmp_path / "edges.txt").write_text("x\ty\n")
        with pytest.raises(BacklinkError, match=r"(vertices|edges)\.txt: near line 1: .* expected") as error:
            await CommonCrawlGraph.in_folder(tmp_path).linking_to(["http://a.com/"], 5)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("bad", ["vertices.txt", "edges.txt"])
    async def test_the_file_that_is_wrong_is_named_with_its_line(self, tmp_path: Path, bad: str) -> None:
        (tmp_path / "vertices.txt").write_text("0\tcom.a\n1\tcom.b\n")
        (tmp_path / "edges.txt").write_text("1\t0\n1\t0\n")
        with (tmp_path / bad).open("a") as file:
            file.write("x\ty\n")
        with pytest.raises(BacklinkError, match=rf"/{bad}: near line 3: .* expected"):
            await CommonCrawlGraph.in_folder(tmp_path).linking_to(["http://a.com/"], 5)


@asynccontextmanager
async def service(answer: web.Response | Mapping[str, object]) -> AsyncIterator[tuple[str, list[str]]]:
    """A stand-in that speaks SearXNG's JSON; gives its address and the questions it was asked."""
    asked: list[str] = []

    async def search(request: web.Request) -> web.StreamResponse:
        asked.append(request.query["q"])
        assert request.query["format"] == "json"
        return answer if isinstance(answer, web.Response) else web.json_response(answer)

    app = web.Application()
    app.router.add_get("/search", search)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/search", asked
    finally:
        await runner.cleanup()


class TestSearchService:
    async def test_pages_that_name_the_host(self) -> None:
        pauses: list[float] = []

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        results = [
            {"url": u} for u in ("http://hub.x/", "http://seed-a.example/own", "http://hub.x/", "http://z.x/")
        ]
        async with service({"query": "q", "results": results}) as (address, asked):
            source = SearchService(address, sleep=sleep, delay_s=3.0)
            found = await source.linking_to([SEED_A, SEED_B], 10)
        assert found[SEED_A] == ["http://hub.x/", "http://z.x/"]
        assert asked == ['"seed-a.example" -site:seed-a.example', '"seed-b.example" -site:seed-b.example']
        assert pauses == [3.0]

    async def test_an_answer_that_comes_in_many_pieces_is_read_to_its_end(self) -> None:
        """Only the first piece was, and was no JSON."""
        results = [{"url": f"http://hub{n}.x/", "content": "pumps " * 50} for n in range(2_000)]
        async with service({"results": results}) as (address, _):
            found = await SearchService(address).linking_to([SEED_A], 5_000)
        assert len(found[SEED_A]) == 2_000

    async def test_an_answer_without_end_is_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(search, "MAX_ANSWER_BYTES", 10_000)
        async with service({"results": [{"url": "http://hub.x/", "content": "x" * 20_000}]}) as (address, _):
            with pytest.raises(BacklinkError, match="more than 10,000 bytes"):
                await SearchService(address).linking_to([SEED_A], 5)

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (web.Response(status=429), "answered 429"),
            (web.Response(text="<html>"), "format json"),
            (web.Response(text="[" * 200_000), "format json"),
            (web.json_response({"results": [{"title": "no url"}]}), "format json"),
        ],
    )
    async def test_a_service_that_does_not_answer_is_one_line(self, answer: web.Response, says: str) -> None:
        async with service(answer) as (address, _):
            with pytest.raises(BacklinkError, match=says):
                await SearchService(address).linking_to([SEED_A], 10)

    async def test_a_service_that_is_not_there_is_one_line(self) -> None:
        with pytest.raises(BacklinkError, match=r"127\.0\.0\.1:9"):
            await SearchService("http://127.0.0.1:9/search", timeout_s=5).linking_to([SEED_A], 10)


class Told:
    """Back-links as they were told."""

    def __init__(self, links: Mapping[str, Sequence[str]]) -> None:
        self._links = links

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        return {url: list(self._links.get(url, ()))[:limit] for url in urls}


class TestAugmentation:
    async def test_hubs_link_to_two_seeds_and_are_no_directory(self, small_graph: PageGraph) -> None:
        found = await augment(TOPIC, graph_backlinks(small_graph), graph_page(small_graph))
        assert found.topic.topic.hubs == ("http://list.example/",)
        assert found.backlink_counts == {"http://list.example/": 2}
        assert found.topic.topic.seeds == TOPIC.topic.seeds  # R40
        assert found.turned_away == {NotAHub.DIRECTORY: 1, NotAHub.MIRROR: 1, NotAHub.GIVEN: 1}
        assert found.fetches == 2  # the list and the mirror (A21)

    async def test_ten_are_kept_the_most_cited_first(self, small_graph: PageGraph) -> None:
        hubs = [f"http://hub{i:02}.example/" for i in range(14)]
        source = Told({SEED_A: hubs, SEED_B: hubs[::-1]})
        topic = TOPIC.topic

        async def page_of(_url: str):
            return small_graph.tree(0)

        found = await augment(TOPIC, source, page_of, per_seed=14)
        assert list(found.backlink_counts.values()) == [2] * 10
        assert found.turned_away[NotAHub.BEYOND_TOP] == 4
        assert found.topic.topic.name == topic.name

    async def test_a_page_named_twice_for_one_seed_counts_once(self, small_graph: PageGraph) -> None:
        source = Told({SEED_A: ["http://hub.example/", "http://hub.example/#top"]})
        found = await augment(TOPIC, source, graph_page(small_graph))
        assert not found.backlink_counts
        assert found.turned_away == {NotAHub.ONE_SEED: 1}

    async def test_what_cannot_be_fetched_is_not_trusted(self, small_graph: PageGraph) -> None:
        source = Told({SEED_A: ["http://gone.example/"], SEED_B: ["http://gone.example/"]})
        found = await augment(TOPIC, source, graph_page(small_graph))
        assert found.turned_away == {NotAHub.UNFETCHABLE: 1}

    def test_a_bed_tells_mirrors_on_the_source_itself(self, small_warc: Path) -> None:
        found = augment_bed([TOPIC], str(small_warc), None)
        assert [one.topic.topic.hubs for one in found.kept] == [("http://list.example/",)]

    @pytest.mark.parametrize(
        ("shuffle_seed", "how"),
        [(None, {"order": "in-degree"}), (3, {"order": "random", "random_seed": 3})],
    )
    def test_a_bed_says_where_its_hubs_came_from(
        self, small_warc: Path, shuffle_seed: int | None, how: dict[str, object]
    ) -> None:
        (one,) = augment_bed([TOPIC], str(small_warc), None, shuffle_seed).kept
        assert one.topic.facts["backlinks"] == {"source": str(small_warc)} | how

    @pytest.mark.parametrize(
        ("text", "mirror"),
        [
            ("pumps pumps valves seals couplings", True),
            ("pumps pumps valves seals couplings and a frame of quite other words around", True),
            ("valves", False),
            ("cats", False),
        ],
    )
    def test_a_mirror_is_told_in_the_terms_of_the_description(self, text: str, mirror: bool) -> None:
        tree = tidy(f"<p>{text}</p>")
        assert (mirror_cosine(tree, Query.from_text(TOPIC.description)) > 0.9) == mirror


class TestLinksAway:
    async def test_every_seed_has_a_path_to_a_target(self, small_graph: PageGraph) -> None:
        source = graph_backlinks(small_graph, across_hosts=False)
        for distance, expected in (
            (1, {"mid", "farther", "list"}),
            (2, {"mid", "farther", "list", "seed-a", "far", "other"}),
        ):
            (moved,) = await links_away([TOPIC], source, 1, distance=distance)
            assert {url.split("/")[2].removesuffix(".example") for url in moved.topic.seeds} == expected
            assert moved.targets == TOPIC.targets

    async def test_distance_zero_starts_at_the_targets(self, small_graph: PageGraph) -> None:
        (moved,) = await links_away([TOPIC], graph_backlinks(small_graph), 1, distance=0)
        assert set(moved.topic.seeds) == set(TOPIC.targets)

    async def test_the_draw_is_seeded(self, small_graph: PageGraph) -> None:
        source = graph_backlinks(small_graph, across_hosts=False)
        drawn = [
            (await links_away([TOPIC], source, seed, 3, seeds=3))[0].topic.seeds for seed in (1, 1, 2, 3)
        ]
        assert drawn[0] == drawn[1]
        assert len(set(drawn)) > 1


@pytest.mark.parametrize("name", ["harvest.duckdb", "harvest"])
def test_a_collection_is_a_source_whatever_its_name(name: str, tmp_path: Path, small_warc: Path) -> None:
    plan = Plan(
        "crawl",
        TOPIC.topic,
        Budget(50),
        web=str(small_warc),
        strategy="breadth-first",
        connections=1,
        robots=False,
    )
    path = tmp_path / name
    with Collection.create(path) as collection:
        crawl(plan, collection, quiet=True)
    found = asyncio.run(open_backlinks(str(path)).linking_to([SEED_A, "http://target-2.example/"], 10))
    assert list(found[SEED_A]) == ["http://list.example/", "http://target-1.example/"]
    assert set(found["http://target-2.example/"]) == {"http://farther.example/", "http://list.example/"}


def test_an_unknown_source_says_what_sources_there_are(tmp_path: Path) -> None:
    with pytest.raises(BacklinkError, match="search service"):
        open_backlinks(str(tmp_path / "nosuch"))
