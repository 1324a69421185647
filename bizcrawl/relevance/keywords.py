"""Words of the business from the pages of known companies, for when the user gives none.

A word is of the business if several of the companies use it, and use it where they say what they do: title,
heading, description. A word of one company alone is its name or its town; words of every web site (contact,
products, rights) are furniture. What is chosen is shown to the user, who can say it better with
``--keywords``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from math import log1p

from bizcrawl.companies.data import lines
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.names import fold, host_keys, romanised, undigraph
from bizcrawl.idn import spelled
from bizcrawl.urls import domain_of
from contexts.text import STOP_WORDS, is_unspaced, letter_runs, stems, words

_HIRAGANA = re.compile("[\u3040-\u309f]")
"""Which writes what stands between the words of Japanese."""
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]+")

MAX_KEYWORDS = 6
LEAST_SHARE = 0.3
"""Of what the best word scores; what scores less is chance more often than business."""
PIECES = 4
"""Of scripts without spaces so many pairs of characters are looked at for each keyword: they are joined."""
PROMINENT_WEIGHT = 3.0
"""A word in title, heading or description counts as this many in the text."""


@cache
def furniture() -> frozenset[str]:
    """Stems of English words that say nothing of the business: companies of any have them on their sites."""
    return frozenset(stems(" ".join((*lines("site_words.txt"), *lines("common_words.txt")))))


def derive_keywords(companies: Sequence[Sequence[PageFacts]]) -> str:
    """The words that companies of one business have in common, best first; "" if they share none.

    Of each company some pages are given. A word must occur on those of two companies (of one, if no other
    says anything), and companies weigh the same however much they say. The name of a page's domain is no word
    of the business.
    """
    weights: defaultdict[str, float] = defaultdict(float)
    sites: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = {}
    n_telling = 0
    for pages in companies:
        counts = _counted(pages, spellings)
        total = sum(counts.values()) or 1.0
        says_nothing = furniture().union(*map(_furniture_of, pages))
        telling = [stem for stem in counts if stem not in says_nothing and _may_tell(stem)]
        n_telling += bool(telling)
        for stem in telling:
            sites[stem] += 1
            weights[stem] += log1p(100.0 * counts[stem] / total)
    needed = min(2, n_telling)
    shared = {stem: weight * sites[stem] for stem, weight in weights.items() if sites[stem] >= needed}
    least = LEAST_SHARE * max(shared.values(), default=0.0)
    telling = [stem for stem, score in shared.items() if score >= least]
    best = sorted(telling, key=lambda stem: (-shared[stem], stem))[: PIECES * MAX_KEYWORDS]
    written = [spellings[stem].most_common(1)[0][0] for stem in best]
    text = " ".join(page.opening for pages in companies for page in pages)
    whole = dict.fromkeys(_whole(word, text) for word in _joined(written, text))
    return " ".join([*whole][:MAX_KEYWORDS])


def _counted(pages: Sequence[PageFacts], spellings: dict[str, Counter[str]]) -> Mapping[str, float]:
    """How often a company's pages have each stem, prominent places counting more; its name is left out."""
    counts: defaultdict[str, float] = defaultdict(float)
    for page in pages:
        for text, weight in _texts(page):
            for word, stem in _terms(text):
                counts[stem] += weight
                spellings.setdefault(stem, Counter())[word] += 1
    for domain in {spelled(domain_of(page.host)) for page in pages}:
        if "-" not in domain.partition(".")[0]:  # else it may well be made of words of the business
            names = {stem for name in host_keys(domain) for stem in stems(name)}
            for stem in [stem for stem in counts if stem in names or _in_a_host(stem) in names]:
                del counts[stem]
    return counts


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """Words of a text with their stems; without spaces, pairs of characters as indexed."""
    for run in letter_runs(text.lower()):
        for stem in stems(run):
            yield (stem if is_unspaced(stem[0]) else run), stem


def _in_a_host(stem: str) -> str:
    """A stem as a host name may spell it, and `host_keys` has it."""
    return stem if stem.isascii() else romanised(undigraph(fold(stem)))


def _may_tell(stem: str) -> bool:
    if is_unspaced(stem[0]):
        return len(stem) == 2 and not _HIRAGANA.search(stem)
    return len(stem) > 2 and not stem.isdigit()


def _joined(words: Sequence[str], text: str) -> list[str]:
    """Pairs of characters that mostly stand in one another's continuation, made the words they are of."""
    found = list(words)
    at = 0
    while at < len(found):
        word = found[at]
        for other in found:
            if other != word and is_unspaced(word[0]) and is_unspaced(other[0]):
                a, b = (word, other) if word[-1] == other[0] else (other, word)
                whole = a + b[1:]
                if a[-1] == b[0] and 2 * text.count(whole) >= max(1, text.count(a), text.count(b)):
                    found[at] = whole
                    found.remove(other)
                    at = max(0, found.index(whole) - 1)
                    break
        else:
            at += 1
    return found


def _whole(word: str, text: str) -> str:
    """Katakana that stand alone nowhere in a text as the commonest run that holds them: of words that have a
    pair in common with furniture (ミキサー with サービス) a part would be left.
    """
    if not _KATAKANA.fullmatch(word):
        return word
    runs = Counter(run for run in _KATAKANA.findall(text) if word in run)
    return word if word in runs else max(runs, key=lambda run: (runs[run], run), default=word)


@cache
def _languages() -> Mapping[str, frozenset[str]]:
    """Words of each language that say nothing of a business, lower case."""
    found: dict[str, set[str]] = {"en": set(STOP_WORDS)}
    for line in lines("furniture.tsv"):
        language, _, said = line.partition("\t")
        found.setdefault(language, set()).update(words(said))
    return {language: frozenset(said) for language, said in found.items()}


def _furniture_of(page: PageFacts) -> Set[str]:
    """Stems of what stands on every site in the language of a page: that of which most words stand there."""
    counts = Counter(words(page.opening))
    spoken = {
        language: sum(n for word, n in counts.items() if word in said)
        for language, said in _languages().items()
    }
    language = max(spoken, key=lambda name: spoken[name])
    return frozenset() if language == "en" else _stems_of_furniture(language)


@cache
def _stems_of_furniture(language: str) -> frozenset[str]:
    return frozenset(stems(" ".join(_languages()[language])))


def _texts(page: PageFacts) -> tuple[tuple[str, float], ...]:
    return (
        (page.title, PROMINENT_WEIGHT),
        (page.heading, PROMINENT_WEIGHT),
        (page.description, PROMINENT_WEIGHT),
        (page.opening, 1.0),
    )
