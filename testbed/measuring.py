"""Works measures out over the runs of a bed, and keeps them: `measurements` has one row per run, measure
and N.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb

from testbed.measures import Measure

TABLES = """
CREATE TABLE IF NOT EXISTS measurements (run INTEGER, measure VARCHAR, n INTEGER, value DOUBLE);
CREATE TABLE IF NOT EXISTS page_scores (
    web VARCHAR, topic VARCHAR, page INTEGER, augmented_cosine DOUBLE, cosine DOUBLE,
    lexical_rank INTEGER, linkage_rank INTEGER);
CREATE TABLE IF NOT EXISTS pools (web VARCHAR, topic VARCHAR, pages BIGINT, runs BIGINT);
CREATE OR REPLACE VIEW topic_values AS
WITH by_seed AS (  -- crawls of one seed that went on for longer or shorter are one crawl
    SELECT r.web, r.strategy, r.topic, m.measure, m.n, r.random_seed, avg(m.value) AS value
    FROM measurements m JOIN runs r USING (run) GROUP BY ALL)
SELECT web, strategy, topic, measure, n, avg(value) AS value FROM by_seed GROUP BY ALL;
"""
"""`topic_values`, one value a topic, is what means, errors and tests are made from (R45)."""
_SCORES = """
WITH pool AS (
    SELECT DISTINCT v.page FROM runs r JOIN visits v USING (run) WHERE r.web = $web AND r.topic = $topic),
terms AS (SELECT t.page, t.stem, t.tf FROM page_terms t SEMI JOIN pool USING (page) WHERE t.web = $web),
frequency AS (SELECT stem, ln((SELECT count(*) FROM pool) / count(*)) AS idf FROM terms GROUP BY stem),
weighted AS (
    SELECT t.page, t.stem, t.tf, f.idf,
           (0.5 + 0.5 * t.tf / max(t.tf) OVER (PARTITION BY t.page)) * f.idf AS augmented
    FROM terms t JOIN frequency f USING (stem)),
description AS (  -- terms that no page of the pool has say nothing (A17)
    SELECT d.stem, d.tf * f.idf AS plain, (1 + ln(d.tf)) * f.idf AS logged,
           (0.5 + 0.5 * d.tf / max(d.tf) OVER ()) * f.idf AS augmented
    FROM topic_terms d JOIN frequency f USING (stem) WHERE d.topic = $topic AND d.source = 'description'),
lengths AS (
    SELECT sqrt(sum(plain * plain)) AS plain, sqrt(sum(augmented * augmented)) AS augmented FROM description),
products AS (
    SELECT w.page,
           sum(w.augmented * d.augmented) / nullif(sqrt(sum(w.augmented * w.augmented)), 0) AS augmented,
           sum(w.tf * w.idf * d.plain) / nullif(sqrt(sum(w.tf * w.idf * w.tf * w.idf)), 0) AS plain,
           sum((1 + ln(w.tf)) * w.idf * d.logged)
               / nullif(sqrt(sum(pow((1 + ln(w.tf)) * w.idf, 2))), 0) AS dot  -- ltc (A35)
    FROM weighted w LEFT JOIN description d USING (stem) GROUP BY w.page),
keywords AS (
    SELECT t.page, count(*) AS known FROM terms t
    JOIN topic_terms k ON k.stem = t.stem AND k.topic = $topic AND k.source = 'keywords' GROUP BY t.page)
INSERT INTO page_scores
SELECT $web, $topic, p.page,
       coalesce(s.augmented / nullif(l.augmented, 0), 0), coalesce(s.plain / nullif(l.plain, 0), 0),
       -- rounded: equal sums that were added up in another order are no rank
       row_number() OVER (ORDER BY round(coalesce(s.dot, 0), 9) DESC, p.page),
       row_number() OVER (ORDER BY coalesce(k.known, 0) DESC, g.page_rank DESC, p.page)
FROM pool p CROSS JOIN lengths l
LEFT JOIN products s USING (page) LEFT JOIN keywords k USING (page)
JOIN web_pages g ON g.web = $web AND g.page = p.page
"""
_INSERT = """
INSERT INTO measurements
SELECT m.run, ?, m.n, m.value FROM ({}) m JOIN the_runs r ON r.run = m.run
WHERE m.n <= r.pages  -- beyond its budget a run says nothing
"""
_STALE = """
SELECT r.topic, count(*), sum(r.visited), any_value(p.runs), any_value(p.pages)
FROM runs r LEFT JOIN pools p USING (web, topic) WHERE r.web = ? GROUP BY r.topic
HAVING any_value(p.runs) IS DISTINCT FROM count(*) OR any_value(p.pages) IS DISTINCT FROM sum(r.visited)
ORDER BY r.topic
"""


def measure_runs(
    con: duckdb.DuckDBPyConnection, web: str, measures: Iterable[Measure], checkpoints: Sequence[int]
) -> None:
    """Work measures out at each checkpoint for all runs on a web, in place of what was measured before.

    Similarities and ranks are over the pages that all runs of a topic visited (R42, R102), so they change
    when a strategy is added; `pools` says over how many.
    """
    measures = list(measures)
    con.execute(TABLES)
    if any(measure.scored for measure in measures):
        score_pages(con, web)
    con.execute("CREATE OR REPLACE TEMP TABLE the_runs AS SELECT * FROM runs WHERE web = $web", {"web": web})
    con.execute(
        "CREATE OR REPLACE TEMP TABLE checkpoints AS SELECT DISTINCT unnest(?) AS n", [list(checkpoints)]
    )
    for measure in measures:
        con.execute("BEGIN")
        con.execute(
            "DELETE FROM measurements WHERE measure = ? AND run IN (SELECT run FROM the_runs)", [measure.name]
        )
        con.execute(_INSERT.format(measure.sql), [measure.name])
        con.execute("COMMIT")


def score_pages(con: duckdb.DuckDBPyConnection, web: str) -> None:
    """Similarities and ranks of the pooled pages of each topic whose runs have changed since they were last
    made.
    """
    for topic, runs, pages, *_ in con.execute(_STALE, [web]).fetchall():
        con.execute("BEGIN")
        values = {"web": web, "topic": topic}
        con.execute("DELETE FROM page_scores WHERE web = $web AND topic = $topic", values)
        con.execute("DELETE FROM pools WHERE web = $web AND topic = $topic", values)
        con.execute(_SCORES, values)
        con.execute("INSERT INTO pools VALUES (?, ?, ?, ?)", [web, topic, pages, runs])
        con.execute("COMMIT")
