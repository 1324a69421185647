"""How many pages and failures each host has: counted from what is stored, so that no kill and no merge can
put the counts wrong.
"""

from __future__ import annotations

from collections import Counter

import duckdb
import pyarrow as pa

from bizcrawl.collection.arrow import texts
from bizcrawl.urls import domain_of, host_of

_WRITE_DOWN = """
INSERT INTO hosts BY NAME
SELECT host, domain, '' AS robots, NULL AS delay_s, pages, failures, last_failure, NULL AS verdict
FROM counted ON CONFLICT (host) DO UPDATE SET
    domain = excluded.domain, pages = excluded.pages, failures = excluded.failures,
    last_failure = CASE excluded.last_failure WHEN '' THEN last_failure ELSE excluded.last_failure END
"""

_NOTHING_LEFT = """
UPDATE hosts SET pages = 0, failures = 0
WHERE (pages > 0 OR failures > 0) AND host NOT IN (SELECT host FROM counted)
"""
"""Of a host whose pages went with a run that another copy has replaced."""


def count_hosts(con: duckdb.DuckDBPyConnection) -> None:
    """Write down beside every host its pages and the URLs that brought none, over all runs of the file, and
    why the last of these failed. Call it within a transaction.
    """
    pages = dict(con.execute("SELECT host, count(*) FROM pages GROUP BY host").fetchall())
    failures: Counter[str] = Counter()
    last: dict[str, str] = {}
    for url, why in con.execute(
        "SELECT url, concat_ws(': ', reason, nullif(detail, '')) FROM decisions WHERE reason <> 'bad_url'"
    ).fetchall():
        host = host_of(url)
        failures[host] += 1
        last[host] = why
    hosts = sorted({*pages, *failures} - {""})
    counted = pa.table(
        {
            "host": texts(hosts),
            "domain": texts([domain_of(host) for host in hosts]),
            "pages": pa.array([pages.get(host, 0) for host in hosts], pa.int64()),
            "failures": pa.array([failures[host] for host in hosts], pa.int64()),
            "last_failure": texts([last.get(host, "") for host in hosts]),
        }
    )
    con.register("counted", counted)
    con.execute(_WRITE_DOWN)
    con.execute(_NOTHING_LEFT)
    con.unregister("counted")
