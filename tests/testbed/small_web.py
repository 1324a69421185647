"""A recorded web of a dozen pages, written out, on which every measure can be worked out by hand.

seed-a ── mid ── target-1        list-page links to both seeds and to target-2
seed-b ── far ── farther ── target-2 (also by a redirect)
"""

from __future__ import annotations

from pathlib import Path

from bizcrawl.topic import Topic
from testbed.topics import BedTopic

PAGES = {
    "http://seed-a.example/": ("pumps and valves of a", ["http://mid.example/", "http://gone.example/"]),
    "http://seed-b.example/": ("pumps by b", ["http://far.example/"]),
    "http://mid.example/": ("a page about pumps", ["http://target-1.example/", "http://other.example/"]),
    "http://far.example/": ("nothing here", ["http://farther.example/"]),
    "http://farther.example/": ("nothing either", ["http://moved.example/"]),
    "http://target-1.example/": ("pumps pumps pumps", ["http://seed-a.example/"]),
    "http://target-2.example/": ("valves and pumps", []),
    "http://other.example/": ("cats", ["http://list.example/"]),
    "http://list.example/": (
        "companies that make pumps",
        ["http://seed-a.example/", "http://seed-b.example/", "http://target-2.example/"],
    ),
    "http://mirror.example/": (
        "pumps pumps valves seals couplings and a directory besides",
        ["http://seed-a.example/", "http://seed-b.example/"],
    ),
    "http://dmoz.org/Pumps/": ("pumps", ["http://seed-a.example/", "http://seed-b.example/"]),
}
REDIRECTS = {"http://moved.example/": "http://target-2.example/"}

TOPIC = BedTopic(
    Topic(
        "Top/Business/Pumps/Companies",
        ("http://seed-a.example/", "http://seed-b.example/"),
        "Pumps Companies",
    ),
    targets=("http://target-1.example/", "http://target-2.example/", "http://dead.example/"),
    description="pumps pumps valves seals couplings",
)


def html(text: str, links: list[str]) -> str:
    """A page."""
    items = "".join(f'<p><a href="{link}">link</a></p>' for link in links)
    return f"<html><head><title>t</title></head><body><p>{text}</p>{items}</body></html>"


def write_web(path: Path) -> Path:
    """Write it as WARC."""
    with path.open("wb") as out:
        for url, (text, links) in PAGES.items():
            body = html(text, links).encode()
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            out.write(_record(url, head + b"Content-Length: %d\r\n\r\n" % len(body) + body))
        for url, target in REDIRECTS.items():
            head = f"HTTP/1.1 301 Moved Permanently\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n"
            out.write(_record(url, head.encode()))
    return path


def _record(url: str, http: bytes) -> bytes:
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2003-05-20T12:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{abs(hash(url)):032x}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"
