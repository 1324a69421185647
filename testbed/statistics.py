"""Whether a difference between two strategies is more than chance (R46, A19).

Values are paired by topic. The papers' test, the paired one-tailed t-test, comes first; Welch's test does
without pairing and Wilcoxon's without normality. Many pairs are compared at once, so Holm's correction
stands beside the p-values, and an effect size with its interval says what a p-value cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from contexts.vectors import Floats

BOOTSTRAPS = 10_000
CONFIDENCE = 0.95
DECIMALS = 12
"""To which differences count: beyond them they come from the order in which repeats were added up."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better one strategy is than another, topic by topic."""

    better: str
    """The strategy that is claimed to be better."""
    worse: str
    topics: int
    difference: float
    """Mean of the paired differences, in the direction of the claim."""
    low: float
    """95 % bootstrap interval of the difference."""
    high: float
    paired_p: float
    """One-tailed paired t-test: chance of such a difference if both were equal (R46)."""
    welch_p: float
    wilcoxon_p: float
    effect: float
    """Mean difference over the standard deviation of the differences (Cohen's d for pairs)."""
    effect_low: float
    effect_high: float
    wins: int
    """Topics on which the claim holds."""
    losses: int
    holm_p: float = float("nan")
    """`paired_p` corrected for all comparisons made together."""


def compare(
    better: str,
    worse: str,
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    higher_is_better: bool = True,
    random_seed: int = 0,
) -> Comparison:
    """Compare two strategies by their values per topic; topics that only one has are left out.

    With fewer than two topics no test says anything, and all figures of it are NaN.
    """
    topics = sorted(first.keys() & second.keys())
    sign = 1.0 if higher_is_better else -1.0
    a = sign * np.array([first[topic] for topic in topics])
    b = sign * np.array([second[topic] for topic in topics])
    differences = np.round(a - b, DECIMALS)
    means, effects = _bootstrap(differences, random_seed)
    return Comparison(
        better,
        worse,
        len(topics),
        float(differences.mean()) if len(topics) else float("nan"),
        *_interval(means),
        *_p_values(a, b, differences),
        _effect(differences),
        *_interval(effects),
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
    )


def untested(one: Comparison) -> Comparison:
    """The difference alone: of values that are one for each strategy, not one for each topic."""
    nan = float("nan")
    return replace(
        one,
        low=nan,
        high=nan,
        paired_p=nan,
        welch_p=nan,
        wilcoxon_p=nan,
        effect=nan,
        effect_low=nan,
        effect_high=nan,
        wins=0,
        losses=0,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: p-values that hold for all comparisons together, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = [i for i, p in enumerate(p_values) if not np.isnan(p)]
    corrected = [float("nan")] * len(p_values)
    least = 0.0
    for rank, i in enumerate(sorted(known, key=lambda i: p_values[i])):
        least = max(least, min(1.0, (len(known) - rank) * p_values[i]))
        corrected[i] = least
    return corrected


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean, for error bars of ±1 (R45, R64); NaN for fewer than two values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _p_values(a: Floats, b: Floats, differences: Floats) -> tuple[float, float, float]:
    """One-tailed p-values of the paired t-test, Welch's test and Wilcoxon's test."""
    if len(differences) < 2:
        return (float("nan"),) * 3
    if not np.any(differences):
        # equal on every topic: nothing speaks for a difference
        return 1.0, _welch(a, b), 1.0
    if not np.ptp(differences):
        return (0.0 if differences[0] > 0 else 1.0), _welch(a, b), _wilcoxon(differences)
    paired = float(stats.ttest_1samp(differences, 0, alternative="greater").pvalue)
    return paired, _welch(a, b), _wilcoxon(differences)


def _welch(a: Floats, b: Floats) -> float:
    if max(np.ptp(a), np.ptp(b)) < 10**-DECIMALS:
        return float("nan")
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue)


def _wilcoxon(differences: Floats) -> float:
    # exact for few topics, where the normal approximation says more than so many values can
    return float(stats.wilcoxon(differences, alternative="greater", method="auto").pvalue)


def _effect(differences: Floats) -> float:
    if len(differences) < 2:
        return float("nan")
    deviation = float(differences.std(ddof=1))
    return float(differences.mean()) / deviation if deviation > 1e-15 else float("nan")


def _bootstrap(differences: Floats, random_seed: int) -> tuple[Floats, Floats]:
    """Means and effect sizes of differences drawn with replacement, topic by topic."""
    if len(differences) < 2:
        return np.array([]), np.array([])
    rng = np.random.default_rng(random_seed)
    drawn = rng.choice(differences, size=(BOOTSTRAPS, len(differences)))
    deviations = drawn.std(axis=1, ddof=1)
    means = drawn.mean(axis=1)
    kept = deviations > 1e-15
    return means, means[kept] / deviations[kept]


def _interval(values: Floats) -> tuple[float, float]:
    if not len(values):
        return float("nan"), float("nan")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, (tail, 1 - tail))
    return float(low), float(high)
