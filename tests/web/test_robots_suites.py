"""The public robots.txt suites, run through `bizcrawl.robots.rules` as a crawl uses it.

Google's own cases (gpyrobotstxt's port of robots_test.cc) and protego's, with its 4,000 files of real sites.
Each suite is loaded as it is published, with its parser replaced by ours; none of it is kept in this
repository.
"""

from __future__ import annotations

import asyncio
import importlib.util
import math
import sys
import time
import types
import unittest
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sdists import unpacked

from bizcrawl.robots.rules import Robots
from bizcrawl.urls import parse
from bizcrawl.web import Request, Response

SITE = "http://foo.bar"


class OneFile:
    """A web with nothing but one robots.txt."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def fetch(self, request: Request) -> Response:
        return Response(request.url, 200, {}, self.body, datetime(2026, 11, 28, tzinfo=UTC))

    async def close(self) -> None:
        pass


def allowed(body: bytes, agent: str, url: str) -> bool:
    """Ask as a crawl does: with a URL as WHATWG writes it, and the crawler's name alone."""
    robots = Robots(OneFile(body), lambda: 0.0, agent, max_crawl_delay_s=math.inf)
    url = url if "://" in url else SITE + url
    return bool(asyncio.run(robots.ruling(parse(url) or url)))


class Matcher:
    """Stands for gpyrobotstxt's RobotsMatcher."""

    def one_agent_allowed_by_robots(self, robotstxt: str | bytes, agent: str, url: str) -> bool:
        body = robotstxt if isinstance(robotstxt, bytes) else robotstxt.encode("utf-8", "surrogateescape")
        return allowed(body, agent, url)


class Parser:
    """Stands for protego's Protego, as far as a crawl asks it."""

    def __init__(self, content: str) -> None:
        self._body = content.encode()

    @classmethod
    def parse(cls, content: str) -> Parser:
        return cls(content)

    def can_fetch(self, url: str, agent: str) -> bool:
        return allowed(self._body, agent, url)

    def crawl_delay(self, agent: str) -> float | None:
        robots = Robots(OneFile(self._body), lambda: 0.0, agent, max_crawl_delay_s=math.inf)
        asyncio.run(robots.ruling(f"{SITE}/"))
        return robots.delay_s(f"{SITE}/")


def loaded(name: str, path: Path, **stand_ins: types.ModuleType) -> types.ModuleType:
    """A published test module, with some of its imports replaced."""
    before = {module: sys.modules.get(module) for module in stand_ins}
    sys.modules.update({module.replace("__", "."): stand_in for module, stand_in in stand_ins.items()})
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        for replaced in stand_ins:
            real = before[replaced]
            if real is None:
                del sys.modules[replaced.replace("__", ".")]
            else:
                sys.modules[replaced] = real


def module_with(name: str, **contents: object) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(contents)
    return module


NOT_GOOGLE_S = {
    "test_ID_VerifyValidUserAgentsToObey": "asks a function of Google's that no crawl needs",
    "test_GoogleOnly_AcceptUserAgentUpToFirstSpace": "calls a crawler by two words, which no User-Agent can",
    "test_GoogleOnly_LineTooLong": "Google's own limit on lines; the address is longer than we fetch",
    "test_ID_Encoding": "asks with an address that was not encoded, which a crawl never has",
}


NOT_PROTEGO_S = {
    "test_generosity": "calls a crawler by two words, which no User-Agent can",
    "test_unicode_url_and_useragent": "calls a crawler by letters that no User-Agent can hold",
    "test_grouping_unknown_keys": "lets an unknown record end a group, which RFC 9309 2.2.4 forbids",
}


def google_cases() -> Iterator[unittest.TestCase]:
    folder = unpacked("gpyrobotstxt-1.0.0")
    parent = module_with("gpyrobotstxt", __path__=[])
    matcher = module_with("gpyrobotstxt.robots_cc", RobotsMatcher=Matcher)
    path = folder / "test" / "test_google_only_system.py"
    module = loaded("google_cases", path, gpyrobotstxt=parent, gpyrobotstxt__robots_cc=matcher)
    for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
        assert isinstance(suite, unittest.TestSuite)
        for case in suite:
            assert isinstance(case, unittest.TestCase)
            yield case


def test_google_s_own_cases() -> None:
    cases = list(google_cases())
    assert len(cases) >= 16
    wrong = {}
    for case in cases:
        result = unittest.TestResult()
        case.run(result)
        name = case.id().rpartition(".")[2]
        if name not in NOT_GOOGLE_S and not result.wasSuccessful():
            wrong[name] = (result.failures + result.errors)[0][1]
    assert not wrong, wrong


def protego_cases(file: str) -> list[tuple[str, object]]:
    folder = unpacked("protego-0.7.0")
    module = loaded(f"protego_{file}", folder / "tests" / f"{file}.py", protego=stand_in_for_protego())
    return sorted((name, value) for name, value in vars(module).items() if name.lower().startswith("test"))


def stand_in_for_protego() -> types.ModuleType:
    import protego

    return module_with("protego", Protego=Parser, __path__=protego.__path__)


def test_protego_s_examples_of_google_s_specification() -> None:
    asked = 0
    for _, function in protego_cases("test_on_google_spec"):
        (mark,) = [mark for mark in function.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
        for values in mark.args[1]:
            if any("Mozilla" in str(value) for value in values):
                continue  # our name is what stands first in our User-Agent
            function(*values)  # type: ignore[operator]
            asked += 1
    assert asked > 60


def test_protego_s_own_cases_of_what_may_be_fetched() -> None:
    wrong, run = {}, 0
    for _, group in protego_cases("test_protego"):
        if not isinstance(group, type):
            continue
        for name in dir(group):
            if not name.startswith("test") or name in NOT_PROTEGO_S:
                continue
            try:
                getattr(group(), name)()
                run += 1
            except (AttributeError, TypeError):
                continue  # about sitemaps, visit times and other things that a crawl does not ask
            except AssertionError as error:
                wrong[name] = str(error)
    assert run >= 30
    assert not wrong, wrong


async def test_four_thousand_real_files_are_read_in_bounded_time() -> None:
    files = [path for path in (unpacked("protego-0.7.0") / "tests" / "test_data").iterdir() if path.is_file()]
    assert len(files) > 4_000
    slowest_s = 0.0
    for path in files:
        started_s = time.process_time()
        robots = Robots(OneFile(path.read_bytes()), lambda: 0.0, "bizcrawl", max_crawl_delay_s=math.inf)
        for path_asked in ("/", "/products/item-7?ref=a%20b"):
            await robots.ruling(SITE + path_asked)
        slowest_s = max(slowest_s, time.process_time() - started_s)
    assert slowest_s < 2.0
