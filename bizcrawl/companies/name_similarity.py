"""How alike two names of companies are.

Words of keys are compared one with another, weighted by what they say: a shared common word is not identity,
and one name being part of the other makes a candidate, not a match. Words may be cut short, as lists print
them, or misspelt (rapidfuzz), but not if a name has no more than one word that tells it from others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from rapidfuzz.distance import JaroWinkler

from bizcrawl.companies.data import lines
from bizcrawl.companies.names import parse_name, undigraph

Words = Sequence[tuple[str, float]]
"""Words of a name with their weights."""

SAME = 0.85
"""Names at least so alike are the same without further evidence."""
BELOW_SAME = 0.8
CANDIDATE = 0.5
"""Names at least so alike may be the same if something else says so."""


@cache
def _word_table() -> Mapping[str, tuple[float, str]]:
    """(weight, canonical form) of words that say little."""
    table = {}
    for line in lines("name_words.tsv"):
        word, weight, canonical = line.split("\t")
        table[undigraph(word)] = (float(weight), undigraph(canonical))
    return table


@lru_cache(maxsize=262_144)
def _canonical(word: str) -> tuple[float, str]:
    """Weight and comparison form of a word of a key: plurals fold, abbreviations are spelled out."""
    known = _word_table().get(word)
    if known:
        return known
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    known = _word_table().get(word)
    if known:
        return known
    return (0.5 if len(word) == 1 else 1.0), word


@lru_cache(maxsize=262_144)
def weighted_words(key: str) -> tuple[tuple[str, float], ...]:
    """The words of a key in comparison form, with their weights; words of no weight are left out."""
    weighed = [_canonical(word) for word in key.split()]
    heavy = tuple((word, weight) for weight, word in weighed if weight)
    return heavy or tuple((word, 1.0) for _, word in weighed)


def similarity(a: str, b: str) -> float:
    """How alike two names are, 0 to 1: the weight of words they share over the weight of all their words.

    `SAME` is the threshold for taking them as one company on the name alone. Symmetric; 1 for equal keys that
    have no different qualifiers.
    """
    left, right = parse_name(a), parse_name(b)
    score = key_similarity(left.key, right.key)
    if left.qualifier and right.qualifier and left.qualifier[:3] != right.qualifier[:3]:
        score = min(score, CANDIDATE)
    return score


@lru_cache(maxsize=262_144)
def key_similarity(a: str, b: str) -> float:
    """`similarity` of two keys."""
    if not a or not b:
        return 0.0
    if a == b:
        return 1.0
    if a > b:
        a, b = b, a
    joined_a, joined_b = a.replace(" ", ""), b.replace(" ", "")
    if joined_a == joined_b:
        return 0.97
    left, right = list(weighted_words(a)), list(weighted_words(b))
    limit = 1.0 if _may_be_cut(left, right) else BELOW_SAME
    shared = 0.0
    lost = 0.0
    is_part = True
    distinctive = False
    for word, weight in left:
        best, best_at = 0.0, -1
        for at, (other, _) in enumerate(right):
            alike = _word_similarity(word, other)
            if alike > best:
                best, best_at = alike, at
        if best_at < 0:
            is_part = False
            lost += weight
            continue
        _, other_weight = right.pop(best_at)
        shared += best * (weight + other_weight) / 2
        lost += (1 - best) * (weight + other_weight) / 2
        distinctive = distinctive or (best >= 0.8 and min(weight, other_weight) > 0.6)
    lost += sum(weight for _, weight in right)
    score = shared / (shared + lost) if shared else 0.0
    if score < SAME and limit == 1.0 and (_abbreviates(a, b) or _abbreviates(b, a)):
        return 0.9
    score = min(score, limit)
    if not distinctive:
        return min(score, CANDIDATE if joined_a[:4] == joined_b[:4] else 0.4)
    return max(score, CANDIDATE) if is_part or not right else score


def _may_be_cut(left: Words, right: Words) -> bool:
    """Whether words of two names may be cut short or misspelt: not if one telling word is all that a name
    has.

    Plural and Pluralsight, Posit and Positiwise, Chroma and Chromatic are six companies.
    """
    telling_left = {word for word, weight in left if weight > 0.6}
    telling_right = {word for word, weight in right if weight > 0.6}
    shared = {word for word, weight in left if weight > 0.5} & {
        word for word, weight in right if weight > 0.5
    }
    return min(len(telling_left), len(telling_right)) > 1 or bool(shared)


def _abbreviates(short: str, long: str) -> bool:
    """Whether a name is the other with words cut short, as lists print it: ``imp oil`` for ``imperial oil``.

    Words are met in order; every word of the short name begins one of the long name; words that say something
    may be missing from the short name only at its end, and only if the rest is long enough to be no chance.
    """
    words = [word for word in short.split() if word not in _CONNECTIVES]
    full = [word for word in long.split() if word not in _CONNECTIVES]
    at = letters = cut = missing = 0
    for word in words:
        while at < len(full) and not (full[at].startswith(word) or _word_similarity(word, full[at])):
            missing += _canonical(full[at])[0] > 0.5
            at += 1
        if at == len(full):
            return False
        letters += min(len(word), len(full[at]))
        cut += word != full[at]
        at += 1
    trailing = sum(_canonical(word)[0] > 0.6 for word in full[at:])
    if missing or (trailing and not (letters >= 12 and trailing <= 1 and len(words) >= 2)):
        return False
    return bool(words) and letters >= 6 and len(words[0]) >= 2 and (cut > 0 or trailing == 0)


@lru_cache(maxsize=262_144)
def _word_similarity(a: str, b: str) -> float:
    """1 for equal words, less for an abbreviation or a slip of the pen, 0 for other words."""
    if a == b:
        return 1.0
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) >= 3 and long.startswith(short):
        return 0.9 if len(short) >= 4 else 0.8
    if _is_skeleton(short, long):
        return 0.85
    if len(short) >= 5 and abs(len(a) - len(b)) <= 2:
        alike = float(JaroWinkler.similarity(a, b))
        if alike >= 0.94:
            return 0.85
    return 0.0


_VOWELS = frozenset("aeiou")


def _is_skeleton(short: str, long: str) -> bool:
    """Whether a word is another without its vowels, or most of it: mng for mining, hlthc for healthcare."""
    if len(short) < 3 or short[0] != long[0] or not _VOWELS.isdisjoint(short[1:]):
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


_CONNECTIVES = frozenset({"and", "of", "the", "de", "y", "et", "und"})
