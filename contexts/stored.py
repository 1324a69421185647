"""A tag tree at rest: compressed arrays, read as data and never executed."""

from __future__ import annotations

import json
import struct

import numpy as np
import zstandard

from contexts.tagtree import Ints, TagTree

MAGIC = b"BCT1"
_LEVEL = 3
MAX_BYTES = 1 << 30


class NotATagTree(ValueError):  # noqa: N818
    """The bytes are no stored tag tree, or are damaged."""


def to_bytes(tree: TagTree) -> bytes:
    """A tag tree as bytes; `from_bytes` gives an equal one back."""
    n = len(tree.tags)
    strings = json.dumps(
        {
            "stems": tree.stems,
            "tag_names": tree.tag_names,
            "text": tree.text,
            "attributes": list(tree.attributes.items()),
            "json_ld": tree.json_ld,
            "cuts": tree.cuts,
            "road": tree.road,
        },
        ensure_ascii=True,
        separators=(",", ":"),
    ).encode("ascii")
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
    return MAGIC + zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def from_bytes(data: bytes) -> TagTree:
    """The tag tree that `to_bytes` stored. Raises `NotATagTree` for anything else."""
    if data[:4] != MAGIC:
        raise NotATagTree("not a stored tag tree: it does not begin with BCT1")
    try:
        body = zstandard.ZstdDecompressor().decompress(data[4:], max_output_size=MAX_BYTES)
        n, t, length = struct.unpack_from("<III", body)
        if len(body) != 12 + 4 * (5 * n + t) + length:
            raise NotATagTree("a stored tag tree is damaged: its parts don't add up")
        numbers = np.frombuffer(body, "<i4", 5 * n + t, 12).astype(np.int32)
        strings = json.loads(body[12 + 4 * (5 * n + t) :])
    except (zstandard.ZstdError, struct.error, ValueError) as error:
        raise NotATagTree(f"a stored tag tree is damaged: {error}") from error
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
        attributes={int(node): values for node, values in strings["attributes"]},
        json_ld=tuple(strings["json_ld"]),
        cuts=tuple(strings["cuts"]),
        road=strings["road"],
    )


def _before(amounts: Ints) -> Ints:
    result = np.zeros(len(amounts) + 1, np.int32)
    np.cumsum(amounts, out=result[1:])
    return result
