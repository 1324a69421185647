"""The views of a collection: what people and reports ask for, made anew whenever a file is opened for
writing.
"""

from __future__ import annotations

from bizcrawl.companies.evidence_kinds import EvidenceKind

VIEW_NAMES = (
    "competitors",
    "hubs",
    "progress",
    "harvest",
    "frontier",
    "turned_away",
    "tidy_differences",
    "duplicates",
    "near_duplicates",
)

COUNT_HUBS = "SELECT count(DISTINCT url) FROM hubs WHERE seed_domains > 1"
"""Pages that name two or more known companies, be it in two steps; each URL once. A hub score says less: two
hosts of one company give a page one, and so do two of the page's own domain.
"""

MAX_BITS = 6
"""Texts whose sketches (`bizcrawl.page.near_duplicates`) differ in no more bits count as nearly the same:
with one word in a hundred replaced most do. That two of 100,000 texts without anything in common are taken
for such has a chance of .02.
"""

VIEWS = f"""
CREATE OR REPLACE VIEW frontier AS
WITH leased AS (
    SELECT crawl, unnest(given) AS url, call, at_s FROM calls WHERE kind = 'next'
), finished AS (
    SELECT crawl, url, kind, reason, at_s FROM calls WHERE kind IN ('visit', 'fail')
), seen AS (
    SELECT crawl, url, max(score) AS score FROM links WHERE fate = 'queued' GROUP BY ALL
    UNION ALL
    SELECT crawl, unnest(seeds || hubs), 1.0 FROM crawls
), best AS (
    SELECT crawl, url, max(score) AS score FROM seen GROUP BY ALL
), hand AS (
    SELECT crawl, url, count(*) AS tries, max(at_s) AS leased_at_s FROM leased GROUP BY ALL
), done AS (
    SELECT crawl, url, arg_max(kind, at_s) AS kind, arg_max(reason, at_s) AS reason FROM finished GROUP BY ALL
), reached AS (
    SELECT DISTINCT crawl, final_url AS url, true AS is_reached FROM pages WHERE final_url <> url
)
SELECT crawl, url, score,
    CASE WHEN done.kind = 'visit' THEN 'done' WHEN done.kind = 'fail' THEN 'failed'
         WHEN hand.url IS NOT NULL THEN 'leased' WHEN is_reached THEN 'done' ELSE 'queued' END AS state,
    done.reason,
    coalesce(hand.tries, 0) AS tries,
    hand.leased_at_s
FROM best FULL JOIN hand USING (crawl, url) FULL JOIN done USING (crawl, url)
LEFT JOIN reached USING (crawl, url);

CREATE OR REPLACE VIEW turned_away AS
SELECT crawl, reason, count(*) AS times, count(DISTINCT url) AS urls FROM (
    SELECT crawl, reason, url FROM decisions
    UNION ALL
    SELECT crawl, fate, url FROM links WHERE fate <> 'queued'
) GROUP BY ALL
UNION ALL
SELECT crawl, 'frontier_full', dropped, dropped FROM crawls WHERE dropped > 0
ORDER BY crawl, times DESC;

CREATE OR REPLACE VIEW duplicates AS
SELECT crawl, min(page) AS page, arg_min(final_url, page) AS url, count(*) AS pages,
    list(final_url ORDER BY page)[2:] AS copies
FROM pages WHERE octet_length(body_hash) > 0
GROUP BY crawl, body_hash HAVING count(*) > 1 ORDER BY pages DESC, page;

CREATE OR REPLACE VIEW near_duplicates AS
WITH texts AS (
    SELECT crawl, min(page) AS page, arg_min(final_url, page) AS url, arg_min(sketch, page) AS sketch
    FROM pages WHERE sketch IS NOT NULL GROUP BY crawl, body_hash
), parts AS (  -- of two sketches that differ in six bits one of seven parts is the same
    SELECT crawl, page, sketch, unnest([(sketch >> (9 * i)) & 511 for i in range({MAX_BITS + 1})]) AS part,
        generate_subscripts(range({MAX_BITS + 1}), 1) AS place
    FROM texts
), pairs AS (
    SELECT a.page, min_by(b.page, (bit_count(xor(a.sketch, b.sketch)), b.page)) AS like_page,
        min(bit_count(xor(a.sketch, b.sketch))) AS bits
    FROM parts a JOIN parts b ON a.crawl = b.crawl AND a.place = b.place AND a.part = b.part
        AND b.page < a.page AND bit_count(xor(a.sketch, b.sketch)) <= {MAX_BITS}
    GROUP BY a.page
)
SELECT t.crawl, t.page, t.url, pairs.bits, pairs.like_page, l.url AS like_url
FROM texts t JOIN pairs USING (page) JOIN texts l ON l.page = pairs.like_page ORDER BY t.page;

CREATE OR REPLACE VIEW tidy_differences AS
SELECT crawl, page, final_url, tidy_difference FROM pages WHERE tidy_difference <> '' ORDER BY page;

CREATE OR REPLACE VIEW harvest AS
SELECT crawl, page, url, domain, title, similarity, relevant, hub_score, language, depth, fetched_at
FROM pages ORDER BY similarity DESC, page;

CREATE OR REPLACE VIEW progress AS
SELECT crawl, page, row_number() OVER w AS pages, url, similarity,
    avg(similarity) OVER w AS mean_similarity,
    avg(relevant::INTEGER) OVER w AS harvest_rate,
    count(*) FILTER (hub_score > 0) OVER w AS hubs,
    (sum(body_bytes) OVER w)::BIGINT AS body_bytes,
    fetched_at
FROM pages WINDOW w AS (PARTITION BY crawl ORDER BY page ROWS UNBOUNDED PRECEDING);

CREATE OR REPLACE VIEW hubs AS
WITH sites AS (
    SELECT company, known, rank, site, split_part(site, '/', 1) AS host,
        substr(site, length(split_part(site, '/', 1)) + 1) AS path
    FROM (
        -- the analyst's word stands above the seeds
        SELECT company, coalesce(verdict = 'accepted', is_seed) AS known, rank, unnest(domains) AS site
        FROM companies
    )
), linked AS (
    SELECT DISTINCT p.page, coalesce(t.site, l.domain) AS site, coalesce(t.company, c.company) AS company
    FROM pages p JOIN links l ON l.page = p.page AND l.domain <> p.domain
    LEFT JOIN sites c ON c.site = l.domain
    -- one tenant of a platform: a host below its domain, or the beginning of a path
    LEFT JOIN sites t ON t.host = CASE WHEN l.host LIKE 'www.%' THEN substr(l.host, 5) ELSE l.host END
        AND t.site <> l.domain
        AND starts_with(
            replace(lower(regexp_extract(l.url, '^https?://[^/?#]*([^?#]*)', 1)), '%7e', '~') || '/',
            t.path || '/'
        )
), listed AS (  -- in two steps too, by a redirect or a page of the hub: only the evidence has those
    SELECT p.page, e.company,
        max(try_cast(regexp_extract(e.snippet, '^([0-9]+) of your', 1) AS BIGINT)) AS beside
    FROM evidence e JOIN pages p ON p.final_url = e.page
    WHERE e.kind IN ('{EvidenceKind.LISTED}', '{EvidenceKind.PARTNERED}')
        AND e.company IN (SELECT company FROM companies) GROUP BY ALL
), named AS (
    SELECT page, site, company, NULL AS beside FROM linked
    UNION ALL
    SELECT page, company, company, beside FROM listed ANTI JOIN linked USING (page, company)
), counted AS (
    SELECT page, count(DISTINCT site) AS sites, count(DISTINCT company) FILTER (known) AS seeds,
        count(DISTINCT company) FILTER (NOT known AND rank IS NOT NULL) AS competitor_domains,
        -- a known company alone among others has no evidence of its own; theirs says that it is there
        greatest(seeds, max(beside)) AS seed_domains
    FROM named LEFT JOIN (SELECT DISTINCT company, known, rank FROM sites) USING (company) GROUP BY page
)
SELECT p.crawl, p.page, p.url, p.title, p.hub_score, p.similarity,
    sites + seed_domains - seeds AS domains, seed_domains, competitor_domains
FROM pages p JOIN counted USING (page) WHERE p.hub_score > 0 OR seed_domains > 0
ORDER BY p.hub_score DESC, seed_domains DESC, p.page;

CREATE OR REPLACE VIEW competitors AS
SELECT c.rank, c.name, c.home_page, c.score, c.why, c.company, c.country, c.language, c.description,
    c.verdict, count(e.company) AS evidence_rows
FROM companies c LEFT JOIN evidence e USING (company)
WHERE NOT c.is_seed AND c.rank IS NOT NULL AND coalesce(c.verdict, '') <> 'rejected'
GROUP BY ALL ORDER BY c.rank;
"""  # noqa: S608 - our own numbers and names
