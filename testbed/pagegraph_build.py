"""Making the page graph of a recorded web: each page is tidied once, and all are laid end to end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bizcrawl.reasons import Reason
from bizcrawl.robots.rules import Robots
from bizcrawl.urls import parse
from bizcrawl.web import REDIRECTS, Response
from bizcrawl.web.content import kind_of
from bizcrawl.web.recorded import RecordedWeb
from contexts.decode import decode
from contexts.links import Link, links
from contexts.tagtree import Ints, TagTree
from contexts.tidy import tidy
from contexts.vectors import Floats
from testbed.graph_arrays import (
    KINDS,
    REASONS,
    Arrays,
    SpanArrays,
    begins,
    blob,
    join_spans,
    page_spans,
    vector_length,
)

AGENT = "bizcrawl"
KEPT_AGGREGATIONS = ("parent", "anchor")
"""Contexts that are worked out while the trees are at hand; others when they are first asked for."""

Progress = Callable[[int, int], None]
"""Told how many URLs have been read, and of how many."""


def build(web: RecordedWeb, progress: Progress) -> tuple[Arrays, dict[str, SpanArrays]]:
    """The arrays of a recorded web's page graph, and its contexts at `KEPT_AGGREGATIONS`."""
    draft = _Draft()
    rulings = asyncio.run(_robots(web))
    recorded = list(web.urls())
    for place, written in enumerate(recorded, 1):
        progress(place, len(recorded))
        url = parse(written)
        if url is None or url in draft.done:
            continue
        draft.done.add(url)
        number = draft.url(url)
        if (reason := rulings[url]) is not None:
            draft.barred[number] = REASONS.index(reason)
        answer = web.lookup(url)
        if not isinstance(answer, Response):
            draft.page_at[number] = _none(answer.reason)
        elif answer.status in REDIRECTS:
            target = parse(answer.headers.get("location", ""), url)
            if target is None or not answer.headers.get("location"):
                draft.page_at[number] = _none(Reason.BAD_REDIRECT)
            else:
                draft.moved_to[number] = draft.url(target)
        elif answer.status != 200:
            draft.page_at[number] = _none(Reason.HTTP_ERROR)
        else:
            _add_page(draft, number, url, answer)
    return draft.finish()


def _add_page(draft: _Draft, number: int, url: str, answer: Response) -> None:
    content_type = answer.headers.get("content-type", "")
    kind = kind_of(content_type, answer.body)
    if kind != "html":
        draft.page_at[number] = _none(Reason.EMPTY if kind == "empty" else Reason.NOT_HTML)
        return
    decoded = decode(answer.body, content_type or None)
    tree = tidy(decoded.text, truncated=answer.truncated)
    draft.page_at[number] = len(draft.page_url)
    draft.page_url.append(number)
    draft.add(tree, links(tree, url))


async def _robots(web: RecordedWeb) -> dict[str, Reason | None]:
    """For each recorded URL, why robots.txt bars it. The record's robots.txt stand for the whole crawl."""
    robots = Robots(web, lambda: 0.0, AGENT, max_crawl_delay_s=float("inf"), max_hosts=10_000_000)
    found: dict[str, Reason | None] = {}
    for written in web.urls():
        if (url := parse(written)) is not None:
            found[url] = (await robots.ruling(url)).reason
    return found


def _none(reason: Reason) -> int:
    return -1 - REASONS.index(reason)


@dataclass(slots=True)
class _Draft:
    """A page graph while it is being made."""

    done: set[str] = field(default_factory=set)
    urls: dict[str, int] = field(default_factory=dict)
    moved_to: list[int] = field(default_factory=list)
    page_at: list[int] = field(default_factory=list)
    barred: list[int] = field(default_factory=list)
    page_url: list[int] = field(default_factory=list)
    stems: dict[str, int] = field(default_factory=dict)
    tag_names: dict[str, int] = field(default_factory=dict)
    trees: list[TagTree] = field(default_factory=list)
    tags: list[Ints] = field(default_factory=list)
    words: list[Ints] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    rests: list[str] = field(default_factory=list)
    links: list[list[Link]] = field(default_factory=list)
    contexts: dict[str, list[tuple[Ints, Ints, Floats]]] = field(
        default_factory=lambda: {name: [] for name in KEPT_AGGREGATIONS}
    )

    def url(self, url: str) -> int:
        """Number of a URL."""
        number = self.urls.setdefault(url, len(self.urls))
        if number == len(self.page_at):
            self.page_at.append(_none(Reason.NOT_RECORDED))
            self.moved_to.append(-1)
            self.barred.append(-1)
        return number

    def add(self, tree: TagTree, found: list[Link]) -> None:
        """Take up the tree and links of the next page."""
        ids = [self.tag_names.setdefault(name, len(self.tag_names)) for name in tree.tag_names]
        self.tags.append(np.array(ids, np.int32)[tree.tags])
        self.words.append(np.array([self.stems.setdefault(s, len(self.stems)) for s in tree.stems], np.int32))
        self.texts.append(tree.text)
        rest = {
            "attributes": [[node, dict(values)] for node, values in tree.attributes.items()],
            "json_ld": tree.json_ld,
            "cuts": tree.cuts,
            "road": tree.road,
        }
        self.rests.append(json.dumps(rest, ensure_ascii=False, separators=(",", ":")))
        for link in found:
            self.url(link.url)
        self.links.append(found)
        for name, pages in self.contexts.items():
            pages.append(page_spans(tree, found, name))
        self.trees.append(tree)

    def finish(self) -> tuple[Arrays, dict[str, SpanArrays]]:
        """All pages end to end."""
        trees, flat = self.trees, [link for page in self.links for link in page]
        token_at, word_at = begins([t.tokens for t in trees]), begins(self.words)
        tokens, words = _joined([t.tokens for t in trees]), _joined(self.words)
        stems_of_tokens = words[tokens + np.repeat(word_at[:-1], np.diff(token_at))]
        url_text, url_at = blob(list(self.urls))
        stem_text, stem_at = blob(list(self.stems))
        tag_text, tag_at = blob(list(self.tag_names))
        text, text_at = blob([text.encode("utf-8", "replace") for text in self.texts])
        rest, rest_at = blob([rest.encode("utf-8", "replace") for rest in self.rests])
        link_text, link_text_at = blob(
            [f"{link.anchor}\n{link.rel}".encode("utf-8", "replace") for link in flat]
        )
        by_stem = np.argsort(stems_of_tokens, kind="stable").astype(np.int32)
        arrays = Arrays(
            url_text=url_text,
            url_at=url_at,
            moved_to=np.array(self.moved_to, np.int32),
            page_at=np.array(self.page_at, np.int32),
            barred=np.array(self.barred, np.int32),
            page_url=np.array(self.page_url, np.int32),
            node_at=begins(self.tags),
            tags=_joined(self.tags),
            parent=_joined([t.parent for t in trees]),
            end=_joined([t.end for t in trees]),
            first_token=_joined([t.first_token for t in trees]),
            first_char=_joined([t.first_char for t in trees]),
            token_at=token_at,
            tokens=tokens,
            word_at=word_at,
            words=words,
            stem_text=stem_text,
            stem_at=stem_at,
            tag_text=tag_text,
            tag_at=tag_at,
            text=text,
            text_at=text_at,
            rest=rest,
            rest_at=rest_at,
            link_at=begins(self.links),
            link_url=np.array([self.urls[link.url] for link in flat], np.int32),
            link_node=np.array([link.node for link in flat], np.int32),
            link_kind=np.array([KINDS.index(link.kind) for link in flat], np.int32),
            link_text=link_text,
            link_text_at=link_text_at,
            page_norm=np.array([vector_length(t.tokens) for t in trees]),
            by_stem=by_stem,
            stem_first=np.searchsorted(stems_of_tokens[by_stem], np.arange(len(self.stems) + 1)),
        )
        return arrays, {name: join_spans(pages, token_at) for name, pages in self.contexts.items()}


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int32) if parts else np.empty(0, np.int32)
