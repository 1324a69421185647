"""The scores of the evolved rank functions as the paper defines them (eqs. 3-12), worked out anew, slowly."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Download = tuple[int, list[int], float]
"""A page, its links, the classifier's score of it."""


def by_definition(
    downloads: Sequence[Download], seeds: Collection[int], generations: int
) -> tuple[tuple[float, float], dict[int, list[float]]]:
    """AveOutCount and AveInCount, and the scores of all observed URLs, the first two not yet divided by
    them.
    """
    observed = list(
        dict.fromkeys([*sorted(seeds), *(u for page, links, _ in downloads for u in (page, *links))])
    )
    out = {page: list(dict.fromkeys(links)) for page, links, _ in downloads}
    svm = {page: score for page, _, score in downloads}
    community = {*seeds, *(page for page, score in svm.items() if score > 0)}
    parents = {u: [page for page in out if u in out[page]] for u in observed}
    found = {}
    for u in observed:
        above = parents[u]
        level, chain = set(above), []
        for _ in range(generations):
            values = [svm[p] for p in level]
            negative = bool(values) and max(values) < 0
            chain.append(min(values) if negative else max(values, default=0.0))
            level = {grand for p in level for grand in parents[p]}
        found[u] = [
            max((len(out[p]) for p in above), default=0),
            len(above),
            sum(p in community for p in above) / len(above) if above else 0.0,
            sum(sum(v in community for v in out[p]) / len(out[p]) for p in above),
            *chain,
        ]
    edges = sum(map(len, out.values()))
    averages = (edges / len(out), edges / len(observed)) if edges else (1.0, 1.0)
    return averages, found
