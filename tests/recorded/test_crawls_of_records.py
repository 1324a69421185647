"""Whole crawls: a record crawled again gives the same harvest, and served as a live web it gives it too."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from forked_commands import run
from recording import Page, write_warc
from warcio.archiveiterator import ArchiveIterator

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-c", "from bizcrawl.cli import main; main()"]
CRAWL = ["crawl", "http://one.example/", "--keywords", "pumps", "--strategy", "breadth-first"]
STRANGERS_URL = "http://one.example/..%2f..%2fstranger/..%5cstranger.html"
DEMO_SEEDS = ["https://roastwell.example/", "https://emberdrum.example/"]


def ran(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    settings = {"XDG_CACHE_HOME": str(folder)} | environment
    return run(*arguments, cwd=folder, environment=settings)


def bizcrawl(folder: Path, *arguments: str, **environment: str) -> None:
    """Run it, and fail if it does."""
    done = ran(folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr


def harvest(collection: Path) -> list[tuple[object, ...]]:
    """What a crawl has found, in its order, without times and addresses."""
    with duckdb.connect(str(collection), read_only=True) as tables:
        columns = [row[0] for row in tables.execute("DESCRIBE pages").fetchall()]
        same = ["url", "final_url", "status", "title", "depth", *(c for c in columns if "hash" in c)]
        return tables.execute(f"SELECT {', '.join(same)} FROM pages ORDER BY page").fetchall()


def test_crawling_the_record_of_a_crawl_gives_the_same_harvest(tmp_path: Path):
    topic = [
        *DEMO_SEEDS,
        "--keywords",
        "coffee roasting equipment",
        "--pages",
        "60",
        "--strategy",
        "hub-seeking",
    ]
    bizcrawl(tmp_path, "crawl", *topic, "--web", "demo", "--warc", "kept", "--to", "first.duckdb")
    bizcrawl(tmp_path, "crawl", *topic, "--web", "kept", "--to", "again.duckdb")
    first = harvest(tmp_path / "first.duckdb")
    assert len(first) == 60
    assert harvest(tmp_path / "again.duckdb") == first
    (warc,) = (tmp_path / "kept").glob("*.warc.gz")
    with warc.open("rb") as file:
        urls = [record.rec_headers.get_header("WARC-Target-URI") or "" for record in ArchiveIterator(file)]
    assert any(url.endswith("/robots.txt") for url in urls)


def small_web() -> list[Page]:
    """Four hosts, http and https, with what a crawl meets: redirects, robots.txt, missing pages, gzip."""
    hosts = ["http://one.example", "https://two.example", "http://www.three.example", "https://four.example"]
    html = ("Content-Type", "text/html; charset=utf-8")
    pages = []
    for n, host in enumerate(hosts):
        following = hosts[(n + 1) % len(hosts)]
        links = [f"{host}/p{i}" for i in range(8)] + [
            f"{following}/",
            f"{host}/away",
            f"{host}/gone",
            f"{host}/barred/x",
        ]
        body = "<title>Maker</title>" + "".join(f"<p>pumps <a href='{url}'>page</a>" for url in links)
        pages.append(Page(f"{host}/", body.encode(), headers=[html]))
        pages.append(
            Page(
                f"{host}/robots.txt",
                b"User-agent: *\nDisallow: /barred/",
                headers=[("Content-Type", "text/plain")],
            )
        )
        pages.append(Page(f"{host}/away", b"", "301 Moved Permanently", [("Location", f"{following}/p1")]))
        pages.append(Page(f"{host}/gone", b"<p>no", "404 Not Found", [html]))
        pages.append(Page(f"{host}/barred/x", b"<p>secret", headers=[html]))
        for i in range(8):
            text = f"<title>Page {i}</title><p>pump number {i} of {host}, in café size".encode()
            coding = [("Content-Encoding", "gzip")] if i % 3 == 0 else []
            pages.append(
                Page(f"{host}/p{i}", gzip.compress(text) if coding else text, headers=[html, *coding])
            )
    return pages


def test_a_live_crawl_of_a_served_record_equals_a_crawl_of_the_file(tmp_path: Path):
    warc = write_warc(tmp_path / "web.warc.gz", small_web())
    crawl = [*CRAWL, "--connections", "1"]
    bizcrawl(tmp_path, *crawl, "--web", warc.name, "--to", "file.duckdb")
    serving = subprocess.Popen(
        [*PROGRAM, "testbed", "serve", warc.name, "--port", "0", "--ca-file", "ca.pem"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    with serving:
        assert serving.stdout is not None
        serving.stdout.readline()
        settings = dict(word.split("=", 1) for word in serving.stdout.readline().split()[1:])
        live = ["--web", "live", "--proxy", settings["HTTP_PROXY"], "--delay", "0", "--to", "live.duckdb"]
        try:
            bizcrawl(tmp_path, *crawl, *live, SSL_CERT_FILE=str(tmp_path / "ca.pem"))
        finally:
            serving.terminate()
        told = serving.stdout.read()
    from_file = harvest(tmp_path / "file.duckdb")
    assert len(from_file) == 4 * 9
    assert not any("barred" in str(row) for row in from_file)
    assert sorted(map(str, harvest(tmp_path / "live.duckdb"))) == sorted(map(str, from_file))
    assert "× 301" in told


def test_no_file_is_named_after_what_a_page_says(tmp_path: Path):
    pages = [
        Page(
            url,
            f"<title>../../stranger</title><p>pumps <a href='{STRANGERS_URL}'>../stranger.html</a>".encode(),
            headers=[
                ("Content-Type", "text/html"),
                ("Content-Disposition", 'attachment; filename="../../stranger.html"'),
            ],
        )
        for url in ("http://one.example/", STRANGERS_URL)
    ]
    warc = write_warc(tmp_path / "web.warc.gz", pages)
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    bizcrawl(folder, *CRAWL, "--web", str(warc), "--warc", "kept", "--to", "x.duckdb")
    bizcrawl(folder, "report", "x.duckdb")
    assert len(harvest(folder / "x.duckdb")) == 2
    assert [path for path in tmp_path.rglob("*") if "stranger" in path.name] == []
    assert {path.name for path in folder.iterdir()} >= {"kept", "x.html", "x.duckdb"}


@pytest.mark.parametrize("damage", ["torn", "empty"])
def test_a_damaged_file_is_used_or_refused_in_one_line(tmp_path: Path, damage: str):
    warc = write_warc(tmp_path / "web.warc.gz", small_web())
    content = warc.read_bytes()
    warc.write_bytes(content[:-40] if damage == "torn" else b"")
    done = ran(tmp_path, *CRAWL, "--web", warc.name, "--to", "x.duckdb")
    if damage == "torn":
        assert done.returncode == 0
        assert len(harvest(tmp_path / "x.duckdb")) == 4 * 9 - 1
    else:
        assert done.returncode == 1
        assert done.stderr.strip().count("\n") == 0
        assert "empty" in done.stderr
