"""All measures by name, written out in the order in which a report shows them."""

from __future__ import annotations

from bizcrawl.errors import WrongUse
from testbed.measures import Measure
from testbed.measures.cost import RELATIVE_COST, performance_per_cost
from testbed.measures.harvest_rate import HARVEST_RATE, LIFT
from testbed.measures.ranks import DYNAMIC_LEXICAL, DYNAMIC_LINKAGE, STATIC_LEXICAL, STATIC_LINKAGE
from testbed.measures.shape import COHESIVENESS, COMMUNITY_COHESIVENESS, DISTANCE, GREATEST_DISTANCE
from testbed.measures.similarity import MEAN_SIMILARITY, PRECISION
from testbed.measures.target_recall import REACHABLE_RECALL, SITE_RECALL, TARGET_RECALL

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        TARGET_RECALL,
        REACHABLE_RECALL,
        SITE_RECALL,
        PRECISION,
        MEAN_SIMILARITY,
        HARVEST_RATE,
        LIFT,
        STATIC_LEXICAL,
        STATIC_LINKAGE,
        DYNAMIC_LEXICAL,
        DYNAMIC_LINKAGE,
        RELATIVE_COST,
        performance_per_cost(TARGET_RECALL, MEAN_SIMILARITY),
        COHESIVENESS,
        COMMUNITY_COHESIVENESS,
        DISTANCE,
        GREATEST_DISTANCE,
    )
}


def measure_named(name: str) -> Measure:
    """A measure by name. Raises WrongUse that names those there are."""
    if name not in MEASURES:
        raise WrongUse(f"no measure is called {name!r}; there are: {', '.join(MEASURES)}")
    return MEASURES[name]
