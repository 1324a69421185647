"""Internationalised host names as people read them; machines are given them as they are registered (xn--).

A name that could be taken for another one stays as it is registered, as in browsers: one that mixes scripts
which no language mixes, and one in Cyrillic or Greek letters that all look like Latin ones.
"""

from __future__ import annotations

import re
import unicodedata

import ada_url

_PREFIX = "xn--"
_PARTS = re.compile(r"(https?://)?([^/?#:]*)(.*)", re.DOTALL)
_MIXED = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
)
"""Scripts that languages write side by side (UTS 39, 5.2, highly restrictive)."""
_LIKE_LATIN = frozenset("асԁеһіјӏорԛѕԝхуъьҽпгѵѡ" + "αιοκνρτυχω")


def spelled(text: str) -> str:
    """A URL, or a host name with or without a path, with the labels of its host as people read them."""
    if _PREFIX not in text:
        return text
    found = _PARTS.fullmatch(text)
    assert found is not None  # each part may be empty
    scheme, host, rest = found.groups(default="")
    return scheme + ".".join(map(_spelled_label, host.split("."))) + rest


def _spelled_label(label: str) -> str:
    if not label.startswith(_PREFIX) or not label.isascii():
        return label
    read = ada_url.idna.decode(label)
    return read if _is_plain(read) and ada_url.idna.encode(read) == label.encode() else label


def _is_plain(label: str) -> bool:
    """Whether a label is what it looks like."""
    letters = [character for character in label if character.isalpha()]
    scripts = {unicodedata.name(letter, "?").split(" ")[0] for letter in letters}
    if len(scripts) > 1:
        return any(scripts <= mixed for mixed in _MIXED)
    return bool(letters) and not _LIKE_LATIN.issuperset(letters)
