"""What a report says, asked of a collection with SQL; how it looks is the template's business."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bizcrawl.collection.status import TURNED_AWAY
from bizcrawl.collection.views import COUNT_HUBS
from bizcrawl.companies.evidence_kinds import MEANINGS
from bizcrawl.companies.named import Rows
from bizcrawl.companies.questions import question_of
from bizcrawl.companies.ranking import points_sql
from bizcrawl.errors import WrongUse

SHOWN_HUBS = 25
SHOWN_PAGES = 25
LATEST_PAGES = 8
CURVE_POINTS = 200
# runs of one collection have pages in common: each URL stands there once, as the last run found it
MOST_SIMILAR = """
SELECT url, title, similarity FROM harvest WHERE similarity > 0
QUALIFY row_number() OVER (PARTITION BY url ORDER BY page DESC) = 1 ORDER BY similarity DESC, page LIMIT ?
"""
HUBS = """
SELECT url, title, seed_domains, domains FROM hubs WHERE seed_domains > 0
QUALIFY row_number() OVER (PARTITION BY url ORDER BY page DESC) = 1
ORDER BY seed_domains DESC, competitor_domains DESC, page LIMIT ?
"""
LATEST = "SELECT url, title, similarity FROM pages WHERE crawl = ? ORDER BY page DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class LastCrawl:
    """The last crawl of a collection."""

    command: str
    topic: str
    keywords: str
    strategy: str
    started_at: str
    """UTC, to the minute."""
    ended_at: str
    """"" while it runs, or if it was killed."""
    stop_reason: str


@dataclass(frozen=True, slots=True)
class Underway:
    """How a crawl that has not ended is doing."""

    last_minute: int
    """Pages in its last minute."""
    latest: Sequence[tuple[str, str, float]]
    """URL, title and similarity of the last pages, the very last first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of evidence."""

    weight: float
    page: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of evidence adds to a score."""

    kind: str
    meaning: str
    points: float
    findings: tuple[Finding, ...]
    """The strongest first, each place and snippet once."""
    more: int
    """Rows that are not shown."""


@dataclass(frozen=True, slots=True)
class Company:
    """A company, with what speaks for and against it."""

    company: str
    name: str
    home_page: str
    country: str
    description: str
    rank: int | None
    score: float
    share: float
    """Of the score of the first, for a bar."""
    why: str
    note: str
    """What the analyst said when judging it."""
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure after each page of a crawl, as the points of an SVG polyline in a box of 100 by 100."""

    title: str
    points: str
    pages: int
    high: float
    last: float


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says."""

    title: str
    crawl: LastCrawl
    counts: Mapping[str, int]
    """Pages, sites, hubs and companies."""
    seeds: tuple[Company, ...]
    ranked: tuple[Company, ...]
    accepted: tuple[Company, ...]
    rejected: tuple[Company, ...]
    left_out: int
    """Ranked companies beyond those shown."""
    hubs: Sequence[tuple[str, str, int, int]]
    """URL, title, known companies on it, sites on it."""
    pages: Sequence[tuple[str, str, float]]
    """URL, title and similarity of the pages most similar to the topic, where no company is ranked."""
    curves: tuple[Curve, ...]
    turned_away: Sequence[tuple[str, int]]
    underway: Underway | None
    """None for a crawl that has ended."""


def report_of(rows: Rows, top: int = 50, findings: int = 5) -> Report:
    """Ask a collection for its report: the first `top` companies, each with at most so many `findings` of a
    kind. Raises `WrongUse` for a collection without a crawl.
    """
    number, crawl = _last_crawl(rows)
    found = _companies(rows, top, _parts(rows, question_of(crawl.command), findings))
    by_place: dict[str, list[Company]] = defaultdict(list)
    for place, company in found:
        by_place[place].append(company)
    ranked = by_place["ranked"]
    # in one question, so that the figures are of one moment
    ((listing, linking, pages, sites, companies, last_minute),) = rows(
        f"SELECT ({COUNT_HUBS}), count(DISTINCT url) FILTER (hub_score > 0), "  # noqa: S608 - our own SQL
        "count(DISTINCT url), count(DISTINCT domain), "
        "(SELECT count(*) FROM companies WHERE rank IS NOT NULL), "
        "(SELECT count(*) FILTER (at_s > last_s - 60) FROM (SELECT at_s, max(at_s) OVER () AS last_s "
        "FROM calls WHERE crawl = ? AND kind = 'visit')) FROM pages",
        (number,),
    )
    return Report(
        title=_title(crawl, [company.name for company in by_place["seed"]]),
        crawl=crawl,
        counts={
            "pages": pages,
            "sites": sites,
            "hubs": listing if by_place["seed"] or by_place["accepted"] else linking,
            "companies": companies,
        },
        seeds=tuple(by_place["seed"]),
        ranked=tuple(ranked),
        accepted=tuple(by_place["accepted"]),
        rejected=tuple(by_place["rejected"]),
        left_out=companies - len(ranked),
        hubs=rows(HUBS, (SHOWN_HUBS,)),
        pages=() if ranked else rows(MOST_SIMILAR, (SHOWN_PAGES,)),
        curves=_curves(rows, number),
        turned_away=rows(TURNED_AWAY, ()),
        underway=None if crawl.ended_at else Underway(last_minute, rows(LATEST, (number, LATEST_PAGES))),
    )


def _last_crawl(rows: Rows) -> tuple[int, LastCrawl]:
    found = rows(
        "SELECT crawl, command, topic, keywords, strategy, strftime(started_at, '%Y-%m-%d %H:%M'), "
        "coalesce(strftime(ended_at, '%Y-%m-%d %H:%M'), ''), coalesce(stop_reason, '') "
        "FROM crawls ORDER BY crawl DESC LIMIT 1",
        (),
    )
    if not found:
        raise WrongUse("the collection holds no crawl to report on")
    number, *told = found[0]
    return number, LastCrawl(*told)


def _title(crawl: LastCrawl, seeds: Sequence[str]) -> str:
    asked = question_of(crawl.command)
    if not seeds:
        return f"Crawl: {crawl.topic}"
    named = ", ".join(seeds[:3]) + (f" and {len(seeds) - 3} more" if len(seeds) > 3 else "")
    return f"{asked.capitalize()} of {named}" if asked != "companies" else f"Companies like {named}"


def _parts(rows: Rows, question: str, findings: int) -> Callable[[str], tuple[Part, ...]]:
    """What speaks for and against each company, by key."""
    points = rows(
        f"SELECT company, kind, points FROM ({points_sql(question)}) "  # noqa: S608 - our own SQL
        "ORDER BY company, abs(points) DESC, kind",
        (),
    )
    points_of = {
        company: [(kind, its_points) for _, kind, its_points in group]
        for company, group in groupby(points, key=lambda row: row[0])
    }
    # the same words in the same place count once: a page can list a company in two of its lists
    evidence = rows(
        "SELECT company, kind, max(weight), page, snippet FROM evidence "
        "GROUP BY company, kind, page, snippet ORDER BY company, kind, 3 DESC, page, snippet",
        (),
    )
    found = {
        key: [Finding(weight, page, snippet) for _, _, weight, page, snippet in group]
        for key, group in groupby(evidence, key=lambda row: (row[0], row[1]))
    }

    def part(company: str, kind: str, its_points: float) -> Part:
        its = found.get((company, kind), [])
        shown, more = tuple(its[:findings]), max(0, len(its) - findings)
        return Part(kind, MEANINGS.get(kind, ""), its_points, shown, more)

    return lambda company: tuple(part(company, *kind) for kind in points_of.get(company, []))


def _companies(rows: Rows, top: int, parts: Callable[[str], tuple[Part, ...]]) -> list[tuple[str, Company]]:
    """Companies with the place of the report where each belongs."""
    found = rows(
        "SELECT CASE WHEN verdict = 'rejected' THEN verdict WHEN is_seed THEN 'seed' "
        "WHEN verdict = 'accepted' THEN verdict ELSE 'ranked' END, "
        "company, name, home_page, country, description, rank, score, "
        "least(1, greatest(0, score / nullif(max(score) FILTER (rank IS NOT NULL) OVER (), 0))), why, "
        "coalesce(verdict_note, '') FROM companies "
        "WHERE is_seed OR verdict IN ('accepted', 'rejected') OR rank <= ? "
        "ORDER BY rank NULLS FIRST, company",
        (top,),
    )
    return [
        (place, Company(key, name, page, country, about, rank, score, share, why, note, parts(key)))
        for place, key, name, page, country, about, rank, score, share, why, note in found
    ]


def _curves(rows: Rows, crawl: int) -> tuple[Curve, ...]:
    found = rows(
        "SELECT pages, mean_similarity, hubs FROM progress WHERE crawl = ? QUALIFY "
        "pages % greatest(1, count(*) OVER () // ?) = 0 OR pages = count(*) OVER () ORDER BY pages",
        (crawl, CURVE_POINTS),
    )
    if len(found) < 2:
        return ()
    pages = [row[0] for row in found]
    named = (
        ("pages that link to two or more of your companies", [float(row[2]) for row in found]),
        ("mean similarity of the pages with the topic", [float(row[1]) for row in found]),
    )
    return tuple(_curve(title, pages, values) for title, values in named if max(values) > 0)


def _curve(title: str, pages: Sequence[int], values: Sequence[float]) -> Curve:
    high = max(values)
    points = " ".join(
        f"{100 * page / pages[-1]:.2f},{100 - 100 * value / high:.2f}"
        for page, value in zip(pages, values, strict=True)
    )
    return Curve(title, points, pages[-1], high, values[-1])
