"""The collection: everything that a crawl found, in one DuckDB file.

- What it holds: `schema`, with `views` and `comments`; `migrations` bring an older file up, `opening` says
  what is wrong with one, `database_files` which files are databases at all.
- Writing: one process (`writer`), each page with its links and the calls to the strategy in one of the
  `transactions`; what was acknowledged survives a kill. `rows` become columns (`columns`, `link_columns`,
  `arrow`) and are inserted (`inserting`); `opinions`, `robots_files` and `host_counts` see to a table each.
  `merging` makes one collection of several.
- Reading: anyone, with SQL (`reader`), also while it is being written: then the writer is asked (`asking`)
  and answers (`answering`), by `messages` over a socket (`wire`), as far as its `allowance` goes. `safe_sql`
  fences strangers in (`sql_checks`, `sql_growth`, `sql_faults`). `status` tells how a collection stands.
- Going on: `resume` reads back what was asked and called; `stored_values` what its owner may have changed.
- Ways out: `formats` of files, from `values`; `replacing` writes one whole or not at all.
"""
