"""A report as one HTML page: nothing loaded from anywhere, strangers' text made harmless.

The page has no script, but for one of ours when it is served and renews itself.
"""

from __future__ import annotations

from datetime import datetime

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from bizcrawl.idn import spelled
from bizcrawl.plaintext import href, visible
from bizcrawl.reasons import MEANINGS
from bizcrawl.report.content import Report


def html(report: Report, file_name: str, now: datetime, *, renewing: bool = False) -> str:
    """The page; `file_name` is the collection's, `now` in UTC. One that is `renewing` loads ``renew.js``."""
    template = _environment().get_template("report.html.j2")
    return template.render(report=report, file_name=file_name, now=now, renewing=renewing)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("bizcrawl.report"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        # whatever stands in a page may come from a stranger
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "href": href,
        "spelled": spelled,
        "grouped": lambda number: f"{number:,}",
        "meaning": lambda reason: MEANINGS.get(reason, ""),
    }
    return environment
