"""The tables of experiments: every run, every visit, and the facts of the web that measures need (R135).

    webs         web, digest, pages
    web_pages    web, page, url, host, page_rank
    page_terms   web, page, stem, tf: stop-listed Porter stems
    page_links   web, page, target: distinct links between recorded pages
    targets      web, topic, url, page, host, distance: page NULL if it is not in the record
    topic_terms  topic, source (description, keywords), stem, tf
    distances    web, topic, page, distance: links from the nearest seed
    runs         run, web, topic, strategy, repeat, random_seed, pages (budget), visited, chosen, missing,
                 cpu_s, random (whether it drew random numbers)
    visits       run, n (from 1), page, asked (URL if another than the page's), cpu_s (so far)
    turned_away  run, reason, times

Nothing that a measure could ask is thrown away: what is measured can be decided afterwards.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa

from bizcrawl.reasons import Reason
from testbed.single_run import Run

TABLES = """
CREATE TABLE IF NOT EXISTS webs (web VARCHAR PRIMARY KEY, digest VARCHAR, pages BIGINT);
CREATE TABLE IF NOT EXISTS web_pages (web VARCHAR, page INTEGER, url VARCHAR, host VARCHAR, page_rank DOUBLE);
CREATE TABLE IF NOT EXISTS page_terms (web VARCHAR, page INTEGER, stem VARCHAR, tf INTEGER);
CREATE TABLE IF NOT EXISTS page_links (web VARCHAR, page INTEGER, target INTEGER);
CREATE TABLE IF NOT EXISTS targets (
    web VARCHAR, topic VARCHAR, url VARCHAR, page INTEGER, host VARCHAR, distance INTEGER);
CREATE TABLE IF NOT EXISTS topic_terms (topic VARCHAR, source VARCHAR, stem VARCHAR, tf INTEGER);
CREATE TABLE IF NOT EXISTS distances (web VARCHAR, topic VARCHAR, page INTEGER, distance INTEGER);
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, web VARCHAR, topic VARCHAR, strategy VARCHAR, repeat INTEGER, random_seed BIGINT,
    pages BIGINT, visited BIGINT, chosen BIGINT, missing BIGINT, cpu_s DOUBLE, random BOOLEAN);
CREATE TABLE IF NOT EXISTS visits (run INTEGER, n INTEGER, page INTEGER, asked VARCHAR, cpu_s FLOAT);
CREATE TABLE IF NOT EXISTS turned_away (run INTEGER, reason VARCHAR, times BIGINT);
"""


def store_run(con: duckdb.DuckDBPyConnection, run: Run) -> None:
    """Put a run with its visits into the tables, whole or not at all."""
    task = run.task
    chosen = len(run.pages) + sum(
        n for reason, n in run.turned_away.items() if reason != Reason.FRONTIER_FULL
    )
    missing = run.turned_away.get(Reason.NOT_RECORDED, 0)
    con.execute("BEGIN")
    number = (con.execute("SELECT coalesce(max(run), 0) + 1 FROM runs").fetchone() or (1,))[0]
    con.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            number,
            task.bed.name,
            task.topic.name,
            task.strategy,
            task.repeat,
            task.random_seed,
            task.pages,
            len(run.pages),
            chosen,
            missing,
            float(run.cpu_s[-1]) if len(run.cpu_s) else 0.0,
            run.random,
        ],
    )
    visits = pa.table(
        {
            "run": np.full(len(run.pages), number, np.int32),
            "n": np.arange(1, len(run.pages) + 1, dtype=np.int32),
            "page": run.pages,
            "asked": pa.array(run.asked, pa.string()),
            "cpu_s": run.cpu_s,
        }
    )
    con.register("incoming", visits)
    con.execute("INSERT INTO visits BY NAME SELECT * FROM incoming")
    con.unregister("incoming")
    if run.turned_away:
        rows = [(number, reason, times) for reason, times in run.turned_away.items()]
        con.executemany("INSERT INTO turned_away VALUES (?, ?, ?)", rows)
    con.execute("COMMIT")
