"""A tag tree at rest: compressed arrays, read as data and never executed."""

from __future__ import annotations

import struct
import threading

import numpy as np
import orjson
import zstandard

from contexts.tagtree import Ints, TagTree

MAGIC = b"BCT1"
_LEVEL = 1
"""Level 3 takes twice as long for a twentieth less."""
MAX_BYTES = 1 << 30


class _PerThread(threading.local):
    """Making a compressor takes a fifth as long as using it; no two threads may share one."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=_LEVEL)


_per_thread = _PerThread()


class NotATagTree(ValueError):  # noqa: N818
    """The bytes are no stored tag tree, or are damaged."""


def to_bytes(tree: TagTree) -> bytes:
    """A tag tree as bytes; `from_bytes` gives an equal one back."""
    n = len(tree.tags)
    strings = orjson.dumps(
        {
            "stems": tree.stems,
            "tag_names": tree.tag_names,
            "text": tree.text,
            "attributes": list(tree.attributes.items()),
            "json_ld": tree.json_ld,
            "cuts": tree.cuts,
            "road": tree.road,
        }
    )
    nodes = np.arange(n, dtype=np.int32)
    columns = (
        tree.tags,
        nodes - tree.parent,
        tree.end - nodes,
        np.diff(tree.first_token),
        np.diff(tree.first_char),
        tree.tokens,
    )
    head = struct.pack("<III", n, len(tree.tokens), len(strings))
    body = b"".join([head, *[column.astype("<i4").tobytes() for column in columns], strings])
    return MAGIC + _per_thread.compressor.compress(body)


def from_bytes(data: bytes) -> TagTree:
    """The tag tree that `to_bytes` stored. Raises `NotATagTree` for anything else."""
    if data[:4] != MAGIC:
        raise NotATagTree("not a stored tag tree: it does not begin with BCT1")
    try:
        tree = _unpacked(data[4:])
        is_whole = _is_whole(tree)
    except (zstandard.ZstdError, struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotATagTree(f"a stored tag tree is damaged: {error}") from error
    if not is_whole:
        raise NotATagTree("a stored tag tree is damaged: its parts don't fit together")
    return tree


def _unpacked(data: bytes) -> TagTree:
    if zstandard.frame_content_size(data) > MAX_BYTES:
        raise ValueError(f"it says that it has more than {MAX_BYTES:,} bytes")
    body = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_BYTES)
    n, t, length = struct.unpack_from("<III", body)
    if len(body) != 12 + 4 * (5 * n + t) + length:
        raise ValueError("its parts don't add up")
    numbers = np.frombuffer(body, "<i4", 5 * n + t, 12).astype(np.int32)
    strings = orjson.loads(memoryview(body)[12 + 4 * (5 * n + t) :])
    nodes = np.arange(n, dtype=np.int32)
    tags, up, size, tokens_of, chars_of = numbers[: 5 * n].reshape(5, n)
    return TagTree(
        tags=tags,
        parent=nodes - up,
        end=nodes + size,
        first_token=_before(tokens_of),
        first_char=_before(chars_of),
        tokens=numbers[5 * n :],
        stems=tuple(strings["stems"]),
        tag_names=tuple(strings["tag_names"]),
        text=strings["text"],
        attributes={int(node): dict(values) for node, values in strings["attributes"]},
        json_ld=tuple(strings["json_ld"]),
        cuts=tuple(strings["cuts"]),
        road=strings["road"],
    )


def _is_whole(tree: TagTree) -> bool:
    """Whether every reference to a node, token, character, stem or tag leads to one that is there."""
    n, nodes = len(tree), np.arange(len(tree))
    words = (*tree.stems, *tree.tag_names, *tree.json_ld, *tree.cuts, tree.road, tree.text)
    attributes = tree.attributes
    return (
        n > 0
        and tree.parent[0] == -1
        and bool(((tree.parent[1:] >= 0) & (tree.parent[1:] < nodes[1:])).all())
        and bool(((tree.end > nodes) & (tree.end <= n)).all())
        and bool((tree.end[1:] <= tree.end[tree.parent[1:]]).all())
        and _within(tree.tags, len(tree.tag_names))
        and _within(tree.tokens, len(tree.stems))
        and _counts_to(tree.first_token, len(tree.tokens))
        and _counts_to(tree.first_char, len(tree.text))
        and all(0 <= node < n for node in attributes)
        and all(isinstance(word, str) for word in words)
        and all(isinstance(value, str) for values in attributes.values() for value in values.values())
    )


def _within(numbers: Ints, size: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < size)


def _counts_to(before: Ints, total: int) -> bool:
    return int(before[-1]) == total and bool((np.diff(before) >= 0).all())


def _before(amounts: Ints) -> Ints:
    result = np.zeros(len(amounts) + 1, np.int32)
    np.cumsum(amounts, out=result[1:])
    return result
