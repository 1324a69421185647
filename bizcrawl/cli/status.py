"""``bizcrawl status``: what is in a collection and how its crawls stand."""

from __future__ import annotations

import json

import typer
from rich.text import Text

from bizcrawl.cli.choices import CollectionFile, TableOrJsonOption, wants_json
from bizcrawl.cli.saying import counted, go_on
from bizcrawl.cli.streams import Screen
from bizcrawl.collection.status import CrawlStatus, Status, status_of
from bizcrawl.plaintext import terminal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="status")(status)


def status(
    file: CollectionFile,
    format: TableOrJsonOption = None,  # noqa: A002 - the option's name
) -> None:
    """Show what a collection holds, how its crawls stand, and what was turned away, by reason."""
    found = status_of(file)
    if wants_json(format):
        print(json.dumps(found.as_json(), indent=2))  # noqa: T201 - this is its output
        return
    _print(found, Screen())


def _print(found: Status, console: Screen) -> None:
    size = f"{found.file_bytes / 2**20:,.1f} MB"
    console.print(Text(f"{found.path}: {size}, schema {found.schema_version}"))
    for crawl in found.crawls:
        about = f"{crawl.command}: {crawl.topic}, by {crawl.strategy}"
        figures = {
            "pages": crawl.pages,
            "queued": crawl.queued,
            "leased": crawl.leased,
            "failed": crawl.failed,
        }
        counts = "  ".join(f"{name} {count:,}" for name, count in figures.items())
        for line in (about, counts, _state(crawl, found)):
            console.print(Text(terminal(f"crawl {crawl.crawl}  {line}")))
    counts = "  ".join(f"{name} {count:,}" for name, count in found.rows.items())
    console.print(Text(counts))
    for crawl in found.crawls:
        if crawl.unchanged:
            console.print(Text(f"crawl {crawl.crawl}: {crawl.unchanged:,} pages unchanged, not sent again"))
    if found.tidied_both_ways:
        differing = f"{found.tidy_differences:,} differ" if found.tidy_differences else "none differ"
        console.print(Text(f"tidied both ways to compare: {found.tidied_both_ways:,} pages, {differing}"))
    if found.soft_404s:
        console.print(Text(f"say “not found” in spite of their status: {found.soft_404s:,} pages"))
    if found.duplicates:
        pages = counted(found.duplicates, "page")
        console.print(Text(f"the same content as an earlier page under another URL: {pages}"))
    if found.turned_away:
        console.print(Text("turned away: " + "  ".join(f"{r} {n:,}" for r, n in found.turned_away.items())))


def _state(crawl: CrawlStatus, found: Status) -> str:
    if crawl.state == "ended":
        return crawl.stop_reason or ""
    if crawl.state == "running":
        return "running"
    can_go_on = crawl is found.crawls[-1]
    return f"ended without a word; {f'`{go_on(found.path)}`' if can_go_on else 'only the last crawl goes on'}"
