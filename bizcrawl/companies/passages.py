"""The passage of a page in which something was found: the sentences that hold most of the words in question.

Pages of companies begin with their navigation, and whoever asks why a company stands where it does wants to
read what it says of its business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from bizcrawl.companies.evidence import MAX_SNIPPET_CHARS, Evidence, as_read
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.sites import Site
from bizcrawl.companies.standing import Standing
from contexts.text import stems

Sentence: TypeAlias = tuple[str, frozenset[str]]
"""Its text and its stems."""

QUOTED_RANKS = 200
"""Companies further down are hardly looked at; their evidence keeps the beginning of the page."""
_SENTENCE_END = re.compile(r"(?:(?<=[!?…])|(?<=\w{3}\.)|(?<=[^\w\s]\.)) (?![a-zß-öø-ÿ])|(?<=[。！？])")
"""No sentence ends behind the dot of "S.A.", "Co." or "No.", nor before a small letter ("Inc. makes")."""
_PIECE = re.compile(rf"\S.{{0,{MAX_SNIPPET_CHARS - 1}}}(?!\S)|\S{{1,{MAX_SNIPPET_CHARS}}}")
"""Of a sentence that is too long, or of a text without sentences."""


def with_passages(standing: Standing) -> tuple[Evidence, ...]:
    """The evidence of a standing; what was found in the words of a company's pages quotes the sentences that
    say so, of the known companies and of those that are likely to be looked at.
    """
    keywords = {stem for stem, _ in standing.topic.query.weights}
    telling = {
        EvidenceKind.KEYWORDS: keywords,
        EvidenceKind.ALIKE: keywords | {*standing.words},
        EvidenceKind.SIMILAR: keywords | {*standing.words},
    }
    quoted = {*standing.met.known, *standing.order[:QUOTED_RANKS]}
    read: dict[str, list[list[Sentence]]] = {}
    evidence = []
    for row in standing.evidence:
        if row.kind in telling and row.company in quoted:
            if row.page not in read:
                read[row.page] = _texts_of(standing.met.sites[row.company], row.page)
            passage = telling_passage(read[row.page], telling[row.kind])
            evidence.append(replace(row, snippet=as_read(passage)) if passage else row)
        else:
            evidence.append(row)
    return tuple(evidence)


def _texts_of(site: Site, url: str) -> list[list[Sentence]]:
    """What a page of a site says of itself, its description first; nothing of a page of another site."""
    page = next((page for page in site.pages if page.final_url == url), None)
    return [] if page is None else [sentences(text) for text in (page.description, page.lead, page.opening)]


def sentences(text: str) -> list[Sentence]:
    """Sentences and parts of long ones, each with its stems."""
    pieces = chain.from_iterable(map(_PIECE.findall, _SENTENCE_END.split(" ".join(text.split()))))
    return [(piece, frozenset(stems(piece))) for piece in pieces]


def telling_passage(texts: Iterable[Sequence[Sentence]], telling: Set[str]) -> str:
    """The sentences of one text, side by side and at most `MAX_SNIPPET_CHARS` long, that hold most of the
    telling stems; of equals the first. "" if no sentence holds any.
    """
    most, best = 0, ""
    for text in texts:
        for first in range(len(text)):
            passage, held = "", frozenset[str]()
            for piece, its_stems in text[first:]:
                passage = f"{passage} {piece}".lstrip()
                held |= telling & its_stems
                if not held or len(passage) > MAX_SNIPPET_CHARS:
                    break
                if len(held) > most:
                    most, best = len(held), passage
    return best
