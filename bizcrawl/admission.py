"""Which links may enter the frontier at all, and what became of those that may not."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from bizcrawl.download import Rules
from bizcrawl.reasons import Reason
from bizcrawl.urls import authority_of

QUEUED = "queued"


class Admission:
    """Asks the rules that need nobody's answer (scope, exclusions, traps) about links; counts each refusal.

    Deterministic, so that a replayed strategy admits what it admitted.
    """

    def __init__(self, rules: Rules) -> None:
        self.refused: Counter[Reason] = Counter()
        """Links turned away before they entered the frontier, by reason."""
        self._rules = rules
        self._in_scope = lru_cache(maxsize=65_536)(lambda authority: bool(rules.scope.host_ruling(authority)))
        self._refusal = lru_cache(maxsize=65_536)(self._look)
        """A link is asked about when its page is visited, and again when that is written down."""

    def __call__(self, url: str) -> bool:
        """Whether the frontier may take a URL."""
        reason = self._refusal(url)
        if reason is not None:
            self.refused[reason] += 1
        return reason is None

    def fate(self, url: str) -> str:
        """``queued``, or the reason for which a link was turned away; as stored with the link."""
        return self._refusal(url) or QUEUED

    def _look(self, url: str) -> Reason | None:
        """Why a URL is turned away; None if it is not.

        The scope is a matter of hosts and asked about each once, for most links of many pages lead outside.
        """
        if not self._in_scope(authority_of(url)):
            return Reason.OUT_OF_SCOPE
        return self._rules.look(url).reason
