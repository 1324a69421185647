"""The fuzz targets hold for their own seeds and words, so that a fuzzer starts from something true."""

from __future__ import annotations

import random

import pytest
from fuzz import _spoiled
from targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_its_seeds_and_some_mutations(name: str) -> None:
    target = TARGETS[name]
    rng = random.Random(name)
    for seed in target.seeds:
        target.run(seed)
        for _ in range(15):
            target.run(_spoiled((seed, rng, rng.choice(target.words))))
