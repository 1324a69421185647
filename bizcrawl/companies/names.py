"""Company names: cleaned, compared, and never made empty.

A name has a form to show, which nobody changes, and a key to compare. The key is what is left of the name
without legal form, case, accents and qualifier in brackets. Two keys are compared word by word, words
weighted by what they say: a shared common word is not identity, and one name being part of the other makes a
candidate, not a match. Legal forms come from cleanco and from ISO 20275, fuzzy words from rapidfuzz; the
rules around them are here because each alone goes wrong (cleanco empties "AG"; token_set_ratio gives 100 to
"Acme" and "Acme Holdings Japan").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from cleanco.clean import get_unique_terms
from cleanco.non_nfkd_map import NON_NFKD_MAP
from rapidfuzz.distance import JaroWinkler

from bizcrawl.companies.data import lines

Words = Sequence[tuple[str, float]]
"""Words of a name with their weights."""

SAME = 0.85
"""Names at least so alike are the same without further evidence."""
BELOW_SAME = 0.8
CANDIDATE = 0.5
"""Names at least so alike may be the same if something else says so."""

_BRACKET = re.compile(r"[\(\[]([^()\[\]]*)[\)\]]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_OPEN_BRACKET = re.compile(r"[\(\[][^()\[\]]*$")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.\s?){2,}(?![^\W_])|\b(?:[^\W\d_]\.){2,}[^\W\d_]\b", re.UNICODE)
_SEPARATORS = re.compile(r"\s+[|–—»:]\s+|\s+-\s+|\s*[|»]\s*|\s*::\s*")


@dataclass(frozen=True, slots=True)
class Name:
    """A company name taken apart."""

    display: str
    """As found, white space folded."""
    key: str
    """Words that are compared, joined by blanks; empty only if the display has no letter or digit."""
    qualifier: str
    """What stood in brackets, folded: the country of a subsidiary, mostly."""
    legal: str
    """The legal form, folded; "" if the name carries none."""


def fold(text: str) -> str:
    """Casefold, take accents off and spell out letters that have no decomposition (ß, ø, ł, đ, ı)."""
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(_fold_run, unicodedata.normalize("NFC", text).replace("İ", "I").casefold())


def _fold_run(match: re.Match[str]) -> str:
    """Fold a run of characters outside ASCII."""
    return "".join(
        NON_NFKD_MAP.get(character, character)
        for character in unicodedata.normalize("NFKD", match.group())
        if unicodedata.category(character) != "Mn"
    )


@lru_cache(maxsize=262_144)
def parse_name(text: str) -> Name:
    """Take a name apart. Idempotent on keys: the key of a key is the key."""
    display = " ".join(text.split())
    folded = fold(display)
    qualifiers = [q.strip() for q in _BRACKET.findall(folded) if _WORD.search(q) and not _is_legal_form(q)]
    bare = _OPEN_BRACKET.sub(" ", _BRACKET.sub(" ", folded))
    if not _WORD.search(bare):
        bare, qualifiers = folded, []
    words, legal = _strip_legal_forms(_words(bare))
    return Name(display, " ".join(words), " ".join(qualifiers), legal)


def _words(folded: str) -> list[str]:
    """Words of a folded name; initials joined ("a.b.c." is abc), & and + kept as a word of their own for a
    while."""
    joined = _INITIALS.sub(lambda match: re.sub(r"[.\s]", "", match.group()) + " ", folded)
    joined = re.sub(r"(?<=[^\W_])['’`´](?=s?\b|[^\W_])", "", joined)
    joined = re.sub(r"\s*[&+]\s*", " & ", joined)
    return re.findall(r"[^\W_]+|&", joined)


def _strip_legal_forms(words: list[str]) -> tuple[list[str], str]:
    """Take legal forms off the end, then off the front, never the last word; then & becomes and."""
    forms, longest = _legal_forms()
    taken: list[str] = []
    changed = True
    while changed:
        changed = False
        for size in range(min(longest, len(words) - 1), 0, -1):
            tail = tuple(words[-size:])
            rest = words[:-size]
            if tail in forms and any(word != "&" for word in rest):
                taken.insert(0, " ".join(tail))
                words = rest
                changed = True
                break
        while len(words) > 1 and words[-1] in {"&", "and"}:
            words = words[:-1]
            changed = True
    for size in range(min(longest, len(words) - 1), 0, -1):
        if tuple(words[:size]) in _PREFIXES:
            taken.append(" ".join(words[:size]))
            words = words[size:]
            break
    words = ["and" if word == "&" else word for word in words]
    return [_undigraph(word) for word in words], " ".join(taken)


_PREFIXES = frozenset(
    {
        ("pt",),
        ("pao",),
        ("oao",),
        ("zao",),
        ("ooo",),
        ("as",),
        ("ab",),
        ("oy",),
        ("uab",),
        ("jsc",),
        ("pjsc",),
    }
    | {("public", "joint", "stock", "company"), ("joint", "stock", "company"), ("p", "t"), ("sa",), ("ao",)}
    | {("limited", "liability", "company"), ("international", "public", "joint", "stock", "company")}
)
"""Legal forms that some countries put before the name."""


def _is_legal_form(text: str) -> bool:
    return tuple(_words(text)) in _legal_forms()[0]


@cache
def _legal_forms() -> tuple[frozenset[tuple[str, ...]], int]:
    """Legal forms as tuples of folded words, and the number of words of the longest."""
    terms = [*get_unique_terms(), *lines("legal_forms.txt")]  # type: ignore[no-untyped-call]
    forms = {tuple(_words(fold(term))) for term in terms}
    forms |= {tuple("".join(form)) for form in forms if len(form) == 1 and 2 <= len(form[0]) <= 4}
    forms |= {("".join(form),) for form in forms if len(form) > 1 and all(len(word) == 1 for word in form)}
    forms -= {("uk",), ("nl",), ("at",), ("et",), ("fa",), ("da",), ("at",), ("sem",), ("vat",), ("teo",), ()}
    forms |= {("and", *form[1:]) for form in forms if form and form[0] == "&"}
    return frozenset(forms), max(map(len, forms))


def _undigraph(word: str) -> str:
    """Read ae, oe, ue as the umlauts they may stand for: Mueller, Müller and Muller get one key."""
    return re.sub(r"([aou])e", r"\1", word) if len(word) >= 5 else word


@cache
def _word_table() -> Mapping[str, tuple[float, str]]:
    """(weight, canonical form) of words that say little."""
    table = {}
    for line in lines("name_words.tsv"):
        word, weight, canonical = line.split("\t")
        table[_undigraph(word)] = (float(weight), _undigraph(canonical))
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
    distinctive = False
    for word, weight in left:
        best, best_at = 0.0, -1
        for at, (other, _) in enumerate(right):
            alike = _word_similarity(word, other)
            if alike > best:
                best, best_at = alike, at
        if best_at < 0:
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
    return score if distinctive else min(score, CANDIDATE if joined_a[:4] == joined_b[:4] else 0.4)


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


def title_parts(title: str) -> list[str]:
    """The parts of a page title between |, –, : and the like, in order, doubles left out."""
    parts = [part.strip(" -–—|·»:") for part in _SEPARATORS.split(title)]
    return list(dict.fromkeys(part for part in parts if part))
