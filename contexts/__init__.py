"""What a page says, and what it says about each of its links: bytes and text in, values out.

tree = tidy("<p>We make <a href='/pumps'>pumps</a> for breweries.</p>")
for link in links(tree, "http://maker.example/"):
    print(link.url, "|", context(tree, link, "parent"))
"""

from __future__ import annotations

from contexts.aggregation import Spans, spans
from contexts.links import Link, links
from contexts.lists import list_ids
from contexts.tagtree import TagTree
from contexts.tidy import tidy

__all__ = ["Link", "Spans", "TagTree", "context", "links", "list_ids", "spans", "tidy"]


_ANYWHERE = "http://a/"
"""What links are joined to whose nodes alone are asked for: so short that none becomes too long to be one."""


def context(tree: TagTree, link: Link, aggregation: str = "parent") -> str:
    """Text of a link's context (R23); where that is not all below one node, its terms.

    For many links of a page `spans` is faster. Raises `UnknownAggregationError`, and `ValueError` for a link
    of another page.
    """
    around = links(tree, _ANYWHERE)  # the page's other links say where blocks and crowds are
    place = [other.node for other in around].index(link.node)
    found = spans(tree, around, aggregation)
    node = int(found.nodes[place])
    if node >= 0:
        return tree.text_below(node)
    return " ".join(tree.stems[i] for i in tree.tokens[found.starts[place] : found.ends[place]])
