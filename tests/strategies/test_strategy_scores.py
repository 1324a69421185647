"""Scores of the papers' crawlers, by hand."""

from __future__ import annotations

import random
from functools import partial
from importlib.metadata import EntryPoint
from itertools import pairwise

import pytest
from processor_time import within_cpu_s
from strategy_pages import page

from bizcrawl.errors import WrongUse
from bizcrawl.page import Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.breadth_first import BreadthFirst
from bizcrawl.strategies.hub_seeking import hub_score
from bizcrawl.strategies.options import Givens, Options, UnknownOption
from bizcrawl.strategies.table import STRATEGIES, UnknownStrategy, all_strategies, make_strategy
from bizcrawl.topic import Topic

SEEDS = ("http://one.example/", "http://two.example/", "http://three.example/")
TOPIC = Topic("Top/Pumps", SEEDS, "pump makers")
EXELIXIS = """<p>Genetic research <a href="http://www.exelixis.com/">Exelixis</a> pump</p>
<ul><li><a href="http://other.example/">Other</a> bread</li></ul> pump makers everywhere"""


def started(name: str, seed: int = 1, **options: object):  # type: ignore[no-untyped-def]
    strategy = make_strategy(name, random.Random(seed), **options)
    strategy.start(TOPIC)
    return strategy


def test_seeds_come_first_in_their_order_whatever_the_strategy() -> None:
    for name in ("breadth-first", "best-first", "dom", "hub-seeking", "random", "pagerank", "shark-search"):
        assert [link.url for link in started(name).next(3)] == list(SEEDS)
        assert len(started(name)) == 3


@pytest.mark.parametrize("name", ["best-first", "dom", "hub-seeking", "shark-search"])
def test_seeds_score_1(name: str) -> None:
    """R66: no link of a page outdoes a seed that waits, for no cosine is higher."""
    assert [link.score for link in started(name).next(3)] == [1.0] * 3


def test_hubs_among_the_seeds_go_before_companies_and_are_no_seed_hosts() -> None:
    topic = Topic("t", ("http://one.example/",), "pump", hubs=("http://list.example/",))
    strategy = make_strategy("hub-seeking", random.Random(1))
    strategy.start(topic)
    assert [link.url for link in strategy.next(2)] == ["http://list.example/", "http://one.example/"]
    linked = page(
        "http://x.example/", '<a href="http://list.example/a">l</a><a href="http://one.example/b">o</a>'
    )
    assert strategy.visit(linked)[0].parts["hub"] == hub_score(1) == 0


def test_breadth_first_visits_in_the_order_of_meeting() -> None:
    strategy = started("breadth-first")
    strategy.next(3)
    strategy.visit(page(SEEDS[0], '<a href="/a">pump</a><a href="/b">b</a>'))
    strategy.visit(page(SEEDS[1], '<a href="/a">pump makers</a><a href="http://one.example/b">b</a>'))
    urls = [link.url for link in strategy.next(9)]
    assert urls == ["http://one.example/a", "http://one.example/b", "http://two.example/a"]


def test_best_first_gives_every_link_the_cosine_of_its_page() -> None:
    """TOIT eq. 4: page "pump pump bread", keywords "pump makers": 2 / (√5 · √2)."""
    strategy = started("best-first")
    scored = strategy.visit(page(SEEDS[0], '<p>pump pump bread</p><a href="/a"></a><a href="/b"></a>'))
    assert [link.score for link in scored] == pytest.approx([2 / 10**0.5] * 2)
    assert scored[0].depth == 1
    assert scored[0].parent == SEEDS[0]


def test_dom_blends_page_and_parent_as_in_figure_2() -> None:
    """R26, R28: the context of the exelixis link is all text under its <p>."""
    strategy = started("dom")
    scored = strategy.visit(page(SEEDS[0], EXELIXIS))
    # <p>: genet research exelixi pump; keywords: pump maker
    context = 1 / (4**0.5 * 2**0.5)
    whole = scored[0].parts["page"]
    assert scored[0].parts["context"] == pytest.approx(context)
    assert scored[0].score == pytest.approx(0.25 * whole + 0.75 * context)
    assert scored[1].parts["context"] == 0


@pytest.mark.parametrize("options", [{"aggregation": "page"}, {"alpha": 1.0}])
def test_dom_with_the_root_or_with_alpha_one_is_naive_best_first(options: dict[str, object]) -> None:
    """R27, to the last bit."""
    dom, best = started("dom", **options), started("best-first")
    for body in (EXELIXIS, "pump <a href='/x'>makers</a>", "<a href='/y'>bread</a> bread wine"):
        ours, theirs = dom.visit(page(SEEDS[0], body)), best.visit(page(SEEDS[0], body))
        assert [link.score for link in ours] == [link.score for link in theirs]


def test_of_several_occurrences_the_best_context_counts() -> None:
    """A11."""
    strategy = started("dom")
    strategy.next(3)
    contexts = ("bread", "pump makers tea"), ("makers",)
    body = "".join(
        f'<p><a href="/{name}">x</a> {text}</p>'
        for name, texts in zip("ab", contexts, strict=True)
        for text in texts
    )
    scored = strategy.visit(page(SEEDS[0], body))
    assert scored[1].score > scored[2].score > scored[0].score
    assert strategy.next(2) == [scored[1], scored[2]]


def test_hub_score_has_the_papers_values_and_properties() -> None:
    """R30, R31."""
    values = [hub_score(n) for n in range(8)]
    assert values == pytest.approx([0, 0, 0.4, 0.6, 0.7059, 0.7692, 0.8108, 0.84], abs=5e-5)
    more = [hub_score(n) for n in range(1, 1000)]
    assert all(0 <= a < b < 1 for a, b in pairwise(more))


def hub_page(hosts: int) -> str:
    seeds = "".join(f'<a href="{url}deep/page">x</a>' for url in SEEDS[:hosts])
    near, far = '<a href="http://new.example/">n</a>', '<a href="http://far.example/">f</a>'
    return f"{seeds}{seeds}<p>pump makers {near}</p>{far}"


def test_hub_seeking_takes_the_greater_of_hub_and_dom_score() -> None:
    """R29, R32: any page of a seed's host counts, each host once."""
    strategy, dom = started("hub-seeking"), started("dom")
    for hosts in range(4):
        url = f"http://list{hosts}.example/"
        scored, plain = strategy.visit(page(url, hub_page(hosts))), dom.visit(page(url, hub_page(hosts)))
        expected = [max(hub_score(hosts), link.score) for link in plain]
        assert [link.score for link in scored] == pytest.approx(expected, abs=1e-8)
        assert scored[-1].parts["hub"] == hub_score(hosts)


def test_links_that_tie_at_a_hub_score_are_ordered_by_their_dom_score() -> None:
    """A9: then by who was met first."""
    strategy = started("hub-seeking")
    strategy.next(3)
    strategy.visit(page("http://list.example/", '<a href="http://first.example/">f</a>' + hub_page(2)))
    urls = [link.url for link in strategy.next(9)]
    assert urls[0] == "http://new.example/"
    assert urls[1:] == [
        "http://first.example/",
        "http://one.example/deep/page",
        "http://two.example/deep/page",
        "http://far.example/",
    ]


def test_block_credit_goes_to_links_listed_with_two_seeds_and_fades_outwards() -> None:
    """M5: other links of the hub keep their DOM score."""
    a = '<li><a href="{}">x</a></li>'.format
    near, far = "http://near.example/", "http://far.example/"
    body = f"""
      <p><a href="http://menu.example/">menu</a></p>
      <ul><li>makers<ul>{a(SEEDS[0])}{a(SEEDS[1])}{a(near)}</ul></li></ul>
      <ol><li>others<ul>{a(SEEDS[0])}{a(far)}</ul></li><li>more<ul>{a(SEEDS[2])}</ul></li></ol>
      <ul>{a(SEEDS[2])}{a("http://alone.example/")}</ul>"""
    strategy = started("hub-seeking", credit="block", fade=0.5)
    hubs = {link.url: link.parts["hub"] for link in strategy.visit(page("http://list.example/", body))}
    assert hubs[near] == hub_score(3)
    assert hubs[far] == hub_score(3) / 2
    assert hubs["http://menu.example/"] == 0
    assert hubs["http://alone.example/"] == 0


@pytest.mark.parametrize("card", ["<ul><li>{}<li>{}</ul>", "{} {}", "<table><tr><td>{}<tr><td>{}</table>"])
def test_block_credit_goes_to_cards_of_which_two_hold_a_seed_each(card: str) -> None:
    """M5: what is listed within cards is listed together in the box around them."""
    a = '<a href="{}">x</a>'.format
    others = [f"http://other{n}.example/" for n in range(3)]
    firsts = (SEEDS[0], SEEDS[1], "http://third.example/")
    cards = (card.format(a(first), a(other)) for first, other in zip(firsts, others, strict=True))
    box = "".join(f"<div><h3>x</h3>{text}</div>" for text in cards)
    body = f"<p>{a('http://menu.example/')}</p><div>{box}</div>"
    strategy = started("hub-seeking", credit="block", fade=0.5)
    hubs = {link.url: link.parts["hub"] for link in strategy.visit(page("http://list.example/", body))}
    lists_out = 0 if card == "{} {}" else 1
    assert [hubs[url] for url in others] == [hub_score(2) * 0.5**lists_out] * 3
    assert hubs["http://menu.example/"] == 0


def test_a_card_without_a_list_counts_as_one_of_the_cards() -> None:
    """M5: whether links or a list stand in a card says nothing of the list that the cards are."""
    items = "<ul><li><a href='{}'>x</a><li><a href='http://beside{}.example/'>x</a></ul>".format
    body = f"""<div><div>{items(SEEDS[0], 1)}</div><div>{items(SEEDS[1], 2)}</div>
      <div><a href="http://bare.example/">x</a></div></div>"""
    strategy = started("hub-seeking", credit="block")
    assert strategy.lists_out(page("http://list.example/", body)) == [1, 1, 1, 1, 0]


def test_block_credit_of_many_or_deep_lists_takes_no_time() -> None:
    """A page with 2,000 small lists took 10 s when each was asked about alone."""
    seeds = "".join(f'<li><a href="{seed}">x</a>' for seed in SEEDS[:2])
    small = "".join(f"<div><ul><li><a href='http://e{n}.example/'>x</a></ul></div>" for n in range(2_000))
    deep = "".join(f"<ul><li><a href='http://d{n}.example/'>x</a>" for n in range(500))
    strategy = started("hub-seeking", credit="block")
    for body in (f"{small}<ul>{seeds}</ul>", f"{deep}<ul>{seeds}"):
        hub = page("http://list.example/", body)
        assert within_cpu_s(1, partial(strategy.lists_out, hub))[-2:] == [0, 0]


def test_a_seeds_own_host_and_www_count_as_asked() -> None:
    """A10."""
    body = (
        '<a href="/about">a</a><a href="http://www.two.example/">t</a><a href="http://three.example/">t</a>'
    )
    parts = {
        (own, fold): started("hub-seeking", own_host=own, fold_www=fold)
        .visit(page(SEEDS[0], body))[0]
        .parts["hub"]
        for own in (True, False)
        for fold in (True, False)
    }
    assert parts == {
        (True, False): hub_score(2),
        (False, False): hub_score(1),
        (True, True): hub_score(3),
        (False, True): hub_score(2),
    }
    by_default = started("hub-seeking").visit(page(SEEDS[0], body))[0].parts["hub"]
    assert by_default == parts[True, False], "the paper's mode"


def test_sites_that_share_a_host_are_told_apart_if_asked() -> None:
    """A10: tripod, geocities and their like."""
    topic = Topic(
        "t", ("http://free.example/~ann/", "http://free.example/~bob/", "http://one.example/"), "pump"
    )
    body = '<a href="http://free.example/~ann/a">a</a><a href="http://free.example/~bob/b">b</a>'
    parts = []
    for shared in ("", "free.example, other.example"):
        strategy = make_strategy("hub-seeking", random.Random(1), shared_hosts=shared)
        strategy.start(topic)
        parts.append(strategy.visit(page("http://list.example/", body))[0].parts["hub"])
    assert parts == [hub_score(1), hub_score(2)]


@pytest.mark.parametrize("shared", ["free.example", "www.free.example"])
def test_sites_that_share_a_host_are_told_apart_with_www_folded_too(shared: str) -> None:
    """A10: by whichever of its two names the host is listed."""
    topic = Topic("t", ("http://www.free.example/~ann/", "http://www.free.example/~bob/"), "pump")
    strategy = make_strategy("hub-seeking", random.Random(1), shared_hosts=shared, fold_www=True)
    strategy.start(topic)
    body = '<a href="http://www.free.example/~ann/a">a</a><a href="http://www.free.example/~bob/b">b</a>'
    assert strategy.visit(page("http://list.example/", body))[0].parts["hub"] == hub_score(2)


def test_random_order_draws_once_for_each_url() -> None:
    strategy = started("random")
    strategy.next(3)
    first = strategy.visit(page(SEEDS[0], '<a href="/a">a</a><a href="/a">a</a>'))
    again = strategy.visit(page(SEEDS[1], '<a href="http://one.example/a">a</a>'))
    assert {link.score for link in (*first, *again)} == {first[0].score}


def test_random_order_gives_old_urls_the_chance_of_new_ones() -> None:
    """R115: of one URL that has long waited and one just met, each is next in half of the cases."""
    old_first = 0
    for seed in range(400):
        strategy = started("random", seed)
        strategy.next(3)
        strategy.visit(page(SEEDS[0], "".join(f'<a href="/{i}">x</a>' for i in range(10))))
        strategy.next(9)
        strategy.visit(page(SEEDS[1], '<a href="/new">x</a>'))
        old_first += "one" in strategy.next(1)[0].url
    assert 160 < old_first < 240


def batches(n: int, seed: int) -> list[list[str]]:
    strategy = started("best-first", seed, n=n)
    strategy.next(3)
    words = ["pump makers", "pump", "bread pump", "bread", "pump wine tea", "wine"]
    for i, text in enumerate(words):
        strategy.visit(page(f"http://p{i}.example/", f'{text} <a href="/x"></a>'))
    found = []
    while len(strategy):
        found.append([link.url[8:9] for link in strategy.next(1)])
    return found


def test_best_n_first_takes_the_best_n_in_random_order() -> None:
    """R79, A7."""
    order = ["0", "1", "2", "4", "3", "5"]
    assert [urls[0] for urls in batches(1, 1)] == order
    shuffles = set()
    for seed in range(12):
        found = [urls[0] for urls in batches(3, seed)]
        assert sorted(found[:3]) == sorted(order[:3])
        assert sorted(found[3:]) == sorted(order[3:])
        shuffles.add(tuple(found))
    assert len(shuffles) > 3


def test_with_n_as_large_as_the_frontier_it_is_a_generation_crawler() -> None:
    """A7: the batch is out of the buffer, so a generation is visited before any link that it brings."""
    strategy = started("best-first", n=256, max_frontier=256)
    first = [strategy.next(1)[0].url]
    strategy.visit(page(first[0], '<a href="/child">pump makers</a>'))
    first += [link.url for link in strategy.next(2)]
    assert sorted(first) == sorted(SEEDS)
    assert [link.url[-5:] for link in strategy.next(1)] == ["child"]


def test_what_was_fetched_under_another_name_is_not_asked_for_again() -> None:
    for name in STRATEGIES:
        strategy = started(name)
        strategy.next(3)
        strategy.visit(page(SEEDS[0], '<a href="http://two.example/new">pump</a>'))
        strategy.visit(page(SEEDS[1], "moved", final_url="http://two.example/new"))
        assert strategy.next(5) == [], name


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_depth_of_a_link_is_the_number_of_links_from_a_seed(name: str) -> None:
    strategy = started(name)
    strategy.next(3)
    url = SEEDS[0]
    for depth in (1, 2, 3):
        scored = strategy.visit(page(url, f'pump <a href="/{depth}">pump makers</a>'))
        (given,) = strategy.next(1)
        assert scored[0].depth == given.depth == depth
        assert scored[0].parent == given.parent == url
        url = given.url


def test_what_is_in_a_batch_and_was_fetched_under_another_name_is_not_asked_for_again() -> None:
    """R79: the batch is taken out of the frontier before its pages are."""
    strategy = started("best-first", n=3)
    (first,) = strategy.next(1)
    moved, left = (url for url in SEEDS if url != first.url)
    strategy.visit(page(first.url, "moved", final_url=moved))
    assert [link.url for link in strategy.next(5)] == [left]


def test_a_page_that_was_not_given_out_is_learned_from_and_leaves_the_frontier() -> None:
    for name in STRATEGIES:
        strategy = started(name)
        strategy.visit(page(SEEDS[0], '<a href="/a">pump</a>'))
        strategy.fail(SEEDS[1], Reason.TIMEOUT)
        assert sorted(link.url for link in drain(strategy)) == ["http://one.example/a", SEEDS[2]], name


def drain(strategy) -> list[ScoredLink]:  # type: ignore[no-untyped-def]
    links = []
    while found := strategy.next(1):
        links += found
    return links


PAPERS_DEFAULTS: dict[str, dict[str, object]] = {
    "best-first": {"n": 1, "max_frontier": 70_000},  # R12, R22
    "dom": {"alpha": 0.25, "aggregation": "parent"},  # R24, R26
    "hub-seeking": {"alpha": 0.25, "credit": "page", "own_host": True, "fold_www": False},  # R32, A10
    "shark-search": {"depth": 3, "r": 0.1, "beta": 0.8, "delta": 0.5, "n": 1},  # R68, A6
    "pagerank": {  # R58, R67, A2
        "gamma": 0.8, "threshold": 0.01, "frequency": 25, "buffer": 2_048, "max_frontier": 2_048,
    },
    "infospiders": {  # R58, R70-R78, A4
        "alpha": 0.5, "beta": 5.0, "learning": True, "learning_rate": 0.5, "evolution": True, "theta": 2.0,
        "max_population": 8, "temperature": 0.1, "reach": 5, "max_frontier": 2_048,
    },
    "intelligent": {"significance": 2.0, "refresh": 100, "factors": "content,url,link,sibling"},  # R110, A28
    "evolved": {"weights": "paper", "mean_comm_out": False},  # R128, A30
}  # fmt: skip


class TestTable:
    def test_an_unknown_name_is_answered_with_those_there_are(self) -> None:
        with pytest.raises(UnknownStrategy, match="no strategy is called 'best'; there are: breadth-first,"):
            make_strategy("best", random.Random(1))

    def test_an_unknown_option_is_answered_with_those_there_are(self) -> None:
        with pytest.raises(UnknownOption, match="dom: no option is called 'beta'; there are: aggregation,"):
            make_strategy("dom", random.Random(1), beta=1)

    def test_options_come_as_text_too(self) -> None:
        made = make_strategy("dom", random.Random(1), alpha="0.5", **{"max-frontier": "9"})
        assert made.alpha == 0.5  # type: ignore[attr-defined]
        assert made.frontier.max_urls == 9  # type: ignore[attr-defined]
        with pytest.raises(UnknownOption, match="option alpha takes a number, not 'half'"):
            make_strategy("dom", random.Random(1), alpha="half")
        with pytest.raises(UnknownOption, match=r"alpha must be between 0 and 1, not 1\.5"):
            make_strategy("dom", random.Random(1), alpha=1.5)
        with pytest.raises(UnknownOption, match="fold_www takes yes or no"):
            make_strategy("hub-seeking", random.Random(1), fold_www="maybe")

    def test_every_entry_says_what_it_does_and_where_it_comes_from(self) -> None:
        for name, entry in all_strategies().items():
            assert "(" in entry.meaning, name
            for option in entry.options.__dataclass_fields__.values():
                assert option.metadata["help"], (name, option.name)

    @pytest.mark.parametrize(("name", "expected"), PAPERS_DEFAULTS.items())
    def test_the_defaults_are_the_papers(self, name: str, expected: dict[str, object]) -> None:
        defaults = STRATEGIES[name].options()
        assert {option: getattr(defaults, option) for option in expected} == expected

    @pytest.mark.parametrize(
        ("name", "options", "says"),
        [
            ("breadth-first", {"max_frontier": "0"}, "max_frontier must be 1 or more, not 0"),
            ("best-first", {"hosts_apart": "-1"}, "hosts_apart must be 0 or more, not -1"),
            ("evolved", {"threshold": "nan"}, "threshold must be a finite number, not nan"),
            ("intelligent", {"significance": "inf"}, "significance must be a finite number, not inf"),
            ("infospiders", {"beta": "-1"}, "beta must be 0 or more"),
            ("best-first", {"n": "0"}, "n must be 1 or more, not 0"),
            ("hub-seeking", {"fade": "1.5"}, "fade must be between 0 and 1, not 1.5"),
            ("shark-search", {"delta": "1.5"}, "delta must be between 0 and 1, not 1.5"),
            ("fish-search", {"width": "0"}, "width must be 1 or more, not 0"),
            ("fish-search", {"depth": "0"}, "depth must be 1 or more, not 0"),
            ("shark-search", {"n": "0"}, "n must be 1 or more, not 0"),
            ("infospiders", {"max_frontier": "4"}, "max_frontier must be one URL an agent, not 4"),
            ("intelligent", {"factors": "url,words"}, "factors must be some of content, url, link, sibling"),
            ("pagerank", {"gamma": "1"}, "gamma must be at least 0 and below 1, not 1.0"),
            ("intelligent", {"mode": "printed"}, "mode must be paper or corrected, not printed"),
            (
                "infospiders",
                {"hosts_apart": "5"},
                "hosts_apart must be 0, for each agent draws by chance, not 5",
            ),
            ("dom", {"aggregation": "parents"}, "no aggregation is called 'parents'; there are page,"),
            ("hub-seeking", {"aggregation": "ancestor:x"}, "ancestor takes a whole number"),
            ("shark-search", {"aggregation": "window:99999999999"}, "over 6 digits"),
        ],
    )
    def test_a_value_that_cannot_be_meant_is_refused_before_the_crawl(
        self, name: str, options: dict[str, str], says: str
    ) -> None:
        with pytest.raises(UnknownOption) as refusal:
            make_strategy(name, random.Random(1), **options)  # type: ignore[arg-type]
        assert says in str(refusal.value)
        assert "\n" not in str(refusal.value)

    def test_a_classifier_that_is_not_there_is_told_before_the_crawl(self) -> None:
        with pytest.raises(WrongUse, match="cannot be read"):
            make_strategy("evolved", random.Random(1), classifier="/no/such/file")

    def test_room_for_a_million_million_urls_takes_memory_only_as_they_come(self) -> None:
        strategy = make_strategy("infospiders", random.Random(1), max_frontier=10**12)
        urls = [f"http://h.example/{i}" for i in range(5_000)]
        strategy.start(Topic("t", tuple(urls), "pump"))
        assert sorted(link.url for link in strategy.next(6_000)) == sorted(urls)

    def test_a_strategy_of_another_package_that_fails_to_load_is_listed_and_spoils_no_other(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = EntryPoint("broken", "no_such_package:Strategy", "bizcrawl.strategies")
        monkeypatch.setattr("bizcrawl.strategies.table.entry_points", lambda group: [broken])
        assert "No module named 'no_such_package'" in all_strategies()["broken"].meaning
        with pytest.raises(UnknownStrategy, match="strategy broken can't be loaded from no_such_package"):
            make_strategy("broken", random.Random(1))
        with pytest.raises(UnknownStrategy, match="no strategy is called 'best'"):
            make_strategy("best", random.Random(1))

    @pytest.mark.parametrize(
        ("scores", "told"),
        [([1.0], "gave 1 scores and 1 parts for 2 links"), ([1.0, float("nan")], "gave no number")],
    )
    def test_scores_by_which_nothing_can_be_ordered_are_told(self, scores: list[float], told: str) -> None:
        """One for each link, and none that is neither more nor less than another."""

        class Own(BreadthFirst):
            def score_links(self, page: Page) -> tuple[list[float], list[dict[str, float]]]:
                return scores, [{} for _ in scores]

        own = Own(Options(), Givens(random.Random(1)))
        with pytest.raises(ValueError, match=f"Own.score_links {told}"):
            own.visit(page("http://x.example/", '<a href="/a">a</a><a href="/b">b</a>'))
