"""Intelligent crawling: the paper's worked values, both significances, knowledge that is kept."""

from __future__ import annotations

import random
import time
from collections import Counter
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from processor_time import within_cpu_s
from strategy_pages import page

from bizcrawl.page import MAX_STEMS, Page
from bizcrawl.reasons import Reason
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.candidates import FEW_PARENTS, Candidate, Interest, Parent, url_tokens
from bizcrawl.strategies.intelligent import SEED_PRIORITY, Intelligent
from bizcrawl.strategies.knowledge import Events, Knowledge
from bizcrawl.strategies.options import UnknownOption
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic

KNOWN = (
    b'{"pages": 2, "good_pages": 1, "links": {}, "tokens": {"seen": {}, "good": {}},'
    b' "words": {"good": {}, "seen": %s}}'
)
"""Knowledge as it is kept, but for the words that were seen."""
SEEDS = ("http://one.example/", "http://two.example/")
TOPIC = Topic("Top/Pumps", SEEDS, "pump makers")


def started(**options: object) -> Intelligent:
    strategy = make_strategy("intelligent", random.Random(1), is_good=is_dealer, **options)  # type: ignore[arg-type]
    strategy.start(TOPIC)
    assert isinstance(strategy, Intelligent)
    return strategy


def is_dealer(here: Page) -> bool:
    return "dealer" in here.tree.text


def ratios(k: Knowledge, corrected: bool) -> dict[str, float]:
    """Log ratios of words by name, those that are significant."""
    *found, unknown = k.log_ratios(k.words, 2.0, corrected).tolist()
    assert unknown == 0
    return {word: ratio for word, ratio in zip(k.words.numbers, found, strict=True) if ratio}


class TestKnowledge:
    def test_the_interest_ratio_of_a_word_is_50_in_the_papers_example(self) -> None:
        """R108: pages with "shop" and "mall" satisfy with 5 %, all pages with 0.1 %: 50."""
        k = Knowledge(pages=100_000, good_pages=100)
        k.words = Events({"mall": 1000}, {"mall": 50})
        assert exp(ratios(k, corrected=False)["mall"]) == pytest.approx(50)

    def test_links_between_good_pages_are_worth_7_in_the_papers_example(self) -> None:
        """R111: P(C) = 10 %, 7 % of all links lead from a good page to a good one: 0.07 / 0.01 = 7."""
        k = Knowledge(pages=1000, good_pages=100, links=Counter(pp=70, pn=30, np=30, nn=870))
        good, bad = k.log_link_ratios()
        assert exp(good) == pytest.approx(7)
        assert exp(bad) == pytest.approx(0.03 / (0.1 * 0.9))

    def test_nine_good_siblings_of_fifteen_are_worth_6(self) -> None:
        """R112, A26: expected are 1.5; fewer good ones than expected count nothing."""
        k = Knowledge(pages=1000, good_pages=100)
        assert exp(k.log_sibling_ratio(15, 9)) == pytest.approx(6)
        assert k.log_sibling_ratio(15, 1) == 0.0
        assert k.log_sibling_ratio(0, 0) == 0.0

    def test_significance_as_printed_lets_a_word_seen_once_pass_and_as_corrected_does_not(self) -> None:
        """A23: P = 0.01, N = 10,000: I = 100 as printed."""
        k = Knowledge(pages=10_000, good_pages=100)
        k.words = Events({"once": 1, "often": 400, "usual": 400}, {"once": 1, "often": 40, "usual": 4})
        printed = ratios(k, corrected=False)
        assert exp(printed["once"]) == pytest.approx(100)
        corrected = ratios(k, corrected=True)
        assert set(corrected) == {"often"}
        assert exp(corrected["often"]) == pytest.approx((40 + 20 * 0.01) / (400 + 20) / 0.01)

    def test_corrected_a_word_needs_the_support_of_five_pages(self) -> None:
        """A23: with P = 0.01, k = 20 and five pages, all of them good: (5 + 0.2) / 25 / 0.01 = 20.8."""
        k = Knowledge(pages=10_000, good_pages=100)
        k.words = Events({"four": 4, "five": 5}, {"four": 4, "five": 5})
        assert {word: exp(ratio) for word, ratio in ratios(k, corrected=True).items()} == pytest.approx(
            {"five": 20.8}
        )

    def test_words_that_speak_against_a_page_count_too(self) -> None:
        """A25, A27: no factor is below the floor."""
        k = Knowledge(pages=200, good_pages=100)
        k.words = Events({"bread": 100})
        assert ratios(k, corrected=False)["bread"] == pytest.approx(log(1e-3))
        assert -2.0 < ratios(k, corrected=True)["bread"] < -1.0

    def test_nothing_follows_from_nothing(self) -> None:
        assert ratios(Knowledge(words=Events({"a": 1})), corrected=False) == {}
        assert Knowledge().log_link_ratios() == (0.0, 0.0)
        assert Knowledge(pages=3, good_pages=3).log_link_ratios() == (0.0, 0.0)

    def test_it_is_kept_and_read_back(self, tmp_path: Path) -> None:
        """R118."""
        k = Knowledge(pages=9, good_pages=2, links=Counter(pp=1, nn=4))
        for _ in range(2):
            k.words.add(k.words.numbered(["pump", "maker"]), good=True)
        k.tokens.add(k.tokens.numbered(["uk"]), good=False)
        k.save(tmp_path / "k.json")
        read = Knowledge.load(tmp_path / "k.json")
        assert (read.pages, read.good_pages, read.links) == (9, 2, k.links)
        assert read.words.by_name() == {"seen": {"maker": 2, "pump": 2}, "good": {"maker": 2, "pump": 2}}
        assert read.tokens.by_name() == {"seen": {"uk": 1}, "good": {}}


def test_urls_fall_apart_at_dots_and_slashes() -> None:
    """R110."""
    assert url_tokens("http://www.Skiing.co.uk/ski/ski/a.html") == (
        "www",
        "skiing",
        "co",
        "uk",
        "ski",
        "a",
        "html",
    )


def test_before_anything_is_known_the_order_is_random() -> None:
    """A27."""
    body = "bread" + "".join(f'<a href="/{i}">x</a>' for i in range(6))
    orders = set()
    for seed in range(8):
        strategy = make_strategy("intelligent", random.Random(seed), is_good=is_dealer)
        strategy.start(TOPIC)
        strategy.next(2)
        strategy.visit(page(SEEDS[0], body))
        orders.add(tuple(link.url[-1] for link in strategy.next(6)))
    assert len(orders) > 4


def feed(strategy: Intelligent, pages: int = 60) -> None:
    """Pages at shop.example are dealers, link to each other, and speak of cars; others are not and do not."""
    strategy.next(2)
    for i in range(pages):
        good = i % 4 == 0
        host, word = ("shop", "dealer cars") if good else ("news", "bread wine")
        links = "".join(f'<a href="http://{host}.example/{j}">x</a>' for j in range(i + 4, i + 13, 4))
        strategy.visit(page(f"http://{host}.example/{i}", f"{word} {links}"))


@pytest.mark.parametrize("mode", ["paper", "corrected"])
@pytest.mark.parametrize("factors", ["content,url,link,sibling", "content", "url", "link", "sibling"])
def test_each_factor_learns_which_candidates_satisfy_the_predicate(mode: str, factors: str) -> None:
    """R109-R113: candidates of the dealers' site come first, whichever factor is asked."""
    strategy = started(mode=mode, factors=factors, refresh=20)
    feed(strategy)
    urls = [link.url for link in strategy.next(20)]
    shops = [i for i, url in enumerate(urls) if "shop" in url]
    others = [i for i, url in enumerate(urls) if "news" in url]
    assert len(shops) == 3
    assert shops[0] == 0
    assert sum(shops) / len(shops) < sum(others) / len(others)
    if factors != "sibling":  # the last candidates have no siblings that were visited
        assert shops == [0, 1, 2]


@pytest.mark.parametrize(("mode", "ratio"), [("paper", 10), ("corrected", 1)])
def test_a_word_seen_once_counts_as_the_mode_says(mode: str, ratio: float) -> None:
    """R110, A23: one page of ten is good, and says what no other does: S = 0.9 / √(0.1 · 0.9 / 1) = 3 as
    printed, so the word is worth 1 / 0.1; one page with it is no support.
    """
    strategy = started(mode=mode, refresh=1)
    strategy.next(2)
    for i in range(9):
        strategy.visit(page(f"http://news{i}.example/", "bread"))
    strategy.visit(page(SEEDS[0], 'dealer <a href="http://next.example/"></a>'))
    candidate = strategy.frontier.get("http://next.example/")
    assert candidate is not None
    assert candidate.parts["content"] == pytest.approx(log(ratio))


def test_nothing_is_kept_of_candidates_that_failed() -> None:
    strategy = started()
    strategy.next(2)
    strategy.visit(page(SEEDS[0], '<a href="http://a.example/">a</a><a href="http://b.example/">b</a>'))
    for link in strategy.next(1):
        strategy.fail(link.url, Reason.HTTP_ERROR)
    assert set(strategy._candidates) == {link.url for link in strategy.frontier}


def test_candidates_have_the_same_factors_one_by_one_as_all_together() -> None:
    """R109-R112, over candidates with one parent and with many, and words met after the last refresh."""
    rng = random.Random(4)
    k = Knowledge(pages=50, good_pages=20, links=Counter(pp=9, pn=3, np=4, nn=30))
    words = [f"w{i}" for i in range(40)]
    for events in (k.words, k.tokens):
        for _ in range(50):
            events.add(events.numbered(rng.sample(words[:30], 8)), good=rng.random() < 0.4)
    interest = Interest(k, 0.5, corrected=False)
    known = k.log_ratios(k.words, 0.5, corrected=False)
    parents = [
        Parent(rng.random() < 0.5, k.words.numbered(rng.sample(words, 9)), visited=5, visited_good=i % 5)
        for i in range(12)
    ]
    parents.append(Parent(False, k.words.numbered([])))
    candidates = [
        Candidate(tuple(rng.sample(words, n % 4)), parents=rng.sample(parents, 1 + n % 12)) for n in range(30)
    ]
    assert max(len(candidate.parents) for candidate in candidates) > FEW_PARENTS
    together = interest.factors_of_all(candidates)
    for parent in parents:
        interest.weigh(parent)
    for candidate, expected in zip(candidates, together.T, strict=True):
        candidate.url = interest.of_url(candidate.tokens)
        assert interest.factors(candidate) == pytest.approx(tuple(expected))
        said = {w for p in candidate.parents for w in p.words.tolist()}
        assert expected[0] == pytest.approx(sum(known[w] for w in said if w < len(known)))
    assert interest.factors_of_all([]).shape == (4, 0)


def test_the_factors_weigh_alike_on_average() -> None:
    """R113, A28."""
    strategy = started(refresh=60)
    feed(strategy)
    strategy.next(0)
    links = list(strategy.frontier)
    for name, weight in strategy.weights.items():
        mean = sum(abs(link.parts[name]) for link in links) / len(links)
        assert weight * mean == pytest.approx(1.0)
    best = links[0]
    assert best.score == pytest.approx(sum(strategy.weights[name] * best.parts[name] for name in best.parts))


def test_a_link_counts_whichever_of_its_pages_was_crawled_first() -> None:
    """R107, IC §4 (7): both must have been crawled, and not by way of this link; one of a page to itself says
    nothing.
    """
    strategy = started()
    strategy.next(2)
    strategy.visit(page(SEEDS[0], f'bread <a href="{SEEDS[0]}">a</a><a href="http://moved.example/">m</a>'))
    strategy.visit(page(SEEDS[1], f'dealer <a href="{SEEDS[0]}">back</a><a href="{SEEDS[0]}">again</a>'))
    assert strategy.knowledge.links == Counter(pn=1)
    strategy.visit(page("http://old.example/", f'dealer <a href="{SEEDS[1]}">x</a>', "http://moved.example/"))
    assert strategy.knowledge.links == Counter(pn=1, np=1, pp=1)
    strategy.visit(page("http://last.example/", 'bread <a href="http://old.example/">x</a>'))
    assert strategy.knowledge.links == Counter(pn=1, np=2, pp=1)


def test_a_link_to_a_page_in_hand_counts_when_that_has_come() -> None:
    """R107: with many connections pages come in another order than they were asked for."""
    strategy = started(refresh=1)
    strategy.next(2)
    strategy.visit(page(SEEDS[0], '<a href="http://slow.example/">x</a>'))
    assert [link.url for link in strategy.next(1)] == ["http://slow.example/"]
    strategy.visit(page(SEEDS[1], 'dealer <a href="http://slow.example/">x</a>'))
    strategy.visit(page("http://slow.example/", "dealer"))
    assert strategy.knowledge.links == Counter(np=1, pp=1)
    assert not strategy._candidates


def test_siblings_that_were_crawled_before_the_page_that_links_to_them_count() -> None:
    """R112: of four pages one is a dealer, so of two siblings half a dealer is expected, and one is there."""
    strategy = started(mode="paper", factors="sibling")
    strategy.next(2)
    for url, body in zip((*SEEDS, "http://a.example/"), ("dealer", "bread", "bread"), strict=True):
        strategy.visit(page(url, body))
    hub = f'bread <a href="{SEEDS[0]}">d</a><a href="{SEEDS[1]}">b</a><a href="http://new.example/">n</a>'
    *_, candidate = strategy.visit(page("http://hub.example/", hub))
    assert candidate.parts["sibling"] == pytest.approx(log(1 / (2 * 1 / 4)))


def test_seeds_stay_first_even_if_pages_link_to_them() -> None:
    strategy = started(refresh=1)
    strategy.next(1)
    strategy.visit(page(SEEDS[0], f'dealer <a href="{SEEDS[1]}">x</a><a href="http://z.example/">z</a>'))
    assert [link.url for link in strategy.frontier] == [SEEDS[1], "http://z.example/"]
    assert strategy.frontier.get(SEEDS[1]) == ScoredLink(SEEDS[1], SEED_PRIORITY)


def test_knowledge_of_an_earlier_crawl_orders_the_first_links_of_the_next(tmp_path: Path) -> None:
    """R118."""
    first = started(refresh=20)
    feed(first)
    first.knowledge.save(tmp_path / "k.json")
    hosts = ("news", "shop", "news", "shop", "shop", "news")
    body = "".join(f'<a href="http://{host}.example/x{n}">x</a>' for n, host in enumerate(hosts))
    later = started(knowledge=str(tmp_path / "k.json"))
    later.next(2)
    later.visit(page("http://three.example/", body))
    assert ["shop" in link.url for link in later.next(6)] == [True] * 3 + [False] * 3


NO_KNOWLEDGE = {
    "another object": b"{}",
    "no object": b"[1]",
    "no JSON": b"hello",
    "no text": b"\xff\xfe\x9b",
    "no counts": KNOWN % b'["mall"]',
    "counts of another kind": KNOWN % b'{"mall": "many"}',
    "a count beyond all numbers": KNOWN % b'{"mall": 1000000000000000000000000}',
    "fewer than none": KNOWN % b'{"mall": -1}',
}


@pytest.mark.parametrize("content", NO_KNOWLEDGE.values(), ids=NO_KNOWLEDGE.keys())
def test_a_file_that_is_no_knowledge_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "k.json").write_bytes(content)
    with pytest.raises(UnknownOption, match=r"option knowledge: .*not the knowledge of a crawl; give a file"):
        started(knowledge=str(tmp_path / "k.json"))
    with pytest.raises(UnknownOption, match="No such file"):
        started(knowledge=str(tmp_path / "none.json"))


def test_without_a_predicate_pages_like_the_keywords_are_good() -> None:
    strategy = make_strategy("intelligent", random.Random(1), relevance=0.5)
    assert isinstance(strategy, Intelligent)
    strategy.start(TOPIC)
    assert strategy.is_good(page(SEEDS[0], "pump makers"))
    assert not strategy.is_good(page(SEEDS[0], "bread and wine and cheese and a pump"))


def test_the_list_never_holds_more_than_its_size() -> None:
    """R114."""
    strategy = started(max_frontier=5)
    strategy.next(2)
    strategy.visit(page(SEEDS[0], "".join(f'<a href="/{i}">x</a>' for i in range(9))))
    assert len(strategy) == 5
    assert strategy.dropped == 4


def test_a_link_of_a_menu_is_weighed_in_time_by_the_new_page_and_as_if_from_nothing() -> None:
    """R109: each word of its many parents counts once, whether they came one by one or all at once."""
    k = Knowledge(pages=1_000, good_pages=100)
    k.words = Events({f"w{i}": 50 for i in range(5_000)}, {f"w{i}": i % 50 for i in range(5_000)})
    interest = Interest(k, significance=2.0, corrected=True)
    draw = random.Random(1)
    menu = Candidate(())
    began_s = time.process_time()
    for _ in range(1_500):
        words = np.array(sorted(draw.sample(range(5_000), 300)), np.int32)
        menu.parents.append(Parent(False, words))
        interest.weigh(menu.parents[-1])
        found = interest.factors(menu)
        if len(menu.parents) == 700:
            interest.factors_of_all([menu])
    assert time.process_time() - began_s < 5.0
    anew = Candidate((), parents=menu.parents)
    assert found == pytest.approx(interest.factors(anew))
    assert interest.factors_of_all([menu])[:, 0] == pytest.approx(found)


def test_links_that_long_pages_have_in_common_are_weighed_in_time() -> None:
    """R109: the words of the pages that link to them are joined once, not for each of the links; it took
    minutes. Of more words than `MAX_STEMS` a page has no say.
    """
    body = "dealer " + "".join(f"w{i} " for i in range(12_000))
    body += "".join(f'<a href="/{i}">x</a>' for i in range(1_000))
    pages = [page(f"{seed}{i}/", f'<base href="{SEEDS[0]}">{body}') for i in range(6) for seed in SEEDS]
    strategy = started()

    def visit_all() -> None:
        for each in pages:
            strategy.visit(each)

    within_cpu_s(10.0, visit_all)
    assert len(strategy.knowledge.words.numbers) == MAX_STEMS
    assert {len(candidate.parents) for candidate in strategy._candidates.values()} >= {len(pages)}


def test_the_links_of_a_menu_are_weighed_together_as_each_by_itself() -> None:
    """R112: what became of the other links of their parents is counted once for all of them; it took a site
    of 5,000 pages minutes.
    """
    draw = random.Random(7)
    menu = "".join(f'<a href="http://m{i}.example/">m</a>' for i in range(60))
    strategy = started(refresh=40)
    pages = []
    for n in range(400):
        others = "".join(f'<a href="http://o{i}.example/">o</a>' for i in draw.sample(range(90), 3))
        body = f"{draw.choice(['dealer', 'bread'])} {menu} {others} <a href='/{n + 1}'>next</a>"
        pages.append(page(f"{SEEDS[0]}{n}", body))

    def visit_all() -> None:
        for each in pages:
            strategy.visit(each)

    within_cpu_s(8.0, visit_all)
    menus = [strategy._candidates[f"http://m{i}.example/"] for i in range(60)]
    assert len({candidate.family for candidate in menus}) == 1
    for candidate in strategy._candidates.values():
        alone = Candidate(candidate.tokens, candidate.url, [*candidate.parents])
        assert strategy._interest.factors(candidate) == pytest.approx(strategy._interest.factors(alone))
