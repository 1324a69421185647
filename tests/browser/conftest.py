"""Tests of this folder need Chromium and say so when it is not there."""

from __future__ import annotations

import pytest

from bizcrawl.web.chromium import HOW_TO_GET_IT, find_chromium


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `browser`, visibly, on a machine without one."""
    if find_chromium() is None:
        skip = pytest.mark.skip(reason=f"no Chromium here: {HOW_TO_GET_IT}")
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(skip)
