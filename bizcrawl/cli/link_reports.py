"""What stands around each link of a page, level by level from the link to the root, and how it scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table
from rich.text import Text

from bizcrawl.plaintext import terminal
from contexts.aggregation import spans
from contexts.links import links
from contexts.tagtree import TagTree
from contexts.vectors import Query, query_weights, slice_cosines

_TEXT_CHARS = 300
_LEVEL_CHARS = 100
"""So much of the text at a level is shown in a table."""


@dataclass(frozen=True, slots=True)
class Level:
    """One node on the way from a link to the root."""

    tag: str
    chosen: bool
    """It is the aggregation node."""
    terms: int
    score: float
    """Cosine of the text below it with the keywords (R25)."""
    text: str


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What stands around one link."""

    url: str
    kind: str
    rel: str
    anchor: str
    path: str
    score: float
    """Cosine of its context with the keywords (R25)."""
    terms: int
    text: str
    levels: tuple[Level, ...]


def reports_of(tree: TagTree, url: str, query: Query, aggregation: str) -> list[LinkReport]:
    """The context of every link of a page. Raises `UnknownAggregationError`."""
    found = links(tree, url)
    contexts = spans(tree, found, aggregation)
    weights = query_weights(tree.stems, query)
    columns = contexts.nodes.tolist(), contexts.starts.tolist(), contexts.ends.tolist()
    reports = []
    for link, chosen, start, end in zip(found, *columns, strict=True):
        nodes = _way_up(tree, link.node)
        starts = np.array([start, *tree.first_token[nodes]], np.int32)
        ends = np.array([end, *tree.first_token[tree.end[nodes]]], np.int32)
        scores = np.zeros(len(starts))
        if weights is not None:
            scores = slice_cosines(tree.tokens, weights, query.norm, starts, ends)
        score, *scores_above = scores.tolist()
        terms, *terms_above = (ends - starts).tolist()
        levels = tuple(
            Level(tree.tag(node), node == chosen, terms_below, node_score, _beginning(tree, node))
            for node, terms_below, node_score in zip(nodes, terms_above, scores_above, strict=True)
        )
        text = _beginning(tree, chosen) if chosen >= 0 else _terms(tree, start, end)
        path = tree.path(link.node)
        reports.append(
            LinkReport(link.url, link.kind, link.rel, link.anchor, path, score, terms, text, levels)
        )
    return reports


def _way_up(tree: TagTree, node: int) -> list[int]:
    """A node and all around it, up to the root."""
    nodes = [node]
    while tree.parent[nodes[-1]] >= 0:
        nodes.append(int(tree.parent[nodes[-1]]))
    return nodes


def _beginning(tree: TagTree, node: int) -> str:
    """The text below a node, as far as it is shown: else each link of a large page had a copy of it all."""
    start, end = int(tree.first_char[node]), int(tree.first_char[tree.end[node]])
    return tree.text[start : min(end, start + _TEXT_CHARS)].strip()


def _terms(tree: TagTree, start: int, end: int) -> str:
    """The terms of a context that is not the text of one node."""
    return " ".join(tree.stems[i] for i in tree.tokens[start:end])[:_TEXT_CHARS]


def table_of(reports: Sequence[LinkReport]) -> Table:
    """A line for each link, and below it one for each further level that says more than the last one."""
    table = Table()
    for column in ("score", "link", "path, [chosen node]", "context, then the text at each level"):
        table.add_column(Text(column))
    for report in reports:
        for cells in [_line_of(report), *_lines_of_levels(report)]:
            table.add_row(*(Text(terminal(cell)) for cell in cells))
        table.add_section()
    return table


def _line_of(report: LinkReport) -> tuple[str, str, str, str]:
    """A link with its context."""
    tags = report.path.split("/")
    for level, tag in enumerate(report.levels):
        if tag.chosen:
            tags[-1 - level] = f"[{tags[-1 - level]}]"
    return f"{report.score:.3f}", report.url, "/".join(tags), report.text


def _lines_of_levels(report: LinkReport) -> Iterator[tuple[str, str, str, str]]:
    """The nodes from the link to the root but the chosen one and those that say what the last one said."""
    tags = report.path.split("/")
    said = None
    for above, level in enumerate(report.levels):
        if (level.terms, level.text) != said and not level.chosen:
            more = " …" if len(level.text) > _LEVEL_CHARS else ""
            path = "/".join(tags[: len(tags) - above])
            yield f"{level.score:.3f}", "", path, f"{level.text[:_LEVEL_CHARS]}{more}"
        said = level.terms, level.text
