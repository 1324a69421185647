"""Measures of crawls: what is measured, in SQL, one measure or family in one small module.

A measure is a query over the tables of `testbed.runs` that gives ``run, n, value`` for each run of
`the_runs` at each point of `checkpoints` (N pages, or N top pages for the static ranks). Values are per
topic and run first; averages over topics are taken from them (R45). `testbed.measures.table` names them
all, `testbed.measuring` works them out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure."""

    name: str
    meaning: str
    """One line for a person, with its source."""
    sql: str
    """Gives run, n, value."""
    higher_is_better: bool = True
    by_topic: bool = True
    """False: one value for each strategy, made of its means over topics. It has no error and no test."""
    scored: bool = False
    """Needs `page_scores`: similarities and ranks over the pages that all runs of a topic visited."""
