"""Strangers' text made harmless: one function for each place where it is shown.

Titles, anchors, URLs and names come from pages that anyone may have written. The collection keeps what they
wrote; every way out goes through the function of its place (HAZARDS rows 18 to 21):

    terminal       lines and tables on a screen or in a log
    terminal_lines messages of several lines
    visible, href  text and links in HTML
    spreadsheet    cells of Excel files
    csv_cell       cells of CSV files
    markdown       cells of Markdown tables

No file is named after what a page says. HTML comes from templates that escape by themselves, so what is left
is characters that are not seen and links that are none.
"""

from __future__ import annotations

import re

SURROGATE = re.compile("[\ud800-\udfff]")

CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 without tab and line ends, DEL, C1
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f"  # bidirectional and invisible controls
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # byte order mark, annotations, tags
)
"""What changes how other text is shown, or is not shown itself. Joiners (U+200C, U+200D) stay."""

WHITE_SPACE = re.compile(r"[\t\n\r\u2028\u2029]+")

FORMULA = re.compile("[\\s\x00-\x20\u00a0\u200c\u200d]*[=+\\-@\t\r\n\x00＝＋－＠﹢﹣﹦﹫−]")
"""A cell that a spreadsheet may take for a formula, also after trimming, also in full-width signs."""

_BEGINS_FORMULA = '(?=(?:[^\\S\\t\\r\\n]|[\u200c\u200d"])*[=+\\-@＝＋－＠﹢﹣﹦﹫−])'
NEXT_CELL = re.compile(f"([;\\t\\r\\n]){_BEGINS_FORMULA}")
"""Where a spreadsheet may begin another cell within a text of CSV, and take it for a formula: in much of
Europe it divides CSV at semicolons, and then what has quotes around it because of a comma is divided too."""
GUARDED_CELL = re.compile(f"([;\\t\\r\\n])'{_BEGINS_FORMULA}")
"""The same with the apostrophe of `csv_cell`."""

MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$-])")


def storable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 can't carry, as U+FFFD; same length."""
    return SURROGATE.sub("\ufffd", text)


def visible(text: str) -> str:
    """The text without control characters; tabs and line ends stay."""
    if text.isascii() and text.isprintable():
        return text  # most are such, and it is seen in a fifth of the time
    return CONTROL.sub("", storable(text))


def terminal(text: str) -> str:
    """One line for a screen: no escape sequences, no bidirectional tricks, no line ends."""
    return WHITE_SPACE.sub(" ", visible(text))


def terminal_lines(text: str) -> str:
    """A message for a screen: each of its lines as `terminal` makes it."""
    return "\n".join(map(terminal, text.split("\n")))


def href(url: str) -> str:
    """The URL for an href attribute, not yet escaped; "" unless it is http or https."""
    return url if re.fullmatch(r"https?://[^\s\x00-\x20]+", url, re.IGNORECASE) else ""


def spreadsheet(text: str) -> str:
    """Text of a cell in Excel: what would run as a formula gets an apostrophe before it (CWE-1236).

    Numbers stay numbers: they are typed, and never come here. Control characters, which Excel refuses, go.
    """
    dangerous = FORMULA.match(text)
    clean = visible(text)
    return f"'{clean}" if dangerous or FORMULA.match(clean) else clean


def csv_cell(text: str) -> str:
    """Text of a cell in CSV: as `spreadsheet`, with an apostrophe also where another cell may begin in it."""
    return NEXT_CELL.sub(r"\1'", spreadsheet(text))


def markdown(text: str) -> str:
    """Text of a cell in a Markdown table: no markup, no HTML, one line."""
    return (
        MARKDOWN.sub(r"\\\1", terminal(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )
