"""What a page graph is made of: flat arrays over all pages of a recorded web, texts laid end to end."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bizcrawl.reasons import Reason
from contexts.aggregation import spans
from contexts.links import Link
from contexts.tagtree import Ints, TagTree
from contexts.vectors import Floats

Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
REASONS: tuple[Reason, ...] = tuple(Reason)
KINDS = ("a", "area", "frame", "iframe", "svg", "refresh", "canonical", "next", "prev", "alternate", "script")


@dataclass(frozen=True, slots=True)
class Arrays:
    """The parts of a page graph: u URLs, p pages, n nodes, t tokens, w words of pages, l links.

    ``*_at`` hold where the part of each page (or text) begins in the array of the same name, and the end of
    the last.
    """

    url_text: Bytes
    url_at: Longs
    moved_to: Ints
    """(u,) URL to which it redirects, -1 if it does not."""
    page_at: Ints
    """(u,) page that it holds; -1 - k if it holds none for reason `REASONS[k]`."""
    barred: Ints
    """(u,) -1, or the index in `REASONS` of the reason why robots.txt bars it."""
    page_url: Ints
    """(p,) final URL of a page."""
    node_at: Longs
    tags: Ints
    """(n,) index into the tag names of the graph."""
    parent: Ints
    end: Ints
    first_token: Ints
    """(n + p,) counted from the page's own first token; one entry more than nodes for each page."""
    first_char: Ints
    token_at: Longs
    tokens: Ints
    """(t,) index into the page's own word list."""
    word_at: Longs
    words: Ints
    """(w,) word lists of all pages: indexes into the stems of the graph."""
    stem_text: Bytes
    stem_at: Longs
    tag_text: Bytes
    tag_at: Longs
    text: Bytes
    text_at: Longs
    rest: Bytes
    """JSON of each page: attributes, json_ld, cuts, road."""
    rest_at: Longs
    link_at: Longs
    link_url: Ints
    link_node: Ints
    link_kind: Ints
    """(l,) index into `KINDS`."""
    link_text: Bytes
    """Anchor and rel of each link, on two lines."""
    link_text_at: Longs
    page_norm: Floats
    """(p,) length of the page's term vector."""
    by_stem: Ints
    """(t,) positions of tokens, sorted by stem, then by position."""
    stem_first: Longs
    """(stems + 1,) where the positions of each stem begin in `by_stem`."""


@dataclass(frozen=True, slots=True)
class SpanArrays:
    """Contexts of all links of the graph at one aggregation, as slices of its token array."""

    starts: Longs
    ends: Longs
    norms: Floats
    """(l,) length of each context's term vector."""


def page_spans(tree: TagTree, links: Sequence[Link], aggregation: str) -> tuple[Ints, Ints, Floats]:
    """Starts, ends and norms of the contexts of one page's links."""
    if not links:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
    found = spans(tree, links, aggregation)
    norms: dict[tuple[int, int], float] = {}
    lengths = []
    for span in zip(found.starts.tolist(), found.ends.tolist(), strict=True):
        if span not in norms:
            norms[span] = vector_length(tree.tokens[span[0] : span[1]])
        lengths.append(norms[span])
    return found.starts, found.ends, np.array(lengths)


def vector_length(tokens: Ints) -> float:
    """Length of the term vector of some tokens, each counted as often as it occurs."""
    counts = np.bincount(tokens)
    return float(np.sqrt(float(counts @ counts)))


def join_spans(pages: Sequence[tuple[Ints, Ints, Floats]], token_at: Longs) -> SpanArrays:
    """Contexts of all pages, counted from the graph's first token."""
    if not pages:
        return SpanArrays(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    starts = [starts + at for (starts, _, _), at in zip(pages, token_at[:-1], strict=True)]
    ends = [ends + at for (_, ends, _), at in zip(pages, token_at[:-1], strict=True)]
    return SpanArrays(
        np.concatenate(starts), np.concatenate(ends), np.concatenate([norms for _, _, norms in pages])
    )


def begins(parts: Sequence[Sized]) -> Longs:
    """Where each part begins when they stand end to end, and the end of the last."""
    at = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=at[1:])
    return at


def blob(strings: Sequence[str] | Sequence[bytes]) -> tuple[Bytes, Longs]:
    """Texts end to end as UTF-8, and where each begins."""
    parts = [part.encode() if isinstance(part, str) else part for part in strings]
    return np.frombuffer(b"".join(parts), np.uint8), begins(parts)


def texts(data: Bytes, at: Longs) -> list[str]:
    """The texts that `blob` laid end to end."""
    whole = data.tobytes()
    ends = at.tolist()
    return [whole[ends[i] : ends[i + 1]].decode() for i in range(len(ends) - 1)]
