"""What may speak for or against a company, by name; `weights.tsv` says how much each counts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class EvidenceKind(StrEnum):
    """Kinds of evidence; the values stand in `evidence.kind`."""

    KEYWORDS = "keywords"
    """Its pages say the keywords."""
    SIMILAR = "similar"
    """Its pages are like those of the known companies, by their cosine."""
    ALIKE = "alike"
    """It writes about what tells the known companies from others."""
    LISTED = "listed"
    """Together with known companies in a list of a directory, an association, a fair, a publication."""
    PARTNERED = "partnered"
    """Together with known companies in a list on some company's site."""
    SMALL = "small"
    """A small site that few others link to: young, or easily overlooked."""
    LINKED = "linked"
    """A known company links to it, or the other way round."""
    UNVERIFIED = "unverified"
    """Its pages were not visited."""
    UNCLEAR = "unclear"
    """Its pages do not say that it is a company."""


MEANINGS: Mapping[str, str] = {
    EvidenceKind.LISTED: "is listed with your companies, or others of the kind, on neutral pages",
    EvidenceKind.PARTNERED: "is listed with your companies, or others of the kind, on a company's own page",
    EvidenceKind.ALIKE: "writes about what your companies write about",
    EvidenceKind.KEYWORDS: "its pages use the keywords",
    EvidenceKind.LINKED: "links to one of your companies, or one of them to it",
    EvidenceKind.SIMILAR: "cosine of its pages with your companies'; shown, not counted",
    EvidenceKind.SMALL: "a small site that few link to",
    EvidenceKind.UNVERIFIED: "its pages were not visited",
    EvidenceKind.UNCLEAR: "its pages do not say that it is a company",
}
"""Each kind of evidence in a few words, for those who read it; docs/companies.md has the formulas."""
