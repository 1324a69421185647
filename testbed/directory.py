"""Directories other than the Open Directory: lists of URLs by category, as CSV or JSON, into the same tables.

The recipes work over any directory whose categories are paths (``Top/Business/Pumps`` or ``Business/Pumps``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import duckdb

from testbed.directory_rows import DirectoryRow, directory_rows
from testbed.odp.arrow import fault_table
from testbed.odp.content import LISTING, as_table
from testbed.odp.faults import Fault
from testbed.odp.load import Loaded, insert_batch, summary
from testbed.odp.staging import whole_or_nothing
from testbed.odp.tables import MERGE_CATEGORIES

_BATCH_ROWS = 50_000


def load_directory(con: duckdb.DuckDBPyConnection, path: Path) -> Loaded:
    """Read a CSV or JSON file with the columns url, category, title, description into `listings`.

    The last two may be absent, other columns are left out. What is wrong with single rows is counted in
    `faults`. Raises DirectoryError if the file lacks url or category.
    """
    with whole_or_nothing(con):
        for batch in _batches(directory_rows(path)):
            listings = [
                (row.category, row.url, row.title, row.description, "link", None, None, None, None)
                for row in batch
                if isinstance(row, DirectoryRow)
            ]
            faults = [row for row in batch if isinstance(row, Fault)]
            insert_batch(
                con, path, {"listings": [as_table(listings, LISTING)], "faults": [fault_table(faults)]}
            )
        con.execute(MERGE_CATEGORIES)
    return summary(con)


def _batches(rows: Iterator[DirectoryRow | Fault]) -> Iterator[list[DirectoryRow | Fault]]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        yield batch
