"""Strings that strangers may write, and where the big published lists are looked for.

The lists keep their own licences and are not in this repository: put ``blns.json``
(big-list-of-naughty-strings) and ``expect.mjs`` (DOMPurify, test/fixtures) into a folder and name it in
BIZCRAWL_HOSTILE_STRINGS.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from pathlib import Path

FORMULAS = [
    '=HYPERLINK("http://x.example","y")',
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "+1+1",
    "-1+1",
    "-0.25",
    "  =1+1",
    "\u00a0=1+1",
    "\x00=1+1",
    "\x1b=1+1",
    "\u202e=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
    "=cmd|' /C calc'!A0",
    "=1+1\n=2+2",
    '"=1+1',
]
CONTROLS = [
    "\x1b]0;owned\x07",
    "\x1b[31mred\x1b[0m",
    "\x1bP+q544e\x1b\\",
    "\x9b31m",
    "\x07\x08\x7f\x00",
    "a\rb",
    "a\nb",
    "a\u2028b\u2029c",
    "\u202egnp.exe",
    "\u2066a\u2069",
    "\U000e0041\U000e007f",
    "\ud83d",
    "[red]not red[/red]",
    "[link=file:///etc/passwd]x[/link]",
    "[/]",
]
MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "</script><script>alert(1)//",
    "<!--<script>",
    "&lt;script&gt;",
    "| a | b |",
    "[x](javascript:alert(1))",
    "`code` **bold** ~~gone~~",
    "{{7*7}} {% raw %}",
]
OWN = [*FORMULAS, *CONTROLS, *MARKUP]

FOLDER = os.environ.get("BIZCRAWL_HOSTILE_STRINGS")


def published() -> list[str]:
    """All strings of the lists that are there."""
    if not FOLDER:
        return []
    found: list[str] = []
    naughty = Path(FOLDER, "blns.json")
    if naughty.exists():
        found += json.loads(naughty.read_text(encoding="utf-8"))
    purify = Path(FOLDER, "expect.mjs")
    if purify.exists():
        quoted = re.compile(
            r"payload\"?:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)", re.DOTALL
        )
        found += [_unquoted(text) for text in quoted.findall(purify.read_text(encoding="utf-8"))]
    return found


def _unquoted(text: str) -> str:
    body = text[1:-1]
    escapes = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v"}

    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "xu" and len(code) > 1:
            return chr(int(code[1:].strip("{}"), 16))
        return escapes.get(code, code)

    return re.sub(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[\s\S])", one, body)


BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
TRIGGER = re.compile("[=+\\-@＝＋－＠\t\r\n\x00]")
"""What begins a formula in some spreadsheet."""


def has_control(text: str, but: str = "") -> bool:
    """Whether control characters, halves of characters or marks of writing direction stand in a text."""
    return any(unicodedata.category(c) in {"Cc", "Cs"} and c not in but for c in text) or bool(
        BIDI.search(text)
    )
