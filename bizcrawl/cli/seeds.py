"""Where a crawl begins, as people write it: addresses, lists of them as pasted, files."""

from __future__ import annotations

import os
import re

from bizcrawl.cli.saying import say
from bizcrawl.errors import WrongUse
from bizcrawl.text_files import ADDRESSES, spelled_out
from bizcrawl.urls import host_of, parse

_COLUMNS = (*ADDRESSES, "domain", "domain name", "host", "company", "name")
_LONGEST_SHOWN_CHARS = 80
_HOST = re.compile(r"[\w.-]+|\[[0-9a-f:.]+\]", re.ASCII)
"""What a name or an address is made of; WHATWG allows commas too, which no name has."""


def seed_urls(texts: list[str]) -> tuple[str, ...]:
    """Seeds as URLs, each once, those of ``@FILE`` in its place; ``one.example`` is read as
    ``https://one.example/``, and commas between or behind addresses are left out. Raises `WrongUse`.
    """
    seeds: dict[str, None] = {}
    _refuse_files(texts)
    for given in texts:
        for text in spelled_out([given], columns=_COLUMNS, told=say):
            urls = _addresses(text)
            if not urls:
                shown = text if len(text) <= _LONGEST_SHOWN_CHARS else f"{text[:_LONGEST_SHOWN_CHARS]}…"
                place = f"{given}: " if given.startswith("@") else ""
                raise WrongUse(
                    f"{place}{shown!r} is no web address; write one such as https://www.example.com/"
                )
            seeds |= dict.fromkeys(urls)
    if not seeds:
        raise WrongUse(f"{' '.join(texts)}: holds no web address")
    return tuple(seeds)


def _refuse_files(texts: list[str]) -> None:
    """Raises `WrongUse` for a file without its @, which would be asked for as a host and not be found."""
    for text in texts:
        if "://" not in text and os.path.isfile(text):  # a `Path` of too long a text can't be asked
            raise WrongUse(
                f"{text!r} is a file here: write @{text} for the addresses in it, "
                f"or https://{text}/ if a site is called so, too"
            )


def _addresses(text: str) -> list[str]:
    """The URLs of a list as it was pasted, or of one address with blanks in it; none if it is neither."""
    pieces = text.split() if "/" in text else re.split(r"[\s,;]+", text)
    for candidates in ([piece.rstrip(",;") for piece in pieces], [text]):
        urls = [_address(candidate) for candidate in candidates if candidate]
        if None not in urls:
            return [url for url in urls if url]
    return []


def _address(text: str) -> str | None:
    """The URL that a person means by an address; None if it is none, such as a name or a mailbox."""
    url = parse(text if "://" in text else f"https://{text}")
    if url is None or ("@" in text and "://" not in text) or ("." not in url and "localhost" not in url):
        return None
    return url if _HOST.fullmatch(host_of(url)) else None
