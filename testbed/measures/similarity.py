"""How alike the pages are to the topic's description: precision@N (R41-R43) and TOIT's mean similarity
(R83).
"""

from __future__ import annotations

from testbed.measures import Measure
from testbed.measures.so_far import mean_so_far


def mean_score(score: str) -> str:
    """SQL for the mean of a column of `page_scores` over the first N pages."""
    return mean_so_far(f"""
SELECT v.run, v.n, s.{score} AS value
FROM the_runs r JOIN visits v USING (run)
JOIN page_scores s ON s.web = r.web AND s.topic = r.topic AND s.page = v.page
""")  # noqa: S608 - no foreign text


def mean_cosine(cosine: str) -> str:
    """The same for a cosine. Decimals have one sum in whatever order they are added up, so that crawls which
    fetched the same pages are equal, and none wins by a rounding.
    """
    return mean_score(f"{cosine}::DECIMAL(18, 15)")


PRECISION = Measure(
    "precision",
    "mean similarity of the first N pages to the description, augmented TF-IDF (BI eq. 1-3, R41-R43)",
    mean_cosine("augmented_cosine"),
    scored=True,
)
MEAN_SIMILARITY = Measure(
    "mean_similarity",
    "mean similarity of the first N pages to the description, TF-IDF (TOIT eq. 2-3, R83)",
    mean_cosine("cosine"),
    scored=True,
)
