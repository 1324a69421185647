"""Public test suites, taken from source distributions: fetched once, pinned by hash, kept below build/."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "build" / "sdists"
PINNED = {
    "protego-0.7.0": "2c032d9736a1f4f0c4318f3558353ae34da5cd038f1a5e064ded7548df315e5a",
    "gpyrobotstxt-1.0.0": "d25f223a728f5e37166a1f58418b01140a2d6912e0cc34f91eefd4094d37c71b",
}


def unpacked(release: str) -> Path:
    """Folder of a release's source; skips the test, saying why, when it cannot be had."""
    folder = FOLDER / release
    if folder.exists():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    name, _, version = release.rpartition("-")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        name,
        "-d",
        str(FOLDER),
    ]
    try:
        subprocess.run([*command, f"{name}=={version}"], check=True, capture_output=True, timeout=90)
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"the source of {release} cannot be downloaded here ({type(error).__name__})")
    archive = FOLDER / f"{release}.tar.gz"
    if hashlib.sha256(archive.read_bytes()).hexdigest() != PINNED[release]:
        pytest.fail(f"{archive.name} is not the release that was pinned")
    with tarfile.open(archive) as source:
        source.extractall(FOLDER, filter="data")
    return folder
