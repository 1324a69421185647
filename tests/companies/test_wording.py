"""What sites say beside what the known companies say: which words count, and at what cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import log, log1p, sqrt
from statistics import fmean

import numpy as np
import pytest
import scipy.optimize
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info

from bizcrawl.companies.wording import Wording, compare
from contexts.vectors import Query, cosine

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


def vectors() -> list[dict[str, float]]:
    """Each site by its words: logarithm of 1 + frequency, times ln(sites / sites with the word)."""
    spread = Counter(word for site in SITES for word in site)
    return [
        {word: log1p(times) * log(len(SITES) / spread[word]) for word, times in site.items()}
        for site in SITES
    ]


def test_sites_are_compared_with_the_known_by_cosine_and_a_known_one_with_the_others() -> None:
    """docs/companies.md: `similar` is the mean, `keywords` the root of the cosine with the keywords."""
    sites = vectors()
    wording = compare(SITES, KNOWN, Query.from_text("pumps"))
    between = cosine(sites[0], sites[1])
    assert wording.similar[:2] == pytest.approx([between, between])
    for at in range(2, len(sites)):
        expected = fmean(cosine(sites[at], sites[known]) for known in KNOWN)
        assert wording.similar[at] == pytest.approx(expected)
    roots = [sqrt(cosine(site, {"pump": 1.0})) for site in sites]
    assert wording.keywords == pytest.approx([root / roots[2] for root in roots]), "1 is the highest unknown"


@pytest.mark.parametrize("known", [{0: 1.0, 1: 1.0}, {1: 1.0}])
def test_what_is_alike_is_told_by_a_logistic_regression(known: dict[int, float]) -> None:
    """docs/companies.md: known companies against all other sites, both sides weighed alike; C is 10, and 0
    the middle of the other sites. As another implementation has it.
    """
    sites = vectors()
    words = sorted({word for site in sites for word in site})
    rows = np.array([[site.get(word, 0.0) for word in words] for site in sites])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sides = np.array([at in known for at in range(len(sites))])
    regression = LogisticRegression(C=10.0, class_weight="balanced", tol=1e-9, max_iter=10_000)
    said = rows @ regression.fit(rows, sides).coef_[0]
    said -= np.median(said[~sides])
    alike = compare(SITES, known, Query.from_text("pumps")).alike
    assert alike / abs(alike).max() == pytest.approx(said / abs(said).max(), abs=0.01)


def test_where_all_sites_are_known_none_is_more_alike_than_another() -> None:
    wording = compare(SITES[:3], {0: 1.0, 1: 1.0, 2: 1.0}, Query.from_text("seals valves"))
    assert wording.keywords.any()
    assert np.isfinite(measures(wording)).all()
    assert not wording.alike.any()


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
