"""``bizcrawl discover competitors`` as a person runs it, on the demo web and on recorded ones."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from crawling_samples import CommandLine
from recorded.recording import Page, write_warc

from bizcrawl.collection.reader import Reader
from bizcrawl.errors import BizcrawlError
from testbed.demo.bed import write_bed

SEEDS = ("roastwell.example", "emberdrum.example", "torrefatta.example")
ROOT = Path(__file__).parents[2]
KEYWORDS = ("--keywords", "coffee roasting equipment manufacturers")


@pytest.fixture(scope="session")
def demo_crawl(tmp_path_factory: pytest.TempPathFactory, bizcrawl: CommandLine) -> tuple[Path, str, str]:
    """A finished crawl of the demo web: its collection, what it printed and what it said."""
    path = tmp_path_factory.mktemp("demo") / "harvest.duckdb"
    done = bizcrawl("discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--to", path)
    assert done.returncode == 0, done.stderr
    return path, done.stdout, done.stderr


def rows_of(path: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.execute(sql).fetchall()


def test_ranked_companies_come_out_as_csv_in_a_pipe(demo_crawl: tuple[Path, str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(demo_crawl[1])))
    assert [row["rank"] for row in rows] == [str(i) for i in range(1, 26)]
    assert all(row["company"] and row["site"].startswith("http") and row["why"] for row in rows)
    assert any("listed with" in row["why"] for row in rows)


def test_most_of_the_first_ten_are_of_the_business_and_no_seed_is_among_them(
    demo_crawl: tuple[Path, str, str],
) -> None:
    from bizcrawl.urls import host_of
    from testbed.demo import demo_companies

    truth = demo_companies()
    business = truth["roastwell.example"].business
    hosts = [host_of(row["site"]) for row in csv.DictReader(io.StringIO(demo_crawl[1]))]
    assert not set(hosts) & set(SEEDS)
    assert sum(host in truth and truth[host].business == business for host in hosts[:10]) >= 8
    assert all(host in truth for host in hosts[:20])


def test_the_end_is_explained_and_what_was_turned_away_is_counted(demo_crawl: tuple[Path, str, str]) -> None:
    said = demo_crawl[2]
    assert "nothing left to visit" in said
    assert "without a page: " in said
    assert "http error" in said
    assert str(demo_crawl[0]) in said


def test_as_many_urls_are_said_to_wait_as_status_counts(bizcrawl: CommandLine, tmp_path: Path) -> None:
    """Suggestions wait in the frontier as well, and were counted twice."""
    path = tmp_path / "short.duckdb"
    done = bizcrawl(
        "discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", 75, "--to", path
    )
    (crawl,) = json.loads(bizcrawl("status", path, "--format", "json").stdout)["crawls"]
    assert crawl["queued"] > 0
    assert f" {crawl['queued']} URLs still waiting" in done.stderr


def test_the_collection_holds_pages_links_and_reasons(demo_crawl: tuple[Path, str, str]) -> None:
    path = demo_crawl[0]
    ((pages, links, reasons),) = rows_of(
        path,
        "SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM links), "
        "(SELECT count(DISTINCT reason) FROM decisions)",
    )
    assert pages > 500  # type: ignore[operator]
    assert links > pages  # type: ignore[operator]
    assert reasons >= 4  # type: ignore[operator]
    ((command, stop),) = rows_of(path, "SELECT command, stop_reason FROM crawls")
    assert command == "discover competitors"
    assert stop == "nothing left to visit"


def test_each_page_says_how_the_crawl_met_it_also_where_the_ranking_asked_for_it(
    demo_crawl: tuple[Path, str, str],
) -> None:
    path = demo_crawl[0]
    ((asked_for,),) = rows_of(
        path, "SELECT count(*) FROM pages WHERE parent = '' AND url IN (SELECT url FROM links)"
    )
    assert asked_for <= len(SEEDS), "the seeds alone were met by no link"
    ((linked, deeper),) = rows_of(
        path,
        "SELECT count(*), count(*) FILTER (p.depth = q.depth + 1 AND EXISTS "
        "(FROM links l WHERE l.page = q.page AND l.url = p.url)) "
        "FROM pages p JOIN pages q ON q.url = p.parent",
    )
    assert linked == deeper > 500  # type: ignore[operator]


def test_competitors_hubs_and_progress_are_views(demo_crawl: tuple[Path, str, str]) -> None:
    path = demo_crawl[0]
    assert rows_of(path, "SELECT count(*) FROM competitors")[0][0]
    assert rows_of(path, "SELECT count(*) FROM hubs")[0][0]
    ((last, all_pages),) = rows_of(path, "SELECT max(pages), (SELECT count(*) FROM pages) FROM progress")
    assert last == all_pages


@pytest.mark.parametrize("output", ["json", "markdown", "table"])
def test_other_formats(output: str, bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl(
        "discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", "150", "--top", "3",
        "--format", output, "--to", tmp_path / "h.duckdb", "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if output == "json":
        assert [row["rank"] for row in json.loads(done.stdout)] == [1, 2, 3]
    else:
        assert len(done.stdout.splitlines()) >= 4
        assert "company" in done.stdout


def test_keywords_are_derived_from_the_seeds_and_named(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl(
        "discover", "competitors", *SEEDS, "--web", "demo", "--pages", "20", "--to", tmp_path / "h.duckdb"
    )
    assert done.returncode == 0
    said = next(line for line in done.stderr.splitlines() if line.startswith("keywords"))
    assert "coffee" in said


def test_seeds_that_only_scripts_fill_are_named(bizcrawl: CommandLine, tmp_path: Path) -> None:
    text = b"<title>Pumps</title><h1>Hose pumps</h1><p>Valves.<p><a href='/a'>A</a> <a href='/b'>B</a></p>"
    shell = b"<title>Larch</title><div id=root></div><script src=/app.js></script>"
    pages = [Page(f"http://{host}.test/", text) for host in ("acorn", "birch")]
    record = write_warc(tmp_path / "web.warc.gz", [*pages, Page("http://larch.test/", shell)])
    seeds = [f"http://{host}.test/" for host in ("acorn", "birch", "larch")]
    done = bizcrawl("discover", "competitors", *seeds, "--web", record, "--to", tmp_path / "h.duckdb")
    said = [line for line in done.stderr.splitlines() if "without its scripts" in line]
    assert said == [
        "a seed that shows next to nothing without its scripts: http://larch.test/; see --render auto"
    ]


def test_two_crawls_with_one_random_seed_visit_the_same_pages_in_the_same_order(tmp_path: Path) -> None:
    bed = tmp_path / "bed"
    write_bed(bed)
    order = []
    for number in (1, 2):
        path = tmp_path / f"{number}.duckdb"
        command = [
            "discover", "competitors", *SEEDS, *KEYWORDS, "--web", bed / "web.warc.gz", "--pages", "200",
            "--strategy", "best-first", "--set", "n=16", "--random-seed", "7", "--to", path,
        ]  # fmt: skip
        # in processes that put sets of texts in orders of their own
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": str(number),
            "PYTHONWARNINGS": "error",
        }
        done = subprocess.run(
            [sys.executable, "-m", "bizcrawl", *command], capture_output=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
        order.append(rows_of(path, "SELECT url FROM pages ORDER BY page"))
    assert order[0] == order[1]
    assert len(order[0]) == 200


def test_excluded_pages_are_never_fetched_and_are_counted(bizcrawl: CommandLine, tmp_path: Path) -> None:
    path, names = tmp_path / "h.duckdb", tmp_path / "names"
    names.write_text("# not these\nhttps://www.emberdrum.example/\nemberdrum.example\n")
    done = bizcrawl(
        "discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", "100",
        "--exclude", f"@{names}", "--to", path,
    )  # fmt: skip
    assert done.returncode == 0
    assert "excluded" in done.stderr
    assert not rows_of(path, "SELECT url FROM pages WHERE host = 'emberdrum.example'")


def test_seeds_that_can_not_be_visited_are_named_also_where_others_can(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    none = bizcrawl(
        "discover", "competitors", "nosuch.example", "--web", "demo", "--to", tmp_path / "a.duckdb"
    )
    assert none.returncode == 1
    assert "no seed could be visited" in none.stderr
    assert "https://nosuch.example/  dns" in none.stderr
    assert not (tmp_path / "a.duckdb").exists()
    some = bizcrawl(
        *("discover", "competitors", SEEDS[0], "nosuch.example", *KEYWORDS, "--web", "demo", "--pages", "5"),
        *("--to", tmp_path / "b.duckdb"),
    )
    assert some.returncode == 0
    assert "https://nosuch.example/  dns" in some.stderr


def test_no_time_at_all_is_no_fault_of_the_seeds(bizcrawl: CommandLine, tmp_path: Path) -> None:
    done = bizcrawl(
        *(
            "crawl",
            SEEDS[0],
            "--web",
            "demo",
            "--minutes",
            "0",
            "--keywords",
            "coffee",
            "--to",
            tmp_path / "c",
        )
    )
    assert done.returncode == 0
    assert "time used up: 0 pages" in done.stderr


def test_a_collection_that_is_there_already_is_added_to_and_that_is_said(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "twice.duckdb"
    asked = ("discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", "5", "--to", path)
    assert "is added to it" not in bizcrawl(*asked).stderr
    assert "is added to it" in bizcrawl(*asked).stderr
    assert rows_of(path, "SELECT count(*) FROM crawls") == [(2,)]


def test_a_finished_crawl_says_how_many_pages_it_has_and_what_waits(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "done.duckdb"
    asked = ("discover", "competitors", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", "30", "--to", path)
    before = bizcrawl(*asked).stderr
    done = bizcrawl("resume", path, "--pages", "10")
    assert "the crawl has 30 pages already" in done.stderr
    waiting = [text.partition(" URLs still waiting")[0].rpartition(" ")[2] for text in (before, done.stderr)]
    assert waiting[0] == waiting[1] != "0"


def test_a_crawl_that_goes_on_says_how_many_of_its_pages_it_has_gone_through_again(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "again.duckdb"
    first = bizcrawl("crawl", *SEEDS, *KEYWORDS, "--web", "demo", "--pages", "6", "--to", path)
    assert "gone through again" not in first.stderr
    gone_on = bizcrawl("resume", path, "--pages", "8")
    assert "6/6 pages of this crawl gone through again\n" in gone_on.stderr
    assert "gone through again" not in bizcrawl("resume", path, "--pages", "10", "--quiet").stderr


def test_a_crawl_that_used_its_bytes_goes_on_with_more_and_tells_the_harvest_rate(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "bytes.duckdb"
    asked = ("crawl", *SEEDS, "--predicate", "text ILIKE '%coffee%'", "--web", "demo", "--pages", "40")
    begun = bizcrawl(*asked, "--megabytes", "0.01", "--to", path, "-q")
    assert "byte budget used" in begun.stderr
    assert "nothing" not in begun.stderr
    done = bizcrawl("resume", path, "--megabytes", "50")
    assert "page budget used: 40 pages" in done.stderr
    ((good,),) = rows_of(path, "SELECT count(*) FILTER (relevant) FROM pages")
    assert f"harvest rate: {good / 40:.1%} of 40 pages" in done.stderr


def test_the_password_of_a_proxy_stays_out_of_the_collection_and_is_given_again_to_go_on(
    bizcrawl: CommandLine, tmp_path: Path
) -> None:
    path, proxy = tmp_path / "proxied.duckdb", "http://me:secret-word@127.0.0.1:1"
    asked = ("crawl", "http://one.example/", "--keywords", "pumps", "--contact", "a@b.example")
    begun = bizcrawl(*asked, "--proxy", proxy, "--to", path)
    assert "Cannot connect to host 127.0.0.1:1" in begun.stderr
    assert b"secret-word" not in path.read_bytes()
    for command in ("resume", "refresh"):
        alone = bizcrawl(command, path)
        assert alone.returncode == 2
        assert "give --proxy with it once more" in alone.stderr
    assert "Cannot connect to host 127.0.0.1:1" in bizcrawl("resume", path, "--proxy", proxy).stderr
    refreshed = bizcrawl("refresh", path, "--proxy", proxy)
    assert "holds no companies to compare with" in refreshed.stderr


def test_a_function_that_a_collection_names_is_run_only_if_whoever_goes_on_names_it_too(
    bizcrawl: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HAZARDS row 25: a collection may come from somebody else, with a module of that name beside it."""
    path, ran = tmp_path / "sent.duckdb", tmp_path / "ran"
    module = f"open({str(ran)!r}, 'w').close()\ndef holds(page):\n    return True\n"
    (tmp_path / "my_judgement.py").write_text(module)
    monkeypatch.chdir(tmp_path)
    asked = ("crawl", *SEEDS, "--predicate", "my_judgement:holds", "--web", "demo", "--to", path, "-q")
    assert bizcrawl(*asked, "--pages", "5").returncode == 0
    ran.unlink()
    alone = bizcrawl("resume", path, "--pages", "8")
    assert alone.returncode == 2
    assert "name it once more: --predicate my_judgement:holds" in alone.stderr
    other = bizcrawl("resume", path, "--pages", "8", "--predicate", "text IS NULL")
    assert other.returncode == 2
    assert "the crawl has another: my_judgement:holds" in other.stderr
    assert not ran.exists()
    done = bizcrawl("resume", path, "--pages", "8", "--predicate", "my_judgement:holds")
    assert "harvest rate: 100.0% of 8 pages" in done.stderr


def test_companies_found_by_words_alone_have_a_reason_and_a_front_door(
    bizcrawl: CommandLine, demo_crawl: tuple[Path, str, str], tmp_path: Path
) -> None:
    earlier = shutil.copy(demo_crawl[0], tmp_path / "earlier.db")  # a collection may have any name
    done = bizcrawl(
        *("discover", "companies", "--keywords", "coffee roasting machines", "--from", earlier),
        *("--web", "demo", "--pages", "60", "--to", tmp_path / "words.duckdb", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found
    assert all("says the keywords" in company["why"] for company in found[:5])
    assert not [company["site"] for company in found if "/links" in company["site"]]


def test_what_was_learned_is_kept_also_when_nobody_reads_the_companies(tmp_path: Path) -> None:
    command = "discover competitors roastwell.example --web demo --keywords 'coffee roasters' --pages 5 -q"
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bizcrawl {command} --keep-knowledge k.json | true"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (tmp_path / "k.json").exists()
    assert "collection: harvest.duckdb" in ended.stderr


def has_pages(collection: Path) -> bool:
    """Whether a crawl, running or not, has stored a page there."""
    with contextlib.suppress(BizcrawlError):
        return Reader(collection).rows("SELECT count(*) > 0 FROM pages") == [(True,)]
    return False


@pytest.mark.parametrize("pause_s", [0.02, 0.4, 1.0])
def test_a_second_ctrl_c_says_how_to_go_on(pause_s: float, tmp_path: Path) -> None:
    command = (
        "discover",
        "competitors",
        "roastwell.example",
        "--web",
        "demo",
        "--keywords",
        "coffee",
        "--to",
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "bizcrawl", *command, "my harvest.duckdb"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with process:
        assert process.stderr is not None
        while not has_pages(tmp_path / "my harvest.duckdb") and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        time.sleep(pause_s)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said.splitlines()[-1] == "bizcrawl: interrupted; go on with: bizcrawl resume 'my harvest.duckdb'"
