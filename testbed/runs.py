"""The tables of experiments: every run, every visit, and the facts of the web that measures need (R135).

    webs         web, digest, pages
    web_pages    web, page, url, host, page_rank
    page_terms   web, page, stem, tf: stop-listed Porter stems
    page_links   web, page, target: distinct links between recorded pages
    targets      web, topic, url, page, host, distance: page NULL if it is not in the record
    topic_terms  topic, source (description, keywords), stem, tf
    distances    web, topic, page, distance: links from the nearest seed
    runs         run, web, topic, strategy, repeat, random_seed, pages (budget), visited, chosen, missing,
                 cpu_s, random (whether it drew random numbers)
    visits       run, n (from 1), page, asked (URL if another than the page's), cpu_s (so far)
    turned_away  run, reason, times

Nothing that a measure could ask is thrown away: what is measured can be decided afterwards.
"""

from __future__ import annotations

TABLES = """
CREATE TABLE IF NOT EXISTS webs (web VARCHAR PRIMARY KEY, digest VARCHAR, pages BIGINT);
CREATE TABLE IF NOT EXISTS web_pages (web VARCHAR, page INTEGER, url VARCHAR, host VARCHAR, page_rank DOUBLE);
CREATE TABLE IF NOT EXISTS page_terms (web VARCHAR, page INTEGER, stem VARCHAR, tf INTEGER);
CREATE TABLE IF NOT EXISTS page_links (web VARCHAR, page INTEGER, target INTEGER);
CREATE TABLE IF NOT EXISTS targets (
    web VARCHAR, topic VARCHAR, url VARCHAR, page INTEGER, host VARCHAR, distance INTEGER);
CREATE TABLE IF NOT EXISTS topic_terms (topic VARCHAR, source VARCHAR, stem VARCHAR, tf INTEGER);
CREATE TABLE IF NOT EXISTS distances (web VARCHAR, topic VARCHAR, page INTEGER, distance INTEGER);
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY, web VARCHAR, topic VARCHAR, strategy VARCHAR, repeat INTEGER, random_seed BIGINT,
    pages BIGINT, visited BIGINT, chosen BIGINT, missing BIGINT, cpu_s DOUBLE, random BOOLEAN);
CREATE TABLE IF NOT EXISTS visits (run INTEGER, n INTEGER, page INTEGER, asked VARCHAR, cpu_s FLOAT);
CREATE TABLE IF NOT EXISTS turned_away (run INTEGER, reason VARCHAR, times BIGINT);
"""
