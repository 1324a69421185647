"""Whether the guard lets a page pass of which lexbor's tree is not html5lib's.

usage: python tests/fuzz/two_roads.py [--minutes 5] [--random-seed 1] [--pages ARCHIVE.tar.xz]

Pages are soups of random tags, few kinds in each so that they meet; with --pages also pieces of an archive's
saved pages of which tags were left out, doubled and moved. What is found is shrunk and printed as a line;
it belongs into `tests/contexts/test_tidy.py`. Exit code 1 if anything is found.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

from contexts.differences import difference
from contexts.tidy import tidy

_TAGS = """
    a abbr address applet area article aside audio b base basefont bgsound big blockquote body br button
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt
    em embed fieldset figcaption figure font footer form frame h1 h2 h6 head header hgroup hr html i
    iframe image img input ins kbd keygen label legend li link listing main map mark marquee math menu
    menuitem meta meter nav nobr noembed noframes noscript object ol optgroup option output p param
    picture pre progress q rb rp rt rtc ruby s samp script search section select slot small source span
    strike strong style sub summary sup svg table tbody td textarea tfoot th thead time title tr track
    tt u ul var video wbr foo x-y mi mo mn ms mtext annotation-xml semantics malignmark mglyph
    foreignObject desc g path clipPath linearGradient use
"""
TAGS = _TAGS.split()
RARE = ["frameset", "isindex", "plaintext", "template", "xmp"]
"""With one of these most pages go to html5lib."""
_ATTRIBUTES = """
    href="/x"|class=c|type=hidden|id="a b"|x='&amp;'|encoding="text/html"|href=/y?a=1&b|color=red|
    xlink:href="#q"|selected|type="application/ld+json"|/|a<b|=x|"|href href=2|width=1/|
    onclick="location='/x'"|title='</svg><b>'|='<p>'|a=\u00a0"<i>"
"""
ATTRIBUTES = [value.strip() for value in _ATTRIBUTES.split("|")]
_TEXTS = """
    x|word &amp; more|&lt;|&notit;|a\u00a0b|&#x80;|&#0;|日本|<!-- c -->|<!--->|<!-- a --!>|<![CDATA[ z ]]>|
    <?pi?>|<!doctype html>|</>|< b|</ p>|&#xD800;|&amp|&ampx|--!>|]]>|<!x>|</br>|</p>|\ufeff|\u0085|
    <![CDATA[ > </svg> <b> ]]>|<!-- <title></title> </b> -->|</ <p>|<mi/>|<title></title>|</svg\u00a0>|
    </p\x0b>|<script>'</b><p>'</script>|<script><!--<script></script></b><p></script>|
    <textarea a='</textarea>'><b></textarea>|<style></style a='</p>'>|</body>
"""
TEXTS = [*(text.strip() for text in _TEXTS.split("|")), " ", "\n", "\r\n", "\0"]

_PIECE = re.compile(r"<[^<>]*>|[^<]+|<")


def soup(draw: random.Random) -> list[str]:
    """The pieces of a page of random tags."""
    tags = draw.sample(TAGS, draw.randint(3, 14))
    pieces: list[str] = []
    is_open: list[str] = []
    for _ in range(draw.randint(2, 40)):
        kind = draw.random()
        if kind < 0.5:
            tag = draw.choice(tags if draw.random() < 0.95 else [*TAGS, *RARE])
            attributes = f" {draw.choice(ATTRIBUTES)}" if draw.random() < 0.4 else ""
            pieces.append(f"<{tag}{attributes}{'/' * (draw.random() < 0.05)}>")
            is_open.append(tag)
        elif kind < 0.7 and is_open:
            pieces.append(f"</{is_open.pop(-1 if draw.random() < 0.6 else draw.randrange(len(is_open)))}>")
        elif kind < 0.75:
            pieces.append(f"</{draw.choice(TAGS)}>")
        else:
            pieces.append(draw.choice(TEXTS))
    return pieces


def spoiled(page: str, draw: random.Random) -> list[str]:
    """Pieces of a part of a page, some left out, doubled or moved."""
    length = draw.choice([800, 3_000, 9_000])
    at = draw.randrange(max(1, len(page) - length))
    pieces = _PIECE.findall(page[at : at + length])
    for _ in range(draw.randint(1, 12)):
        if not pieces:
            break
        place, change = draw.randrange(len(pieces)), draw.random()
        piece = pieces[place]
        if change < 0.5 or change > 0.75:
            del pieces[place]
        if change >= 0.5:
            pieces.insert(draw.randint(0, len(pieces)), piece)
    return pieces


def slips_through(page: str) -> bool:
    """Whether the fast road is taken for a page and leads to another tree."""
    fast = tidy(page)
    if fast.road != "lexbor":
        return False
    exact = tidy(page, "html5lib")
    return exact.road == "html5lib" and difference(fast, exact) != ""


def shrunk(pieces: Sequence[str], fails: Callable[[str], bool]) -> str:
    """The page without all that it fails without."""
    size = max(1, len(pieces) // 2)
    while size:
        at = 0
        while at < len(pieces):
            fewer = [*pieces[:at], *pieces[at + size :]]
            if fails("".join(fewer)):
                pieces = fewer
            else:
                at += size
        size //= 2
    return "".join(pieces)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--random-seed", type=int, default=1)
    parser.add_argument("--pages", type=Path)
    options = parser.parse_args()
    draw = random.Random(options.random_seed)
    pages: list[str] = []
    if options.pages:
        from saved_pages import saved

        pages = [text for _, text in saved(options.pages)]
    ends_s = time.monotonic() + options.minutes * 60
    found: set[str] = set()
    for tried in count():
        if time.monotonic() > ends_s:
            break
        pieces = spoiled(draw.choice(pages), draw) if pages and tried % 2 else soup(draw)
        if slips_through("".join(pieces)):
            page = shrunk(pieces, slips_through)
            if page not in found:
                found.add(page)
                print(repr(page), flush=True)
    print(f"{tried:,} pages, {len(found)} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
