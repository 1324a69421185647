"""URLs that the answer needs: where part of a crawl's budget is spent better than by following the frontier.

A crawl that follows similar pages reads the home pages of many companies and stops there. To rank them it has
to know what each says of its business (home page, "about us", products), and to find the rest it has to read
the lists that name several of them to the end. Every so often the pages visited so far are assessed; what
would verify the companies near the top, and what would continue the best lists, is suggested next.

Suggestions depend on nothing but the pages visited and the analyst's opinions, in their order, so that a
crawl can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType

from bizcrawl.companies.assess import Assessment, assess
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.memory import Memory
from bizcrawl.companies.opinions import NO_OPINIONS, Opinion, Opinions
from bizcrawl.companies.standing import standing_of
from bizcrawl.companies.verdicts import dead_sites
from bizcrawl.companies.worth_visiting import Suggestion, suggestions_from
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic

FIRST_LOOK_PAGES = 30
"""Pages before the first assessment."""
GROWTH = 1.12
"""Each assessment waits until there are so many times more pages than at the last one."""
LEAST_NEW_PAGES = 25
"""At least for so many more."""
LEAST_GROWTH = 1.01
"""Times more pages that are enough where there is nothing else to visit."""


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
        """Heed the analyst: drop all that was suggested, `unvisited` included, and weigh it anew."""
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

        `opinions` and `dead` sites are those of the crawl itself, if no others are given. What was found out
        about sites for the suggestions is left alone: with `leads` they are other sites, and suggestions
        that knew of a ranking could not be replayed without it.
        """
        return assess(
            self._pages,
            self._topic,
            self._opinions if opinions is None else opinions,
            dead=self._dead if dead is None else dead,
            leads=leads,
            question=question,
        )

    def next(self, n: int, *, at_once: bool = False) -> list[Suggestion]:
        """The best n URLs neither visited nor suggested before; fewer if nothing else is worth a visit.

        `at_once`: there is nothing else to visit, so what came in since the last assessment is assessed now.
        """
        has_grown = len(self._pages) > LEAST_GROWTH * self._looked_at
        if len(self._pages) >= self._due_at or (at_once and has_grown and not self._waiting):
            self._look()
        chosen: list[Suggestion] = []
        while self._waiting and len(chosen) < n:
            best = self._waiting.pop()
            if best.url not in self._done:
                self._done.add(best.url)
                chosen.append(best)
        return chosen

    def _look(self) -> None:
        """Put what is worth a visit as companies stand now in place of what was, the best last."""
        self._looked_at = len(self._pages)
        self._due_at = max(len(self._pages) + LEAST_NEW_PAGES, int(len(self._pages) * GROWTH))
        standing = standing_of(
            self._pages, self._topic, self._opinions, dead=self._dead, memory=self._memory, hopeful=True
        )
        found = sorted(suggestions_from(standing), key=lambda entry: (-entry.value, entry.url))
        self._waiting = found[::-1]
