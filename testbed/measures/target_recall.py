"""Target recall: how many of the known targets were found (R44, R47; TOIT's recall level, R82)."""

from __future__ import annotations

from testbed.measures import Measure

_BY_PAGE = """
WITH wanted AS (
    SELECT r.run, t.url, t.page FROM the_runs r JOIN targets t USING (web, topic) WHERE {which}),
found AS (
    SELECT w.run, w.url, min(v.n) AS first FROM wanted w JOIN visits v ON v.run = w.run AND v.page = w.page
    GROUP BY ALL),
counts AS (SELECT run, count(*) AS total FROM wanted GROUP BY run)
SELECT c.run, k.n, count(f.url) / any_value(c.total) AS value
FROM counts c CROSS JOIN checkpoints k LEFT JOIN found f ON f.run = c.run AND f.first <= k.n
GROUP BY c.run, k.n
"""
_BY_SITE = """
WITH sites AS (  -- a target that redirects to another host has both
    SELECT web, topic, host, host AS known_as FROM targets
    UNION
    SELECT t.web, t.topic, t.host, p.host FROM targets t JOIN web_pages p USING (web, page)),
wanted AS (SELECT DISTINCT r.run, s.web, s.host, s.known_as FROM the_runs r JOIN sites s USING (web, topic)),
found AS (
    SELECT w.run, w.host, min(v.n) AS first
    FROM wanted w JOIN visits v USING (run) JOIN web_pages p ON p.web = w.web AND p.page = v.page
    WHERE p.host = w.known_as GROUP BY ALL),
counts AS (SELECT run, count(DISTINCT host) AS total FROM wanted GROUP BY run)
SELECT c.run, k.n, count(f.host) / any_value(c.total) AS value
FROM counts c CROSS JOIN checkpoints k LEFT JOIN found f ON f.run = c.run AND f.first <= k.n
GROUP BY c.run, k.n
"""

TARGET_RECALL = Measure(
    "recall",
    "share of the targets among the first N pages, redirects followed (BI eq. 4, R44, A18)",
    _BY_PAGE.format(which="true"),
)
REACHABLE_RECALL = Measure(
    "reachable_recall",
    "the same over targets that a path of recorded links leads to from the seeds",
    _BY_PAGE.format(which="t.distance IS NOT NULL"),
)
SITE_RECALL = Measure(
    "site_recall",
    "share of the targets' hosts with a page among the first N: a company's site counts as found (A18)",
    _BY_SITE,
)
