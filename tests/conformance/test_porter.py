"""Stems are Snowball's `porter`, the papers' stemmer."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import Stemmer
from published_suites import HTML5LIB, SNOWBALL

from contexts.text import STOP_WORDS, stems

_PAPER = """
caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled bled
motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall
hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional condit
rational ration valenci valenc hesitanci hesit digitizer digit conformabli conform radicalli radic
differentli differ vileli vile analogousli analog vietnamization vietnam predication predic operator oper
feudalism feudal decisiveness decis hopefulness hope callousness callous formaliti formal sensitiviti sensit
sensibiliti sensibl triplicate triplic formative form formalize formal electriciti electr electrical electr
hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop
adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust dependent depend
adoption adopt communism commun activate activ angulariti angular homologous homolog effective effect
bowdlerize bowdler probate probat rate rate cease ceas controll control roll roll
"""
"""Words of Porter's paper of 1980, each followed by its stem."""


def test_the_words_of_porters_paper() -> None:
    words = _PAPER.split()
    wrong = [
        (word, stems(word), stem)
        for word, stem in zip(words[::2], words[1::2], strict=True)
        if stems(word) != [stem]
    ]
    assert not wrong


def snowballs_own(folder: Path) -> ModuleType:
    """Snowball's own Python rendering of `porter`, from its source package."""
    package = folder / "published_snowballstemmer"
    package.mkdir()
    for path, content in SNOWBALL.files.items():
        if path.startswith("src/snowballstemmer/") and path.endswith(".py"):
            (package / Path(path).name).write_bytes(content)
    (package / "__init__.py").write_text("")
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("published_snowballstemmer.porter_stemmer")
    finally:
        sys.path.remove(str(folder))


def test_a_vocabulary_is_stemmed_as_snowballs_own_porter_stems_it(tmp_path: Path) -> None:
    reference = snowballs_own(tmp_path).PorterStemmer()
    texts = b" ".join([*SNOWBALL.files.values(), *HTML5LIB.files.values()]).decode("latin-1").lower()
    vocabulary = sorted(set(re.findall(r"[a-z]{2,30}", texts)))
    assert len(vocabulary) > 10_000
    stem = Stemmer.Stemmer("porter", 0).stemWord
    wrong = [word for word in vocabulary if stem(word) != reference.stemWord(word)]
    assert not wrong
    kept = [word for word in vocabulary if word not in STOP_WORDS and stem(word)]
    assert stems(" ".join(vocabulary)) == [stem(word) for word in kept]
