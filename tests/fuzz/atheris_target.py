"""One target under atheris; started by fuzz.py as ``atheris_target.py NAME CORPUS -options``."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found]

sys.path.insert(0, str(Path(__file__).parents[2]))

with atheris.instrument_imports(include=["bizcrawl", "contexts", "testbed", "html5lib", "protego"]):
    from targets import TARGETS

target = TARGETS[sys.argv.pop(1)]
atheris.Setup(sys.argv, target.run)
atheris.Fuzz()
