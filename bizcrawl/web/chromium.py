"""Which Chromium this machine has: the system's, or the one that Playwright keeps for itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

NAMES = (
    "chromium-headless-shell",  # starts five times faster, takes a third less memory
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge-stable",
)
"""Programs looked for on the PATH, best first."""

_OWN = (
    "chromium_headless_shell-*/chrome-*/*headless[-_]shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

HOW_TO_GET_IT = (
    "apt-get install chromium-headless-shell (Debian, Ubuntu) or: python -m playwright install chromium"
)


def find_chromium(
    environment: Mapping[str, str] = os.environ, which: Callable[[str], str | None] = shutil.which
) -> Path | None:
    """The program to start; None if there is none. ``BIZCRAWL_CHROMIUM`` names one that is to be used."""
    if named := environment.get("BIZCRAWL_CHROMIUM"):
        return Path(named) if os.path.isfile(named) else None
    for name in NAMES:
        if found := which(name):
            return Path(found)
    if _MAC.is_file():
        return _MAC
    root = Path(environment.get("PLAYWRIGHT_BROWSERS_PATH") or os.path.expanduser("~/.cache/ms-playwright"))
    return next((found for pattern in _OWN for found in sorted(root.glob(pattern), reverse=True)), None)
