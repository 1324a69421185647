"""Words, stop list and stems (R22; cases h01, h03, h05, h07, h08)."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st
from processor_time import within_cpu_s

from contexts.folding import BREAK, fold
from contexts.text import _PADDING, _TABLE, STOP_WORDS, _new_vocabulary, stems, tokenise, words
from contexts.vectors import Query, cosine


def test_words_are_lower_case_runs_of_letters_and_digits() -> None:
    assert list(words("The D-50 Pump's über-Größe, naïve_case!")) == [
        "the", "d", "50", "pump", "s", "über", "größe", "naïve", "case",
    ]  # fmt: skip


def test_stop_words_go_and_the_rest_is_stemmed() -> None:
    assert stems("The brewing of beers and the pumps") == ["brew", "beer", "pump"]


def test_an_apostrophe_of_any_kind_ends_a_word_and_leaves_no_empty_stem() -> None:
    assert stems("company's company’s") == ["compani", "compani"]


def test_texts_without_words_have_no_terms() -> None:
    for text in ("", "the and of", " \n\t", "!?—…"):
        assert stems(text) == []
        assert not Query.from_text(text)


def test_scripts_without_spaces_give_pairs_so_that_related_texts_meet() -> None:
    def vector(text: str) -> dict[str, float]:
        return Query.from_text(text).by_stem

    assert stems("水泵") == ["水泵"]
    assert stems("水泵厂 x") == ["水泵", "泵厂", "x"]
    related = cosine(vector("计算机公司生产水泵"), vector("水泵制造公司"))
    assert related > cosine(vector("计算机公司生产水泵"), vector("天气很好"))
    assert related > 0


def test_words_of_scripts_that_tell_their_language_meet_in_all_their_forms() -> None:
    def distinct(text: str) -> int:
        return len(set(stems(text)))

    assert distinct("пилорама пилорамы Пилораму пилорамой") == 1
    assert distinct("лесопильный лесопильных ЛЕСОПИЛЬНОЕ") == 1
    assert distinct("ёлка елка") == 1
    assert distinct("насос мельница") == 2
    assert distinct("مضخات المضخات للمضخات والمضخات مضخة مَضَخَّات") == 1
    assert distinct("مياه المياه") == 1
    assert distinct("مضخة شركة") == 2
    assert distinct("αντλία αντλιών ΑΝΤΛΙΑ") == 1


def test_marks_stay_with_their_letters() -> None:
    assert stems("मस्सा वार्ट") == ["मस्सा", "वार्ट"]
    assert stems("cafe\u0301") == ["café"]


def test_where_a_line_may_be_broken_no_word_ends() -> None:
    whole = stems("Kaffeemaschinenhersteller hydraulic")
    assert stems("Kaffee\u00admaschinen\u00adhersteller hy\u00addraulic") == whole
    assert stems("hy\u2060draulic \ufeffhydraulic")[0] == stems("hydraulic")[0]
    assert stems("क्\u200dष") == stems("क्ष")
    assert stems("pump\u200bvalve") == stems("pump valve")  # a space without width is one


def test_the_capital_dotted_i_is_an_i() -> None:
    assert stems("İstanbul İZMİR") == ["istanbul", "izmir"]


def test_a_page_of_millions_of_characters_is_read_in_time() -> None:
    assert len(within_cpu_s(5, lambda: stems("pump valve " * 300_000))) == 600_000


def test_words_without_end_are_cut() -> None:
    assert [len(stem) for stem in stems("x" * 1000 + " " + "ж" * 1000)] == [64, 64]


@given(st.text())
def test_stemming_never_raises_and_yields_no_stop_words_or_empty_stems(text: str) -> None:
    found = stems(text)
    assert all(found)
    assert len(found) <= sum(word not in STOP_WORDS for word in words(text))


@given(st.lists(st.text()))
def test_texts_tokenised_as_one_are_the_texts_tokenised_one_by_one(texts: list[str]) -> None:
    tokens, ends, names = tokenise(fold(texts))
    assert ends.tolist() == list(accumulate(len(stems(text)) for text in texts))
    assert [names[i] for i in tokens] == [stem for text in texts for stem in stems(text)]
    assert list(names) == list(dict.fromkeys(names[i] for i in tokens))


def test_the_sign_that_stands_between_texts_may_stand_in_one() -> None:
    _, ends, names = tokenise(fold([f"one{BREAK}two", "three"]))
    assert ends.tolist() == [2, 3]
    assert names == ("on", "two", "three")


@given(st.lists(st.text()))
def test_texts_are_folded_as_split_would_fold_them(texts: list[str]) -> None:
    folded = fold(texts)
    singly = ["".join(f"{word} " for word in text.replace(BREAK, " ").split()) for text in texts]
    assert folded.text == "".join(singly)
    assert folded.char_ends().tolist() == list(accumulate(map(len, singly)))


def test_white_space_of_every_kind_is_folded() -> None:
    spaces = [chr(c) for c in range(0x110000) if chr(c).isspace()]
    assert fold([f"one{space}two{space}{space}" for space in spaces]).text == "one two " * len(spaces)


def test_a_word_is_the_same_however_it_was_met_before() -> None:
    vocabulary = [
        f"{stem}{tail}" for stem in ("pump", "breweries", "überdruckventil") for tail in range(9_999)
    ]
    once = [stems(word) for word in vocabulary]
    for _ in range(2):
        tokens, ends, names = tokenise(fold(vocabulary))
        assert [names[i] for i in tokens] == [stem for found in once for stem in found]
        assert ends.tolist() == list(accumulate(map(len, once)))


WORDS = st.one_of(
    st.sampled_from(["the", "s", "pumps", "Pumps", "für", "日本酒", "e\u0301tat"]), st.text(max_size=60)
)


@given(st.lists(WORDS))
def test_words_learned_together_are_what_they_are_when_learned_one_by_one(texts: list[str]) -> None:
    def made(first_alone: bool) -> list[str]:
        vocabulary = _new_vocabulary()
        raw = [word for text in texts for word in text.encode("utf-8", "replace").translate(_TABLE).split()]
        if first_alone:
            for word in raw:
                vocabulary.stems_of(word)
        codes, _, _ = vocabulary.look_up(b" " + b" ".join(raw) + _PADDING)
        return [vocabulary.names[code] for code in codes]

    assert made(first_alone=False) == made(first_alone=True)


def test_a_word_of_sixteen_letters_is_not_taken_for_a_longer_one_that_was_met_before() -> None:
    longer = "qzxwvktrpnmlkjhgfd"
    for word in (longer, longer[:16], longer):
        _, _, found = tokenise(fold([word]))
        assert found == (word,)
