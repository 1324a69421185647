"""Where the two tidiers are known to differ: html5lib 1.1 follows the standard of 2020, lexbor that of today.

Each construct is looked for in lexbor's tree while it is walked. A page that has one takes html5lib's road.
"""

from __future__ import annotations

DOUBTFUL = frozenset(
    {"template", "isindex", "menuitem", "menu", "frameset", "search", "rb", "rtc", "rp", "rt", "math"}
)
"""Tags that only one of them knows, or treats in its own way."""

IN_SELECT = frozenset({"option", "optgroup", "script"})
"""All that html5lib leaves within a select; lexbor keeps any markup there, as the standard does since 2025."""
