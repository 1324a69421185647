"""The encoding of a page that declares none, where its letters tell: browsers look at them, too.

Old pages in Japanese, Chinese, Korean, Russian, Greek, Arabic, Hebrew and Thai often say nothing. In Western
languages a letter beyond ASCII stands alone between others of ASCII; in these such bytes stand side by side.
They are read as each encoding in question; in the right one they make characters that its language has most.
"""

from __future__ import annotations

import re
from typing import Final

import webencodings

from contexts.encodings import text_in

MIN_BYTES: Final = 48
"""Beyond ASCII; a name or two in another alphabet stand on pages of any kind."""
MAX_BYTES: Final = 65_536
"""Of the page are looked at."""
LEAST_SIDE_BY_SIDE: Final = 0.6
"""Of the bytes beyond ASCII, and of the letters that they make."""
MOST_SPOILT: Final = 0.02
"""Of the characters beyond ASCII are none in the encoding."""
LEAST_COMMON: Final = 0.6
"""Of the letters beyond ASCII are the commonest of the language: about .7 are; in a wrong encoding .5 at
most.
"""

_HIGH: Final = bytes(range(0x80, 0x100))
_ROWS: Final = re.compile(rb"([\x80-\xff])\1{2,}")
"""Lines of dashes, points and spaces; no text in any language."""
_SIDE_BY_SIDE: Final = re.compile(rb"[\x80-\xff]{2,}")
_NO_LETTERS: Final = re.compile(r"[\x00-\xbf]+")
_LETTERS_SIDE_BY_SIDE: Final = re.compile(r"[^\x00-\xbf]{3,}")
_COMMON_LETTERS: Final = (
    ("windows-1251", "оеаинтсрвлкм"),
    ("koi8-r", "оеаинтсрвлкм"),
    ("ibm866", "оеаинтсрвлкм"),
    ("windows-1253", "αοιετσνηυρπκ"),
    ("windows-1255", "יוהלאמרתבשנע"),
    ("windows-1256", "اليمنورتبةعد"),
    ("windows-874", "านรอกเงมยวลสทดต\u0e48\u0e49\u0e35\u0e31\u0e34"),
)
_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_COMMON_HAN: Final = re.compile(
    "[的一是不在人有我这這个個中大来來上为為国國地以们們生会會公司业業产產品务務服新年成]"
)
_PAIRS: Final = (
    *(("euc-jp", _KANA, 0.2), ("shift_jis", _KANA, 0.2), ("euc-kr", _HANGUL, 0.7)),
    *(("gbk", _COMMON_HAN, 0.1), ("big5", _COMMON_HAN, 0.1)),
)
"""Encodings with two bytes for a character, and the share of a text that is of its language's own kind; what
comes later would take what comes before for its own.
"""


def undeclared_charset(body: bytes) -> str | None:
    """Name of the encoding that the bytes beyond ASCII are in, as the Encoding Standard has it; None where
    they may be Western, are too few, or fit nothing.
    """
    # what is left of a row of odd length may be half of a character
    head = _ROWS.sub(lambda row: row[0][: len(row[0]) % 2], body[:MAX_BYTES])
    beyond = len(head) - len(head.translate(None, _HIGH))
    if beyond < MIN_BYTES or sum(map(len, _SIDE_BY_SIDE.findall(head))) < LEAST_SIDE_BY_SIDE * beyond:
        return None
    for name, letters in _COMMON_LETTERS:
        text = _side_by_side(head, name)
        if text and sum(map(text.count, letters)) >= LEAST_COMMON * len(text):
            return name
    for name, kind, least in _PAIRS:
        text = _side_by_side(head, name)
        spoilt = text.count("\ufffd")
        if text and spoilt <= MOST_SPOILT * len(text) and len(kind.findall(text)) >= least * len(text):
            return name
    return None


def _side_by_side(head: bytes, name: str) -> str:
    """The letters beyond ASCII that bytes are in an encoding, as far as they stand side by side; "" if most
    stand alone: signs and spaces in a row make no other language.
    """
    encoding = webencodings.lookup(name)
    assert encoding is not None
    text = text_in(head, encoding)
    found = "".join(_LETTERS_SIDE_BY_SIDE.findall(text))
    return found if len(found) >= LEAST_SIDE_BY_SIDE * len(_NO_LETTERS.sub("", text)) else ""
