"""Pages from which a classifier learns: a folder of examples, or what an analyst has judged (R119)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb

from bizcrawl.collection.stored_values import tree_in
from bizcrawl.relevance.classifier import BadClassifier
from bizcrawl.text_files import is_hidden, page_text
from contexts.tagtree import TagTree
from contexts.tidy import tidy

SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".txt"})


def trees_in_folder(folder: Path) -> list[TagTree]:
    """The pages of a folder and all folders in it, in the order of their names, hidden ones left out.

    Raises `BadClassifier` if there is none.
    """
    if not folder.is_dir():
        raise BadClassifier(f"{folder}: no such folder")
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in SUFFIXES and not is_hidden(path, folder) and path.is_file()
    )
    if not files:
        endings = ", ".join(sorted(SUFFIXES))
        raise BadClassifier(f"{folder}: holds no pages; their names should end in {endings}")
    return [tidy(page_text(path)) for path in files]


def judged_trees(con: duckdb.DuckDBPyConnection, *, accepted: bool) -> Iterator[TagTree]:
    """Pages of the companies that an analyst accepted, with the seeds', or of those that were rejected."""
    cursor = con.execute(
        "SELECT t.tree, p.final_url FROM pages p JOIN trees t USING (page) "
        "WHERE EXISTS (SELECT 1 FROM companies c WHERE list_contains(c.domains, p.domain) "
        "AND coalesce(c.verdict, CASE WHEN c.is_seed THEN 'accepted' END) = ?) ORDER BY p.page",
        ["accepted" if accepted else "rejected"],
    )
    while row := cursor.fetchone():
        yield tree_in(*row)
