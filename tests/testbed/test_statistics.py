"""Tests of significance, against figures worked out elsewhere."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from testbed.statistics import compare, holm, standard_error

SLEEP = {
    "1": (0.7, 1.9), "2": (-1.6, 0.8), "3": (-0.2, 1.1), "4": (-1.2, 0.1), "5": (-0.1, -0.1),
    "6": (3.4, 4.4), "7": (3.7, 5.5), "8": (0.8, 1.6), "9": (0.0, 4.6), "10": (2.0, 3.4),
}  # fmt: skip
"""Student's own data of 1908: extra hours of sleep with two drugs."""


def test_student_1908() -> None:
    """The paired t-test of R's manual: t = -4.0621, df = 9, two-sided p = 0.002833; mean difference 1.58."""
    first = {k: a for k, (a, _) in SLEEP.items()}
    second = {k: b for k, (_, b) in SLEEP.items()}
    found = compare("b", "a", second, first)
    assert found.difference == pytest.approx(1.58)
    assert found.paired_p == pytest.approx(0.002833 / 2, abs=1e-6)
    assert found.welch_p == pytest.approx(0.07939 / 2, abs=1e-5)  # R: Welch, two-sided p = 0.07939
    assert found.effect == pytest.approx(4.0621 / math.sqrt(10), abs=1e-4)
    assert (found.wins, found.losses) == (9, 0)
    assert found.low < 1.58 < found.high
    assert found.effect_low < found.effect < found.effect_high


def test_the_direction_is_the_claims() -> None:
    a, b = {"x": 1.0, "y": 2.0, "z": 4.0}, {"x": 2.0, "y": 4.0, "z": 5.0}
    assert compare("b", "a", b, a).paired_p < 0.5 < compare("a", "b", a, b).paired_p
    cost = compare("a", "b", a, b, higher_is_better=False)
    assert cost.paired_p == pytest.approx(compare("b", "a", b, a).paired_p)
    assert cost.difference > 0


def test_the_papers_p_value_and_effect_belong_together() -> None:
    """A19: p = .004 over 159 topics, paired, is d of about 0.21."""
    import numpy as np
    from scipy import stats

    d = stats.t.isf(0.004, 158) / np.sqrt(159)
    assert d == pytest.approx(0.21, abs=0.005)
    rng = np.random.default_rng(1)
    differences = rng.normal(size=159)
    differences = (differences - differences.mean()) / differences.std(ddof=1) + d
    values = {str(i): float(v) for i, v in enumerate(differences)}
    found = compare("hub", "naive", values, dict.fromkeys(values, 0.0))
    assert found.paired_p == pytest.approx(0.004, abs=1e-6)


def test_holm() -> None:
    """Holm 1979: (m - k + 1) p of the k-th smallest, never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert math.isnan(holm([float("nan"), 0.01])[0])
    assert holm([float("nan"), 0.01])[1] == 0.01


def test_topics_that_only_one_has_are_left_out() -> None:
    assert compare("a", "b", {"x": 1.0, "y": 2.0}, {"y": 1.0, "z": 0.0}).topics == 1


@pytest.mark.parametrize("pairs", [{}, {"x": (1.0, 0.0)}])
def test_one_topic_proves_nothing(pairs: dict[str, tuple[float, float]]) -> None:
    first, second = ({k: v[i] for k, v in pairs.items()} for i in (0, 1))
    assert math.isnan(compare("a", "b", first, second).paired_p)


@pytest.mark.parametrize("repeats", [3, 5, 7])
def test_repeats_that_add_up_to_a_rounding_make_no_difference(repeats: int) -> None:
    """.7 three times is not 3 × .7 in binary; a web that both crawled to its end is a tie."""
    once = {str(i): i / 10 for i in range(1, 10)}
    averaged = {topic: sum([value] * repeats) / repeats for topic, value in once.items()}
    for found in (compare("a", "b", once, averaged), compare("b", "a", averaged, once)):
        assert (found.difference, found.wins, found.losses) == (0.0, 0, 0)
        assert found.paired_p == found.wilcoxon_p == 1.0


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("equal", [False, True])
def test_wilcoxon_on_few_topics_claims_no_more_than_they_can(n: int, equal: bool) -> None:
    """All n differences of one sign: one of 2^n equally likely outcomes, however large they are."""
    won = {str(i): (0.5 if equal else 0.1 * (i + 1)) + 0.01 * (i == 0) for i in range(n)}
    assert compare("a", "b", won, dict.fromkeys(won, 0.0)).wilcoxon_p == pytest.approx(0.5**n)


def test_standard_error() -> None:
    assert standard_error([1.0, 2.0, 3.0, 4.0]) == pytest.approx(0.6454972)
    assert math.isnan(standard_error([1.0]))


class TestProperties:
    @given(st.dictionaries(st.text(max_size=3), st.tuples(*[st.floats(0, 1)] * 2), min_size=2, max_size=20))
    @settings(max_examples=15)
    def test_never_raises_and_stays_a_probability(self, pairs: dict[str, tuple[float, float]]) -> None:
        first, second = ({k: v[i] for k, v in pairs.items()} for i in (0, 1))
        found = compare("a", "b", first, second)
        for p in (found.paired_p, found.welch_p, found.wilcoxon_p):
            assert math.isnan(p) or 0 <= p <= 1

    @given(st.lists(st.floats(0, 1), max_size=12))
    def test_correction_only_raises_and_keeps_the_order(self, p_values: list[float]) -> None:
        corrected = holm(p_values)
        assert all(c >= p for c, p in zip(corrected, p_values, strict=True))
        order = sorted(range(len(p_values)), key=lambda i: p_values[i])
        assert all(corrected[a] <= corrected[b] for a, b in pairwise(order))
