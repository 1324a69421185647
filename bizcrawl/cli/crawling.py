"""What every command that crawls does around the crawl: open the web, show progress, say how it ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bizcrawl.cli.counting import Counting
from bizcrawl.cli.progress import ProgressLine, harvest_rate, speed
from bizcrawl.cli.saying import counted, explained, go_on, interrupted, resumable, say
from bizcrawl.cli.streams import clear_away_folders
from bizcrawl.collection.resume import Resumption
from bizcrawl.collection.views import COUNT_HUBS
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import BizcrawlError, Interrupted, RecordNotKept, is_ctrl_c
from bizcrawl.parts import open_web
from bizcrawl.plaintext import terminal
from bizcrawl.plan import Plan
from bizcrawl.reasons import Reason
from bizcrawl.run import Ended, crawl_row, prepare, run
from bizcrawl.strategies import Learns
from bizcrawl.strategies.verifying import Verifying
from bizcrawl.tally import Stop
from bizcrawl.web import Failure, Web
from bizcrawl.web.recorded import RecordedWeb

SHOWN_FAILURES = 5
_MAY_LACK_HTTPS = frozenset(
    {Reason.CONNECTION, Reason.TLS, Reason.TIMEOUT, Reason.ROBOTS_UNREACHABLE, Reason.NOT_RECORDED}
)
"""How a site that has no https fails."""
_PRIVATE = frozenset({Reason.FORBIDDEN_ADDRESS, Reason.FORBIDDEN_PORT})
"""How a site fails that is not on the public Web."""


def web_of(plan: Plan) -> Web:
    """The web that a plan names; the demo web is made here, for only the command line knows the test beds."""
    if plan.web == "demo":
        from testbed.demo import DemoWeb

        return DemoWeb(max_body_bytes=plan.page_cap_bytes)
    return open_web(plan)


def web_to_crawl(plan: Plan) -> Web:
    """The web that a plan names, for its crawl. A command that makes a collection opens the web first, or an
    empty collection would be left if there is no such web.
    """
    prepare(plan)
    return web_of(plan)


def crawl(
    plan: Plan,
    collection: Collection,
    web: Web | None = None,
    *,
    resumption: Resumption | None = None,
    quiet: bool = False,
) -> Ended:
    """Crawl, or go on crawling, with progress on stderr; the run's end is written down in the collection.

    Without `web` the one that the plan names is opened. Raises `BizcrawlError` with the reason of each seed
    if none could be visited, and with the way to go on if there is no more room for a record of the crawl.
    """
    web = web_to_crawl(plan) if web is None else web
    if resumption is None:
        collection.begin_crawl(crawl_row(plan))
    else:
        collection.continue_crawl(resumption.crawl, dict(crawl_row(plan).budget))
    with resumable(collection.path):
        try:
            with ProgressLine(plan.budget, quiet=quiet) as progress:
                ended = _run(plan, collection, web, resumption, progress, quiet)
        except RecordNotKept as fault:
            then = "what was visited is stored: make room, then go on with"
            raise BizcrawlError(f"{fault}; {then}: {go_on(collection.path)}") from fault
        except BaseException as fault:
            if is_ctrl_c(fault):  # before the first page is asked for, or behind the last
                collection.end_crawl(Stop.INTERRUPTED)
            elif isinstance(fault, BizcrawlError) and resumption is not None:
                collection.leave_as_it_was()
            raise
        collection.end_crawl(ended.stop, ended.refused.get(Reason.FRONTIER_FULL, 0))
    if isinstance(web, RecordedWeb) and web.faults:
        found = ", ".join(f"{explained(fault)} {n:,}" for fault, n in web.faults.items())
        say(f"the record is damaged, what can be read was used: {found}")
    if not ended.tally.pages and ended.stop is not Stop.INTERRUPTED:
        if ended.tally.seed_failures:
            raise no_seed(list(ended.tally.seed_failures.values()))
        if ended.refused:
            why = ", ".join(map(explained, ended.refused))
            raise BizcrawlError(f"no seed may be visited: {why}; give other seeds, or change that option")
    return ended


def _run(
    plan: Plan,
    collection: Collection,
    web: Web,
    resumption: Resumption | None,
    progress: ProgressLine,
    quiet: bool,
) -> Ended:
    def leave() -> None:
        below_the_live_line = "\n" if sys.stderr.isatty() else ""
        say(f"{below_the_live_line}bizcrawl: {interrupted(collection.path)}")
        clear_away_folders()

    work = run(
        plan,
        collection,
        web,
        resumption=resumption,
        observe=progress,
        again=Counting("pages of this crawl gone through again", quiet=quiet),
        leave=leave,
    )
    if plan.web != "live":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)


def no_seed(failures: Sequence[Failure]) -> BizcrawlError:
    """No seed could be visited, for these reasons."""
    if all(failure.reason is Reason.ROBOTS for failure in failures):
        head = "every seed is closed by its robots.txt; give pages that may be visited"
    else:
        head = f"no seed could be visited; {_advice(failures)}"
    return BizcrawlError(f"{head}:\n{_told(failures)}")


def _advice(failures: Sequence[Failure]) -> str:
    """What to do about seeds that failed. An address without a scheme is read as one of https."""
    advice = "check the addresses"
    if any(f.url.startswith("https:") and f.reason in _MAY_LACK_HTTPS for f in failures):
        advice += ", and write http:// before those that have no https"
    if any(f.reason in _PRIVATE for f in failures):
        advice += ", and add --allow-private for a network of your own"
    return advice


def _told(failures: Sequence[Failure]) -> str:
    """A line for each of the first seeds that could not be visited."""
    lines = [
        f"  {terminal(f.url)}  {explained(f.reason)}{f' ({terminal(f.detail)})' if f.detail else ''}"
        for f in failures
    ]
    more = [f"  … and {len(lines) - SHOWN_FAILURES} more"] if len(lines) > SHOWN_FAILURES else []
    return "\n".join(lines[:SHOWN_FAILURES] + more)


def keep_knowledge(ended: Ended, path: Path | None) -> None:
    """Write down what the strategy has learned, if asked to; `CrawlOptions.plan` sees that it learns."""
    if path is None:
        return
    strategy = ended.strategy.within if isinstance(ended.strategy, Verifying) else ended.strategy
    assert isinstance(strategy, Learns)
    strategy.knowledge.save(path)
    say(f"what was learned: {path}")


@contextmanager
def concluding(ended: Ended, collection: Collection, plan: Plan) -> Iterator[None]:
    """What a command does with the crawl that has ended; then the collection is closed, and how it went is
    said. Ctrl-C says how to go on, until the last word.
    """
    with resumable(collection.path):
        yield
        hubs = _hubs(ended, collection, plan)
        collection.close()
        _sum_up(ended, collection.path, hubs)


def _hubs(ended: Ended, collection: Collection, plan: Plan) -> str:
    """How many hubs a crawl met; after a ranking, as it has found them, so that "0 hubs" does not stand below
    companies that were found on lists in two steps, or beside one known company alone.
    """
    if not plan.command.startswith("discover"):
        return f"{counted(ended.tally.hubs, 'hub')}, "
    if not plan.topic.seeds:
        return ""  # there is nobody whom they could list
    with closing(collection.cursor()) as con:
        of_this_crawl = f"{COUNT_HUBS} AND crawl = (SELECT max(crawl) FROM crawls)"  # noqa: S608 - our own SQL
        ((hubs,),) = con.execute(of_this_crawl).fetchall()
    return f"{counted(hubs, 'hub')} with two or more of your companies, "


def _sum_up(ended: Ended, path: Path, hubs: str) -> None:
    """Say on stderr how much of the crawl was good, why it ended and what was turned away, by reason."""
    tally = ended.tally
    if (harvest := harvest_rate(tally)) is not None:
        say(f"harvest rate: {harvest:.1%} of {tally.pages:,} pages satisfy the predicate (R115)")
    say(
        f"{ended.stop}: {counted(tally.pages, 'page')} in {tally.elapsed_s:,.1f} s ({speed(tally)}), "
        f"{hubs}{tally.frontier:,} URLs still waiting"
    )
    if tally.seed_failures:
        failures = list(tally.seed_failures.values())
        say(f"seeds that could not be visited; {_advice(failures)}:\n{_told(failures)}")
    if tally.unchanged:
        say(f"unchanged since the earlier crawl: {tally.unchanged:,} pages, which were not sent again")
    for head, counts in (
        ("without a page", tally.turned_away),
        ("links left out", ended.refused),
        ("in the browser", ended.in_browser.outcomes),
        ("rendered because of", ended.in_browser.signs),
        ("connections that pages in the browser did not get", ended.in_browser.refused),
    ):
        listed = [
            f"{explained(reason)} {n:,}" for reason, n in sorted(counts.items(), key=lambda x: -x[1]) if n
        ]
        if listed:
            say(f"{head}: {', '.join(listed)}")
    if ended.gave_way:
        urls = counted(ended.gave_way, "URL")
        say(f"hosts kept apart: {urls} of a host asked shortly before, for want of others")
    say(f"collection: {path}")
    if ended.stop is Stop.INTERRUPTED:
        raise Interrupted(interrupted(path))
