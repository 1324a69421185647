"""What a strategy costs in processor time, and what it gives for it (R84, R85, TOIT eq. 8 and 9).

The oracle and strategies that used no measurable time take no part. Times are those of the strategy alone
(`testbed.strategy_time`, R57); they compare within one experiment on one machine only.
"""

from __future__ import annotations

from testbed.measures import Measure
from testbed.measures.so_far import so_far

_USED = "SELECT run, n, v.cpu_s AS value FROM the_runs r JOIN visits v USING (run) WHERE r.cpu_s > 0"
_COST = f"""
WITH most AS (  -- pages for which all strategies were run: costs of crawls of other lengths compare there
    SELECT topic, min(pages) AS pages
    FROM (SELECT topic, strategy, max(pages) AS pages FROM the_runs WHERE cpu_s > 0 GROUP BY ALL)
    GROUP BY topic),
whole AS (
    SELECT topic, avg(cpu_s) AS mean_cpu_s FROM (SELECT topic, strategy, avg(cpu_s) AS cpu_s FROM (
        SELECT r.topic, r.strategy, r.run, max(v.cpu_s) AS cpu_s
        FROM the_runs r JOIN most m USING (topic) JOIN visits v ON v.run = r.run AND v.n <= m.pages
        WHERE r.cpu_s > 0 AND r.pages >= m.pages GROUP BY ALL) GROUP BY ALL) GROUP BY topic)
SELECT u.run, u.n, u.highest / w.mean_cpu_s AS value
FROM ({so_far(_USED)}) u JOIN the_runs r USING (run) JOIN whole w ON w.topic = r.topic
WHERE u.pages > 0 AND u.n <= r.pages AND w.mean_cpu_s > 0
"""  # noqa: S608 - no foreign text

RELATIVE_COST = Measure(
    "relative_cost",
    "processor time over the mean of all strategies' crawls of the topic (TOIT eq. 8, R84)",
    _COST,
    higher_is_better=False,
)


def performance_per_cost(recall: Measure, similarity: Measure) -> Measure:
    """Mean recall times mean similarity over mean cost (TOIT eq. 9, R85).

    The means over topics are taken before the product, so every run of a strategy has the strategy's value.
    """
    return Measure(
        "performance_per_cost",
        "recall × similarity / relative cost, each averaged over topics first (TOIT eq. 9, R85)",
        f"""
        WITH recall AS ({recall.sql}), similarity AS ({similarity.sql}), cost AS ({_COST}),
        by_topic AS (
            SELECT r.strategy, r.topic, c.n, avg(a.value) AS recall, avg(b.value) AS similarity,
                   avg(c.value) AS cost
            FROM cost c JOIN recall a USING (run, n) JOIN similarity b USING (run, n)
            JOIN the_runs r USING (run)
            GROUP BY ALL),
        joined AS (
            SELECT strategy, n, avg(recall) * avg(similarity) / nullif(avg(cost), 0) AS value
            FROM by_topic GROUP BY ALL)
        SELECT r.run, j.n, j.value FROM joined j JOIN the_runs r USING (strategy)
        WHERE r.cpu_s > 0 AND j.value IS NOT NULL
        """,  # noqa: S608 - no foreign text
        by_topic=False,
        scored=True,
    )
