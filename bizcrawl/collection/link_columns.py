"""The links of pages, the bulk of a collection, as columns all the way from the page to the file.

What a page says of its links is packed where the page is tidied, which is mostly in another process, and only
put together where it is written. Rows of Python objects are never made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from bizcrawl.collection.arrow import constant, texts
from bizcrawl.collection.rows import CONTEXT_CHARS, StoredPage
from bizcrawl.urls import domain_of, hosts_of
from contexts.links import Link

_PACKED = pa.schema(
    [
        ("position", pa.int32()),
        ("url", pa.string()),
        ("host", pa.string()),
        ("anchor", pa.string()),
        ("context", pa.string()),
        ("path", pa.string()),
        ("node", pa.int32()),
        ("aggregation_node", pa.int32()),
        ("kind", pa.string()),
        ("rel", pa.string()),
    ]
)


def pack(
    links: Sequence[Link], contexts: Sequence[str], aggregation_nodes: Sequence[int], paths: Sequence[str]
) -> bytes:
    """What a page says of its links.

    For each link its context, cut to `CONTEXT_CHARS`; the node whose text that is, -1 where it is not one
    subtree; and the tags from the root to the link.
    """
    if not links:
        return b""
    urls, nodes, positions, anchors, kinds, rels = zip(*links, strict=True)
    columns = [
        pa.array(positions, pa.int32()),
        texts(urls),
        texts(hosts_of(urls)),
        texts(anchors),
        texts([context[:CONTEXT_CHARS] for context in contexts]),
        texts(paths),
        pa.array(nodes, pa.int32()),
        pa.array(aggregation_nodes, pa.int32()),
        texts(kinds),
        texts(rels),
    ]
    packed: bytes = pa.RecordBatch.from_arrays(columns, schema=_PACKED).serialize().to_pybytes()
    return packed


def links_table(pages: Sequence[StoredPage], crawl: int, first_page: int) -> pa.Table:
    """Rows of `links` for pages that are numbered from `first_page`."""
    found = [
        pa.ipc.read_record_batch(pa.py_buffer(page.links.found), _PACKED)
        for page in pages
        if page.links.found
    ]
    table = pa.Table.from_batches(found, _PACKED).combine_chunks()
    # each host is asked for its domain once, and only here: the list of suffixes takes its time to load
    hosts = table["host"].to_pylist()
    domains = {host: domain_of(host) for host in set(hosts)}
    numbers = np.arange(first_page, first_page + len(pages), dtype=np.int64)
    made = {
        "crawl": constant(crawl, len(table)),
        "page": pa.array(np.repeat(numbers, [len(page.links.scores) for page in pages])),
        "domain": texts([domains[host] for host in hosts]),
        "score": pa.array(list(chain.from_iterable(page.links.scores for page in pages)), pa.float64()),
        "parts": _maps(list(chain.from_iterable(page.links.parts for page in pages))),
        "fate": texts(list(chain.from_iterable(page.links.fates for page in pages))),
    }
    for name, column in made.items():
        table = table.append_column(name, column)
    return table


def _maps(values: Sequence[Mapping[str, float]]) -> pa.Array:
    """A column of maps from text to number."""
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=offsets[1:])
    return pa.MapArray.from_arrays(
        pa.array(offsets),
        texts(list(chain.from_iterable(values))),
        pa.array(list(chain.from_iterable(value.values() for value in values)), pa.float64()),
    )
