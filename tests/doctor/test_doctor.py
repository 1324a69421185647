"""The doctor names what is missing and the command that gets it, and its exit code says how grave it is."""

from __future__ import annotations

import json
import os
import pwd
import resource
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bizcrawl import doctor
from bizcrawl.cli import doctor as command
from bizcrawl.doctor import Finding, State
from bizcrawl.web import Response, browser
from bizcrawl.web.browser import BrowserUnavailableError
from bizcrawl.web.chromium import find_chromium
from bizcrawl.web.warc_index import user_cache

MEMINFO = "MemTotal:       8000000 kB\nMemAvailable:   {} kB\n"


@pytest.mark.parametrize(
    ("free_kb", "cgroup_max", "state"),
    [
        (4_000_000, "", State.OK),
        (4_000_000, "max\n", State.OK),
        (1_000_000, "", State.LIMITED),
        (100_000, "", State.LIMITED),
        (4_000_000, str(200 * 2**20), State.LIMITED),
    ],
)
def test_memory_is_what_is_free_within_the_container(free_kb: int, cgroup_max: str, state: State):
    assert doctor.memory(MEMINFO.format(free_kb), cgroup_max).state is state


def test_memory_that_cannot_be_known_is_no_fault():
    assert doctor.memory("", "").state is State.OK


@pytest.mark.parametrize(
    ("soft", "hard", "state", "remedy"),
    [
        (1024, 4096, State.OK, ""),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, State.OK, ""),
        (256, 4096, State.LIMITED, "ulimit -n 1024"),
        (256, 512, State.LIMITED, "limits.conf"),
    ],
)
def test_too_few_open_files_can_be_raised(soft: int, hard: int, state: State, remedy: str):
    finding = doctor.open_files(soft, hard)
    assert finding.state is state
    assert remedy in finding.remedy


def test_a_broken_library_stops_every_crawl():
    def broken() -> bool:
        raise ImportError("no module\nof that name")

    for works in (broken, lambda: False):
        finding = doctor.library("tidier", works)
        assert finding.state is State.MISSING
        assert "pip install" in finding.remedy
        assert "\n" not in finding.detail


@pytest.mark.parametrize("name", doctor.LIBRARIES)
def test_what_is_installed_here_works(name: str):
    assert doctor.library(name, doctor.LIBRARIES[name]) == Finding(name, State.OK, "works")


def test_old_pythons_are_named():
    assert doctor.python((3, 10, 9)) == Finding(
        "Python", State.MISSING, "3.10.9 is too old", "install Python 3.11 or later"
    )


def test_no_certificates_no_https():
    assert doctor.certificates({"x509_ca": 0}).remedy == "apt-get install ca-certificates"
    assert doctor.certificates({"x509_ca": 140}).state is State.OK


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    assert doctor.cache(tmp_path / "file" / "cache").state is State.LIMITED
    assert doctor.cache(tmp_path / "new" / "cache").state is State.OK


def test_who_has_no_home_is_examined_too(monkeypatch: pytest.MonkeyPatch):
    """A container may run as a number that no user has."""

    def nobody(_number: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for variable in ("HOME", "XDG_CACHE_HOME", "PLAYWRIGHT_BROWSERS_PATH"):
        monkeypatch.delenv(variable, raising=False)
    assert user_cache() == Path("/.cache/bizcrawl")
    assert find_chromium({}, lambda _: None) is None


def test_a_folder_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert doctor.disk(Path()).state is State.LIMITED
    monkeypatch.chdir(tmp_path)
    assert doctor.disk(Path()).detail.endswith(f" in {tmp_path}")


class TestBrowser:
    async def test_its_driver_is_given_a_home_where_the_user_has_none(self, monkeypatch: pytest.MonkeyPatch):
        homes: list[str | None] = []

        class Driver:
            async def start(self) -> None:
                homes.append(os.environ.get("HOME"))
                raise OSError

        def nobody(_number: int) -> None:
            raise KeyError

        page = Response("http://a.example/", 200, {}, b"", datetime.now(UTC))
        monkeypatch.setattr(browser, "async_playwright", Driver)
        monkeypatch.setattr(browser, "find_chromium", lambda: Path("/usr/bin/chromium"))
        monkeypatch.setenv("HOME", "/home/ann")
        for _ in range(2):
            with pytest.raises(BrowserUnavailableError):
                await browser.Browser("127.0.0.1:9").render(page)
            monkeypatch.delenv("HOME")
            monkeypatch.setattr(pwd, "getpwuid", nobody)
        assert homes == ["/home/ann", "/"]

    async def test_a_driver_that_dies_is_a_browser_that_does_not_start(self, monkeypatch: pytest.MonkeyPatch):
        """Playwright's own driver needs files and memory too, and has no fault of its own for it."""

        class Driver:
            async def start(self) -> None:
                raise Exception("Connection closed while reading from the driver")  # noqa: TRY002

        monkeypatch.setattr(browser, "async_playwright", Driver)
        monkeypatch.setattr(browser, "find_chromium", lambda: Path("/usr/bin/chromium"))
        page = Response("http://a.example/", 200, {}, b"", datetime.now(UTC))
        with pytest.raises(BrowserUnavailableError, match="does not start: Connection closed"):
            await browser.Browser("127.0.0.1:9").render(page)

    def test_none_is_a_limit_with_the_command_that_gets_it(self):
        finding = doctor.browser(None, False, lambda: 0.0)
        assert finding.state is State.LIMITED
        assert "apt-get install chromium-headless-shell" in finding.remedy

    def test_one_that_fails_is_named_with_why(self):
        def fails() -> float:
            raise BrowserUnavailableError("libnss3.so is missing")

        assert "libnss3.so is missing" in doctor.browser(Path("/usr/bin/chromium"), False, fails).detail

    def test_root_has_no_sandbox(self):
        assert doctor.browser(Path("/usr/bin/chromium"), True, lambda: 0.5).state is State.LIMITED
        assert doctor.browser(Path("/usr/bin/chromium"), False, lambda: 0.5).state is State.OK

    @pytest.mark.browser
    @pytest.mark.skipif(find_chromium() is None, reason="no Chromium here")
    def test_the_one_here_renders_a_page(self):
        assert 0 < doctor.render_once() < 60

    def test_it_is_looked_for_by_name_then_among_playwrights_own(self, tmp_path: Path):
        own = tmp_path / "chromium-1200" / "chrome-linux" / "chrome"
        own.parent.mkdir(parents=True)
        own.write_text("")
        environment = {"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
        paths = {"chromium": "/usr/bin/chromium", "google-chrome": "/opt/chrome"}
        assert find_chromium(environment, paths.get) == Path("/usr/bin/chromium")
        assert find_chromium(environment, lambda _: None) == own
        assert find_chromium({"BIZCRAWL_CHROMIUM": str(own)}, paths.get) == own
        assert find_chromium({"BIZCRAWL_CHROMIUM": "/nowhere"}, paths.get) is None


class TestCommand:
    @pytest.fixture
    def app(self) -> typer.Typer:
        app = typer.Typer()
        command.register(app)
        app.command("other")(lambda: None)
        return app

    @pytest.mark.parametrize(("state", "code"), [(State.OK, 0), (State.LIMITED, 0), (State.MISSING, 1)])
    @pytest.mark.parametrize("output", ["table", "json"])
    def test_exit_code_is_1_only_if_no_crawl_can_run(
        self, app: typer.Typer, monkeypatch: pytest.MonkeyPatch, state: State, code: int, output: str
    ):
        finding = Finding("subject", state, "\x1b[31mdetail", "do this")
        monkeypatch.setattr(command, "examine", lambda: iter([finding]))
        result = CliRunner().invoke(app, ["doctor", "--format", output])
        assert result.exit_code == code
        assert "do this" in result.output
        assert "\x1b[31mdetail" not in result.output

    def test_a_pipe_gets_json(self, app: typer.Typer, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(command, "examine", lambda: iter([Finding("a", State.OK, "b")]))
        result = CliRunner().invoke(app, ["doctor"])
        assert json.loads(result.output) == [{"subject": "a", "state": "ok", "detail": "b", "remedy": ""}]
