"""``bizcrawl serve`` as its reader sees it: what is new comes in, what was opened stays open."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from playwright.async_api import Page, async_playwright

from bizcrawl.web.chromium import find_chromium

pytestmark = pytest.mark.browser

CommandLine = Callable[..., CompletedProcess[str]]
WAIT_MS = 60_000


@asynccontextmanager
async def serving(path: Path) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bizcrawl", "serve", path, "--port", "0"),
        stderr=subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stderr is not None
    try:
        yield (await asyncio.wait_for(process.stderr.readline(), 60)).decode().split()[0], process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def looking_at(url: str) -> AsyncIterator[tuple[Page, list[str]]]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = await browser.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        await page.goto(url)
        yield page, faults
        await browser.close()


async def test_what_changes_in_the_collection_comes_into_the_open_page(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_harvest, tmp_path))
    async with serving(path) as (url, process), looking_at(url) as (page, faults):
        second = await page.locator("ol.companies > li").nth(1).get_attribute("id")
        first = page.locator("ol.companies > li details").first
        await first.locator("summary").click()
        assert not await page.get_by_role("heading", name="Rejected").count()

        done = await asyncio.to_thread(bizcrawl, "reject", path, "#2")
        assert done.returncode == 0, done.stderr
        await page.get_by_role("heading", name="Rejected").wait_for(timeout=WAIT_MS)
        rejected = page.locator("h2:text-is('Rejected') + ol.companies > li")
        assert await rejected.get_attribute("id") == second
        assert await first.get_attribute("open") is not None
        assert await page.locator("details[open]").count() == 1
        assert not faults

        process.send_signal(signal.SIGINT)
        await page.locator("body.stale").wait_for(timeout=WAIT_MS)
        assert await page.get_by_role("heading", name="Rejected").count() == 1
