"""What each sign is worth: the weights that a crawl begins with, and what it learns to add to them.

The weights a crawl begins with stand in ``weights.json`` and were chosen on the train half of a test bed
(docs/apprentice.md). `Correction` is a ridge regression, fitted anew as pages come in, of what the followed
links brought on the signs they had when they were chosen: where the weights promised too much or too
little, they are corrected. No label is used; what a page brought is judged by the crawl itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from bizcrawl.collection.replacing import replacing
from bizcrawl.errors import WrongUse
from bizcrawl.strategies.apprenticeship.signs import NAMES, Floats32
from bizcrawl.text_files import json_in, number_in
from contexts.vectors import Floats

WANTED = "give a file that --keep-knowledge wrote for the apprentice"
MAX_WEIGHT = 1e6
"""Those of the product are below 3; sums and squares of greater ones might be beyond floats of 32 bits."""
MIN_OUTCOMES = 40
"""Followed links before the weights are corrected at all."""
RIDGE = 30.0
"""Strength with which corrections are drawn to zero, in followed links."""
LEAST_SCALE = 0.5
LEAST_SPREAD = 0.05
"""Signs that vary less are treated as if they varied so much: little can be learned from them."""


@cache
def load_weights(path: str = "") -> Floats32:
    """(len(NAMES),) weights from a JSON object of sign and weight, or the product's own.

    Signs that are left out weigh nothing. Raises `WrongUse` for a file that holds something else.
    """
    if path:
        try:
            text = Path(path).read_bytes()
        except OSError as error:
            raise WrongUse(f"{path}: cannot be read ({error.strerror or error}); {WANTED}") from error
    else:
        text = (resources.files("bizcrawl.strategies.apprenticeship") / "weights.json").read_bytes()
    try:
        values = {str(sign): number_in(weight) for sign, weight in json_in(text).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise WrongUse(f"{path}: not a JSON object of signs and weights; {WANTED}") from error
    if unknown := sorted(set(values) - set(NAMES)):
        raise WrongUse(f"{path}: no sign is called {unknown[0]!r}; {WANTED}")
    if great := [sign for sign, weight in values.items() if abs(weight) > MAX_WEIGHT]:
        raise WrongUse(f"{path}: the weight of {great[0]} is beyond {MAX_WEIGHT:g}; {WANTED}")
    return np.array([values.get(name, 0.0) for name in NAMES], np.float32)


@dataclass(frozen=True, slots=True)
class Learned:
    """Weights as a crawl left them, for a crawl of another topic to begin with (R118)."""

    weights: Floats32

    def save(self, path: Path) -> None:
        """Write them as `load_weights` reads them."""
        values = {name: round(float(weight), 5) for name, weight in zip(NAMES, self.weights, strict=True)}
        with replacing(path) as file:
            file.write(
                json.dumps({name: weight for name, weight in values.items() if weight}, indent=2).encode()
            )


class Correction:
    """What a crawl has learned to add to the weights it began with.

    Sums of products of signs and rewards are all that is kept, so memory and time don't grow with the crawl.
    """

    def __init__(self, weights: Floats32, rate: float) -> None:
        """`rate` is the share of the regression's correction that is applied; 0 learns nothing."""
        n = len(weights)
        self.weights = weights
        """The weights as they stand."""
        self._prior = weights.astype(float)
        self._rate = rate
        self._seen = 0
        self._products = np.zeros((n + 2, n + 2))
        """Sums of products of (signs, 1, reward)."""

    def see(self, signs: Floats32, reward: float) -> None:
        """A link with these signs was followed and brought so much."""
        self._seen += 1
        row = np.concatenate((signs, (1.0, reward)))
        self._products += np.outer(row, row)

    def fit(self) -> None:
        """Correct the weights by all that was seen."""
        if self._seen < MIN_OUTCOMES or not self._rate:
            return
        n = len(self._prior)
        squares, sums, rewards = (self._products[:n, part] for part in (slice(n), n, n + 1))
        scale, offset = self._promise(squares, sums, rewards)
        means = sums / self._seen
        spread = np.sqrt(np.maximum(np.diag(squares) / self._seen - means**2, 0)) + LEAST_SPREAD
        covered = (squares - np.outer(means, sums)) / np.outer(spread, spread)
        surprise = (rewards - scale * (squares @ self._prior) - offset * sums) / spread
        change = np.linalg.solve(covered + RIDGE * np.eye(n), surprise) / spread
        # rewards and values have scales of their own; a promise that fails altogether is no scale
        self.weights = (self._prior + self._rate * change / max(scale, LEAST_SCALE)).astype(np.float32)

    def _promise(self, squares: Floats, sums: Floats, rewards: Floats) -> tuple[float, float]:
        """Slope and offset of the rewards over what the first weights promised, by least squares."""
        promised = self._prior @ sums
        variance = self._prior @ squares @ self._prior - promised**2 / self._seen
        total = float(self._products[-2, -1])
        if variance <= 0:
            return 0.0, total / self._seen
        slope = (self._prior @ rewards - promised * total / self._seen) / variance
        return float(slope), float(total - slope * promised) / self._seen
