"""html5lib's own cases: the guarded fast road makes html5lib's tree of them, and encodings are found as it
finds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import html5lib
import pytest
import webencodings
from published_suites import HTML5LIB

from contexts.decode import decode
from contexts.differences import difference
from contexts.limited_html5lib import LimitedParser
from contexts.limits import DEFAULT
from contexts.tidy import tidy


def cases(folder: str) -> Iterator[tuple[str, bytes]]:
    for path, content in sorted(HTML5LIB.files.items()):
        if f"/{folder}/" in path and path.endswith(".dat"):
            for case in (b"\n" + content).split(b"\n#data\n")[1:]:
                yield path.rpartition("/")[2], case


@pytest.mark.filterwarnings("ignore::html5lib.constants.DataLossWarning")
def test_the_exact_road_parses_html5libs_own_cases_as_html5lib_does() -> None:
    def parsed(parser: html5lib.HTMLParser, source: str) -> object:
        try:
            tree: Any = parser.parse(source)
        except Exception as error:
            return type(error)
        return [(node.tag, node.text, node.tail, node.attrib) for node in tree.iter()]

    for _, case in cases("tree-construction"):
        source = case.partition(b"\n#errors")[0].decode()
        plain = html5lib.HTMLParser(namespaceHTMLElements=False)
        assert parsed(LimitedParser(DEFAULT, set()), source) == parsed(plain, source)


def test_the_fast_road_makes_html5libs_tree_of_its_own_cases() -> None:
    differing: dict[str, str] = {}
    n_cases = n_fast = 0
    for _, case in cases("tree-construction"):
        source = case.partition(b"\n#errors")[0].decode()
        n_cases += 1
        tree = tidy(source)
        if tree.road == "lexbor":
            n_fast += 1
            found = difference(tree, tidy(source, "html5lib"))
            if found:
                differing[source] = found
    assert n_cases == 1704
    assert n_fast > 1400  # the guard lets most of even these pass
    assert not differing


def test_pages_are_decoded_as_html5libs_encoding_cases_say() -> None:
    wrong = []
    n_cases = n_declared = 0
    for name, case in cases("encoding"):
        body, _, rest = case.partition(b"\n#encoding\n")
        expected = webencodings.lookup(rest.split(b"\n")[0].decode())
        assert expected is not None
        decoded = decode(body)
        n_cases += 1
        n_declared += decoded.source == "meta"
        text = expected.codec_info.decode(body.removeprefix(b"\xef\xbb\xbf"), "replace")[0]
        # undeclared text is tried as UTF-8 first, which for ASCII comes to the same
        if decoded.text != text or (decoded.source == "meta" and decoded.charset != expected.name):
            wrong.append((name, body[:80], expected.name, decoded.charset, decoded.source))
    assert n_cases > 70
    assert n_declared > 40
    assert not wrong


@pytest.mark.parametrize(
    ("body", "content_type", "charset", "source"),
    [
        (b"\xff\xfea\x00", "text/html; charset=iso-8859-2", "utf-16le", "bom"),
        (b"\xfe\xff\x00a", "text/html; charset=iso-8859-2", "utf-16be", "bom"),
        (b"\xef\xbb\xbfa", "text/html; charset=iso-8859-2", "utf-8", "bom"),
        (b"<meta charset=iso-8859-3>", "text/html; charset=iso-8859-2", "iso-8859-2", "header"),
    ],
)
def test_marks_and_headers_outrank_meta(body: bytes, content_type: str, charset: str, source: str) -> None:
    decoded = decode(body, content_type)
    assert (decoded.charset, decoded.source) == (charset, source)
