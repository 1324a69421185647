"""Encodings as the Encoding Standard has them, read with Python's codecs."""

from __future__ import annotations

import webencodings

_WIDER = {"euc-jp": "euc_jis_2004", "gbk": "gb18030"}
"""Codecs for what the Standard reads under a name and the codec of that name does not: ㈱, ①, rare Han."""


def text_in(body: bytes, encoding: webencodings.Encoding) -> str:
    """Bytes as text; those that are nothing in the encoding become U+FFFD."""
    text: str = encoding.codec_info.decode(body, "replace")[0]
    if "\ufffd" in text and encoding.name in _WIDER:
        wider = body.decode(_WIDER[encoding.name], "replace")
        return min(text, wider, key=lambda read: read.count("\ufffd"))
    return text
