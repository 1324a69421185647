"""Company names, cleaned and never made empty.

A name has a form to show, which nobody changes, and a key to compare. The key is what is left of the name
without legal form, case, accents and qualifier in brackets. Legal forms come from cleanco and from ISO 20275;
the rules around them are here because they go wrong alone (cleanco makes "AG" empty). `name_similarity`
compares keys.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil

from cleanco.clean import get_unique_terms
from cleanco.non_nfkd_map import NON_NFKD_MAP

from bizcrawl.companies.data import lines
from bizcrawl.idn import spelled
from contexts.text import is_unspaced, letter_runs

NAME_LIKE = 0.5
"""Part of the longer of name and host name that both begin with."""
_BRACKET = re.compile(r"[\(\[]([^()\[\]]*)[\)\]]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_MARKS_TAKEN_OFF = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe20-\ufe2f]"
)
"""Accents, and the points of Hebrew and Arabic, which are left out as often as not. In the scripts of India
and South-East Asia, and in kana, a mark makes another letter: there they stay.
"""
_SPELT_OUT = {"ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ŋ": "n"}
_CYRILLIC = """
    а-a б-b в-v г-g ґ-g д-d е-e є-ye ж-zh з-z и-i і-i ї-i й-i к-k л-l м-m н-n о-o п-p р-r с-s т-t у-u ф-f х-h
    ц-ts ч-ch ш-sh щ-sch ы-y э-e ю-yu я-ya ъ- ь-
"""
_ROMAN = str.maketrans(dict(pair.split("-") for pair in _CYRILLIC.split()))
"""The commonest spelling in host names."""
_SIGNS = re.compile("[™®©℠]")
_OPEN_BRACKET = re.compile(r"[\(\[][^()\[\]]*$")
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.\s?){2,}(?![^\W_])|\b(?:[^\W\d_]\.){2,}[^\W\d_]\b", re.UNICODE)
_HOST_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}")
_SEPARATORS = re.compile(r"\s+[|–—»:]\s+|\s+-\s+|\s*[|｜»【】]\s*|\s*::\s*")
_WITHIN_UNSPACED = re.compile(r"[-_–—―－：]")
"""Signs that divide titles in scripts without spaces, where they stand between two characters of those."""
_QUOTED = re.compile("«[^«»]*»|»[^«»]*«")
_BEFORE_NAMES = frozenset(
    {
        *(("pt",), ("pao",), ("oao",), ("zao",), ("ooo",), ("as",), ("ab",), ("oy",), ("uab",), ("jsc",)),
        *(("pjsc",), ("sa",), ("ao",), ("p", "t"), ("joint", "stock", "company")),
        *(("public", "joint", "stock", "company"), ("international", "public", "joint", "stock", "company")),
        *(("limited", "liability", "company"), ("cong", "ty", "tnhh"), ("cong", "ty", "co", "phan")),
    }
)
"""Legal forms that some countries put before the name, as words."""
_NO_FORMS = frozenset({"uk", "nl", "at", "et", "fa", "da", "sem", "vat", "teo"})
"""What cleanco takes for a legal form and is a word of names, or a country, at least as often."""


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
    """Casefold, take accents off and spell out letters that have no decomposition (ß, ø, ł, đ, ı, æ).

    Signs that are no part of a name (™, ®) and what is not seen (soft hyphens) go.
    """
    if text.isascii():
        return text.lower()
    text = _SIGNS.sub(" ", unicodedata.normalize("NFC", text)).replace("İ", "I").casefold()
    return _NOT_ASCII.sub(_fold_run, text)


def fold_label(text: str) -> str:
    """The text of a link as labels are compared: folded, without the signs that decorate its ends."""
    return fold(text).strip(" .:>»").replace("’", "'")


def is_written_together(character: str) -> bool:
    """Whether words of the script of a character are found within longer ones: those written without spaces,
    and the Korean ones, to which particles and other words are joined.
    """
    return is_unspaced(character) or "HANGUL" in unicodedata.name(character, "")


def _fold_run(match: re.Match[str]) -> str:
    """Fold a run of characters outside ASCII."""
    apart = _MARKS_TAKEN_OFF.sub("", unicodedata.normalize("NFKD", match.group()))
    apart = apart.casefold()  # what was one sign (№, ﬀ) comes apart into letters of any case
    folded = "".join(
        _SPELT_OUT.get(character) or NON_NFKD_MAP.get(character, character)
        for character in apart
        if unicodedata.category(character) != "Cf"
    )
    return unicodedata.normalize("NFC", folded)


@lru_cache(maxsize=262_144)
def parse_name(text: str) -> Name:
    """Take a name apart. Idempotent on keys: the key of a key is the key."""
    display = " ".join(text.split())
    folded = fold(display)
    brackets = [q.strip() for q in _BRACKET.findall(folded) if _WORD.search(q)]
    qualifiers = [q for q in brackets if not _is_legal_form(q)]
    bare = _OPEN_BRACKET.sub(" ", _BRACKET.sub(" ", folded))
    if not _WORD.search(bare) or (qualifiers and _is_legal_form(bare)):
        bare, qualifiers = folded, []
    words, legal = _strip_legal_forms(_words(bare))
    if not legal:  # 株 and 주 stand in brackets; SA and AP there are places and agencies as well
        legal = next((q for q in brackets if not q.isascii() and _is_legal_form(q)), "")
    if _HOST_NAME.fullmatch(display):  # .eu, .se, .co and .ag are no legal forms there
        legal = ""
    return Name(display, " ".join(words), " ".join(qualifiers), legal)


def _words(folded: str) -> list[str]:
    """Words of a folded name; initials joined ("a.b.c." is abc), & and + a word of their own for now."""
    joined = _INITIALS.sub(lambda match: re.sub(r"[.\s]", "", match.group()) + " ", folded)
    joined = re.sub(r"(?<=[^\W_])['’`´](?=s?\b|[^\W_])", "", joined)
    joined = re.sub(r"\s*[&+]\s*", " & ", joined)
    if joined.isascii():
        return re.findall(r"[^\W_]+|&", joined)
    words: list[str] = []
    for place, piece in enumerate(_unspaced_forms().sub(r" \g<0> ", joined).split("&")):
        words += ["&"] * bool(place)
        words += letter_runs(piece)  # for re, the marks of many scripts belong to no word
    return words


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
        head = tuple(words[:size])
        if head in _BEFORE_NAMES or (head in forms and not head[0].isascii()):
            taken.append(" ".join(head))
            words = words[size:]
            break
    words = ["and" if word == "&" else word for word in words]
    return [undigraph(word) for word in words], " ".join(taken)


def _is_legal_form(text: str) -> bool:
    return tuple(_words(text)) in _legal_forms()[0]


@cache
def _unspaced_forms() -> re.Pattern[str]:
    """Legal forms of scripts that are written without spaces, folded; the longest first."""
    found = [fold(line) for line in lines("legal_forms.txt")]
    wide = [form for form in found if is_written_together(form[0])]
    return re.compile("|".join(sorted((form for form in wide if len(form) > 3), key=len, reverse=True)))


@cache
def _legal_forms() -> tuple[frozenset[tuple[str, ...]], int]:
    """Legal forms as tuples of folded words, and the number of words of the longest."""
    terms = [*get_unique_terms(), *lines("legal_forms.txt")]  # type: ignore[no-untyped-call]
    forms = {tuple(_words(fold(term))) for term in terms}
    forms |= {tuple("".join(form)) for form in forms if len(form) == 1 and 2 <= len(form[0]) <= 4}
    forms |= {("".join(form),) for form in forms if len(form) > 1 and all(len(word) == 1 for word in form)}
    forms -= {(), *((word,) for word in _NO_FORMS)}
    forms |= {("and", *form[1:]) for form in forms if form and form[0] == "&"}
    return frozenset(forms), max(map(len, forms))


def undigraph(word: str) -> str:
    """Read ae, oe, ue as the umlauts they may stand for: Mueller, Müller and Muller get one key."""
    return re.sub(r"([aou])e", r"\1", word) if len(word) >= 5 else word


@lru_cache(maxsize=65_536)
def host_keys(host: str) -> frozenset[str]:
    """The first label of a host name as keys are compared with it: as it is written, with umlauts for what
    may spell them, and as the key of a name; without spaces.
    """
    label = spelled(host).partition(".")[0]
    written = "".join(letter_runs(fold(label)))
    return frozenset((written, undigraph(written), parse_name(label.replace("-", " ")).key.replace(" ", "")))


def romanised(key: str) -> str:
    """A key in Latin letters as host names have it, as far as it is Cyrillic: древмаш is at drevmash.ru."""
    return key.translate(_ROMAN)


def begin_alike(name: str, site: str) -> bool:
    """Whether the key of a name and the host name of a site begin alike."""
    labels = host_keys(site)
    for spelling in _spellings(name):
        for label in labels:
            least = max(3, ceil(NAME_LIKE * max(len(spelling), len(label))))
            if len(label) >= least and spelling[:least] == label[:least]:
                return True
    return False


@lru_cache(maxsize=65_536)
def _spellings(name: str) -> tuple[str, ...]:
    """How host names may have the key of a name."""
    written = name.replace(" ", "")
    return (written,) if written.isascii() else (written, romanised(written))


def title_parts(title: str) -> list[str]:
    """The parts of a page title between |, –, : and the like, in order, doubles left out.

    Quotation marks that look like such a sign («Larch», »Larch«) divide nothing.
    """
    quoted = _QUOTED.sub(lambda match: match.group().replace("»", "\0"), " ".join(title.split()))
    pieces = (piece.strip(" -–—|·»:") for part in _SEPARATORS.split(quoted) for piece in _divided(part))
    return list(dict.fromkeys(piece.replace("\0", "»") for piece in pieces if piece))


def _divided(part: str) -> Iterator[str]:
    """A part of a title without spaces, divided where `_WITHIN_UNSPACED` says."""
    begin = 0
    for sign in _WITHIN_UNSPACED.finditer(part):
        around = part[sign.start() - 1 : sign.start()], part[sign.end() : sign.end() + 1]
        if all(character and is_unspaced(character) for character in around):
            yield part[begin : sign.start()]
            begin = sign.end()
    yield part[begin:]
