"""The ranked companies as a person or a program wants them: table, JSON, CSV or Markdown, on stdout."""

from __future__ import annotations

from bizcrawl.collection.writer import Collection
from bizcrawl.plan import Plan

FORMATS = ("table", "json", "csv", "markdown")


def show_companies(collection: Collection, plan: Plan, top: int, output: str) -> None:
    print("TODO")
