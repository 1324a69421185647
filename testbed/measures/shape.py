"""Where a crawl goes: how closely its pages hang together, and how far it strays from the seeds (R131,
R132).
"""

from __future__ import annotations

from testbed.measures import Measure
from testbed.measures.so_far import mean_so_far, so_far

_COMMUNITY = """
    SELECT v.run, r.web, v.n, v.page, 1 AS value  -- seeds and targets
    FROM the_runs r JOIN visits v USING (run)
    WHERE EXISTS (SELECT 1 FROM targets t WHERE t.web = r.web AND t.topic = r.topic AND t.page = v.page)
       OR EXISTS (SELECT 1 FROM distances d
                  WHERE d.web = r.web AND d.topic = r.topic AND d.page = v.page AND d.distance = 0)
"""


def _cohesiveness(group: str, size: str) -> str:
    """SQL for the links from a group of visited pages to the community, per page of the group.

    `group` is SQL for ``run, n, page``. A link is there once both of its ends were visited.
    """
    links = f"""
    SELECT c.run, greatest(c.n, g.n) AS n, 1 AS value
    FROM ({_COMMUNITY}) c JOIN page_links l ON l.web = c.web AND l.target = c.page
    JOIN ({group}) g ON g.run = c.run AND g.page = l.page
"""  # noqa: S608 - no foreign text
    return f"""
SELECT s.run, s.n, i.pages / s.pages AS value
FROM ({size}) s JOIN ({so_far(links)}) i USING (run, n) WHERE s.pages > 0
"""  # noqa: S608 - no foreign text


COMMUNITY_COHESIVENESS = Measure(
    "community_cohesiveness",
    "links between seeds and found targets, per page of them (EV eq. 13, R131)",
    _cohesiveness(_COMMUNITY, so_far(_COMMUNITY)),
)
COHESIVENESS = Measure(
    "cohesiveness",
    "links from all visited pages to seeds and found targets, per page (EV eq. 13, R131)",
    _cohesiveness(
        "SELECT run, n, page FROM visits",
        "SELECT r.run, k.n, least(k.n, r.visited) AS pages FROM the_runs r CROSS JOIN checkpoints k",
    ),
)
_DISTANCES = """
    SELECT r.run, v.n, d.distance AS value
    FROM the_runs r JOIN visits v USING (run)
    JOIN distances d ON d.web = r.web AND d.topic = r.topic AND d.page = v.page
"""

DISTANCE = Measure(
    "distance",
    "mean number of links from the nearest seed to the first N pages (EV §4, R132)",
    mean_so_far(_DISTANCES),
    higher_is_better=False,
)
GREATEST_DISTANCE = Measure(
    "greatest_distance",
    "links from the nearest seed to the farthest of the first N pages (EV §4, R132)",
    f"SELECT run, n, highest AS value FROM ({so_far(_DISTANCES)}) WHERE pages > 0",  # noqa: S608 - no foreign text
    higher_is_better=False,
)
