"""``bizcrawl context``: what a page says about each of its links, level by level, and how it scores.

The answer to "why was this link followed?".
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.text import Text

from bizcrawl.cli.choices import TableOrJsonOption, TidierName, of_a_business, wants_json
from bizcrawl.cli.link_reports import LinkReport, reports_of, table_of
from bizcrawl.cli.predicate import PredicateReport, lines_of, report_on
from bizcrawl.cli.streams import Screen
from bizcrawl.collection.values import json_page
from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.page import TidiedPage
from bizcrawl.parts import predicate_with
from bizcrawl.plaintext import terminal
from bizcrawl.relevance.predicates import row_of
from bizcrawl.text_files import page_body
from bizcrawl.urls import parse
from bizcrawl.web.content import kind_of
from contexts.aggregation import UnknownAggregationError
from contexts.decode import decode
from contexts.tagtree import TagTree
from contexts.tidy import Tidier, tidy
from contexts.vectors import Query

_STORED_PAGE = """
SELECT p.final_url, t.tree, p.status, p.depth, p.body_bytes FROM pages p JOIN trees t USING (page)
WHERE p.url = ? OR p.final_url = ? OR CAST(p.page AS VARCHAR) = ? ORDER BY p.page LIMIT 1
"""


Answer = Mapping[str, object]
"""What a predicate may ask of a page that the page doesn't say itself."""
_NO_PAGES = frozenset({"pdf", "image", "media", "archive", "binary"})
_OF_ANSWERS = ("status", "depth", "bytes")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="context")(context)


def context(
    page: Annotated[
        str,
        typer.Argument(
            help="An HTML file, a URL, or with --in a page's URL or number.", metavar="PAGE|URL|FILE"
        ),
    ],
    collection: Annotated[
        Path | None, typer.Option("--in", help="Collection that holds the page.", metavar="FILE")
    ] = None,
    keywords: Annotated[
        str,
        typer.Option(callback=of_a_business, help="Words of the business, to score the contexts with."),
    ] = "",
    aggregation: Annotated[
        str,
        typer.Option(
            help="Context to score: parent, ancestor:K, window:WORDS, anchor, block, adaptive or page."
        ),
    ] = "parent",
    url: Annotated[
        str, typer.Option(help="URL of the HTML file, against which its links are resolved.")
    ] = "http://page.invalid/",
    tidier: Annotated[
        TidierName, typer.Option(help="Parser of the page: auto, or html5lib, which is exact and slow.")
    ] = TidierName.AUTO,
    predicate: Annotated[
        str, typer.Option(help="As for `crawl`: tell whether it holds for the page, and what decides.")
    ] = "",
    classifiers: Annotated[
        Path | None,
        typer.Option(
            help="Examples for the predicate's classifier('NAME'): a folder of folders, or topics.jsonl."
        ),
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from loopback and private networks too.")
    ] = False,
    format: TableOrJsonOption = None,  # noqa: A002 - the option's name
) -> None:
    """Show every link of a page with its tag path, its context at each level, and the scores."""
    road: Tidier = "html5lib" if tidier is TidierName.HTML5LIB else "auto"
    if classifiers and not predicate:
        raise WrongUse(f"--classifiers {classifiers}: add a --predicate that asks for classifier('NAME')")
    asked = predicate_with(predicate, str(classifiers or "")) if predicate else None
    if collection is not None:
        final_url, tree, answer = _from_collection(collection, page)
    elif page.startswith(("http://", "https://")):
        final_url, tree, answer = asyncio.run(_from_web(page, road, allow_private))
    else:
        if parse(url) is None:
            raise WrongUse(f"--url {url!r}: not an http or https URL, so links can't be resolved against it")
        final_url, tree, answer = url, _from_file(Path(page), road), {}
    query = Query.from_text(keywords)
    try:
        reports = reports_of(tree, final_url, query, aggregation)
    except UnknownAggregationError as error:
        raise WrongUse(str(error)) from error
    whole = TidiedPage(final_url, final_url, (), tree)
    similarity = whole.similarity(query)
    said = report_on(asked, row_of(whole, **answer)) if asked else None
    show = _print_json if wants_json(format) else _print_table
    show(whole, similarity, said, reports)


def _print_json(
    page: TidiedPage, similarity: float, said: PredicateReport | None, reports: list[LinkReport]
) -> None:
    tree = page.tree
    head = {"url": page.final_url, "road": tree.road, "cuts": list(tree.cuts), "similarity": similarity}
    head |= {"predicate": asdict(said)} if said else {}
    print(json_page(head | {"links": [asdict(report) for report in reports]}))  # noqa: T201 - its output


def _print_table(
    page: TidiedPage, similarity: float, said: PredicateReport | None, reports: list[LinkReport]
) -> None:
    cut = f", cut: {', '.join(page.tree.cuts)}" if page.tree.cuts else ""
    line = f"{page.final_url}: similarity {similarity:.3f}, tidied by {page.tree.road}{cut}"
    console = Screen()
    for text in (line, *(lines_of(said) if said else ())):
        console.print(Text(terminal(text)))
    console.print(table_of(reports))


def _from_file(path: Path, tidier: Tidier) -> TagTree:
    advice = "give an HTML file, or a URL with http:// before it"
    try:
        body = page_body(path)
    except OSError as error:
        raise WrongUse(f"{path} can't be read ({error.strerror}): {advice}") from error
    kind = kind_of("", body[:1024].rstrip(b"\0"))  # what fills a file up says nothing
    if kind in _NO_PAGES:
        raise WrongUse(f"{path} is no page ({kind}): {advice}")
    return tidy(decode(body).text, tidier)


def _from_collection(collection: Path, page: str) -> tuple[str, TagTree, Answer]:
    """Final URL and stored tree of a page, by number or URL, and its answer."""
    from bizcrawl.collection.reader import Reader
    from bizcrawl.collection.stored_values import tree_in

    url = parse(page) or page  # as it is stored, though it was typed without the last slash
    rows = Reader(collection).rows(_STORED_PAGE, [url, url, page])
    if not rows:
        raise BizcrawlError(f"{collection} has no page {page}; its table pages lists those it has")
    final_url, tree, *answer = rows[0]
    return (
        str(final_url),
        tree_in(cast(bytes, tree), str(final_url)),
        dict(zip(_OF_ANSWERS, answer, strict=True)),
    )


async def _from_web(url: str, tidier: Tidier, allow_private: bool) -> tuple[str, TagTree, Answer]:
    """Final URL and tree of a page of the Web, fetched under the rules of any crawl, and its answer."""
    from bizcrawl.download import download
    from bizcrawl.parts import make_rules, open_web
    from bizcrawl.plan import Plan
    from bizcrawl.tally import Budget
    from bizcrawl.topic import Topic
    from bizcrawl.web import Failure

    plan = Plan(
        command="context", topic=Topic("", (url,), ""), budget=Budget(pages=1), allow_private=allow_private
    )
    web = open_web(plan)
    try:
        found = await download(url, web, make_rules(plan, web, None))
    finally:
        await web.close()
    if isinstance(found, Failure):
        why = ": ".join(filter(None, (found.reason.value, terminal(found.detail))))
        raise BizcrawlError(f"{url} brought no page: {why}")
    response = found.response
    decoded = decode(response.body, response.headers.get("content-type"))
    answer = dict(zip(_OF_ANSWERS, (response.status, 0, len(response.body)), strict=True))
    return found.final_url, tidy(decoded.text, tidier, truncated=response.truncated), answer
