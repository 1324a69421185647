"""Words to stems: Porter's for Latin letters (R22), Snowball's where the script tells the language.

Porter leaves words of other scripts as they are, and пилорама, пилорамы and пилораму would be three words.
Cyrillic words lose Russian endings, whichever language they are of: many are those of its neighbours, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import Stemmer

_SCRIPTS = (("\u0370", "\u03ff", "greek"), ("\u0400", "\u052f", "russian"), ("\u0600", "\u06ff", "arabic"))
"""First and last letter of scripts, and the stemmer for them."""
_ARTICLE = "ال"
_WITH_ARTICLE = re.compile("[وفبك]?ال|لل")
"""The Arabic article, with what is written together with it."""
_NO_ENDING_CHARS = 2
"""Arabic words so short are initials or function words."""


class Stems:
    """Stems of words, lower case. Not for several threads at once, as its stemmers are not."""

    def __init__(self) -> None:
        # the stemmers remember nothing: the vocabulary does
        latin = Stemmer.Stemmer("porter", 0)
        self.of_ascii: Callable[[list[str]], list[str]] = latin.stemWords
        """Stems of words of ASCII alone, many at once."""
        self._latin: Callable[[str], str] = latin.stemWord
        self._by_script = [
            (first, last, self._of_arabic if name == "arabic" else Stemmer.Stemmer(name, 0).stemWord)
            for first, last, name in _SCRIPTS
        ]
        self._arabic: Callable[[str], str] = Stemmer.Stemmer("arabic", 0).stemWord

    def of(self, word: str) -> str:
        """The stem of one word; the script is that of its first letter."""
        if not word.isascii():
            for first, last, stem in self._by_script:
                if first <= word[0] <= last:
                    return stem(word)
        return self._latin(word)

    def of_all(self, words: Iterable[str]) -> list[str]:
        """`of` for each of many words."""
        return [self.of(word) for word in words]

    def _of_arabic(self, word: str) -> str:
        """The stem of a word with its article: without one Snowball leaves it the ending of the plural."""
        if len(word) <= _NO_ENDING_CHARS:
            return word
        article = _WITH_ARTICLE.match(word)
        return self._arabic(_ARTICLE + word[article.end() if article else 0 :])
