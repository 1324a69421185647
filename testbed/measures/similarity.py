"""How alike the pages are to the topic's description: precision@N (R41-R43) and TOIT's mean similarity
(R83).
"""

from __future__ import annotations

from testbed.measures import Measure

MEAN_SO_FAR = """
WITH scored AS (
    SELECT v.run, v.n, s.{score} AS score
    FROM the_runs r JOIN visits v USING (run)
    JOIN page_scores s ON s.web = r.web AND s.topic = r.topic AND s.page = v.page)
SELECT s.run, k.n, avg(s.score) AS value FROM scored s JOIN checkpoints k ON s.n <= k.n GROUP BY ALL
"""
"""Mean of a score over the first N pages; over all pages where the crawl ended before."""

PRECISION = Measure(
    "precision",
    "mean similarity of the first N pages to the description, augmented TF-IDF (BI eq. 1-3, R41-R43)",
    MEAN_SO_FAR.format(score="augmented_cosine"),
    scored=True,
)
MEAN_SIMILARITY = Measure(
    "mean_similarity",
    "mean similarity of the first N pages to the description, TF-IDF (TOIT eq. 2-3, R83)",
    MEAN_SO_FAR.format(score="cosine"),
    scored=True,
)
