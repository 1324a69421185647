"""What "Topical Web Crawlers" claims of crawlers, buffers and costs (Menczer, Pant and Srinivasan 2004,
§3).
"""

from __future__ import annotations

from testbed.claims.claim import BFS, BREADTH, Claim, large, sized, small

TOIT = "TOIT"
SHARK, SPIDERS = "shark-search", "infospiders"
SIMILARITY = "mean_similarity"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        f"R87 {TOIT}",
        "the PageRank crawler is worse than Best-First and than Breadth-First",
        SIMILARITY,
        ((large(BFS), "pagerank"), (large(BREADTH), "pagerank")),
    ),
    Claim(
        f"R88 {TOIT}",
        "1,000 pages, buffer 256: Best-First and InfoSpiders > Breadth-First and Shark on recall",
        "recall",
        tuple((small(a), small(b)) for a in (BFS, SPIDERS) for b in (BREADTH, SHARK)),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "the same at buffer 2,048",
        "recall",
        tuple((large(a), large(b)) for a in (BFS, SPIDERS) for b in (BREADTH, SHARK)),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "Shark and Breadth-First do not differ in recall",
        "recall",
        ((large(SHARK), large(BREADTH)),),
        equal=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 256: Best-First and InfoSpiders > Breadth-First and Shark on similarity",
        SIMILARITY,
        tuple((small(a), small(b)) for a in (BFS, SPIDERS) for b in (BREADTH, SHARK)),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 2,048: Best-First > Breadth-First and Shark on similarity",
        SIMILARITY,
        ((large(BFS), large(BREADTH)), (large(BFS), large(SHARK))),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 2,048: InfoSpiders does not differ from Breadth-First and Shark in similarity",
        SIMILARITY,
        ((large(SPIDERS), large(BREADTH)), (large(SPIDERS), large(SHARK))),
        equal=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 256: Shark and Breadth-First do not differ in recall",
        "recall",
        ((small(SHARK), small(BREADTH)),),
        equal=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 256: Shark > Breadth-First on similarity",
        SIMILARITY,
        ((small(SHARK), small(BREADTH)),),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "buffer 2,048: Shark and Breadth-First do not differ in similarity",
        SIMILARITY,
        ((large(SHARK), large(BREADTH)),),
        equal=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "Best-First leads InfoSpiders early",
        "recall",
        ((small(BFS), small(SPIDERS)),),
        early=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "by 1,000 pages Best-First and InfoSpiders do not differ at buffer 256",
        "recall",
        ((small(BFS), small(SPIDERS)),),
        equal=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "by 1,000 pages Best-First is still ahead of InfoSpiders in recall at buffer 2,048",
        "recall",
        ((large(BFS), large(SPIDERS)),),
        significant=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "by 1,000 pages Best-First and InfoSpiders do not differ in similarity",
        SIMILARITY,
        ((small(BFS), small(SPIDERS)), (large(BFS), large(SPIDERS))),
        equal=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "after 200 pages the similarity of Breadth-First, Best-First and Shark falls",
        SIMILARITY,
        tuple((size(name), size(name)) for size in (small, large) for name in (BREADTH, BFS, SHARK)),
        since=0.2,
    ),
    Claim(
        f"R89 {TOIT}",
        "after 200 pages the similarity of InfoSpiders does not fall",
        SIMILARITY,
        ((small(SPIDERS), small(SPIDERS)),),
        equal=True,
        since=0.2,
    ),
    Claim(
        f"R90 {TOIT}",
        "a larger buffer changes nothing for Breadth-First, Shark and Best-First",
        "recall",
        tuple((large(name), small(name)) for name in (BREADTH, SHARK, BFS)),
        equal=True,
    ),
    Claim(
        f"R90 {TOIT}",
        "InfoSpiders does worse with the larger buffer",
        "recall",
        ((small(SPIDERS), large(SPIDERS)),),
    ),
    Claim(
        f"R90 {TOIT}",
        "a larger buffer changes nothing in the similarity of Shark and Best-First",
        SIMILARITY,
        tuple((large(name), small(name)) for name in (SHARK, BFS)),
        equal=True,
    ),
    Claim(
        f"R90 {TOIT}",
        "Breadth-First gains similarity from buffer 256 to 512",
        SIMILARITY,
        ((sized(BREADTH, 512), small(BREADTH)),),
        significant=True,
    ),
    Claim(
        f"R90 {TOIT}",
        "InfoSpiders loses similarity with the larger buffer",
        SIMILARITY,
        ((small(SPIDERS), large(SPIDERS)),),
    ),
    Claim(
        f"R91 {TOIT}",
        "cost: Breadth-First < Best-First < Shark",
        "relative_cost",
        ((large(BREADTH), large(BFS)), (large(BFS), large(SHARK))),
    ),
    Claim(
        f"R91 {TOIT}",
        "cost of InfoSpiders is near that of Breadth-First",
        "relative_cost",
        ((large(BREADTH), large(SPIDERS)),),
        equal=True,
    ),
    Claim(
        f"R91 {TOIT}",
        "with the larger buffer Breadth-First costs less and Best-First more",
        "relative_cost",
        ((large(BREADTH), small(BREADTH)), (small(BFS), large(BFS))),
    ),
    Claim(
        f"R92 {TOIT}",
        "performance/cost: InfoSpiders first, Shark last",
        "performance_per_cost",
        (
            (large(SPIDERS), large(BFS)),
            (large(SPIDERS), large(BREADTH)),
            (large(BFS), large(SHARK)),
        ),
    ),
    Claim(
        f"R92 {TOIT}",
        "performance/cost of InfoSpiders rises with the buffer",
        "performance_per_cost",
        ((large(SPIDERS), small(SPIDERS)),),
    ),
    Claim(
        f"R92 {TOIT}",
        "performance/cost: Best-First is below Breadth-First except at buffer 256",
        "performance_per_cost",
        ((large(BREADTH), large(BFS)), (small(BFS), small(BREADTH))),
    ),
)
