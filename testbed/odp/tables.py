"""The tables of a directory, and how rows that came apart in the dump are brought together.

    categories      category, catid, title, description, last_update, parent, leaf
    category_links  category, kind, target, label, rank: narrow, symbolic, related, alias, …
    listings        source, category, url, title, description, kind, priority, ages, mediadate, extra
    faults          source, kind, line, detail: every repair

`kind` of a listing is the element that lists it; only link and link1 are external URLs (A37), and NULL is a
page that names a category which does not link to it.

A load fills tables of its own, `unfinished_categories` and so on; see `testbed.odp.staging`.
"""

from __future__ import annotations

DIRECTORY = ("categories", "category_links", "listings", "faults")
TABLES = """
CREATE TABLE IF NOT EXISTS categories (
    category VARCHAR, catid BIGINT, title VARCHAR, description VARCHAR, last_update VARCHAR,
    parent VARCHAR, leaf BOOLEAN);
CREATE TABLE IF NOT EXISTS category_links (
    category VARCHAR, kind VARCHAR, target VARCHAR, label VARCHAR, rank INTEGER);
CREATE TABLE IF NOT EXISTS listings (
    source VARCHAR, category VARCHAR, url VARCHAR, title VARCHAR, description VARCHAR, kind VARCHAR,
    priority BIGINT, ages VARCHAR, mediadate VARCHAR, extra VARCHAR);
CREATE TABLE IF NOT EXISTS faults (source VARCHAR, kind VARCHAR, line BIGINT, detail VARCHAR);
"""
STAGES = ("named", "described", "loose_pages", "loose_links", "described_once")
STAGE_TABLES = """
CREATE TEMP TABLE named (category VARCHAR, catid BIGINT);
CREATE TEMP TABLE described (
    category VARCHAR, catid BIGINT, title VARCHAR, description VARCHAR, last_update VARCHAR);
CREATE TEMP TABLE loose_pages (
    source VARCHAR, category VARCHAR, url VARCHAR, title VARCHAR, description VARCHAR, kind VARCHAR,
    priority BIGINT, ages VARCHAR, mediadate VARCHAR, extra VARCHAR);
CREATE TEMP TABLE loose_links (source VARCHAR, category VARCHAR, url VARCHAR, kind VARCHAR);
"""
PLACE_LOOSE = """
-- pages that name their category, wherever they stand
INSERT INTO unfinished_listings
    SELECT p.source, p.category, p.url, p.title, p.description, l.kind, p.priority, p.ages,
           p.mediadate, p.extra
    FROM loose_pages p LEFT JOIN (SELECT DISTINCT category, url, kind FROM loose_links) l
        ON l.category = p.category AND l.url = p.url
    WHERE p.category IS NOT NULL;
-- pages of the old layout, under every category that links to them: each once, for n times n are too many;
-- which of several is left to a hash of their words: rows have no order, and to compare words takes memory
CREATE OR REPLACE TEMP TABLE described_once AS
    SELECT arg_min(rowid, hash(title, description)) AS page
    FROM loose_pages WHERE category IS NULL GROUP BY url;
INSERT INTO unfinished_listings
    SELECT p.source, l.category, p.url, p.title, p.description, l.kind, p.priority, p.ages,
           p.mediadate, p.extra
    FROM loose_pages p JOIN described_once o ON o.page = p.rowid
    JOIN (SELECT DISTINCT category, url, kind FROM loose_links) l ON l.url = p.url
    WHERE NOT EXISTS (SELECT 1 FROM unfinished_listings k WHERE k.category = l.category AND k.url = l.url);
INSERT INTO unfinished_faults
    SELECT source, 'repeated_page', NULL, url FROM loose_pages p
    WHERE category IS NULL AND rowid NOT IN (SELECT page FROM described_once)
      AND EXISTS (SELECT 1 FROM loose_links l WHERE l.url = p.url);
INSERT INTO unfinished_faults
    SELECT source, 'page_without_category', NULL, url FROM loose_pages p
    WHERE category IS NULL AND NOT EXISTS (SELECT 1 FROM loose_links l WHERE l.url = p.url);
-- links without a page of their own take what is said of the same URL elsewhere
INSERT INTO unfinished_listings
    SELECT l.source, l.category, l.url, e.title, e.description, l.kind, NULL, NULL, NULL, NULL
    FROM (SELECT DISTINCT source, category, url, kind FROM loose_links) l
    LEFT JOIN (SELECT url, min(title) AS title, min(description) AS description FROM unfinished_listings
               WHERE url IN (SELECT url FROM loose_links) GROUP BY url) e ON e.url = l.url
    WHERE NOT EXISTS (SELECT 1 FROM unfinished_listings k WHERE k.category = l.category AND k.url = l.url);
"""
MERGE_CATEGORIES = """
INSERT INTO unfinished_categories
    WITH every AS (
        SELECT category, any_value(catid) AS catid, any_value(title) AS title,
               any_value(description) AS description, any_value(last_update) AS last_update
        FROM (SELECT * FROM described UNION ALL BY NAME SELECT * FROM named
              UNION ALL BY NAME SELECT DISTINCT category FROM unfinished_listings) GROUP BY category),
    tree AS (SELECT *, CASE WHEN category LIKE '%/%' THEN regexp_replace(category, '/[^/]*$', '') END
                    AS parent FROM every)
    SELECT *, category NOT IN (SELECT parent FROM tree WHERE parent IS NOT NULL) AS leaf FROM tree
    WHERE category NOT IN (SELECT category FROM unfinished_categories);
"""
