"""What sites say, compared with what the known companies say.

Rare words count more (inverse frequency over the sites of this crawl, so that boilerplate of all company
sites counts for nothing); words on one site only are its own name, mostly, and count for nothing either.
Three measures come out, each scaled so that a known company typically has 1 when it is compared with the
other known companies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from bizcrawl.companies.sites import Site
from contexts.text import stems
from contexts.vectors import Query

Floats = npt.NDArray[np.float64]
Matrix: TypeAlias = Any
"""A scipy sparse matrix; scipy has no types."""

csr_matrix: Any = sparse.csr_matrix

MAX_PAGES = 40
"""Pages of a site that are read; a large site is no better described by more."""
MAX_MENTIONS = 40
PRIOR_SITES = 2.0
"""How many sites' worth of background is mixed into what few known companies say."""
SMOOTHING_WORDS = 10.0
"""Added to the number of words of a site, so that a site of few words doesn't win by one of them."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Measures of k sites' texts, in the order in which the sites were given."""

    keywords: Floats
    """(k,) similarity with the keywords, weighted by rarity."""
    similar: Floats
    """(k,) cosine with the mean of the known companies' texts."""
    vocabulary: Floats
    """(k,) words that known companies use more than others do."""
    words: tuple[str, ...]
    """The stems that tell the known companies from others most, strongest first."""


def site_terms(site: Site) -> dict[str, float]:
    """Stems of a site's pages, and of what others write beside their links to it, with how often they
    occur."""
    terms: dict[str, float] = {}
    for page in site.pages[:MAX_PAGES]:
        for stem, count in zip(page.stems, page.counts, strict=True):
            terms[stem] = terms.get(stem, 0.0) + count
    for mention in site.mentions[:MAX_MENTIONS]:
        for stem in stems(mention.link.entry):
            terms[stem] = terms.get(stem, 0.0) + 1.0
    return terms


def compare(
    terms: Sequence[Mapping[str, float]],
    known: Mapping[int, float],
    query: Query,
) -> Wording:
    """Compare k sites with the known companies among them and with the keywords.

    `known` gives the weight of each known company by its index: 1 for a seed, less for one that only seems to
    be in the business.
    """
    k = len(terms)
    names, frequency, presence = _matrices(terms)
    if not names or not k:
        zero = np.zeros(k)
        return Wording(zero, zero, zero, ())
    spread = np.asarray(presence.sum(axis=0)).ravel()
    rarity = np.where(spread >= 2, np.log(k / np.maximum(spread, 1)), 0.0)
    weighted = frequency.multiply(rarity).tocsr()
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    unit: Matrix = csr_matrix(weighted.multiply(1 / lengths[:, None]))
    weights = np.zeros(k)
    for index, weight in known.items():
        weights[index] = weight
    similar = _cosine_with_known(unit, weights)
    odds = _log_odds(presence, spread, weights, k)
    sizes = np.sqrt(SMOOTHING_WORDS + np.asarray(presence.sum(axis=1)).ravel())
    vocabulary = np.asarray(frequency @ odds).ravel() / sizes
    wanted = np.array([query.by_stem.get(name, 0.0) for name in names]) * rarity
    keywords = np.asarray(unit @ wanted).ravel()
    order = np.argsort(-odds, kind="stable")[:30]
    strongest = tuple(names[i] for i in order if odds[i] > 0)
    return Wording(
        keywords=_scaled(keywords, weights),
        similar=_scaled(similar, weights),
        vocabulary=_scaled(vocabulary, weights),
        words=strongest,
    )


def _matrices(terms: Sequence[Mapping[str, float]]) -> tuple[list[str], Matrix, Matrix]:
    """Word list, (k, words) dampened frequencies, (k, words) presence."""
    columns: dict[str, int] = {}
    rows: list[int] = []
    cols: list[int] = []
    values: list[float] = []
    for row, counts in enumerate(terms):
        for stem, count in counts.items():
            cols.append(columns.setdefault(stem, len(columns)))
            rows.append(row)
            values.append(1.0 + log(count))
    shape = (len(terms), len(columns))
    frequency = csr_matrix((values, (rows, cols)), shape=shape)
    presence = csr_matrix((np.ones(len(values)), (rows, cols)), shape=shape)
    return list(columns), frequency, presence


def _cosine_with_known(unit: Matrix, weights: Floats) -> Floats:
    """(k,) cosine with the weighted mean of the known companies; each of these is compared with the
    others."""
    total = np.asarray(unit.T @ weights).ravel()
    raw = np.asarray(unit @ total).ravel()
    own = weights * np.asarray(unit.multiply(unit).sum(axis=1)).ravel()
    rest = np.maximum(weights.sum() - weights, 1e-9)
    result: Floats = (raw - own) / rest
    return result


def _log_odds(presence: Matrix, spread: Floats, weights: Floats, k: int) -> Floats:
    """(words,) log of how much oftener known companies use a word; 0 for words that only one of them uses."""
    among = np.asarray(presence.T @ weights).ravel()
    users = np.asarray(presence.T @ (weights > 0).astype(float)).ravel()
    rate = spread / k
    lifted = (among + PRIOR_SITES * rate) / (weights.sum() + PRIOR_SITES)
    enough = (users >= min(2, (weights > 0).sum())) & (spread >= 2)
    odds: Floats = np.where(enough, np.log(lifted / np.maximum(rate, 1e-12)), 0.0)
    return np.maximum(odds, 0.0)


def _scaled(values: Floats, weights: Floats) -> Floats:
    """Scale so that the median of seeds is 1 (that of the ten highest, if the seeds have nothing)."""
    seeds = values[weights >= 1.0]
    unit = float(np.median(seeds)) if len(seeds) else 0.0
    top = float(np.mean(np.sort(values)[-10:])) if len(values) else 0.0
    unit = max(unit, top / 4)
    return values / unit if unit > 0 else values


def keywords_from(
    terms: Iterable[Mapping[str, float]], background: Sequence[Mapping[str, float]]
) -> list[str]:
    """Ten stems that tell some sites from a background of others, strongest first: keywords when none are
    given."""
    chosen = list(terms)
    everything = [*chosen, *background]
    wording = compare(everything, dict.fromkeys(range(len(chosen)), 1.0), Query(()))
    return list(wording.words[:10])
