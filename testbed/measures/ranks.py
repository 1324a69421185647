"""EvE's page quality: static coverage of the top pages, and dynamic mean ranks (R101-R103).

All pages of a topic, whoever crawled them, are ranked once: by their dot product with the description
(lexical), or by the number of topic keywords they hold with ties by PageRank (linkage). Static: what share
of the top N pages a crawler fetched at all. Dynamic: the mean rank of its first N pages, lower being
better.

EvE works PageRank out over the pages that all crawls of all topics fetched. Here it is that of the whole
record (`testbed.facts_of_web`), which holds those pages and does not change with every run that is added.
"""

from __future__ import annotations

from testbed.measures import Measure
from testbed.measures.similarity import MEAN_SO_FAR

_STATIC = """
SELECT r.run, k.n, count(v.page) / least(k.n, any_value(pool.pages)) AS value
FROM the_runs r CROSS JOIN checkpoints k
JOIN (SELECT web, topic, count(*) AS pages FROM page_scores GROUP BY ALL) pool USING (web, topic)
JOIN page_scores s ON s.web = r.web AND s.topic = r.topic AND s.{rank} <= k.n
LEFT JOIN visits v ON v.run = r.run AND v.page = s.page
GROUP BY r.run, k.n
"""

STATIC_LEXICAL = Measure(
    "static_lexical",
    "share of the N pages most like the description that were fetched (EvE §4.1, R101, R102)",
    _STATIC.format(rank="lexical_rank"),
    scored=True,
)
STATIC_LINKAGE = Measure(
    "static_linkage",
    "share of the N pages with most keywords and PageRank that were fetched (EvE §4.2, R101, R103)",
    _STATIC.format(rank="linkage_rank"),
    scored=True,
)
DYNAMIC_LEXICAL = Measure(
    "dynamic_lexical",
    "mean lexical rank of the first N pages, lower is better (EvE §4.1, R101, R102)",
    MEAN_SO_FAR.format(score="lexical_rank"),
    higher_is_better=False,
    scored=True,
)
DYNAMIC_LINKAGE = Measure(
    "dynamic_linkage",
    "mean linkage rank of the first N pages, lower is better (EvE §4.2, R101, R103)",
    MEAN_SO_FAR.format(score="linkage_rank"),
    higher_is_better=False,
    scored=True,
)
