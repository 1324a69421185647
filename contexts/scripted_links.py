"""Addresses to which scripts lead: of ``javascript:`` links, and of what is no link but is to be clicked.

Directories open their members in windows of their own, and rows of tables are to be clicked as a whole. No
script is run; an address is one that stands in it as a whole, between quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

CLICKED = ":is([onclick*='location'], [onclick*='window.open']):is(:not(a, template), svg *, math *)"
"""The elements of which `kept_of_clicked` keeps something, as a selector, and some templates; links are kept
whole, but ``a`` is none in MathML. What few have is asked for first."""
MAX_CODE_CHARS = 4_096
"""So much is looked at of what a click does."""

_SCRIPT = re.compile(r"[\0-\x20]*javascript:", re.IGNORECASE)
_QUOTED = re.compile(r"'([^'\s]*)'|\"([^\"\s]*)\"")
_ADDRESS = re.compile(
    r"""(?xi) (?:https?:)?//\w.* | /\w.*
    | (?:\.{0,2}/)*(?:[\w%~-][\w.%~-]*/)*[\w%~-][\w.%~-]*
      \.(?:[sx]?html?|php\d?|aspx?|jsp|cfm|cgi|pl)(?:[?\#].*)?"""
)
"""A text in a script that is hardly anything but an address: with a host, from the root, or of a page."""
_GOES_TO = re.compile(
    r"""(?x) (?<![\w$]) (?: location(?:\.href)?\s*+=\s*+ | location\.(?:assign|replace)\(\s*+
    | window\.open\(\s*+ )
    (?: '([^'\s]*+)' | "([^"\s]*+)" ) \s*+ (?: [;,)}] | \Z)"""
)


def address_in_script(target: str) -> str | None:
    """The address that a ``javascript:`` link opens, as in ``javascript:popUp('member.php?id=7', 400)``; None
    if it is no such link or holds no text that is an address.
    """
    found = _SCRIPT.match(target)
    if found is None:
        return None
    code = target[found.end() :]
    if "'" not in code and '"' not in code:
        code = unquote(code)
    texts = (match[1] or match[2] or "" for match in _QUOTED.finditer(code))
    return next((text for text in texts if _ADDRESS.fullmatch(text)), None)


def kept_of_clicked(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Of the attributes of an element that is no link the one that may say where a click leads."""
    code = attributes.get("onclick") or ""
    return {"onclick": code} if "location" in code or "window.open" in code else {}


def address_of_click(attributes: Mapping[str, str]) -> str | None:
    """Where a click on an element leads, as in ``onclick="location.href='/firms/7'"``; None if nowhere."""
    found = _GOES_TO.search(attributes.get("onclick", "")[:MAX_CODE_CHARS])
    return (found[1] or found[2] or None) if found else None
