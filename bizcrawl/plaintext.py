"""Strangers' text made harmless: one function for each place where it is shown.

Titles, anchors, URLs and names come from pages that anyone may have written. What stands in the collection
is what they wrote; every way out goes through here (HAZARDS rows 18 to 21). Markup in HTML is escaped by
the templates.
"""

from __future__ import annotations

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 can't carry, as U+FFFD; same length."""
    return SURROGATE.sub("\ufffd", text)
