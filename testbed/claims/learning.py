"""What the papers on learned and on evolved crawlers claim (Aggarwal, Al-Garawi and Yu 2001; Johnson,
Tsioutsiouliklis and Giles 2003).
"""

from __future__ import annotations

from testbed.claims.claim import Claim, Pairs

IC, EV = "IC", "EV"
EVOLVED_FIRST: Pairs = (("evolved", "evolved:weights=best-first"),)

CLAIMS: tuple[Claim, ...] = (
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
        f"R117 {IC}",
        "which factor is best changes with the predicate and the start page",
        why_not="the start pages of 2001 are gone, and experiments are given no predicate",
    ),
    Claim(
        f"R130 {EV}",
        "evolved weights > Best-First in harvest at 10,000 and 20,000 pages",
        "harvest_rate",
        EVOLVED_FIRST,
    ),
    Claim(f"R131 {EV}", "evolved weights give higher cohesiveness", "cohesiveness", EVOLVED_FIRST),
    Claim(f"R132 {EV}", "evolved weights stay nearer to the seeds", "distance", EVOLVED_FIRST),
    Claim(
        f"R130 {EV}",
        "Best-First is better at 30,000 pages of dance; crawls of baseball are fitter than those of dance",
        why_not="the beds hold 17,692 and 8,117 pages, and neither of the paper's topics",
    ),
    Claim(
        f"R131 {EV}",
        "evolved weights give a more cohesive community",
        "community_cohesiveness",
        EVOLVED_FIRST,
    ),
    Claim(
        f"R132 {EV}",
        "the farthest page from the seeds is nearer with evolved weights",
        "greatest_distance",
        EVOLVED_FIRST,
    ),
)
