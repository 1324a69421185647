"""How the pages of the demo web are marked up: the habits of five periods, tag soup included.

A layout writes headings, paragraphs, lists and whole pages in its own way; content never knows which. Lists
of links are what the demo is about, so they come in many shapes, and in most the parent of a link holds
nothing but its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random


@dataclass(frozen=True, slots=True)
class Entry:
    """One link in a list."""

    href: str
    text: str
    note: str = ""
    """A few words beside the link; "" for none."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The habits of one period. Templates are filled by `str.format`."""

    name: str
    page: str
    """Fields: title, head, menu, body, foot."""
    heading: str
    paragraph: str
    menu_item: str
    """Fields: href, text."""
    list_shapes: tuple[str, ...]
    """Keys of `LIST_SHAPES` that suit the period."""


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        "1997",
        "<HTML><HEAD><TITLE>{title}</TITLE>{head}</HEAD>\n<BODY BGCOLOR=#FFFFFF TEXT=#000000 LINK=#0000CC>\n"
        "<CENTER><H1>{title}</H1></CENTER>\n<HR>\n{body}\n<HR>\n"
        "<CENTER>[ {menu} ]<BR><FONT SIZE=-1><I>{foot}</I></FONT></CENTER>\n"
        "</BODY></HTML>\n",
        "<H3>{}</H3>\n",
        "<P>{}\n",
        "<A HREF={href}>{text}</A> |\n",
        ("ul unclosed", "dl unclosed", "lines", "table unclosed", "dl"),
    ),
    Layout(
        "2001",
        "<html><head><title>{title}</title>{head}</head>\n<body bgcolor=white>\n"
        "<table width=760 border=0><tr><td colspan=2>"
        "<font face=Verdana size=4 color=navy>{title}</font>\n"
        "<tr><td width=150 valign=top bgcolor=#dde4ee>{menu}</td>\n"
        "<td valign=top>{body}\n<tr><td colspan=2 align=center><font size=1>{foot}</table></body></html>\n",
        "<p><b><font face=Verdana size=2 color=navy>{}</font></b></p>\n",
        '<p><font face="Verdana" size="2">{}</font></p>\n',
        '<a href="{href}">{text}</a><br>\n',
        ("nested fonts", "table", "table unclosed", "lines", "dl"),
    ),
    Layout(
        "2006",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
        '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        "<html><head><title>{title}</title>{head}</head><body>\n"
        '<div id="wrap"><div id="menu"><ul>{menu}</ul></div>\n'
        '<div id="content"><h1>{title}</h1>\n{body}</div>\n'
        '<div id="footer">{foot}</div></div></body></html>\n',
        "<h2>{}</h2>\n",
        "<p>{}</p>\n",
        '<li><a href="{href}">{text}</a></li>\n',
        ("ul", "table", "dl", "ol"),
    ),
    Layout(
        "2015",
        '<!DOCTYPE html>\n<html lang="en"><head><title>{title}</title>{head}'
        '<meta name="viewport" content="width=device-width"></head>\n'
        "<body><header><nav><ul>{menu}</ul></nav></header>\n"
        "<main><article><h1>{title}</h1>\n{body}</article></main>\n"
        "<footer>{foot}</footer></body></html>\n",
        "<h2>{}</h2>\n",
        "<p>{}</p>\n",
        '<li><a href="{href}">{text}</a></li>\n',
        ("ul", "ol", "cards", "paragraphs"),
    ),
    Layout(
        "2021",
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head><body>"
        '<div class="app"><div class="bar">'
        '<div class="bar__in">{menu}</div></div><div class="row"><div class="col">'
        '<div class="hero"><h1>{title}</h1></div>\n{body}'
        '</div></div><div class="foot"><small>{foot}</small></div></div></body></html>\n',
        '<div class="h"><h2>{}</h2></div>\n',
        '<div class="txt"><p>{}</p></div>\n',
        '<div class="bar__item"><a href="{href}">{text}</a></div>\n',
        ("cards", "grid", "ul", "paragraphs"),
    ),
)


@dataclass(frozen=True, slots=True)
class ListShape:
    """Start, one entry with a note, one without, end. Fields of an entry: href, text, note."""

    start: str
    noted: str
    bare: str
    end: str


def _shape(start: str, noted: str, end: str) -> ListShape:
    """A shape whose bare entry is the noted one without the note and what joins it."""
    return ListShape(start, noted, noted.replace(" – {note}", "").replace("{note}", ""), end)


LIST_SHAPES: Mapping[str, ListShape] = {
    "ul": _shape("<ul>\n", '<li><a href="{href}">{text}</a> – {note}</li>\n', "</ul>\n"),
    "ol": _shape("<ol>\n", '<li><strong><a href="{href}">{text}</a></strong> – {note}</li>\n', "</ol>\n"),
    "ul unclosed": _shape("<UL>\n", '<LI><A HREF="{href}">{text}</A> – {note}\n', "</UL>\n"),
    "dl": _shape("<dl>\n", '<dt><a href="{href}">{text}</a></dt><dd>{note}</dd>\n', "</dl>\n"),
    "dl unclosed": _shape("<DL>\n", '<DT><B><A HREF="{href}">{text}</A></B><DD>{note}\n', "</DL>\n"),
    "table": _shape(
        '<table border="1" cellpadding="3">\n',
        '<tr><td><a href="{href}">{text}</a></td><td>{note}</td></tr>\n',
        "</table>\n",
    ),
    "table unclosed": _shape(
        "<TABLE BORDER=0>\n", '<TR><TD><A HREF="{href}">{text}</A><TD>{note}\n', "</TABLE>\n"
    ),
    "lines": _shape("<p>\n", '<b><a href="{href}">{text}</a></b> – {note}<br>\n', "</p>\n"),
    "nested fonts": _shape(
        "<font face=Verdana size=2><ul>\n",
        '<li><font color=navy><b><a href="{href}">{text}</b></a></font><font size=1> – {note}</li>\n',
        "</ul>\n",
    ),
    "cards": _shape(
        '<section class="list">\n',
        '<div class="card"><h3><a href="{href}">{text}</a></h3>'
        '<div class="card__more"><p>{note}</p></div></div>\n',
        "</section>\n",
    ),
    "grid": _shape(
        '<div class="grid"><div class="grid__in">\n',
        '<div class="cell"><div class="cell__a"><a href="{href}"><span>{text}</span></a></div>'
        '<div class="cell__b">{note}</div></div>\n',
        "</div></div>\n",
    ),
    "paragraphs": _shape(
        '<div class="entries">\n', '<p><a href="{href}">{text}</a> – {note}</p>\n', "</div>\n"
    ),
}


def link_list(entries: Sequence[Entry], shape: str) -> str:
    """A list of links in one of the `LIST_SHAPES`."""
    form = LIST_SHAPES[shape]
    rows = [
        (form.noted if entry.note else form.bare).format(
            href=escape(entry.href), text=escape(entry.text), note=escape(entry.note)
        )
        for entry in entries
    ]
    return form.start + "".join(rows) + form.end


def link(href: str, text: str) -> str:
    """One link in running text."""
    return f'<a href="{escape(href)}">{escape(text)}</a>'


def draw_layout(rng: Random) -> Layout:
    """A period, the older ones as common as the newer."""
    return rng.choice(LAYOUTS)
