"""Values of a collection that only bizcrawl writes, read with care all the same: a collection is open to its
owner, who may change it with SQL, and is handed on.
"""

from __future__ import annotations

from bizcrawl.collection.opening import CollectionError
from bizcrawl.reasons import Reason
from contexts.stored import NotATagTree, from_bytes
from contexts.tagtree import TagTree


def tree_in(stored: bytes, url: str) -> TagTree:
    """The stored tag tree of a page. Raises `CollectionError` if it is none."""
    try:
        return from_bytes(stored)
    except NotATagTree as error:
        raise CollectionError(
            f"the tag tree of {url} can't be read ({error}); without its row in `trees` the page is left out"
        ) from error


def reason_in(text: str, url: str) -> Reason:
    """The stored reason why a URL brought no page. Raises `CollectionError` if there is no such reason."""
    try:
        return Reason(text)
    except ValueError:
        raise CollectionError(
            f"{url} brought no page for the reason {text!r}, which this bizcrawl does not "
            f"know; upgrade bizcrawl, or put one there that it knows, such as {Reason.CONNECTION}"
        ) from None
