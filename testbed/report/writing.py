"""A report as files: one HTML page with everything in it, or Markdown with its pictures beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from bizcrawl.collection.replacing import write_text
from bizcrawl.plaintext import terminal
from testbed.experiment import BOUNDS
from testbed.report.content import WebReport


def html(reports: Sequence[WebReport], title: str) -> str:
    """One self-contained page: no script, nothing loaded from anywhere."""
    template = environment().get_template("report.html.j2")
    return template.render(reports=reports, title=title, bounds=BOUNDS, svg=Markup)


def write_html(reports: Sequence[WebReport], path: Path, title: str) -> None:
    """Write the page."""
    write_text(path, html(reports, title))


def write_markdown(reports: Sequence[WebReport], path: Path, title: str) -> list[Path]:
    """Write the Markdown, and the pictures into a folder of its name beside it; all files written."""
    pictures = path.with_suffix("")
    pictures.mkdir(parents=True, exist_ok=True)
    written = [path]
    for number, report in enumerate(reports):
        drawn = {section.measure.name: section.svg for section in report.sections}
        if report.buffer_svg:
            drawn["buffers"] = report.buffer_svg
        for name, svg in drawn.items():
            picture = pictures / f"{number}-{name}.svg"
            write_text(picture, _standalone(svg))
            written.append(picture)
    template = environment().get_template("report.md.j2")
    text = template.render(reports=reports, title=title, bounds=BOUNDS, pictures=pictures.name)
    write_text(path, text)
    return written


def number(value: float | None, digits: int = 3) -> str:
    """A figure for a table; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:,.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


def p_value(value: float) -> str:
    """A p-value as it is printed in papers."""
    if math.isnan(value):
        return "–"
    return "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def cell(text: str) -> str:
    """A name or sentence, ours or a topic's, in Markdown: one line without markup, links or controls.

    What our own hold of hyphens and underscores stays readable, as it would not by `plaintext.markdown`.
    """
    escaped = terminal(text).replace("|", "\\|").replace("](", "]\\(")
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def environment() -> Environment:
    """Templates of reports, with figures, p-values and cells of tables as filters."""
    environment = Environment(
        loader=PackageLoader("testbed.report"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": number, "p": p_value, "cell": cell}
    return environment


def _standalone(svg: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n{svg}\n'
