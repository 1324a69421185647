"""EvE's page quality: static coverage of the top pages, and dynamic mean ranks (R101-R103).

All pages of a topic, whoever crawled them, are ranked once: by the dot product of their term vector with the
description's (lexical), or by the number of topic keywords they hold with ties by PageRank (linkage). Static:
what share of the top N pages a crawler fetched at all. Dynamic: the mean rank of its first N pages, lower
being better.

Vectors are SMART's ltc: logarithm of the frequency, times idf, of length 1 (A35). The description's length is
the same for all pages and is left out.

EvE works PageRank out over the pages that all crawls of all topics fetched. Here it is that of the whole
record (`testbed.facts_of_web`), which holds those pages and does not change with every run that is added.
"""

from __future__ import annotations

from testbed.measures import Measure
from testbed.measures.similarity import mean_score
from testbed.measures.so_far import so_far


def _static(rank: str) -> str:
    """SQL for the share of the pool's N first pages by a rank that a run fetched at all."""
    fetched = f"""
SELECT r.run, s.{rank} AS n, 1 AS value
FROM the_runs r JOIN visits v USING (run)
JOIN page_scores s ON s.web = r.web AND s.topic = r.topic AND s.page = v.page
"""  # noqa: S608 - no foreign text
    return f"""
SELECT f.run, f.n, f.pages / least(f.n, p.pages) AS value
FROM ({so_far(fetched)}) f JOIN the_runs r USING (run)
JOIN (SELECT web, topic, count(*) AS pages FROM page_scores GROUP BY ALL) p USING (web, topic)
"""  # noqa: S608 - no foreign text


STATIC_LEXICAL = Measure(
    "static_lexical",
    "share of the N pages most like the description that were fetched (EvE §4.1, R101, R102)",
    _static("lexical_rank"),
    scored=True,
)
STATIC_LINKAGE = Measure(
    "static_linkage",
    "share of the N pages with most keywords and PageRank that were fetched (EvE §4.2, R101, R103)",
    _static("linkage_rank"),
    scored=True,
)
DYNAMIC_LEXICAL = Measure(
    "dynamic_lexical",
    "mean lexical rank of the first N pages, lower is better (EvE §4.1, R101, R102)",
    mean_score("lexical_rank"),
    higher_is_better=False,
    scored=True,
)
DYNAMIC_LINKAGE = Measure(
    "dynamic_linkage",
    "mean linkage rank of the first N pages, lower is better (EvE §4.2, R101, R103)",
    mean_score("linkage_rank"),
    higher_is_better=False,
    scored=True,
)
