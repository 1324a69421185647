"""The evolved crawler takes URLs in the order in which one takes them that works all scores out anew."""

from __future__ import annotations

from math import fsum
from random import Random

import pytest
from scores_by_definition import Download, by_definition

from bizcrawl.page import TidiedPage
from bizcrawl.strategies.evolved import Evolved, EvolvedOptions
from bizcrawl.strategies.options import Givens
from bizcrawl.strategies.rank_weights import BEST_FIRST, PAPER, RankWeights
from bizcrawl.topic import Topic
from contexts.links import Link
from contexts.tidy import tidy

PAGES = 60
SEEDS = (0, 1)
NOTHING = [0.0] * 9
EMPTY = tidy("")
Web = dict[int, tuple[list[int], float]]


def url_of(number: int) -> str:
    return f"http://{number}.example/"


def random_web(rng: Random) -> Web:
    """Links and score of each page; all shares are exact in binary, so that no tie hangs on rounding."""
    return {
        page: (rng.sample(range(PAGES), rng.choice((1, 2, 4))), rng.choice((-0.75, -0.25, 0.25, 0.5)))
        for page in range(PAGES)
    }


def taken_by_the_strategy(web: Web, weights: RankWeights) -> list[int]:
    def score(page: object) -> float:
        assert isinstance(page, TidiedPage)
        return web[int(page.host.split(".")[0])][1]

    strategy = Evolved(EvolvedOptions(), Givens(Random(0), score_page=score), weights=weights)
    strategy.start(Topic("numbers", tuple(map(url_of, SEEDS)), "numbers"))
    taken = []
    while found := strategy.next(1):
        number = int(found[0].url.removeprefix("http://").split(".")[0])
        taken.append(number)
        links = [Link(url_of(link), 0, i, "", "a", "") for i, link in enumerate(web[number][0])]
        strategy.visit(TidiedPage(found[0].url, found[0].url, links, EMPTY))
    return taken


def taken_anew(web: Web, weights: RankWeights) -> list[int]:
    """A URL is ranked when it is a link of the page or one of its scores changes; of equal ranks the one
    that was there first is the better.
    """
    names = ("HUB", "AUTHORITY", "COMM_in", "COMM_out", *(f"PARENT_{k}" for k in range(1, 6)))
    w_hub, w_authority, *others = (weights.normalised().by_score.get(name, 0.0) for name in names)
    downloads: list[Download] = []
    scores: dict[int, list[float]] = {}
    ranks = dict.fromkeys(SEEDS, 9.0)
    """Of URLs that wait, in the order in which they came to their rank."""
    while ranks:
        best = max(ranks, key=lambda u: ranks[u])
        del ranks[best]
        downloads.append((best, *web[best]))
        before = scores
        (average_out, average_in), scores = by_definition(downloads, SEEDS, 5)
        taken = {page for page, _, _ in downloads}
        for u in [u for u in scores if u not in taken]:
            if u in web[best][0] or scores[u] != before.get(u, NOTHING):
                row = zip((w_hub / average_out, w_authority / average_in, *others), scores[u], strict=True)
                rank = fsum(weight * score for weight, score in row)
                if ranks.get(u) != rank:
                    ranks.pop(u, None)
                    ranks[u] = rank
    return [page for page, _, _ in downloads]


@pytest.mark.parametrize("weights", [PAPER, BEST_FIRST, RankWeights({"COMM_in": 1.0})])
@pytest.mark.parametrize("seed", range(5))
def test_kept_up_to_date_visits_what_worked_out_anew_visits(seed: int, weights: RankWeights) -> None:
    web = random_web(Random(seed))
    taken = taken_by_the_strategy(web, weights)
    assert taken == taken_anew(web, weights)
    assert len(taken) > PAGES / 2
