"""Harvest rate and lift: what share of the pages is what was looked for (R115).

In a test bed a page is what was looked for when it is a target; the reference is the random crawler on the
same topic.
"""

from __future__ import annotations

from testbed.measures import Measure

_RATE = """
    WITH found AS (
        SELECT r.run, t.page, min(v.n) AS first
        FROM the_runs r JOIN targets t USING (web, topic) JOIN visits v ON v.run = r.run AND v.page = t.page
        GROUP BY ALL)
    SELECT r.run, r.topic, r.strategy, k.n,
           count(f.page) / least(k.n, greatest(any_value(r.visited), 1)) AS rate
    FROM the_runs r JOIN checkpoints k ON k.n <= r.pages  -- a shorter crawl is no reference for a longer one
    LEFT JOIN found f ON f.run = r.run AND f.first <= k.n
    GROUP BY r.run, r.topic, r.strategy, k.n
"""

HARVEST_RATE = Measure(
    "harvest_rate",
    "share of the first N pages that are targets (R115)",
    f"SELECT run, n, rate AS value FROM ({_RATE})",  # noqa: S608 - no foreign text
)
LIFT = Measure(
    "lift",
    "harvest rate over that of the random crawler, on the topics where that one found any (R115)",
    f"""
    WITH rates AS ({_RATE}),
    reference AS (SELECT topic, n, avg(rate) AS rate FROM rates WHERE strategy = 'random' GROUP BY ALL)
    SELECT r.run, r.n, r.rate / f.rate AS value
    FROM rates r JOIN reference f USING (topic, n) WHERE f.rate > 0
    """,  # noqa: S608 - no foreign text
)
