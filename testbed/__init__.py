"""Whether it works: topics of directories, recorded webs to crawl them on, and measures of what was found.

In the order of an experiment:

1. `odp`, `directory`: a directory as tables (a list in CSV or JSON by `directory_rows` and `json_values`);
   `recipes` make `topics` of it, kept in `topic_table`.
2. `backlinks` say who links to a page: `augment` finds hubs for seeds by them (`augmented_bed`), `links_away`
   finds seeds that lie some links before the targets.
3. `recording` records a web around topics, `replay` serves one; `pagegraph` holds it in arrays
   (`pagegraph_build`, `graph_arrays`, `graph_cosines`, `pagegraph_folder`); `demo` is a web of our own.
4. `experiment` makes runs (`single_run`, `simulate`, `strategy_time`, `oracle`) over processes (`parallel`)
   and keeps them (`runs`, `facts_of_web`).
5. `measuring` works `measures` out; `results`, `statistics`, `covariates` and `plots` make of them what
   `report` shows. `reproduction` holds the papers' `claims` against them, `gate` pins `floors`
   (`gate_of_beds`).
6. `evolve` breeds rank functions by simulated crawls.
"""

import logging

# where it can't write to the home folder it takes one of its own for the time being, and says so in two lines
logging.getLogger("matplotlib").setLevel(logging.ERROR)
