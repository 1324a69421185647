"""What sites say, compared with what the known companies say.

Rare words count more (inverse frequency over the sites of this crawl, so that boilerplate of all company
sites counts for nothing); words on one site only are its own name, mostly, and count for nothing either;
pages that tell what a company does count more than its news and its imprint. A logistic regression learns
what tells the known companies from all other sites of the crawl, the others weighed as one against the known
as one; cosines with the known companies and with the keywords stand beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bizcrawl.companies.facts import InnerLink, PageFacts
from bizcrawl.companies.names import parse_name
from bizcrawl.companies.sites import Site, is_top_page
from bizcrawl.companies.telling import OTHER_PAGES, telling
from contexts.text import stems
from contexts.vectors import Floats, Query

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Matrix: TypeAlias = Any
"""A scipy sparse matrix; scipy has no types, and takes long to import."""

MAX_PAGES = 40
"""Pages of a site that are read; a large site is no better described by more."""
MAX_MENTIONS = 40
FIT = 10.0
"""How closely the regression follows the known companies (C of the usual formula)."""
LEAST_LIKENESS = 0.25
"""Of the known companies' own, that the ten most alike others have where any are of the business: on bizweb
0.27 to 0.53 at any number of pages. Less is chance, and must not be blown up.
"""
TELLING_WORDS = 30


@dataclass(frozen=True, slots=True)
class Wording:
    """Measures of k sites' texts, in the order in which the sites were given."""

    keywords: Floats
    """(k,) root of the cosine with the keywords, rare words weighing more; 1 is the ten highest's mean."""
    similar: Floats
    """(k,) mean cosine with the known companies; a known one is compared with the others."""
    alike: Floats
    """(k,) what the regression says; 0 is the middle of all sites, 1 the mean of the ten highest unknown or a
    quarter of the known ones' mean, whichever is more."""
    words: tuple[str, ...]
    """The stems that tell the known companies from others most, strongest first."""


def site_terms(site: Site, known: Collection[str] = ()) -> dict[str, float]:
    """Stems of a site's pages, and of what others write beside their links to it, with how often they occur.

    Pages count by what they are likely to tell: the top page and "about us" more, news and imprint less.
    What a `known` company writes is its own: it would make whatever it links to look like itself. The legal
    form of a name in a link says nothing of the business: it would make those look alike of whom nothing but
    the name is known.
    """
    terms: dict[str, float] = {}
    anchors: dict[str, InnerLink] = {}
    for page in site.pages[:MAX_PAGES]:
        for link in page.inner:
            anchors.setdefault(link.url, link)
    for page in site.pages[:MAX_PAGES]:
        weight = _weight(page, anchors.get(page.final_url))
        for stem, times in zip(page.stems, page.counts, strict=True):
            if not stem.isdigit():
                terms[stem] = terms.get(stem, 0.0) + weight * times
    others = (mention for mention in site.mentions if mention.source not in known)
    for mention in islice(others, MAX_MENTIONS):
        legal = stems(parse_name(mention.link.anchor).legal)
        for stem in stems(mention.link.entry):
            if stem not in legal:
                terms[stem] = terms.get(stem, 0.0) + 1.0
    return terms


def _weight(page: PageFacts, led_by: InnerLink | None) -> float:
    """What a word on a page counts for, by the link of the site that leads to the page, if one does."""
    if is_top_page(page):
        return 1.5
    worth = OTHER_PAGES if led_by is None else telling(led_by)
    return 1.5 if worth >= 0.8 else 0.7 if worth >= 0.3 else 0.3


def compare(
    terms: Sequence[Mapping[str, float]],
    known: Mapping[int, float],
    query: Query,
    *,
    hopeful: bool = False,
) -> Wording:
    """Compare k sites with the known companies among them and with the keywords.

    `known` gives the weight of each known company by its index: 1 for a seed. Sites of which no telling word
    is known stand in the middle; if `hopeful`, nothing speaks against them, so that they stand above most.
    """
    k = len(terms)
    names, unit, rarity = _rare_words(terms)
    zero = np.zeros(k)
    if not names:
        return Wording(zero, zero, zero, ())
    weights = np.zeros(k)
    for index, weight in known.items():
        weights[index] = weight
    unknown = weights == 0
    wanted = np.array([query.by_stem.get(name, 0.0) for name in names]) * rarity
    keywords = np.sqrt(np.maximum(np.asarray(unit @ wanted).ravel(), 0.0))
    if not known or not unknown.any():
        return Wording(keywords / _top(keywords), zero, zero, ())
    learned = _regression(unit, weights)
    alike = np.asarray(unit @ learned).ravel()
    middle = float(np.median(alike[unknown]))
    if not hopeful:
        alike[np.asarray(abs(unit).sum(axis=1)).ravel() == 0] = middle
    order = np.argsort(-learned * rarity, kind="stable")[:TELLING_WORDS]
    return Wording(
        keywords=keywords / _top(keywords[unknown]),
        similar=_cosine_with_known(unit, weights),
        alike=(alike - middle) / _unit_of_likeness(alike - middle, unknown),
        words=tuple(names[i] for i in order if learned[i] > 0),
    )


def _unit_of_likeness(alike: Floats, unknown: npt.NDArray[np.bool_]) -> float:
    """What counts as 1: the ten highest unknown, unless even these are hardly like the known companies."""
    known = float(np.mean(alike[~unknown]))
    return max(_top(alike[unknown]), LEAST_LIKENESS * known)


def _top(values: Floats) -> float:
    """Mean of the ten highest (of the highest fifth, if there are few); 1 if that is nothing."""
    n = max(1, min(10, len(values) // 5))
    top = float(np.mean(np.sort(values)[-n:])) if len(values) else 0.0
    return top if top > 0 else 1.0


def _rare_words(terms: Sequence[Mapping[str, float]]) -> tuple[list[str], Matrix, Floats]:
    """The w words that are on several sites and not on all, (k, w) rows of length 1 (or 0) of their
    frequencies weighted by rarity, and (w,) that rarity. Words on one site only are the most by far.
    """
    names, frequency = _frequencies(terms)
    if not names:
        return [], frequency, np.zeros(0)
    spread = np.bincount(frequency.indices, minlength=len(names))
    columns = np.flatnonzero((spread >= 2) & (spread < len(terms)))
    rarity: Floats = np.log(len(terms) / spread[columns])
    return [names[column] for column in columns.tolist()], _unit_rows(frequency[:, columns], rarity), rarity


def _frequencies(terms: Sequence[Mapping[str, float]]) -> tuple[list[str], Matrix]:
    """Word list, and (k, words) dampened frequencies."""
    from scipy.sparse import csr_matrix

    columns: dict[str, int] = defaultdict(count().__next__)
    indices: list[int] = []
    counts: list[float] = []
    starts = [0]
    for row in terms:
        indices.extend(map(columns.__getitem__, row))
        counts.extend(row.values())
        starts.append(len(indices))
    shape = (len(terms), len(columns))
    matrix = csr_matrix((np.log1p(np.array(counts)), indices, starts), shape=shape)  # type: ignore[no-untyped-call]
    return list(columns), matrix


def _unit_rows(frequency: Matrix, rarity: Floats) -> Matrix:
    """Rows weighted by rarity, each of length 1 (or 0)."""
    weighted = frequency.copy()
    weighted.data = weighted.data * rarity[weighted.indices]
    squares = np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel()
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
    weighted.data = weighted.data / np.repeat(lengths, np.diff(weighted.indptr))
    return weighted


def _cosine_with_known(unit: Matrix, weights: Floats) -> Floats:
    """(k,) mean cosine with the known companies; each of these is compared with the others."""
    total = np.asarray(unit.T @ weights).ravel()
    raw = np.asarray(unit @ total).ravel()
    own = weights * np.asarray(unit.multiply(unit).sum(axis=1)).ravel()
    rest = np.maximum(weights.sum() - weights, 1e-9)
    result: Floats = (raw - own) / rest
    return result


def _regression(unit: Matrix, weights: Floats) -> Floats:
    """(words,) weights of a logistic regression of known against unknown, both sides weighed alike."""
    from scipy.optimize import minimize

    k = len(weights)
    known = weights > 0
    sides = np.where(known, 1.0, -1.0)
    balance = np.where(known, weights * k / (2 * weights.sum()), k / (2 * max(1, (~known).sum())))
    transposed = unit.T.tocsr()

    def loss(parameters: Floats) -> tuple[float, Floats]:
        learned, bias = parameters[:-1], parameters[-1]
        margins = sides * (np.asarray(unit @ learned).ravel() + bias)
        value = float(balance @ np.logaddexp(0.0, -margins)) + float(learned @ learned) / (2 * FIT)
        pull = -balance * sides / (1.0 + np.exp(np.minimum(margins, 500.0)))
        slope = np.append(np.asarray(transposed @ pull).ravel() + learned / FIT, pull.sum())
        return value, slope

    start = np.zeros(unit.shape[1] + 1)
    options = {"maxiter": 60, "ftol": 1e-7}
    with _linear_algebra().limit(limits=1, user_api="blas"):
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)  # type: ignore[no-untyped-call]
    result: Floats = found.x[:-1]
    return result


@cache
def _linear_algebra() -> ThreadpoolController:
    """The libraries below scipy, to keep them to one thread: at each of a thousand small steps several would
    wait for each other, for as long as twenty times all the steps where other work keeps the cores busy.
    """
    from threadpoolctl import ThreadpoolController  # after scipy: it knows the libraries that are loaded

    return ThreadpoolController()  # type: ignore[no-untyped-call]
