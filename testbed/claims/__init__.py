"""Every comparative result of the papers, as something that runs can be held against.

A claim names strategies, a measure, a number of pages as a share of the paper's, and which strategy was
better. What no recorded bed can answer is listed all the same, with the reason.
"""

from __future__ import annotations

from testbed.claims import adaptive, business, exploring, learning, topical
from testbed.claims.claim import Claim as Claim

CLAIMS: tuple[Claim, ...] = (
    *business.CLAIMS,
    *topical.CLAIMS,
    *adaptive.CLAIMS,
    *exploring.CLAIMS,
    *learning.CLAIMS,
)
