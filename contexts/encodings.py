"""Encodings as the Encoding Standard has them, read with Python's codecs."""

from __future__ import annotations

import webencodings

_WIDER = {"euc-jp": "euc_jis_2004", "gbk": "gb18030"}
"""Codecs for what the Standard reads under a name and the codec of that name does not: ㈱, ①, rare Han."""

MOST_LEFT = 0.25
"""Of what is spoilt is so with the wider codec, too, if the text is in the encoding; else both read noise."""


def text_in(body: bytes, encoding: webencodings.Encoding) -> str:
    """Bytes as text; those that are nothing in the encoding become U+FFFD."""
    text: str = encoding.codec_info.decode(body, "replace")[0]
    if (spoilt := text.count("\ufffd")) and encoding.name in _WIDER:
        wider = body.decode(_WIDER[encoding.name], "replace")
        if wider.count("\ufffd") <= MOST_LEFT * spoilt:
            return wider
    return text
