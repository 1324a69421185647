"""URLs that the answer needs: where part of a crawl's budget is spent better than by following the frontier.

A crawl that follows similar pages reads the home pages of many companies and stops there. To rank them it has
to know what each says of its business (home page, "about us", products), and to find the rest it has to read
the lists that name several of them to the end. Every so often the pages visited so far are assessed; what
would verify the companies near the top, and what would continue the best lists, is suggested next.

Suggestions depend on nothing but the pages visited and the analyst's opinions, in their order, so that a
crawl can be replayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from math import exp
from types import MappingProxyType

from bizcrawl.companies.assess import Assessment, assess
from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import InnerLink, PageFacts
from bizcrawl.companies.memory import Memory
from bizcrawl.companies.names import fold, fold_label
from bizcrawl.companies.opinions import NO_OPINIONS, Opinion, Opinions
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.companies.sites import is_top_page
from bizcrawl.companies.standing import Standing, standing_of
from bizcrawl.companies.telling import telling
from bizcrawl.companies.verdicts import dead_sites
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic
from contexts.text import stems

FIRST_LOOK_PAGES = 30
"""Pages before the first assessment."""
GROWTH = 1.12
"""Each assessment waits until there are so many times more pages than at the last one."""
LEAST_GROWTH = 1.01
"""The same where there is nothing else to visit."""
VERIFIED_RANKS = 400
"""Companies further down are not verified."""
HALF_RANK = 60.0
"""Rank at which verifying a company is worth half of what it is at the top."""
PAGES_PER_COMPANY = 4
"""Pages of a company that are asked for; its business is clear after that."""

_NEXT_WORDS = """
    next|next page|more|weiter|nächste|nächste seite|suivant|suivante|suivants|siguiente|siguientes|avanti
    successivo|successiva|próximo|próxima|seguinte|volgende|nästa|næste|następna|далее|следующая
    次へ|次の|次のページ|次ページ|下一页|下一頁|다음
"""
_NEXT = re.compile(
    r"\d{1,3}|[a-z]|[>»›→]+|[a-z]\s?[-–]\s?[a-z]|(?:"
    + "|".join(re.escape(fold(word.strip())) for word in re.split(r"[|\n]", _NEXT_WORDS) if word.strip())
    + r")\s*[>»›→]*"
)
"""A link to a further page of a list."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One URL worth a visit."""

    url: str
    value: float
    """Between 0 and about 1, comparable between kinds."""
    why: str


class Suggestions:
    """What to visit next for the sake of the answer, kept up to date as pages come in."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._opinions = NO_OPINIONS
        self._pages: list[PageFacts] = []
        self._done: set[str] = set()
        self._due_at = FIRST_LOOK_PAGES
        self._looked_at = 0
        self._waiting: list[Suggestion] = []
        self._memory = Memory()
        self._dead: set[str] = set()

    @property
    def pages(self) -> Sequence[PageFacts]:
        """Facts of the pages visited, in order."""
        return self._pages

    @property
    def dead(self) -> Set[str]:
        """Keys of sites whose home page was asked for in vain, those that refuse us among them."""
        return self._dead

    def visit(self, page: PageFacts) -> None:
        """Learn of a page that was visited."""
        self._pages.append(page)
        self._done.update((page.url, page.final_url))

    def fail(self, url: str, reason: Reason) -> None:
        """Learn that a URL brought no page; it is not suggested again."""
        self._done.add(url)
        self._dead |= dead_sites([(url, reason)])

    def judge(self, opinion: Opinion, unvisited: Iterable[str] = ()) -> None:
        """Heed the analyst: all that was suggested, `unvisited` included, is weighed anew."""
        self._opinions |= opinion
        self._done.difference_update(unvisited)
        self._waiting = []
        self._due_at = min(self._due_at, max(FIRST_LOOK_PAGES, len(self._pages)))

    def assessment(
        self,
        question: str,
        opinions: Opinions | None = None,
        dead: Set[str] | None = None,
        leads: Mapping[str, str] = MappingProxyType({}),
    ) -> Assessment:
        """The companies as they stand now; `question` and `leads` as for `assess`.

        `opinions` and `dead` sites are those of the crawl itself, if no others are given.
        """
        return assess(
            self._pages,
            self._topic,
            self._opinions if opinions is None else opinions,
            dead=self._dead if dead is None else dead,
            leads=leads,
            question=question,
            memory=self._memory,
        )

    def next(self, n: int, *, at_once: bool = False) -> list[Suggestion]:
        """The best n URLs neither visited nor suggested before; fewer if nothing else is worth a visit.

        `at_once`: there is nothing else to visit, so what came in since the last assessment is assessed now.
        """
        has_grown = len(self._pages) > LEAST_GROWTH * self._looked_at
        if len(self._pages) >= self._due_at or (at_once and has_grown and not self._waiting):
            self._looked_at = len(self._pages)
            self._due_at = max(len(self._pages) + 25, int(len(self._pages) * GROWTH))
            standing = standing_of(
                self._pages, self._topic, self._opinions, dead=self._dead, memory=self._memory, hopeful=True
            )
            found = sorted(suggestions_from(standing), key=lambda entry: (-entry.value, entry.url))
            self._waiting = found[::-1]
        chosen: list[Suggestion] = []
        while self._waiting and len(chosen) < n:
            best = self._waiting.pop()
            if best.url not in self._done:
                self._done.add(best.url)
                chosen.append(best)
        return chosen


def suggestions_from(standing: Standing) -> Iterator[Suggestion]:
    """Everything that is worth a visit as companies stand; the same URL may come more than once."""
    trust = dict.fromkeys(standing.met.known, 1.0)
    for rank, key in enumerate(standing.order):
        trust[key] = 0.8 / (1 + exp((rank - HALF_RANK) / 15))
    yield from _to_verify(standing)
    yield from _to_read_on(standing, trust)


def _to_verify(standing: Standing) -> Iterator[Suggestion]:
    """Home pages and telling pages of the known companies and of those near the top."""
    ranks = {key: -1 for key in standing.met.known if key in standing.met.sites}
    ranks.update((key, rank) for rank, key in enumerate(standing.order[:VERIFIED_RANKS]))
    for key, rank in ranks.items():
        site = standing.met.sites[key]
        worth = HALF_RANK / (HALF_RANK + max(rank, 0)) if rank >= 0 else 1.0
        seen = {page.final_url for page in site.pages}
        if not any(is_top_page(page) for page in site.pages):
            yield Suggestion(site.front_door, worth, f"home page of {key}")
        missing = PAGES_PER_COMPANY - len(site.pages)
        if missing <= 0:
            continue
        links = {link.url: link for page in site.pages for link in page.inner if link.url not in seen}
        ordered = sorted(links.values(), key=lambda link: -telling(link))
        for place, link in enumerate(ordered[:missing]):
            value = worth * telling(link) * 0.9 ** (place + len(site.pages))
            yield Suggestion(link.url, value, f"what {key} says of itself")


def _to_read_on(standing: Standing, trust: Mapping[str, float]) -> Iterator[Suggestion]:
    """Further pages of lists that name companies of the business, and lists of sites that they belong to."""
    affinity: dict[str, float] = {}
    for listing in standing.listings:
        total = sum(trust.get(member, 0.0) for member in listing.members)
        share = total / (len(listing.members) + 2)
        hub = standing.met.sites[listing.hub]
        verdict = standing.met.verdicts[listing.hub]
        if not verdict.may_be_company:
            affinity[listing.hub] = max(affinity.get(listing.hub, 0.0), share)
        lists = {member.list_id for member in listing.members.values() if member.via}
        for link in listing.page.inner:
            if link.list_id in lists:
                yield Suggestion(link.url, min(1.0, 1.5 * share), f"who else is in a list of {hub.key}")
            if _NEXT.fullmatch(fold(link.anchor).strip()):
                yield Suggestion(link.url, min(1.0, 2.5 * share), f"more of a list of {hub.key}")
    words = set(standing.words) | {stem for stem, _ in standing.topic.query.weights}
    for key, site in standing.met.sites.items():
        verdict = standing.met.verdicts[key]
        if key in standing.met.opinions.rejected or (
            verdict.may_be_company and verdict.kind is not SiteKind.UNSEEN
        ):
            continue
        citing = sum(trust.get(source, 0.0) for source in {mention.source for mention in site.mentions})
        if not site.pages:
            continue
        near = affinity.get(key, 0.0)
        if not (verdict.is_hub and (citing > 0.5 or near > 0.1)):
            continue
        worth = min(1.0, 0.25 * citing + 1.5 * near)
        for page in site.pages[:30]:
            for link in page.inner:
                member = _listing_cue(link)
                topical = len(words.intersection(stems(link.anchor)))
                if member or topical:
                    value = worth * min(1.0, 0.6 * member + 0.35 * topical)
                    yield Suggestion(link.url, value, f"who is listed by {key}")


def _listing_cue(link: InnerLink) -> bool:
    """Whether a link seems to lead to a list of companies."""
    return fold_label(link.anchor) in _listing_cues()


@cache
def _listing_cues() -> frozenset[str]:
    return frozenset(fold(line) for line in lines("lists.txt"))
