"""Back-links from Common Crawl's host and domain graphs: whose sites link to a site.

The graphs are published as text: vertices ``id<TAB>reversed name[<TAB>hosts]``, edges ``from<TAB>to``, and,
if wanted, ranks with a heading and the reversed name last. They run to hundreds of gigabytes; DuckDB scans
them where they lie, plain or compressed, once for all seeds. The graph knows sites, not pages: what comes
back are home pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from bizcrawl.urls import domain_of, host_of
from testbed.backlinks import BacklinkError

_TEXT = "delim = '\t', header = false, quote = '', escape = '', auto_detect = false"
_QUERY = f"""
WITH vertices AS (
    SELECT * FROM read_csv($vertices, {_TEXT}, null_padding = true,
                           columns = {{'id': 'BIGINT', 'name': 'VARCHAR', 'hosts': 'BIGINT'}})),
edges AS MATERIALIZED (
    SELECT * FROM read_csv($edges, {_TEXT}, columns = {{'source': 'BIGINT', 'target': 'BIGINT'}})
    WHERE target IN (SELECT id FROM vertices WHERE name IN (SELECT unnest($names))) AND source <> target),
cited AS (
    SELECT target AS id, count(*) AS in_degree
    FROM read_csv($edges, {_TEXT}, columns = {{'source': 'BIGINT', 'target': 'BIGINT'}})
    WHERE target IN (SELECT source FROM edges) GROUP BY target)
SELECT t.name, s.name
FROM edges e JOIN vertices t ON t.id = e.target JOIN vertices s ON s.id = e.source
LEFT JOIN cited c ON c.id = e.source
QUALIFY row_number() OVER (PARTITION BY e.target ORDER BY coalesce(c.in_degree, 0) DESC, s.name) <= $limit
ORDER BY t.name, coalesce(c.in_degree, 0) DESC, s.name
"""  # noqa: S608 - no foreign text goes into it


@dataclass(frozen=True, slots=True)
class CommonCrawlGraph:
    """The two files of a host graph or of a domain graph."""

    vertices: Path
    edges: Path
    memory: str = "1GB"

    @classmethod
    def in_folder(cls, folder: Path) -> CommonCrawlGraph:
        """The files ``*vertices*`` and ``*edges*`` of a folder. Raises BacklinkError unless there is one of
        each.
        """
        found = [sorted(folder.glob(f"*{part}*")) for part in ("vertices", "edges")]
        if any(len(files) != 1 for files in found):
            raise BacklinkError(f"{folder}: one file *vertices* and one file *edges* are expected")
        return cls(found[0][0], found[1][0])

    async def linking_to(self, urls: Sequence[str], limit: int) -> Mapping[str, Sequence[str]]:
        """See `Backlinks`. Sites are looked up by host and by domain, the leading www. left out as the
        graph does.
        """
        wanted: dict[str, list[str]] = {}
        for url in urls:
            host = host_of(url).removeprefix("www.")
            for name in {host, domain_of(host)} - {""}:
                wanted.setdefault(_reversed(name), []).append(url)
        values = {
            "vertices": str(self.vertices),
            "edges": str(self.edges),
            "names": list(wanted),
            "limit": limit,
        }
        try:
            with duckdb.connect(config={"memory_limit": self.memory}) as con:
                rows = con.execute(_QUERY, values).fetchall()
        except duckdb.Error as problem:
            raise self._explained(problem) from None
        found: dict[str, list[str]] = {}
        for target, source in rows:
            home = f"https://{_reversed(source)}/"
            for url in wanted[target]:
                homes = found.setdefault(url, [])
                if home not in homes and len(homes) < limit:
                    homes.append(home)
        return found

    def _explained(self, problem: duckdb.Error) -> BacklinkError:
        """One line that names the file, and what is expected on the line that is wrong."""
        said = str(problem)
        path, wanted = (
            (self.vertices, "a number and a name with a tab between")
            if f"{self.vertices}" in said
            else (self.edges, "two numbers with a tab between")
        )
        line = re.search(r"CSV Error on Line: (\d+)", said)
        if line is None:
            return BacklinkError(f"{path}: {said.splitlines()[0]}")
        return BacklinkError(f"{path}: near line {line[1]}: {wanted} are expected, in UTF-8")


def _reversed(name: str) -> str:
    return ".".join(reversed(name.split(".")))
