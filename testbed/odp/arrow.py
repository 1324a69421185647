"""A chunk's rows as Arrow tables: what the parsing processes send back.

Those processes load this module and not the database, whose memory they have no use for.
"""

from __future__ import annotations

import gc

import pyarrow as pa

from testbed.odp.content import LISTING, Category, LooseLink, as_table, read_content
from testbed.odp.faults import Fault
from testbed.odp.stream import Chunk
from testbed.odp.structure import CategoryLink, Described, read_structure


def content_tables(chunk: Chunk) -> tuple[int, dict[str, pa.Table]]:
    """Length of a chunk of a content dump in bytes, and its rows by table."""
    # no row is part of a cycle: looking for some among a million of them takes a tenth of the time
    gc.disable()
    try:
        rows = read_content(chunk)
    finally:
        gc.enable()
    return len(chunk.data), {
        "named": as_table(rows.categories, Category._fields),
        "listings": as_table(rows.listings, LISTING),
        "loose_pages": as_table(rows.loose_pages, LISTING),
        "loose_links": as_table(rows.loose_links, LooseLink._fields),
        "faults": fault_table(rows.faults),
    }


def structure_tables(chunk: Chunk) -> tuple[int, tuple[dict[str, pa.Table], int]]:
    """Length of a chunk of a structure dump in bytes, its rows by table, and how many external pages it
    lists.
    """
    rows = read_structure(chunk)
    tables = {
        "described": as_table(rows.categories, Described._fields),
        "category_links": as_table(rows.category_links, CategoryLink._fields),
        "faults": fault_table(rows.faults),
    }
    return len(chunk.data), (tables, rows.external_pages)


def fault_table(faults: list[Fault]) -> pa.Table:
    """Faults as rows of their table."""
    return as_table(
        [(fault.kind.value, fault.line, fault.detail) for fault in faults], ("kind", "line", "detail")
    )
