"""What a crawl has gathered at each checkpoint, from one look at each of its visits.

Joined with all checkpoints that come after it, each of millions of visits would be looked at a dozen times.
"""

from __future__ import annotations


def so_far(gathered: str) -> str:
    """SQL that gives ``run, n, pages, total, highest`` for each of `the_runs` at each of `checkpoints`.

    `gathered` is SQL for ``run, n, value``: what each run gathered at its n-th page, or when rank n is
    reached. ``pages`` counts these rows up to the checkpoint, 0 if there are none; ``total`` and ``highest``
    are the sum and the maximum of their values.
    """
    return f"""
SELECT run, n, coalesce(sum(pages) OVER w, 0) AS pages, sum(total) OVER w AS total,
       max(highest) OVER w AS highest
FROM (SELECT r.run, k.n FROM the_runs r CROSS JOIN checkpoints k)
LEFT JOIN (
    SELECT g.run, k.n, count(*) AS pages, sum(g.value) AS total, max(g.value) AS highest
    FROM ({gathered}) g ASOF JOIN checkpoints k ON g.n <= k.n GROUP BY ALL) USING (run, n)
WINDOW w AS (PARTITION BY run ORDER BY n)
"""  # noqa: S608 - no foreign text


def mean_so_far(gathered: str) -> str:
    """SQL that gives ``run, n, value``: the mean of what was gathered up to each checkpoint, over all pages
    where the crawl ended before; nothing where nothing was gathered yet.
    """
    return f"SELECT run, n, total / pages AS value FROM ({so_far(gathered)}) WHERE pages > 0"  # noqa: S608 - no foreign text
