"""The body of a robots.txt, brought to what its parser can't misread.

The parser lets a group be lost by records and ways of writing that RFC 9309 says must not matter. So it is
given nothing but groups and rules, with bare names.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Final

_OTHER_RECORD: Final = re.compile(
    r"^[ \t]*(?!user|allow|dis|dias|crawl|request)[^\s:#][^:#\n]*:.*$", re.IGNORECASE | re.MULTILINE
)
_AGENT: Final = re.compile(r"[ \t]*user[ -]?agent[ \t]*:[ \t]*(\*(?![^\s#])|[^\s/#;(*]*)", re.IGNORECASE)
_DELAY: Final = re.compile(r"[ \t]*(?:crawl|request)[^:\n]*:", re.IGNORECASE)
_RULE: Final = re.compile(r"[ \t]*(?:allow|dis|dias)[^:\n]*:", re.IGNORECASE)
_QUESTION_MARK: Final = re.compile("%(3F|25)", re.IGNORECASE)
_UNSEEN: Final = "\ufeff\ufffd\u200b"
"""Before the first record: a byte order mark, half of one, a space without width."""


def text_of(body: bytes) -> str:
    """robots.txt as text: UTF-8, byte order mark off (it glues to the first line), bad bytes replaced.

    UTF-16 is read too if its mark says so: taken for UTF-8, the mark would spoil the first line, and the site
    be open against its owner's will.
    """
    encoding = "utf-16" if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    text = body.decode(encoding, errors="replace").replace("\ufeff", "").replace("\0", "")
    return text.lstrip(_UNSEEN)


def plain_rules(text: str, token: str) -> str:
    """The records that make groups and rules, for the crawler with a product token.

    An agent written with version or comment is meant by its name. Other records, such as Sitemap, do not end
    a group (RFC 9309 2.2.4).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(_regrouped(_OTHER_RECORD.sub("", text).split("\n"), token))


def no_query(text: str) -> str:
    """A rule or a URL in which an encoded question mark begins no query (RFC 9309 2.2.2).

    The parser decodes it in both, but not an encoded percent sign: what is encoded once more stays apart.
    """
    return _QUESTION_MARK.sub(lambda found: f"%25{found[1].upper()}", text)


def _regrouped(lines: Iterable[str], token: str) -> Iterator[str]:
    """Agents that concern the crawler named again behind a Crawl-delay that stands among agents: it is for
    those above it alone, and the rules that follow are for all.
    """
    meant: set[str] = set()
    has_delay = has_rules = False
    for line in lines:
        if agent := _AGENT.match(line):
            if has_rules:
                meant.clear()
            elif has_delay:
                yield from (f"User-agent: {name}" for name in sorted(meant))
            has_delay = has_rules = False
            name = agent[1].lower()
            if name == "*" or (name and token.startswith(name)):
                meant.add(name)
            yield f"User-agent: {name}"
            continue
        has_delay = has_delay or _DELAY.match(line) is not None
        has_rules = has_rules or _RULE.match(line) is not None
        yield no_query(line)
