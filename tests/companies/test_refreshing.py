"""A refresh asks for pages only if they have changed, over real HTTP."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess

import duckdb
import pytest

from bizcrawl.earlier_crawl import EarlierCrawl

CommandLine = Callable[..., CompletedProcess[str]]
DATE = "Sat, 28 Nov 2026 12:00:00 GMT"
HOSTS = [f"127.0.0.{n}" for n in range(2, 7)]
"""A hub and four makers of pumps, each at an address of its own."""


class Site(BaseHTTPRequestHandler):
    """Pages with an entity tag or a date; what is asked for under a condition may be answered by 304."""

    pages: dict[str, str]
    log: list[tuple[str, int]]

    def do_GET(self) -> None:
        host = self.connection.getsockname()[0]
        page = self.pages.get(f"{host}{self.path}")
        if page is None:
            self.answer(404, "")
            return
        tag = f'"{hashlib.sha256(page.encode()).hexdigest()[:12]}"'
        by_date = host == HOSTS[-1]
        asked = self.headers["If-Modified-Since"] == DATE if by_date else self.headers["If-None-Match"] == tag
        self.answer(304 if asked else 200, page, **({"Last-Modified": DATE} if by_date else {"ETag": tag}))

    def answer(self, status: int, page: str, **fields: str) -> None:
        host = self.connection.getsockname()[0]
        self.log.append((f"{host}{self.path}", status))
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        body = b"" if status == 304 else page.encode()
        if status != 304:
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    """A small web at addresses of this machine."""
    server = ThreadingHTTPServer(("0.0.0.0", 0), Site)
    port = server.server_address[1]
    makers = [f"<li><a href='http://{host}:{port}/'>Maker {host}</a> pumps</li>" for host in HOSTS[1:]]
    Site.log = []
    Site.pages = {
        f"{HOSTS[0]}/": f"<title>Members - Association of Pump Makers</title><ul>{''.join(makers)}</ul>",
        **{
            f"{host}/": f"<title>Maker{n} Ltd</title><h1>Maker{n} Ltd</h1><p>Maker{n} makes pumps and valves."
            f"<a href='http://{HOSTS[0]}:{port}/'>association</a><p>&copy; 2026 Maker{n} Ltd"
            for n, host in enumerate(HOSTS[1:])
        },
    }
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield port
    server.shutdown()
    server.server_close()


@pytest.fixture
def harvest(bizcrawl: CommandLine, port: int, tmp_path: Path) -> Path:
    """What a first discovery found there."""
    path = tmp_path / "harvest.duckdb"
    done = bizcrawl(
        *("discover", "competitors", f"http://{HOSTS[1]}:{port}/", f"http://{HOSTS[2]}:{port}/"),
        *("--keywords", "pumps valves", "--allow-private", "--delay", "0", "--pages", "20", "-q"),
        *("--connections", "1"),
        *("--warc", tmp_path / "record", "--to", path),
    )
    assert done.returncode == 0, done.stderr
    return path


def pages(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.sql(
            "SELECT p.url, p.text, p.body_bytes, p.charset, hex(p.body_hash), hex(t.tree), "
            "(SELECT count(*) FROM links l WHERE l.page = p.page) "
            "FROM pages p JOIN trees t USING (page) ORDER BY p.url"
        ).fetchall()


def statuses(path: Path) -> dict[str, int]:
    with duckdb.connect(str(path), read_only=True) as con:
        return dict(con.sql("SELECT split_part(url, '/', 3).split(':')[1], status FROM pages").fetchall())


def test_what_has_not_changed_is_not_sent_again(bizcrawl: CommandLine, harvest: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.duckdb"
    Site.log.clear()
    done = bizcrawl("refresh", harvest, "--to", again, "-q")
    assert done.returncode == 0, done.stderr
    assert "unchanged since the earlier crawl: 5 pages" in done.stderr
    assert sorted(Site.log) == [
        *((f"{host}{path}", status) for host in HOSTS for path, status in (("/", 304), ("/robots.txt", 404)))
    ]
    assert pages(again) == pages(harvest), "its text, links and tag tree are those of the earlier crawl"
    assert set(statuses(again).values()) == {304}
    assert '"unchanged": 5' in bizcrawl("status", again, "--format", "json").stdout
    third = bizcrawl("refresh", again, "-q", "--to", tmp_path / "third.duckdb")
    assert "unchanged since the earlier crawl: 5 pages" in third.stderr, "validators are kept on"


def test_what_has_changed_is_fetched(bizcrawl: CommandLine, harvest: Path, tmp_path: Path) -> None:
    maker = f"{HOSTS[3]}/"
    Site.pages[maker] = Site.pages[maker].replace("Maker2", "Newname")
    again = tmp_path / "again.duckdb"
    done = bizcrawl("refresh", harvest, "--to", again, "-q")
    assert done.returncode == 0, done.stderr
    assert statuses(again) == {host: 200 if host == HOSTS[3] else 304 for host in HOSTS}
    assert "renamed" in done.stdout
    assert "Newname" in done.stdout


def test_hubs_are_asked_for_first(bizcrawl: CommandLine, harvest: Path, tmp_path: Path) -> None:
    Site.log.clear()
    assert bizcrawl("refresh", harvest, "--to", tmp_path / "again.duckdb", "-q").returncode == 0
    visited = [url for url, status in Site.log if status == 304]
    assert visited[0] == f"{HOSTS[0]}/"


def test_a_refresh_whose_earlier_collection_is_gone_fetches_anew(
    bizcrawl: CommandLine, harvest: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.duckdb"
    assert bizcrawl("refresh", harvest, "--to", again, "-q").returncode == 0
    harvest.unlink()
    with duckdb.connect(str(again)) as con:
        con.execute("DELETE FROM calls WHERE call > 1")
        con.execute("DELETE FROM trees")
        con.execute("DELETE FROM links")
        con.execute("DELETE FROM pages")
    done = bizcrawl("resume", again, "-q")
    assert done.returncode == 0, done.stderr
    assert "not there any more: all pages are fetched anew" in done.stderr
    assert set(statuses(again).values()) == {200}


def test_a_validator_that_no_header_can_carry_is_not_sent(harvest: Path) -> None:
    with duckdb.connect(str(harvest)) as con:
        con.execute("UPDATE pages SET etag = 'a' || chr(13) || chr(10) || 'x: y', last_modified = chr(8364)")
        ((url,),) = con.execute("SELECT final_url FROM pages LIMIT 1").fetchall()
    earlier = EarlierCrawl(harvest)
    assert earlier.conditions(url) == {}
    earlier.close()


def test_a_page_whose_tree_was_deleted_is_asked_for_without_conditions(harvest: Path) -> None:
    """The answer that it is unchanged ended the refresh with a traceback."""
    with duckdb.connect(str(harvest)) as con:
        ((kept, deleted),) = con.execute("SELECT min(final_url), max(final_url) FROM pages").fetchall()
        con.execute("DELETE FROM trees WHERE page IN (SELECT page FROM pages WHERE final_url = ?)", [deleted])
    earlier = EarlierCrawl(harvest)
    assert earlier.conditions(kept) != {}
    assert earlier.conditions(deleted) == {}
    earlier.close()


def test_a_record_of_a_refresh_replays_unchanged_pages(
    bizcrawl: CommandLine, harvest: Path, port: int, tmp_path: Path
) -> None:
    assert bizcrawl("refresh", harvest, "--to", tmp_path / "again.duckdb", "-q").returncode == 0
    replayed = tmp_path / "replayed.duckdb"
    done = bizcrawl(
        *("discover", "competitors", f"http://{HOSTS[1]}:{port}/", f"http://{HOSTS[2]}:{port}/"),
        *("--keywords", "pumps valves", "--web", tmp_path / "record", "--pages", "20", "-q"),
        *("--to", replayed),
    )
    assert done.returncode == 0, done.stderr
    assert pages(replayed) == pages(harvest)
