"""What "Topical Crawling for Business Intelligence" claims (Pant and Menczer 2003, §5 and §6)."""

from __future__ import annotations

from testbed.claims.claim import BFS, BREADTH, DOM, HUB, Claim, Pairs

BI = "BI"
BI_ORDER: Pairs = ((HUB, DOM), (DOM, BFS), (BFS, BREADTH))

CLAIMS: tuple[Claim, ...] = (
    Claim(
        f"R48 {BI}",
        "Hub-Seeking > DOM > Naive Best-First > Breadth-First on target recall, original seeds",
        "recall",
        BI_ORDER,
    ),
    Claim(f"R48 {BI}", "the same order on precision", "precision", BI_ORDER),
    Claim(
        f"R49 {BI}",
        "Hub-Seeking > Naive Best-First on recall, p = .004",
        "recall",
        ((HUB, BFS),),
        significant=True,
    ),
    Claim(
        f"R50 {BI}",
        "Hub-Seeking > Naive Best-First on precision, not significant (p = .105)",
        "precision",
        ((HUB, BFS),),
    ),
    Claim(f"R51 {BI}", "the same order on recall with augmented seeds", "recall", BI_ORDER, bed="augmented"),
    Claim(
        f"R51 {BI}",
        "the same order on precision with augmented seeds",
        "precision",
        BI_ORDER,
        bed="augmented",
    ),
    Claim(
        f"R52 {BI}",
        "augmented: DOM and Hub-Seeking > Naive Best-First on recall, p = .024 and .002",
        "recall",
        ((DOM, BFS), (HUB, BFS)),
        significant=True,
        bed="augmented",
    ),
    Claim(
        f"R53 {BI}",
        "every crawler has more recall with augmented seeds, significant at .015",
        "recall",
        ((HUB, HUB), (DOM, DOM), (BFS, BFS), (BREADTH, BREADTH)),
        significant=True,
        level=0.015,
        bed="augmented over plain",
    ),
    Claim(
        f"R54 {BI}",
        "precision ends slightly lower with augmented seeds for all but Breadth-First",
        "precision",
        ((HUB, HUB), (DOM, DOM), (BFS, BFS)),
        bed="plain over augmented",
    ),
    Claim(
        f"R53 {BI}",
        "every crawler has more recall with augmented seeds early in the crawl",
        "recall",
        ((HUB, HUB), (DOM, DOM), (BFS, BFS), (BREADTH, BREADTH)),
        early=True,
        bed="augmented over plain",
    ),
    Claim(
        f"R54 {BI}",
        "precision begins higher with augmented seeds, so that it falls more steeply",
        "precision",
        ((HUB, HUB), (DOM, DOM), (BFS, BFS)),
        early=True,
        bed="augmented over plain",
    ),
    Claim(
        f"R54 {BI}",
        "precision of Breadth-First does not end lower with augmented seeds",
        "precision",
        ((BREADTH, BREADTH),),
        bed="augmented over plain",
    ),
)
