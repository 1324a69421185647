"""One site of the demo web: pages in its own layout and encoding, redirects, errors and robots.txt.

A `Site` is filled once while the demo web is built and then only read: `answers` maps each URL to what
stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from urllib.parse import urljoin

from bizcrawl.urls import host_of, parse
from testbed.demo.markup import Entry, Layout, draw_layout, link_list


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says at one URL."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


ROBOTS: Mapping[str, Answer] = {
    "open": Answer(200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow:\n"),
    "partly": Answer(
        200,
        {"content-type": "text/plain"},
        b"User-agent: BadBot\nDisallow: /\n\n"
        b"User-agent: *\nDisallow: /intern/\nDisallow: /*?print=\nDisallow: /cgi-bin/\n",
    ),
    "closed": Answer(200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /\n"),
    "missing": Answer(404, {"content-type": "text/html"}, b"<html><body>404 Not Found</body></html>"),
    "broken": Answer(
        503, {"content-type": "text/html"}, b"<html><body>503 Service Unavailable</body></html>"
    ),
    "slow": Answer(
        200, {"content-type": "text/plain"}, b"User-agent: *\nCrawl-delay: 0.2\nDisallow: /intern/\n"
    ),
}
"""robots.txt by habit of the host."""

_DECLARATIONS = ("header", "page", "both", "neither", "header")
_SERVERS = ("Apache/1.3.27 (Unix)", "Apache", "nginx", "Microsoft-IIS/6.0", "lighttpd/1.4.53")


def moved_to(target: str, status: int = 301) -> Answer:
    """A redirect to a URL."""
    body = f'<html><head><title>Moved</title></head><body><a href="{escape(target)}">here</a></body></html>'
    return Answer(status, {"content-type": "text/html", "location": target}, body.encode())


class Site:
    """The answers of one host."""

    def __init__(
        self,
        home: str,
        name: str,
        rng: Random,
        *,
        layout: Layout | None = None,
        charset: str = "utf-8",
        declared: str | None = None,
        robots: str | None = None,
    ) -> None:
        """Open a site at `home`, the URL of its home page.

        `declared` says where the encoding is named: header, page, both, neither, or wrong. `robots` is a
        key of `ROBOTS`; most hosts are open or have none.
        """
        self.home = home
        self.name = name
        self.rng = rng
        self.layout = layout or draw_layout(rng)
        self.charset = charset
        self.declared = declared or ("both" if charset != "utf-8" else rng.choice(_DECLARATIONS))
        self.server = rng.choice(_SERVERS)
        self.menu: list[Entry] = []
        self.answers: dict[str, Answer] = {}
        self.shape = rng.choice(self.layout.list_shapes)
        habit = robots or rng.choice(("open", "open", "missing", "partly"))
        self.answers[urljoin(home, "/robots.txt")] = ROBOTS[habit]

    @property
    def host(self) -> str:
        """Host of the home page."""
        return host_of(self.home)

    def url(self, path: str) -> str:
        """The URL that the crawl will ask for when it meets a link to `path` on this site."""
        url = parse(path, self.home)
        if url is None:
            raise ValueError(f"{path!r} makes no URL on {self.home}")
        return url

    def heading(self, text: str) -> str:
        """A heading inside a page."""
        return self.layout.heading.format(escape(text))

    def paragraph(self, text: str) -> str:
        """A paragraph of plain text."""
        return self.layout.paragraph.format(escape(text))

    def prose(self, html: str) -> str:
        """A paragraph that is markup already."""
        return self.layout.paragraph.format(html)

    def links(self, entries: Sequence[Entry], shape: str | None = None) -> str:
        """A list of links, in the shape that this site always uses unless told."""
        return link_list(entries, shape or self.shape)

    def page(self, path: str, title: str, *blocks: str, head: str = "", status: int = 200) -> None:
        """Put a page of this site's layout at `path`."""
        menu = "".join(
            self.layout.menu_item.format(href=escape(e.href), text=escape(e.text)) for e in self.menu
        )
        self.html(
            path,
            self.layout.page.format(
                title=escape(title),
                head=head,
                menu=menu,
                body="".join(blocks),
                foot=f"&copy; {escape(self.name)}",
            ),
            status=status,
        )

    def html(self, path: str, text: str, *, status: int = 200) -> None:
        """Put markup at `path`, encoded and declared as this site does."""
        content_type = "text/html"
        shown = "utf-8" if self.declared == "wrong" else self.charset
        if self.declared in {"header", "both", "wrong"}:
            content_type += f"; charset={shown}"
        if self.declared in {"page", "both"}:
            meta = f'<meta http-equiv="Content-Type" content="text/html; charset={shown}">'
            text = text.replace("<title>", f"{meta}<title>", 1).replace("<TITLE>", f"{meta}<TITLE>", 1)
        body = text.encode(self.charset, "xmlcharrefreplace")
        self.put(path, status, {"content-type": content_type}, body)

    def put(self, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Put any answer at `path`."""
        self.answers[self.url(path)] = Answer(status, {"server": self.server, **headers}, body)

    def moved(self, path: str, target: str, status: int = 301) -> None:
        """Redirect `path` to a URL."""
        answer = moved_to(target, status)
        self.put(path, answer.status, answer.headers, answer.body)

    def gone(self, path: str, status: int, text: str) -> None:
        """Answer `path` with an error page."""
        body = f"<html><head><title>{status} {text}</title></head><body><h1>{text}</h1></body></html>"
        self.put(path, status, {"content-type": "text/html"}, body.encode())
