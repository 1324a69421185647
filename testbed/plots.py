"""Curves with error bars as SVG, drawn offline; the same picture in the HTML report and beside the
Markdown.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from testbed.results import Point

# colours that stay apart for colour-blind readers (Okabe and Ito), then line styles
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_STYLES = ("-", "--", ":", "-.")
_SIZE_INCHES = (8.0, 4.2)
_AXES = (0.08, 0.12, 0.64, 0.78)
"""Left, bottom, width, height: room for the legend on the right."""


def curve_svg(
    curves: Mapping[str, Sequence[Point]],
    title: str,
    y_label: str,
    order: Sequence[str] = (),
    *,
    x_label: str = "pages",
) -> str:
    """Mean ± 1 standard error against N for each strategy, as one SVG element (R45)."""
    names = list(order) or sorted(curves)
    # a strategy looks the same in every picture of a report, whatever its rank there
    looks = {name: number for number, name in enumerate(sorted(curves))}
    # fixed ids and no date: the same figures give the same bytes
    with mpl.rc_context({"svg.hashsalt": title, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=_SIZE_INCHES)
        FigureCanvasSVG(figure)
        # a layout that is worked out takes longer than the drawing, fourteen times in a report
        axes = figure.add_axes(_AXES)
        for name in names:
            points, number = curves[name], looks[name]
            axes.errorbar(
                [point.n for point in points],
                [point.mean for point in points],
                yerr=[0.0 if point.error != point.error else point.error for point in points],
                label=name,
                color=_COLOURS[number % len(_COLOURS)],
                linestyle=_STYLES[number // len(_COLOURS) % len(_STYLES)],
                capsize=2,
                linewidth=1.4,
            )
        axes.set(title=title, xlabel=x_label, ylabel=y_label)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="small", frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1.0, 0.5))
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return _element(out.getvalue(), title)


def _element(document: str, title: str) -> str:
    """The svg element of a document, with a title for readers who cannot see it."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r'\1 style="width:100%;max-width:52rem;height:auto"', svg, count=1
    )
    return svg.replace(">", f' role="img" aria-label="{_plain(title)}">', 1)


def _plain(text: str) -> str:
    return re.sub(r'[<>&"]', " ", text)
