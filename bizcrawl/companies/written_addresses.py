"""Web addresses that a page writes down and does not link to, as many lists of members do: they name
companies as links do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bizcrawl.urls import domain_of, host_of, hosts_of
from contexts.links import Link
from contexts.tagtree import TEXT, TagTree
from contexts.urls import join

LEAST = 3
"""Fewer are an imprint or a mention, and no list."""
MOST = 2_000
MOST_READ = 10_000
"""Different addresses that are looked at, of sites to which links lead among them."""
KIND = "text"

_ADDRESS = re.compile(
    r"(?<![\w@./-])(?:https?://)?www\.(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?![\w-])",
    re.IGNORECASE,
)


def written_addresses(tree: TagTree, links: Sequence[Link], host: str) -> list[Link]:
    """Addresses of top pages of other sites (``www.acorn.example``) in the text of a page, the first of each
    site to which none of its `links` leads, as links without a text; none where there are few.
    """
    text = tree.text
    if text.count("www.") + text.count("WWW.") < LEAST:
        return []
    linked = {domain_of(target) for target in hosts_of(link.url for link in links)} | {domain_of(host)}
    leaves = tree.nodes_named(TEXT)
    begins = tree.first_char[leaves]
    found: dict[str, Link] = {}
    read: set[str] = set()
    for match in _ADDRESS.finditer(text):
        written = match[0]
        if written in read:
            continue
        if len(found) >= MOST or len(read) >= MOST_READ:
            break
        read.add(written)
        url = join(written if "//" in written else f"http://{written}")
        site = domain_of(host_of(url)) if url else ""
        if url and site and site not in linked and site not in found:
            leaf = int(leaves[np.searchsorted(begins, match.start(), side="right") - 1])
            found[site] = Link(url, leaf, len(links) + len(found), "", KIND, "")
    return list(found.values()) if len(found) >= LEAST else []
