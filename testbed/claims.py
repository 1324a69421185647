"""Every comparative result of the papers, as something that runs can be held against.

A claim names strategies, a measure, a number of pages as a share of the paper's, and which strategy was
better. What no recorded bed can answer is listed all the same, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

BI, TOIT, EVE, IC, EV = "BI", "TOIT", "EvE", "IC", "EV"

BFS, DOM, HUB, BREADTH = "best-first", "dom", "hub-seeking", "breadth-first"
BFS256 = "best-first:n=256"
SMALL, LARGE = "max_frontier=256", "max_frontier=2048"


def small(name: str) -> str:
    """A strategy with the smallest buffer of TOIT and EvE (R58, R100)."""
    return f"{name}{'+' if ':' in name else ':'}{SMALL}"


def large(name: str) -> str:
    """A strategy with the largest buffer of TOIT."""
    return f"{name}{'+' if ':' in name else ':'}{LARGE}"


Pairs = tuple[tuple[str, str], ...]
"""(better, worse) according to the paper."""

BI_ORDER: Pairs = ((HUB, DOM), (DOM, BFS), (BFS, BREADTH))
FIXED_INFOSPIDERS = f"infospiders:{SMALL}+learning=false+evolution=false"
BFS256_FIRST: Pairs = tuple((small(BFS256), small(f"best-first:n={n}")) for n in (1, 16, 64, 128))
EVE_ORDER: Pairs = ((small(BFS256), small("best-first:n=1")), (small("best-first:n=1"), small(BREADTH)))
EVOLVED_FIRST: Pairs = (("evolved", "evolved:weights=best-first"),)


@dataclass(frozen=True, slots=True)
class Claim:
    """One comparative result."""

    source: str
    """R number and paper."""
    text: str
    measure: str = ""
    pairs: Pairs = ()
    significant: bool = False
    """The paper claims significance, not only the order."""
    equal: bool = False
    """The paper claims that there is no significant difference."""
    early: bool = False
    """The claim is about the first tenth of the crawl."""
    bed: str = "plain"
    """Kind of bed: plain, augmented (seeds with hubs), examples or neighbours (EvE)."""
    why_not: str = ""
    """Why no recorded bed can be asked."""


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
        f"R87 {TOIT}",
        "the PageRank crawler is worse than Best-First and than Breadth-First",
        "mean_similarity",
        ((large(BFS), "pagerank"), (large(BREADTH), "pagerank")),
    ),
    Claim(
        f"R88 {TOIT}",
        "1,000 pages, buffer 256: Best-First and InfoSpiders > Breadth-First and Shark on recall",
        "recall",
        tuple((small(a), small(b)) for a in (BFS, "infospiders") for b in (BREADTH, "shark-search")),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "the same at buffer 2,048",
        "recall",
        tuple((large(a), large(b)) for a in (BFS, "infospiders") for b in (BREADTH, "shark-search")),
        significant=True,
    ),
    Claim(
        f"R88 {TOIT}",
        "Shark and Breadth-First do not differ in recall",
        "recall",
        ((large("shark-search"), large(BREADTH)),),
        equal=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "Best-First leads InfoSpiders early",
        "recall",
        ((small(BFS), small("infospiders")),),
        early=True,
    ),
    Claim(
        f"R89 {TOIT}",
        "by 1,000 pages Best-First and InfoSpiders do not differ at buffer 256",
        "recall",
        ((small(BFS), small("infospiders")),),
        equal=True,
    ),
    Claim(
        f"R90 {TOIT}",
        "a larger buffer changes nothing for Breadth-First, Shark and Best-First",
        "recall",
        tuple((large(name), small(name)) for name in (BREADTH, "shark-search", BFS)),
        equal=True,
    ),
    Claim(
        f"R90 {TOIT}",
        "InfoSpiders does worse with the larger buffer",
        "recall",
        ((small("infospiders"), large("infospiders")),),
    ),
    Claim(
        f"R91 {TOIT}",
        "cost: Breadth-First < Best-First < Shark",
        "relative_cost",
        ((large(BREADTH), large(BFS)), (large(BFS), large("shark-search"))),
    ),
    Claim(
        f"R91 {TOIT}",
        "cost of InfoSpiders is near that of Breadth-First",
        "relative_cost",
        ((large(BREADTH), large("infospiders")),),
        equal=True,
    ),
    Claim(
        f"R92 {TOIT}",
        "performance/cost: InfoSpiders first, Shark last",
        "performance_per_cost",
        (
            (large("infospiders"), large(BFS)),
            (large("infospiders"), large(BREADTH)),
            (large(BFS), large("shark-search")),
        ),
    ),
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
        ((small("shark-search:n=256"), small("shark-search")), (small(BFS256), small("shark-search:n=256"))),
    ),
    Claim(
        f"R94 {TOIT}",
        "BFS256 ties with InfoSpiders without learning and evolution",
        "recall",
        ((small(BFS256), FIXED_INFOSPIDERS),),
        equal=True,
    ),
    Claim(
        f"R95 {TOIT}",
        "buffer 256: InfoSpiders is better without learning and evolution",
        "recall",
        ((FIXED_INFOSPIDERS, small("infospiders")),),
    ),
    Claim(
        f"R96 {TOIT}",
        "InfoSpiders without learning and evolution costs less",
        "relative_cost",
        ((FIXED_INFOSPIDERS, small("infospiders")),),
    ),
    Claim(
        f"R97 {TOIT}",
        "crawls of 50,000 pages: InfoSpiders passes BFS256 after 7,500 pages",
        why_not="the beds hold 17,692 and 8,117 pages; past a third of them recall is a matter of size",
    ),
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
        ((small("best-first:n=1"), small(BFS256)),),
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
    Claim(
        f"R116 {IC}",
        "harvest rates of 33 to 41 % on shopping, automobiles and sports pages",
        why_not="the pages, classes and start pages of 2001 are gone; `crawl --predicate` reports such rates",
    ),
    Claim(
        f"R117 {IC}",
        "the composite of all factors is about as good as the best single factor",
        "harvest_rate",
        tuple(("intelligent", f"intelligent:factors={f}") for f in ("content", "url", "link", "sibling")),
    ),
    Claim(
        f"R118 {IC}",
        "knowledge of an earlier crawl raises the harvest of a narrower one (42 against 28 %)",
        why_not="experiments start every crawl without knowledge; `--set knowledge=` carries it over",
    ),
    Claim(
        f"R130 {EV}",
        "evolved weights > Best-First in harvest at 10,000 and 20,000 pages",
        "harvest_rate",
        EVOLVED_FIRST,
    ),
    Claim(f"R131 {EV}", "evolved weights give higher cohesiveness", "cohesiveness", EVOLVED_FIRST),
    Claim(f"R132 {EV}", "evolved weights stay nearer to the seeds", "distance", EVOLVED_FIRST),
)
