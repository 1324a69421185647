"""What sites say beside what the known companies say: which words count, and at what cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
import scipy.optimize
from threadpoolctl import threadpool_info

from bizcrawl.companies.wording import Wording, compare
from contexts.vectors import Query

PUMPS = {"pump": 3.0, "valv": 2.0}
SITES: list[Mapping[str, float]] = [
    {**PUMPS, "contact": 1.0},
    {**PUMPS, "seal": 1.0, "contact": 1.0},
    {"pump": 1.0, "seal": 2.0, "contact": 1.0},
    {"bread": 4.0, "oven": 1.0, "contact": 1.0},
    {"bread": 2.0, "oven": 3.0, "contact": 1.0},
    {"oven": 1.0, "contact": 1.0},
]
KNOWN = {0: 1.0, 1: 1.0}


def measures(wording: Wording) -> np.ndarray:
    return np.array([wording.keywords, wording.similar, wording.alike])


def test_the_site_that_says_what_the_known_say_comes_before_those_that_do_not() -> None:
    wording = compare(SITES, KNOWN, Query.from_text("pumps"))
    assert wording.alike[2] > max(wording.alike[3:])
    assert wording.similar[2] > max(wording.similar[3:]) == 0
    assert wording.keywords[2] > max(wording.keywords[3:]) == 0
    assert set(wording.words) <= {"pump", "valv", "seal"}


def test_words_on_one_site_only_and_words_on_all_count_for_nothing() -> None:
    plain = compare(SITES, KNOWN, Query.from_text("pumps contact kiln"))
    more = [{**site, f"name{at}": 5.0, "cooki": 2.0} for at, site in enumerate(SITES)]
    wording = compare(more, KNOWN, Query.from_text("pumps contact kiln"))
    assert measures(wording) == pytest.approx(measures(plain))
    assert wording.words == plain.words


def test_sites_that_share_no_word_are_not_told_apart() -> None:
    wording = compare([{"pump": 1.0}, {"bread": 1.0}, {}], {0: 1.0}, Query.from_text("pumps"))
    assert not measures(wording).any()
    assert wording.words == ()


def test_a_regression_keeps_to_one_thread_and_leaves_the_others_to_whoever_asks_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    during: set[int] = set()
    minimize = scipy.optimize.minimize

    def watched(*args: object, **named: object) -> object:
        during.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return minimize(*args, **named)

    monkeypatch.setattr(scipy.optimize, "minimize", watched)
    before = threadpool_info()
    compare(SITES, KNOWN, Query.from_text("pumps"))
    assert during == {1}
    assert threadpool_info() == before
