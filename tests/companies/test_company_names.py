"""Names: the cases that other projects stumbled over (cases.jsonl, area g), and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.companies.listing_names import without_share_class
from bizcrawl.companies.name_similarity import CANDIDATE, SAME, similarity
from bizcrawl.companies.names import begin_alike, fold, parse_name, title_parts
from bizcrawl.companies.naming import parent_of


@pytest.mark.parametrize("name", ["AMBA", "SE", "Oy", "AG"])
def test_a_name_that_is_a_legal_form_is_not_emptied(name: str) -> None:
    assert parse_name(name).key == name.lower()


def test_names_that_are_legal_forms_do_not_match_each_other() -> None:
    names = ["AMBA", "SE", "Oy", "AG"]
    assert all(similarity(a, b) < SAME for a in names for b in names if a != b)


def test_a_bracketed_country_is_a_qualifier_and_brackets_stay_balanced_in_display() -> None:
    name = parse_name("Larkspur (Ireland) Pvt. Ltd.")
    assert (name.display, name.key, name.qualifier) == ("Larkspur (Ireland) Pvt. Ltd.", "larkspur", "ireland")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Hartwell & Co.", "Hartwell"),
        ("Brindle & Brindle", "Brindle and Brindle"),
        ("Hartwell & Co.", "Hartwell and Company"),
        ("Müller Bau", "Mueller Bau"),
        ("STRASSENBAU LÖWE", "Straßenbau Löwe"),
        ("Løvberg", "Lovberg"),
        ("Łódź Pumps", "Lodz Pumps"),
        ("İzmir Gida", "Izmir Gida"),
        ("IZMİR GIDA", "İzmir Gıda"),
        ("Ærø Pumper", "Aero Pumper"),
        ("Œuvre Pumps", "Oeuvre Pumps"),
        ("Þórsson", "Thorsson"),
        ("Brindle™ Pumps®", "Brindle Pumps"),
        ("Brind\u00adle Pumps", "Brindle Pumps"),
        ("№ 9 Pumps", "No 9 Pumps"),
        ("(Brindle) Ltd", "Brindle"),
        ("A.B.C. Pumps Ltd", "ABC Pumps"),
    ],
)
def test_same_key(a: str, b: str) -> None:
    assert parse_name(a).key == parse_name(b).key


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Larch Bank of the West", "Larch Bank of the East", False),
        ("North Star Foods", "South Star Foods", False),
        ("Union Quarry", "Union Barge", False),
        ("Brindle Pumps", "Brindle Pump Company", True),
        ("Acme", "Acme Holdings Japan", False),
        ("The Larch", "The Quince", False),
        ("Royal Kiln", "Royal Kiln & Sons", False),
        ("Larkspur (Ireland)", "Larkspur (Japan)", False),
        ("Sage Group plc", "The Sage Group plc", True),
        ("Plural", "Pluralsight", False),
        ("Software AG", "SoftwareMill", False),
        ("MetalLB", "MetaLab", False),
    ],
)
def test_a_shared_common_word_is_not_identity_and_subset_is_not_equality(a: str, b: str, same: bool) -> None:
    assert (similarity(a, b) >= SAME) is same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("मस्सा", "वार्ट"),
        ("कमल", "किमल"),
        ("काम पंप", "कम पंप"),
        ("ป้ารัตน์ หน้า", "ย์ย์ย์"),
        ("ปั๊มน้ำไทย", "ปมนาไทย"),
        ("ガス工業", "カス工業"),
    ],
)
def test_where_a_mark_makes_another_letter_it_makes_another_name(a: str, b: str) -> None:
    assert similarity(a, b) < SAME
    assert similarity(a, a) == 1.0
    assert parse_name(a).key.split() == fold(a).split()


def test_a_subset_is_a_candidate_and_a_shared_article_is_not() -> None:
    assert similarity("Royal Kiln", "Royal Kiln & Sons") >= CANDIDATE
    assert similarity("Acme", "Acme Holdings Japan") == CANDIDATE
    assert similarity("Acme Holdings Japan and Korea", "Acme") == CANDIDATE
    assert similarity("The Larch", "The Quince") == 0.0


def test_a_shared_domain_belongs_to_the_name_nearest_to_its_own_title() -> None:
    names = {"Brindle Japan K.K.": 3, "Brindle (Germany)": 5, "Brindle Inc": 4}
    entity, children = parent_of("Brindle", names)
    assert entity == "Brindle Inc"
    assert sorted(children) == ["Brindle (Germany)", "Brindle Japan K.K."]


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("MASCO CORP.  DL 1", "MASCO CORP."),
        ("STELLANTIS NV STELLANTIS NV ORD", "STELLANTIS NV"),
        ("Trelleborg AB Class B", "Trelleborg AB"),
        ("BALYO S.A.  EO -,08", "BALYO S.A."),
        ("BMW", "BMW"),
    ],
)
def test_share_classes_and_par_values_are_no_part_of_a_name(printed: str, name: str) -> None:
    assert without_share_class(printed) == name


@pytest.mark.parametrize(
    ("a", "b"),
    [("IMP. OIL", "Imperial Oil Limited"), ("NEWCREST MNG LTD", "Newcrest Mining Limited")],
)
def test_words_cut_short_as_lists_print_them_are_understood(a: str, b: str) -> None:
    assert similarity(a, b) >= SAME


def test_title_parts_are_split_at_separators_and_not_within_words() -> None:
    assert title_parts("Home - Coca-Cola | Drinks") == ["Home", "Coca-Cola", "Drinks"]


class TestNameProperties:
    """What holds for any text."""

    @given(st.text(max_size=60))
    def test_never_raises_and_a_name_with_letters_keeps_some(self, text: str) -> None:
        name = parse_name(text)
        if any(character.isalnum() and character.isascii() for character in text):
            assert name.key

    @given(st.text(max_size=40))
    def test_folding_is_idempotent(self, text: str) -> None:
        assert fold(fold(text)) == fold(text)

    @given(st.text(max_size=40), st.text(max_size=40))
    def test_similarity_is_symmetric_and_between_0_and_1(self, a: str, b: str) -> None:
        assert 0.0 <= similarity(a, b) <= 1.0
        assert similarity(a, b) == similarity(b, a)

    @given(st.text(alphabet="abc XY.&()-,1", max_size=40))
    def test_taking_off_the_share_class_is_idempotent_and_leaves_something(self, text: str) -> None:
        once = without_share_class(text)
        assert without_share_class(once) == once
        if sum(map(str.isalnum, text)) >= 2:
            assert any(map(str.isalnum, once))


@pytest.mark.parametrize(
    "name",
    [
        "株式会社東洋ポンプ",
        "東洋ポンプ株式会社",
        "㈱東洋ポンプ",
        "東洋ポンプ (株)",
        "東洋ポンプ有限公司",
        "주식회사 東洋ポンプ",
    ],
)
def test_legal_forms_that_no_space_sets_apart_are_no_part_of_the_key(name: str) -> None:
    assert parse_name(name).key == parse_name("東洋ポンプ").key


def test_a_legal_form_is_told_where_no_space_sets_it_apart() -> None:
    assert parse_name("Larch株式会社").legal == "株式会社"
    assert parse_name("ООО «Насос»").key == parse_name("Насос").key
    assert parse_name("株式会社").key


@pytest.mark.parametrize("host", ["larch-finder.eu", "larch.se", "www.larch.co", "firmen.ag"])
def test_the_top_level_of_a_host_name_is_no_legal_form(host: str) -> None:
    assert not parse_name(host).legal
    assert parse_name("Larch Co.Ltd").legal == "co ltd"
    assert parse_name("Larch.SE").legal == "se"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Hasel Anlagenbau mbH", "Hasel Anlagenbau"),
        ("Größl e.K.", "Groessl"),
        ("Hasel Ges.m.b.H.", "Hasel"),
        ("Hasel UG (haftungsbeschränkt)", "Hasel"),
        ("Hasel & Erle PartG mbB", "Hasel & Erle"),
        ("Lariço Ltda - ME", "Larico"),
        ("Lariço S/A", "Larico"),
        ("Modrzew Sp. z o.o. Sp. k.", "Modrzew"),
        ("Karaçam San. ve Tic. Ltd. Şti.", "Karacam"),
        ("Công ty TNHH Thông", "Thông"),
        ("Alerce S. de R.L. de C.V.", "Alerce"),
        ("Общество с ограниченной ответственностью «Лес»", "Лес"),
        ("ИП Королёв", "Королев"),
        ("ПрАТ «Модрина»", "Модрина"),
        ("Лиственица ЕООД", "Лиственица"),
        ("Λάρικα Α.Ε.", "ΛΑΡΙΚΑ"),
        ("شركة النيل ش.م.م.", "النيل"),
        ("الفرات للمضخّات ذ.م.م", "الفرات للمضخات"),
        ('אורן בע"מ', "אורן"),
        ("บริษัท สน จำกัด (มหาชน)", "สน"),
    ],
)
def test_legal_forms_of_many_countries_are_no_part_of_the_key(name: str, key: str) -> None:
    parsed = parse_name(name)
    assert parsed.key == parse_name(key).key
    assert parsed.legal


@pytest.mark.parametrize("name", ["(株)東洋ポンプ", "東洋ポンプ（株）", "㈱東洋ポンプ", "펌프㈜"])
def test_a_legal_form_in_brackets_is_one(name: str) -> None:
    assert parse_name(name).legal
    assert not parse_name("Larch (SA)").legal  # a place as likely


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("会社概要｜株式会社東洋ポンプ", ["会社概要", "株式会社東洋ポンプ"]),
        ("产品中心-北京水泵有限公司", ["产品中心", "北京水泵有限公司"]),
        ("首页_北京水泵有限公司", ["首页", "北京水泵有限公司"]),
        ("【公式】東洋ポンプ", ["公式", "東洋ポンプ"]),
        ("うどん-X ポンプ", ["うどん-X ポンプ"]),
        ("АО «Лес»", ["АО «Лес»"]),
        ("АО «Лес» » Станки", ["АО «Лес»", "Станки"]),
        ("»Larch« – Pumpen", ["»Larch«", "Pumpen"]),
        ("Home » Larch", ["Home", "Larch"]),
    ],
)
def test_titles_are_divided_as_people_write_them_in_any_script(title: str, parts: list[str]) -> None:
    assert title_parts(title) == parts


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("Löwenthal", "loewenthal-pack.de"),
        ("Löwenthal", "xn--lwenthal-n4a.de"),
        ("Blue Water", "bluewater.example"),
        ("Bluewater", "blue-water.example"),
        ("Древмаш", "drevmash.ru"),
        ("うどん機械", "xn--p8jtd0f270vt0b.jp"),
    ],
)
def test_a_name_and_a_host_begin_alike_however_hosts_spell_it(name: str, host: str) -> None:
    assert begin_alike(parse_name(name).key, host)
    assert not begin_alike(parse_name(name).key, "larch.example")
