"""The evolved crawler: ranks go up and down, seeds come first, and it judges pages by what it is given."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from bizcrawl.errors import WrongUse
from bizcrawl.page import TidiedPage
from bizcrawl.reasons import Reason
from bizcrawl.relevance.classifier import Classifier
from bizcrawl.strategies import ScoredLink
from bizcrawl.strategies.evolved import Evolved, EvolvedOptions
from bizcrawl.strategies.link_signals import signal
from bizcrawl.strategies.options import Givens
from bizcrawl.strategies.rank_weights import FORMAT, RankWeights
from bizcrawl.strategies.scored import SEED_RANK
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic
from contexts.links import links
from contexts.tidy import tidy

TOPIC = Topic("coffee", ("http://seed.example/", "http://other.example/"), "coffee roasters")


def page(url: str, *targets: str, text: str = "", final_url: str = "") -> TidiedPage:
    anchors = "".join(f"<li><a href='http://{t}.example/'>{t}</a></li>" for t in targets)
    tree = tidy(f"<p>{text}</p><ul>{anchors}</ul>")
    url = f"http://{url}.example/"
    final_url = final_url or url
    return TidiedPage(url, final_url, links(tree, final_url), tree)


def crawler(weights: dict[str, float], good: str = "") -> Evolved:
    """A crawler that takes pages of some hosts for relevant, with score 1; others have -1."""

    def score(seen: object) -> float:
        assert isinstance(seen, TidiedPage)
        return 1.0 if seen.host.split(".")[0] in good.split() else -1.0

    made = Evolved(EvolvedOptions(), Givens(Random(0), score_page=score), weights=RankWeights(weights))
    made.start(TOPIC)
    return made


def order(strategy: Evolved) -> list[str]:
    return [link.url.removeprefix("http://").removesuffix(".example/") for link in strategy.next(100)]


def test_seeds_are_processed_first_whatever_the_ranks() -> None:
    strategy = crawler({"HUB": 1.0})
    (first,) = strategy.next(1)
    assert first.score == SEED_RANK
    strategy.visit(page("seed", *"abcdefgh"))
    assert order(strategy)[0] == "other"


def test_seeds_stay_first_even_if_pages_link_to_them() -> None:
    """R120: a crawl begins with its seeds, and their scores change as those of any URL do."""
    strategy = crawler({"COMM_out": 1.0}, good="member")
    strategy.next(1)
    strategy.visit(page("seed", "other", "member"))
    strategy.visit(page("member", "a"))  # raises COMM_out of its sibling, the seed
    assert strategy.frontier.get("http://other.example/") == ScoredLink("http://other.example/", SEED_RANK)
    assert order(strategy)[0] == "other"


def test_rank_is_the_weighted_sum_of_scores() -> None:
    strategy = crawler({"COMM_in": 3.0, "PARENT_1": 1.0}, good="seed")
    (scored,) = strategy.visit(page("seed", "a"))
    assert scored.score == pytest.approx(0.75 * 1.0 + 0.25 * 1.0)
    strategy = crawler({"COMM_in": 3.0, "PARENT_1": 1.0})
    (scored,) = strategy.visit(page("x", "a"))
    assert scored.score == pytest.approx(0.25 * -1.0)


def test_a_rank_goes_down_when_a_poor_parent_appears() -> None:
    strategy = crawler({"COMM_in": 1.0}, good="seed")
    strategy.next(2)
    strategy.visit(page("seed", "a", "b"))
    strategy.visit(page("x", "a"))
    assert order(strategy) == ["b", "a"]


def test_siblings_of_a_new_member_move_up() -> None:
    strategy = crawler({"COMM_out": 1.0}, good="good")
    strategy.next(2)
    strategy.visit(page("x", "poor", "one"))
    strategy.visit(page("y", "good", "two"))
    assert strategy.next(1)[0].url == "http://poor.example/"
    parents = {link.url: link.parent for link in strategy.frontier if "good" not in link.url}
    strategy.visit(page("good"))
    assert {link.url: link.parent for link in strategy.frontier} == parents, "links stand where they stood"
    assert order(strategy)[0] == "two"


def test_best_first_follows_the_best_parent() -> None:
    strategy = make_strategy(
        "evolved", Random(0), weights="best-first", score_page=lambda seen: len(seen.tree.text) / 100
    )
    strategy.start(TOPIC)
    strategy.next(2)
    strategy.visit(page("seed", "a", text="short"))
    strategy.visit(page("other", "b", text="rather longer"))
    assert [link.url for link in strategy.next(2)] == ["http://b.example/", "http://a.example/"]


def test_scored_links_stand_for_the_links_of_the_page_in_order() -> None:
    strategy = crawler({"HUB": 1.0})
    visited = page("seed", "a", "b", "a", "seed")
    scored = strategy.visit(visited)
    assert [link.url for link in scored] == [link.url for link in visited.links]
    assert all(link.depth == 1 and link.parent == visited.url for link in scored)


def test_parts_say_what_a_score_was_made_from() -> None:
    strategy = make_strategy("evolved", Random(0), score_page=lambda _page: 0.5)
    strategy.start(TOPIC)
    (scored,) = strategy.visit(page("seed", "a"))
    assert scored.parts["PARENT_1"] == 0.5
    assert scored.parts["COMM_in"] == 1.0
    assert set(scored.parts) == {
        "HUB",
        "AUTHORITY",
        "COMM_in",
        "COMM_out",
        *(f"PARENT_{k}" for k in range(1, 6)),
    }


def test_a_redirected_page_is_one_page_and_is_not_asked_for_again() -> None:
    strategy = crawler({"HUB": 1.0})
    strategy.next(2)
    strategy.visit(page("seed", "old"))
    strategy.next(1)
    strategy.visit(page("old", "x", final_url="http://new.example/"))
    scored = strategy.visit(page("y", "new", "old"))
    assert [link.url for link in scored] == ["http://new.example/", "http://old.example/"]
    assert order(strategy) == ["x"]
    assert len(strategy.neighbourhood.parents(strategy.neighbourhood.number("http://old.example/"))) == 2


def test_the_same_page_twice_changes_nothing() -> None:
    strategy = crawler({"HUB": 1.0})
    strategy.visit(page("x", "a"))
    scored = strategy.visit(page("x", "a"))
    assert [link.url for link in scored] == ["http://a.example/"]
    assert strategy.neighbourhood.edges == 1


def test_a_failed_url_is_not_given_out_again() -> None:
    strategy = crawler({"HUB": 1.0})
    strategy.next(2)
    strategy.visit(page("seed", "a"))
    strategy.fail("http://a.example/", Reason.DNS)
    strategy.visit(page("other", "a"))
    assert len(strategy) == 0


def test_urls_that_are_not_admitted_never_wait() -> None:
    strategy = make_strategy("evolved", Random(0), admits=lambda url: "bad" not in url)
    strategy.start(TOPIC)
    strategy.visit(page("seed", "bad", "fine"))
    assert {link.url for link in strategy.next(9)} == {"http://other.example/", "http://fine.example/"}


@pytest.mark.parametrize(
    ("givens", "member"),
    [
        ({"is_good": lambda _page: True}, True),
        ({"is_good": lambda _page: False}, False),
        ({}, True),
        ({"threshold": "0.9"}, False),
    ],
)
def test_pages_are_judged_by_a_predicate_or_else_by_the_keywords(
    givens: dict[str, object], member: bool
) -> None:
    strategy = make_strategy("evolved", Random(0), **givens)  # type: ignore[arg-type]
    assert isinstance(strategy, Evolved)
    strategy.start(TOPIC)
    strategy.visit(page("x", "a", text="coffee roasters and much else that is not of the topic at all"))
    around = strategy.neighbourhood
    assert (around.number("http://x.example/") in around.community) is member


def test_a_trained_classifier_comes_from_its_file(tmp_path: Path) -> None:
    Classifier({"coffe": 1.0}, -0.5).save(tmp_path / "model.json")
    strategy = make_strategy("evolved", Random(0), classifier=str(tmp_path / "model.json"))
    assert isinstance(strategy, Evolved)
    strategy.start(TOPIC)
    strategy.visit(page("x", text="coffee"))
    strategy.visit(page("y", text="tea"))
    around = strategy.neighbourhood
    assert around.number("http://x.example/") in around.community
    assert around.number("http://y.example/") not in around.community


def test_link_signals_rank_beside_the_structure(tmp_path: Path) -> None:
    record = {"format": FORMAT, "weights": {"PARENT_1": 0.1, "anchor": 0.9}}
    (tmp_path / "rank.json").write_text(json.dumps(record))
    strategy = make_strategy("evolved", Random(0), weights=str(tmp_path / "rank.json"))
    assert isinstance(strategy, Evolved)
    strategy.start(TOPIC)
    strategy.next(2)
    strategy.visit(page("seed", "tea", "coffee"))
    assert order(strategy) == ["coffee", "tea"]
    assert strategy.next(1) == []


def test_block_credit_goes_to_the_list_that_names_the_seeds() -> None:
    html = (
        "<ul><li><a href='http://seed.example/'>s</a><li><a href='http://other.example/'>o</a>"
        "<li><a href='http://a.example/'>a</a></ul><ul><li><a href='http://b.example/'>b</a></ul>"
    )
    tree = tidy(html)
    hub = TidiedPage("http://hub.example/", "http://hub.example/", links(tree, "http://hub.example/"), tree)
    assert signal("block")(hub, TOPIC).tolist() == pytest.approx([2 / 5, 2 / 5, 2 / 5, 0])
    assert signal("hub")(hub, TOPIC).tolist() == pytest.approx([2 / 5] * 4)


def test_words_in_the_url_speak_for_it() -> None:
    tree = tidy("<a href='/coffee-roasters/'>1</a><a href='/tea/'>2</a>")
    seen = TidiedPage("http://x.example/", "http://x.example/", links(tree, "http://x.example/"), tree)
    first, second = signal("url")(seen, TOPIC).tolist()
    assert first > 0.5 > second == 0.0


def test_an_unknown_score_names_those_there_are() -> None:
    with pytest.raises(WrongUse, match="hub, block, url, anchor, context:AGGREGATION"):
        signal("pagerank")


def test_the_same_calls_give_the_same_order() -> None:
    def crawl() -> list[ScoredLink]:
        strategy = make_strategy("evolved", Random(0))
        strategy.start(TOPIC)
        given: list[ScoredLink] = []
        for visited in (page("seed", *"abc"), page("other", *"cde"), page("c", *"aef")):
            strategy.visit(visited)
            given += strategy.next(1)
        return given

    assert crawl() == crawl()
