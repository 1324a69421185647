"""Where a crawl goes: how closely its pages hang together, and how far it strays from the seeds (R131,
R132).
"""

from __future__ import annotations

from testbed.measures import Measure

_COHESIVENESS = """
WITH community AS (  -- seeds and targets among the first N pages
    SELECT r.run, r.web, k.n, v.page
    FROM the_runs r CROSS JOIN checkpoints k JOIN visits v ON v.run = r.run AND v.n <= k.n
    WHERE EXISTS (SELECT 1 FROM targets t WHERE t.web = r.web AND t.topic = r.topic AND t.page = v.page)
       OR EXISTS (SELECT 1 FROM distances d
                  WHERE d.web = r.web AND d.topic = r.topic AND d.page = v.page AND d.distance = 0)),
inside AS (
    SELECT c.run, c.n, count(*) AS links
    FROM community c JOIN page_links l ON l.web = c.web AND l.target = c.page
    JOIN {group} g ON g.run = c.run AND g.page = l.page AND g.n <= c.n
    {same}
    GROUP BY ALL),
sizes AS ({sizes})
SELECT s.run, s.n, coalesce(i.links, 0) / s.pages AS value FROM sizes s LEFT JOIN inside i USING (run, n)
"""

COMMUNITY_COHESIVENESS = Measure(
    "community_cohesiveness",
    "links between seeds and found targets, per page of them (EV eq. 13, R131)",
    _COHESIVENESS.format(
        group="community",
        same="AND g.n = c.n",
        sizes="SELECT run, n, count(*) AS pages FROM community GROUP BY ALL",
    ),
)
COHESIVENESS = Measure(
    "cohesiveness",
    "links from all visited pages to seeds and found targets, per page (EV eq. 13, R131)",
    _COHESIVENESS.format(
        group="visits",
        same="",
        sizes="SELECT r.run, k.n, least(k.n, r.visited) AS pages FROM the_runs r CROSS JOIN checkpoints k "
        "WHERE r.visited > 0",
    ),
)
_DISTANCE = """
SELECT r.run, k.n, {summed}(d.distance) AS value
FROM the_runs r CROSS JOIN checkpoints k JOIN visits v ON v.run = r.run AND v.n <= k.n
JOIN distances d ON d.web = r.web AND d.topic = r.topic AND d.page = v.page
GROUP BY ALL
"""

DISTANCE = Measure(
    "distance",
    "mean number of links from the nearest seed to the first N pages (EV §4, R132)",
    _DISTANCE.format(summed="avg"),
    higher_is_better=False,
)
GREATEST_DISTANCE = Measure(
    "greatest_distance",
    "links from the nearest seed to the farthest of the first N pages (EV §4, R132)",
    _DISTANCE.format(summed="max"),
    higher_is_better=False,
)
