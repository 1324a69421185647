"""Who the companies on some pages are, what speaks for each, and in which order they stand.

In the order in which it is found:

1. `facts`: what a page says of itself and whom it lists, taken from it once. `titles`, `statements`,
   `written_addresses` and, for lists, `details` and `alphabet` are parts of it.
2. `sites`: pages and links by site (`site_keys`), moves followed (`moved`); `indirect` adds who is listed in
   two steps.
3. `verdicts`: what a site is (`site_kinds`, `site_cues`).
4. `evidence`: what speaks for whom (`evidence_kinds`): lists (`hubs`), words (`wording`, `telling`), links.
5. `one_company`: which sites are one company (`resolve`), by their names (`naming`, `names`,
   `name_similarity`, `link_text`, `listing_names`).
6. `standing` puts these together and `ranking` makes scores of evidence; `memory` spares a running crawl what
   it has found out before.
7. `assess` is the answer, with `passages` quoted. `explain`, `doubtful`, `differences` and `unreached` tell
   more of it; `named` finds the company that a user means.

`opinions` are what the analyst says, `questions` what is asked. `suggestions` turn standing into URLs that a
crawl should visit next (`worth_visiting`). What is held to be usual stands in `data`.
"""
