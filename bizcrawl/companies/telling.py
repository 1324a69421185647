"""Which pages of a site tell what its company does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import InnerLink, PageFacts
from bizcrawl.companies.names import fold, fold_label

OTHER_PAGES = 0.35
"""What a page tells whose link says something else than the usual divisions."""


@cache
def _cues() -> Mapping[str, float]:
    rows = (line.split("\t") for line in lines("telling.tsv"))
    return {fold(text): float(worth) for text, worth in rows}


def telling(link: InnerLink) -> float:
    """How much a page is likely to say of its company's business, 0 to 1, by the text of the link to it."""
    text = fold_label(link.anchor)
    return _cues().get(text, OTHER_PAGES if text else 0.2)


def most_telling(pages: Sequence[PageFacts]) -> list[InnerLink]:
    """Links of a site's visited pages to its others; those that likely say most of its business are first."""
    seen = {page.final_url for page in pages}
    links = {link.url: link for page in pages for link in page.inner if link.url not in seen}
    return sorted(links.values(), key=lambda link: -telling(link))
