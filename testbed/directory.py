"""Directories other than the Open Directory: lists of URLs by category, as CSV or JSON, into the same tables.

The recipes work over any directory whose categories are paths (``Top/Business/Pumps`` or ``Business/Pumps``).
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from bizcrawl.errors import BizcrawlError
from testbed.odp.load import Loaded, summary
from testbed.odp.staging import whole_or_nothing
from testbed.odp.tables import MERGE_CATEGORIES


class DirectoryError(BizcrawlError):
    """A file that is no directory; the message says what is missing."""


def load_directory(con: duckdb.DuckDBPyConnection, path: Path) -> Loaded:
    """Read a CSV or JSON file with the columns url, category, title, description into `listings`.

    The last two may be absent, other columns are left out. Rows without URL or category are counted in
    `faults` as unreadable records. Raises DirectoryError if the file is no table or lacks url or category.
    """
    try:
        con.execute("CREATE OR REPLACE TEMP TABLE incoming_directory AS " + _reading(path), [str(path)])
    except duckdb.Error as problem:
        raise DirectoryError(f"{path}: cannot be read as a table: {str(problem).splitlines()[0]}") from None
    columns = {name.lower() for name, *_ in con.execute("DESCRIBE incoming_directory").fetchall()}
    if missing := {"url", "category"} - columns:
        raise DirectoryError(f"{path}: has no column {' and no column '.join(sorted(missing))}")
    title = "title" if "title" in columns else "NULL"
    description = "description" if "description" in columns else "NULL"
    with whole_or_nothing(con):
        con.execute(
            f"""
            INSERT INTO unfinished_listings BY NAME
                SELECT $name AS source, trim(category::VARCHAR) AS category, trim(url::VARCHAR) AS url,
                       {title}::VARCHAR AS title, {description}::VARCHAR AS description, 'link' AS kind
                FROM incoming_directory WHERE trim(url::VARCHAR) <> '' AND trim(category::VARCHAR) <> ''
            """,  # noqa: S608 - the names are ours
            {"name": path.name},
        )
        con.execute(
            """
            INSERT INTO unfinished_faults
                SELECT $name, 'unreadable_record', NULL, 'a row without ' ||
                       CASE WHEN coalesce(trim(url::VARCHAR), '') = '' THEN 'url' ELSE 'category' END
                FROM incoming_directory
                WHERE coalesce(trim(url::VARCHAR), '') = '' OR coalesce(trim(category::VARCHAR), '') = ''
            """,
            {"name": path.name},
        )
        con.execute(MERGE_CATEGORIES)
    con.execute("DROP TABLE incoming_directory")
    return summary(con)


def _reading(path: Path) -> str:
    if path.suffix.lower() in {".json", ".jsonl", ".ndjson"}:
        return "SELECT * FROM read_json_auto(?)"
    return "SELECT * FROM read_csv(?, all_varchar = true, header = true)"
