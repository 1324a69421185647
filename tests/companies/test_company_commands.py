"""explain, accept, reject, withdraw and refresh on the demo web, as a person calls them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import duckdb
import pytest

from bizcrawl.cli import companies
from bizcrawl.cli.discover import QUESTIONS
from bizcrawl.cli.seeds import seed_urls
from bizcrawl.companies.evidence_kinds import MEANINGS, EvidenceKind
from bizcrawl.companies.ranking import weights
from bizcrawl.errors import Interrupted
from testbed.demo import demo_topics

CommandLine = Callable[..., CompletedProcess[str]]


@pytest.fixture
def collection(demo_harvest: Path, tmp_path: Path) -> Path:
    """A copy of the harvest that a test may change."""
    return Path(shutil.copy(demo_harvest, tmp_path / "mine.duckdb"))


def ranked(path: Path) -> list[tuple[int, str, float]]:
    with duckdb.connect(str(path), read_only=True) as con:
        return con.sql(
            "SELECT rank, company, score FROM companies WHERE rank IS NOT NULL ORDER BY rank"
        ).fetchall()


def test_explain_takes_the_score_apart_and_names_pages(bizcrawl: CommandLine, demo_harvest: Path) -> None:
    done = bizcrawl("explain", demo_harvest, "#1", "--format", "json")
    found = json.loads(done.stdout)
    assert found["rank"] == 1
    assert sum(part["points"] for part in found["parts"]) == pytest.approx(found["score"], abs=1e-3)
    assert all(finding["page"] or finding["link"] for finding in found["findings"])
    text = bizcrawl("explain", demo_harvest, found["name"]).stdout
    assert found["home_page"] in text
    assert any(finding["page"] in text for finding in found["findings"])
    assert all(f"  {part['kind']}: {MEANINGS[part['kind']]} (strength " in text for part in found["parts"])


def test_every_kind_of_evidence_says_what_it_means_and_whether_it_counts() -> None:
    assert set(MEANINGS) == set(EvidenceKind)
    counting = {kind.kind for question in QUESTIONS for kind in weights(question) if kind.points}
    assert {kind for kind, said in MEANINGS.items() if "not counted" not in said} == counting


def test_explain_says_who_is_known_and_what_the_analyst_said(bizcrawl: CommandLine, collection: Path) -> None:
    seed = demo_topics()[0].topic.seeds[0]
    assert "one of your companies" in bizcrawl("explain", collection, seed).stdout
    first = ranked(collection)[0][1]
    bizcrawl("reject", collection, first, "--note", "sells\nothers' machines")
    assert "rejected by you (sells others' machines)" in bizcrawl("explain", collection, first).stdout
    told = json.loads(bizcrawl("explain", collection, first, "--format", "json").stdout)
    assert (told["verdict"], told["is_seed"]) == ("rejected", False)
    bizcrawl("accept", collection, first)
    told = json.loads(bizcrawl("explain", collection, first, "--format", "json").stdout)
    assert (told["verdict"], told["verdict_note"]) == ("accepted", None), "a note belongs to its verdict"


def test_a_company_is_meant_by_its_domain_or_any_of_its_urls(
    bizcrawl: CommandLine, demo_harvest: Path
) -> None:
    first = ranked(demo_harvest)[0][1]
    for meant in (first, f"WWW.{first.upper()}", f"https://www.{first}/about/us.html?x=1#top"):
        assert json.loads(bizcrawl("explain", demo_harvest, meant, "--format", "json").stdout)["rank"] == 1


def test_explain_says_what_keeps_a_site_from_being_ranked(bizcrawl: CommandLine, demo_harvest: Path) -> None:
    with duckdb.connect(str(demo_harvest), read_only=True) as con:
        ((weighed,),) = con.sql(
            "SELECT company FROM evidence ANTI JOIN companies USING (company) ORDER BY company LIMIT 1"
        ).fetchall()
        ((hub,),) = con.sql("SELECT min(domain) FROM hosts WHERE verdict = 'association'").fetchall()
    told = bizcrawl("explain", demo_harvest, weighed).stdout
    assert told.startswith(f"{weighed}\nnot ranked, score -")
    refused = bizcrawl("explain", demo_harvest, f"http://{hub}/")
    assert (refused.returncode, "held to be: association" in refused.stderr) == (2, True)


def test_every_host_that_was_asked_has_a_verdict_with_its_reasons(
    bizcrawl: CommandLine, demo_harvest: Path
) -> None:
    with duckdb.connect(str(demo_harvest), read_only=True) as con:
        without = con.sql(
            "SELECT host FROM hosts WHERE verdict IS NULL OR len(coalesce(verdict_reasons, [])) = 0"
        ).fetchall()
        ((hub, signs),) = con.sql(
            "SELECT domain, verdict_reasons FROM hosts WHERE verdict = 'association' ORDER BY domain LIMIT 1"
        ).fetchall()
        ((dead,),) = con.sql("SELECT count(*) FROM hosts WHERE pages = 0 AND verdict = 'dead'").fetchall()
    assert not without
    assert dead > 0
    assert f"held to be: association ({signs[0]}" in bizcrawl("explain", demo_harvest, hub).stderr
    assert "\nheld to be company: " in bizcrawl("explain", demo_harvest, "#1").stdout


def test_companies_have_the_language_that_their_pages_state(demo_harvest: Path) -> None:
    with duckdb.connect(str(demo_harvest), read_only=True) as con:
        found = con.sql("SELECT DISTINCT language FROM companies").fetchall()
        wrong = con.sql(
            "SELECT company FROM companies c WHERE language <> '' AND NOT EXISTS (FROM pages p WHERE "
            "list_contains(c.domains, p.domain) AND p.language = c.language)"
        ).fetchall()
        without = con.sql(
            "SELECT company FROM companies c WHERE language = '' AND EXISTS (FROM pages p WHERE "
            "p.domain = c.company AND p.language <> '')"
        ).fetchall()
    assert {language for (language,) in found} > {""}
    assert (wrong, without) == ([], [])


def test_merged_companies_are_ranked_anew_and_their_points_add_up(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    other, both = tmp_path / "other.duckdb", tmp_path / "both.duckdb"
    done = bizcrawl(
        *("discover", "competitors", demo_topics()[0].topic.seeds[0], "--keywords", "coffee roasting"),
        *("--web", "demo", "--pages", "30", "--to", other, "-q"),
    )
    assert done.returncode == 0, done.stderr
    done = bizcrawl("merge", both, demo_harvest, other)
    assert done.returncode == 0, done.stderr
    assert "1 crawl, 30 pages" in done.stderr
    with duckdb.connect(str(both), read_only=True) as con:
        ((ranked,),) = con.sql("SELECT count(*) FROM competitors").fetchall()
    assert f"{ranked} companies ranked anew" in done.stderr
    told = json.loads(bizcrawl("explain", both, "#1", "--format", "json").stdout)
    assert sum(part["points"] for part in told["parts"]) == pytest.approx(told["score"], abs=1e-3)


def test_a_merge_with_a_file_that_is_none_begins_nothing(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.duckdb").write_text("no database")
    done = bizcrawl("merge", tmp_path / "into.duckdb", demo_harvest, tmp_path / "text.duckdb")
    assert done.returncode == 1
    assert "not a DuckDB file" in done.stderr
    assert not (tmp_path / "into.duckdb").exists()


def test_an_unknown_company_is_one_clear_line(bizcrawl: CommandLine, demo_harvest: Path) -> None:
    done = bizcrawl("explain", demo_harvest, "zzzz qqqq")
    assert done.returncode == 2
    assert "no such company" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "command", "says"),
    [
        ("UPDATE companies SET verdict = 'maybe' WHERE rank = 1", ("reject", "#2"), "'maybe'"),
        ("DELETE FROM trees", ("resume", "--pages", "2000"), "without its tag tree"),
        ("DELETE FROM pages WHERE page > 5", ("resume", "--pages", "2000"), "not in the collection any more"),
        ("UPDATE trees SET tree = 'x'::BLOB", ("reject", "#2"), "can't be read"),
        ("UPDATE decisions SET reason = 'rain'", ("reject", "#2"), "'rain'"),
        ("UPDATE calls SET reason = 'rain' WHERE kind = 'fail'", ("resume", "--pages", "2000"), "'rain'"),
        ("UPDATE crawls SET settings = '[1]'", ("resume",), "what the crawl was asked for"),
        ("DELETE FROM crawls", ("explain", "#1"), "holds no crawl"),
    ],
)
def test_what_was_changed_in_a_collection_and_cannot_be_used_is_one_line(
    bizcrawl: CommandLine, collection: Path, change: str, command: tuple[str, ...], says: str
) -> None:
    """Whoever owns a collection may change it with SQL; each of these ended in a traceback."""
    with duckdb.connect(str(collection)) as con:
        con.execute(change)
    done = bizcrawl(command[0], collection, *command[1:])
    assert done.returncode in {1, 2}
    assert "Traceback" not in done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("bizcrawl: "))
    assert says in line


def test_reject_takes_a_company_out_at_once_and_keeps_the_verdict(
    bizcrawl: CommandLine, collection: Path
) -> None:
    first, second = ranked(collection)[:2]
    done = bizcrawl("reject", collection, first[1], "--format", "csv")
    assert done.returncode == 0, done.stderr
    after = ranked(collection)
    assert first[1] not in [company for _, company, _ in after]
    bizcrawl("reject", collection, second[1])
    with duckdb.connect(str(collection), read_only=True) as con:
        verdicts = con.sql("SELECT company FROM companies WHERE verdict = 'rejected'").fetchall()
    assert {row[0] for row in verdicts} == {first[1], second[1]}


def test_a_verdict_is_told_before_the_companies_are_ranked_anew(
    collection: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who ended the ranking did not know that "#1" had been rejected, and that the next one would be, too."""

    def ended(_: object) -> None:
        raise SystemExit(130)

    monkeypatch.setattr(companies, "assess_again", ended)
    first = ranked(collection)[0][1]
    with pytest.raises(Interrupted, match="the verdict is stored"):
        companies.reject(collection, ["#1"])
    assert capsys.readouterr().err == f"rejected: {first}\n"
    with duckdb.connect(str(collection), read_only=True) as con:
        assert con.sql("SELECT company FROM companies WHERE verdict = 'rejected'").fetchall() == [(first,)]


def test_companies_of_a_list_are_judged_together_or_not_at_all(
    bizcrawl: CommandLine, collection: Path, tmp_path: Path
) -> None:
    (_, first, _), (_, second, _) = ranked(collection)[:2]
    listed = tmp_path / "out.txt"
    listed.write_text(f"# resellers\n{first}\n\nhttp://{second}/about\n")
    assert bizcrawl("reject", collection, f"@{listed}", "nobody.invalid").returncode == 2
    assert ranked(collection)[0][1] == first
    done = bizcrawl("reject", collection, f"@{listed}")
    assert f"rejected: {first}, {second}" in done.stderr
    listed.write_text("# nobody\n")
    assert "names no company" in bizcrawl("accept", collection, f"@{listed}").stderr
    assert "cannot read the file" in bizcrawl("accept", collection, "@missing.txt").stderr


def test_what_a_collection_exports_names_companies_and_seeds(
    bizcrawl: CommandLine, collection: Path, tmp_path: Path
) -> None:
    (_, first, _), (_, second, _) = ranked(collection)[:2]
    kept = tmp_path / "kept.csv"
    bizcrawl("export", collection, "SELECT * FROM competitors WHERE rank <= 2", kept)
    assert len(seed_urls([f"@{kept}"])) == 2
    done = bizcrawl("reject", collection, f"@{kept}", "--top", "2")
    assert f"rejected: {first}, {second}" in done.stderr
    kept.write_text(done.stdout)
    assert bizcrawl("accept", collection, f"@{kept}").returncode == 0
    kept.write_text(bizcrawl("sql", collection, "SELECT url FROM pages LIMIT 3").stdout)
    assert len(seed_urls([f"@{kept}"])) == 3


def test_accept_makes_a_company_a_seed_and_ranks_anew(bizcrawl: CommandLine, collection: Path) -> None:
    before = {company: score for _, company, score in ranked(collection)}
    first = ranked(collection)[0][1]
    done = bizcrawl("accept", collection, first)
    assert done.returncode == 0, done.stderr
    after = {company: score for _, company, score in ranked(collection)}
    assert first not in after
    assert any(before.get(company) != score for company, score in after.items())


def test_exports_mark_seeds_or_leave_them_out(
    bizcrawl: CommandLine, demo_harvest: Path, tmp_path: Path
) -> None:
    seeds = set(demo_topics()[0].topic.seeds)

    def exported(table: str, *options: str) -> list[dict[str, object]]:
        done = bizcrawl("export", demo_harvest, table, "-", "--format", "jsonl", *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(row) for row in done.stdout.splitlines()]

    companies = exported("companies")
    known = {row["company"] for row in companies if row["is_seed"]}
    assert len(known) == len(seeds)
    left = [row["company"] for row in exported("companies", "--without-seeds")]
    assert left == [row["company"] for row in companies if row["company"] not in known]
    assert known.isdisjoint(row["company"] for row in exported("evidence", "--without-seeds"))
    pages = [row["url"] for row in exported("harvest")]
    assert seeds <= set(pages)
    assert [row["url"] for row in exported("harvest", "--without-seeds")] == [
        url for url in pages if url not in seeds
    ]
    refused = bizcrawl("export", demo_harvest, "SELECT 1", "-", "--without-seeds")
    assert (refused.returncode, "competitors, evidence" in refused.stderr) == (2, True)


def test_withdrawn_verdicts_leave_the_ranking_as_it_was(bizcrawl: CommandLine, collection: Path) -> None:
    before = ranked(collection)
    (_, first, _), (_, second, _) = before[:2]
    seed = demo_topics()[0].topic.seeds[0]
    for verdict, company in (("reject", first), ("accept", second), ("reject", seed)):
        assert bizcrawl(verdict, collection, company).returncode == 0
    assert ranked(collection) != before
    done = bizcrawl("withdraw", collection, first, second, seed)
    assert (done.returncode, f"withdrawn: {first}, {second}, " in done.stderr) == (0, True)
    assert ranked(collection) == before
    with duckdb.connect(str(collection), read_only=True) as con:
        assert con.sql("SELECT company FROM companies WHERE verdict IS NOT NULL").fetchall() == []
    nothing = bizcrawl("withdraw", collection, first)
    assert (nothing.returncode, "nothing to withdraw" in nothing.stderr) == (2, True)


def test_refresh_of_an_unchanged_web_finds_little_and_keeps_verdicts(
    bizcrawl: CommandLine, collection: Path, tmp_path: Path
) -> None:
    rejected = ranked(collection)[0][1]
    bizcrawl("reject", collection, rejected, "--note", "closed")
    target = tmp_path / "again.duckdb"
    done = bizcrawl("refresh", collection, "--to", target, "--top", "5", "-q", "--format", "json")
    assert done.returncode == 0, done.stderr
    changes = json.loads(done.stdout)
    assert not [change for change in changes if change["change"] in {"moved", "renamed"}]
    assert rejected not in [company for _, company, _ in ranked(target)]
    with duckdb.connect(str(target), read_only=True) as con:
        kept = con.sql("SELECT company, verdict_note FROM companies WHERE verdict = 'rejected'").fetchall()
    assert kept == [(rejected, "closed")]
    assert bizcrawl("refresh", collection, "--to", target).returncode == 2
