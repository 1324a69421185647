"""What "Topical Web Crawlers" claims of exploring, adapting and long crawls (Menczer, Pant and Srinivasan
2004, §4–§6).
"""

from __future__ import annotations

from testbed.claims.claim import (
    BFS,
    BFS256,
    BREADTH,
    SHARK,
    SIMILARITY,
    SPIDERS,
    TOIT,
    Claim,
    large,
    sized,
    small,
)

UNTAUGHT, UNEVOLVED = f"{SPIDERS}:learning=false", f"{SPIDERS}:evolution=false"
FIXED = f"{SPIDERS}:max_frontier=256+learning=false+evolution=false"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        f"R93 {TOIT}", "buffer 256: BFS256 pays early", "recall", ((small(BFS), small(BFS256)),), early=True
    ),
    Claim(
        f"R93 {TOIT}",
        "buffer 256: BFS256 is above BFS1 in recall at the end",
        "recall",
        ((small(BFS256), small(BFS)),),
    ),
    Claim(
        f"R93 {TOIT}",
        "SharkN gains with N, and stays below BFSN",
        "recall",
        ((small(f"{SHARK}:n=256"), small(SHARK)), (small(BFS256), small(f"{SHARK}:n=256"))),
    ),
    Claim(
        f"R94 {TOIT}",
        "BFS256 ties with InfoSpiders without learning and evolution",
        "recall",
        ((small(BFS256), FIXED),),
        equal=True,
    ),
    Claim(
        f"R94 {TOIT}",
        "BFS256 and InfoSpiders without learning and evolution tie in similarity",
        SIMILARITY,
        ((small(BFS256), FIXED),),
        equal=True,
    ),
    Claim(
        f"R94 {TOIT}",
        "BFS256 with buffer 256 is above all others at 1,000 pages",
        "recall",
        tuple(
            (small(BFS256), other)
            for other in (
                *(size(name) for size in (small, large) for name in (BREADTH, BFS, SHARK, SPIDERS)),
                small(f"{SHARK}:n=256"),
            )
        ),
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 256: InfoSpiders is better without learning and evolution",
        "recall",
        ((FIXED, small(SPIDERS)),),
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 256: evolution and learning each cost InfoSpiders recall",
        "recall",
        ((small(UNEVOLVED), small(SPIDERS)), (small(UNTAUGHT), small(SPIDERS))),
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 256: learning costs InfoSpiders similarity",
        SIMILARITY,
        ((small(UNTAUGHT), small(SPIDERS)),),
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 2,048: evolution gains InfoSpiders similarity",
        SIMILARITY,
        ((large(SPIDERS), large(UNEVOLVED)),),
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 2,048: learning makes no difference to InfoSpiders' similarity",
        SIMILARITY,
        ((large(SPIDERS), large(UNTAUGHT)),),
        equal=True,
    ),
    Claim(
        f"R95 {TOIT}",
        "the neural net's error drops sharply, rises after 100 to 300 pages and drops slowly",
        why_not="experiments keep which pages were visited and when, not what the nets thought of them",
    ),
    Claim(
        f"R96 {TOIT}",
        "InfoSpiders without learning and evolution costs less",
        "relative_cost",
        ((FIXED, small(SPIDERS)),),
    ),
    Claim(
        f"R96 {TOIT}",
        "learning adds to InfoSpiders' cost, evolution takes from it",
        "relative_cost",
        tuple(
            pair
            for size in (small, large)
            for pair in ((size(UNTAUGHT), size(SPIDERS)), (size(SPIDERS), size(UNEVOLVED)))
        ),
    ),
    Claim(
        f"R96 {TOIT}",
        "at buffer 1,024 evolution makes up for what learning costs",
        "relative_cost",
        ((sized(SPIDERS, 1024), sized(f"{SPIDERS}:learning=false+evolution=false", 1024)),),
        equal=True,
    ),
    Claim(
        f"R97 {TOIT}",
        "crawls of 50,000 pages: InfoSpiders passes BFS256 after 7,500, both stay above Breadth-First",
        why_not="the beds hold 17,692 and 8,117 pages; past a third of them recall is a matter of size",
    ),
)
