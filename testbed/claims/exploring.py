"""What "Exploration versus Exploitation in Topic Driven Crawlers" claims (Pant, Srinivasan and Menczer 2002,
§5).
"""

from __future__ import annotations

from testbed.claims.claim import BFS256, BREADTH, Claim, Pairs, small

EVE = "EvE"
BFS1 = small("best-first:n=1")
BFS256_FIRST: Pairs = tuple((small(BFS256), small(f"best-first:n={n}")) for n in (1, 16, 64, 128))
EVE_ORDER: Pairs = ((small(BFS256), BFS1), (BFS1, small(BREADTH)))
BREADTH_LAST: Pairs = ((small(BFS256), small(BREADTH)), (BFS1, small(BREADTH)))
BETWEEN: Pairs = tuple((small(f"best-first:n={n}"), BFS1) for n in (16, 64, 128))

CLAIMS: tuple[Claim, ...] = (
    Claim(
        f"R104 {EVE}",
        "from examples, buffer 256: BFS256 fetches most of the lexically best pages",
        "static_lexical",
        BFS256_FIRST,
        bed="examples",
    ),
    Claim(
        f"R104 {EVE}",
        "the same for pages with most keywords and PageRank",
        "static_linkage",
        BFS256_FIRST,
        bed="examples",
    ),
    Claim(
        f"R104 {EVE}",
        "BFS256 has the best dynamic lexical rank",
        "dynamic_lexical",
        BFS256_FIRST,
        bed="examples",
    ),
    Claim(
        f"R104 {EVE}",
        "BFS256 pays early on the linkage rank",
        "dynamic_linkage",
        ((BFS1, small(BFS256)),),
        early=True,
        bed="examples",
    ),
    Claim(
        f"R105 {EVE}",
        "from neighbours: BFS256 > BFS1 on the static lexical measure, Breadth-First last",
        "static_lexical",
        EVE_ORDER,
        bed="neighbours",
    ),
    Claim(
        f"R105 {EVE}", "the same on the static linkage measure", "static_linkage", EVE_ORDER, bed="neighbours"
    ),
    Claim(
        f"R105 {EVE}",
        "recall of the examples: BFS256 > BFS1 > Breadth-First",
        "recall",
        EVE_ORDER,
        bed="neighbours",
    ),
    *(
        claim
        for measure, by in (("lexical", "by their words"), ("linkage", "by keywords and PageRank"))
        for claim in (
            Claim(
                f"R104 {EVE}",
                f"from examples: BFS256 fetches most of the tenth of the pages that is best {by}",
                f"static_{measure}",
                BFS256_FIRST,
                early=True,
                bed="examples",
            ),
            Claim(
                f"R104 {EVE}",
                f"from examples: BFS16 to BFS128 fetch more of the pages best {by} than BFS1",
                f"static_{measure}",
                BETWEEN,
                bed="examples",
            ),
            Claim(
                f"R105 {EVE}",
                f"from neighbours: BFS256 pays early on the {measure} rank",
                f"dynamic_{measure}",
                ((BFS1, small(BFS256)),),
                early=True,
                bed="neighbours",
            ),
            Claim(
                f"R105 {EVE}",
                f"from neighbours: Breadth-First is last on the {measure} rank",
                f"dynamic_{measure}",
                BREADTH_LAST,
                bed="neighbours",
            ),
        )
    ),
)
