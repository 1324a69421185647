"""What the fuzzers found, each as an example of its own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.urls import host_of, key_of, parse
from contexts import tidy
from contexts.stored import MAGIC, NotATagTree, from_bytes, to_bytes
from testbed.odp.content import read_content
from testbed.odp.stream import chunks
from testbed.odp.structure import read_structure


@pytest.mark.parametrize(
    "text", ["https://./x", "//from bizcrawl.robots import text as robots_text.%2e", "http://../"]
)
def test_a_host_of_dots_alone_is_no_host(text: str) -> None:
    assert parse(text, "https://one.example/") is None


@pytest.mark.parametrize("url", ["https://.0x7f.1../", "http://1../", "http://a../x", "http://1.2../"])
def test_a_key_is_made_of_hosts_with_empty_labels_too_and_names_the_same_host(url: str) -> None:
    assert host_of(key_of(url)) == host_of(url)
    assert key_of(key_of(url)) == key_of(url)


def test_the_dot_of_the_root_goes() -> None:
    assert key_of("http://one.example./x") == "http://one.example/x"


def test_processing_instructions_in_a_dump_are_passed_over(tmp_path: Path) -> None:
    dump = tmp_path / "content.rdf"
    dump.write_text(
        '<RDF><?A?><Topic r:id="Top/Business"><?A x?><catid>1</catid></Topic><?B?>'
        '<ExternalPage about="http://a.example/"><?C?><d:Title>a<?D?>b</d:Title></ExternalPage></RDF>'
    )
    read = [(read_content(chunk), read_structure(chunk)) for chunk in chunks(dump, 4_096)]
    assert "ab" in str(read)
    assert "http://a.example/" in str(read)


def spoiled(at: int, change: bytes) -> bytes:
    """A stored tree with other bytes at a place of what is compressed."""
    body = bytearray(zstandard.ZstdDecompressor().decompress(to_bytes(tidy("<p>a b<a href=x>c</a>"))[4:]))
    body[at : at + len(change)] = change
    return MAGIC + zstandard.ZstdCompressor().compress(bytes(body))


PLACES = len(zstandard.ZstdDecompressor().decompress(to_bytes(tidy("<p>a b<a href=x>c</a>"))[4:]))


@given(st.integers(0, PLACES - 1), st.binary(min_size=1, max_size=4))
def test_a_stored_tree_with_spoiled_bytes_is_refused_or_whole(at: int, change: bytes) -> None:
    """A name that is missing, a number that points nowhere, text that is shorter than the nodes say."""
    with suppress(NotATagTree):
        tree = from_bytes(spoiled(at, change))
        for node in range(len(tree)):
            assert tree.text_below(node) in tree.text
            assert tree.path(node).startswith(tree.tag(0))
            assert tree.end[node] <= tree.end[max(0, tree.parent[node])]
            assert all(tree.stems[token] in tree.stems for token in tree.tokens_below(node))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"text":"', b'"texts":"'),
        (b'"stems":', b'"stem":'),
        (b'"cuts":[]', b'"cuts":5'),
        (b'"road":"', b'"road":5,"'),
    ],
)
def test_a_stored_tree_whose_parts_have_other_names_or_kinds_is_refused(was: bytes, becomes: bytes) -> None:
    body = zstandard.ZstdDecompressor().decompress(to_bytes(tidy("<p>a b<a href=x>c</a>"))[4:])
    assert was in body
    spoiled = body.replace(was, becomes)
    length = int.from_bytes(spoiled[8:12], "little") + len(spoiled) - len(body)
    spoiled = spoiled[:8] + length.to_bytes(4, "little") + spoiled[12:]
    with pytest.raises(NotATagTree):
        from_bytes(MAGIC + zstandard.ZstdCompressor().compress(spoiled))


def test_a_stored_tree_that_begins_otherwise_or_has_more_behind_it_is_refused() -> None:
    stored = to_bytes(tidy("<p>a b<a href=x>c</a>"))
    with pytest.raises(NotATagTree, match="does not begin with BCT1"):
        from_bytes(b"BCT0" + stored[4:])
    longer = zstandard.ZstdDecompressor().decompress(stored[4:]) + b" "
    with pytest.raises(NotATagTree, match="is damaged: its parts don't add up"):
        from_bytes(MAGIC + zstandard.ZstdCompressor().compress(longer))


def test_a_stored_tree_that_says_it_is_huge_is_not_unpacked() -> None:
    huge = zstandard.ZstdCompressor().compress(bytes(1 << 20))
    header = bytearray(huge)
    parameters = zstandard.get_frame_parameters(huge)
    assert parameters.content_size == 1 << 20
    at = huge.find((1 << 20).to_bytes(4, "little"))
    header[at : at + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    with pytest.raises(NotATagTree, match="more than"):
        from_bytes(MAGIC + bytes(header))
