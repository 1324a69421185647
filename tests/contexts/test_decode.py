"""Bytes to text, as browsers read them (cases c04, c06, c07, c08)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contexts.decode import decode
from contexts.undeclared import undeclared_charset


def test_iso_8859_1_means_windows_1252() -> None:
    decoded = decode(b"<meta charset=iso-8859-1><p>f\xfcr \x93q\x94 \x80", "text/html")
    assert decoded.text.endswith("für “q” €")
    assert (decoded.charset, decoded.source) == ("windows-1252", "meta")


def test_a_header_outranks_meta() -> None:
    decoded = decode("<meta charset=utf-8>ж".encode("koi8-r"), 'text/html; Charset="KOI8-R"')
    assert decoded.text.endswith("ж")
    assert decoded.source == "header"


def test_an_unknown_label_is_no_declaration() -> None:
    decoded = decode('<meta charset="iso-8859–1"><p>caf'.encode() + b"\xe9", "text/html; charset=none")
    assert decoded.text.endswith("café")


def test_a_declaration_in_broken_markup_is_found() -> None:
    body = b'<meta httequiv="ContentType" content="text/html; charset=gbk" />'
    decoded = decode(body + b"<title>\xcd\xf8\xd5\xbe\xb5\xd8\xcd\xbc", "text/html")
    assert decoded.text.endswith("网站地图")


@pytest.mark.parametrize("declared", ["utf-16", "UTF-16BE", "x-user-defined", "utf-8"])
def test_a_page_is_not_in_what_no_declaration_could_be_read_in(declared: str) -> None:
    head = f"<meta charset={declared}>".encode()
    far = decode(b"<p>" * 400 + head + b"caf\xe9", "text/html")
    assert (far.text[-4:], far.charset) == ("café", "windows-1252")
    near = decode(head + (b"caf\xe9" if declared == "x-user-defined" else "café".encode()), "text/html")
    assert (near.text[-4:], near.source) == ("café", "meta")


def test_utf8_far_down_the_page_is_seen() -> None:
    body = b"<!DOCTYPE html>" + b"<link rel=x href=y>" * 900 + "<p>人民网评论".encode()
    assert decode(body, "text/html").text.endswith("人民网评论")


def test_a_page_cut_within_a_character_is_still_utf8() -> None:
    decoded = decode("<p>für mögliche Händler größerer Übergrößen: €".encode()[:-1], "text/html")
    assert (decoded.text[-3:], decoded.charset) == ("n: ", "utf-8")


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("<p>人民网评论为你服务".encode() + b"\xff<p>x", "utf-8"),
        (b"<p>" + "Käse für Österreich, größer".encode() + b" \xe2\x80...", "utf-8"),
        (b"<p>\xcf\xe0\xf0\xee\xe2\xee\xe7", "windows-1252"),
        (b"<p>" + "水泵制造公司生产计算机和水泵".encode("gbk"), "windows-1252"),
        (b"<script charset=gbk></script><p>" + "水泵制造公司生产计算机和水泵".encode("gbk"), "gbk"),
        ("<p>für".encode() + b" caf\xe9 \xfcber", "windows-1252"),
    ],
)
def test_a_spoilt_byte_does_not_turn_a_page_in_utf8_into_another_encoding(body: bytes, charset: str) -> None:
    assert decode(body, "text/html").charset == charset


@pytest.mark.parametrize("charset", ["utf-16le", "utf-16be"])
def test_utf_16_is_known_without_mark_and_declaration(charset: str) -> None:
    page = "<!doctype html><title>水泵 für Bräuer</title><p>Pumps</p>"
    decoded = decode(page.encode(charset), "text/html")
    assert (decoded.text, decoded.charset, decoded.source) == (page, charset, "utf-16")


TEXTS = {
    "windows-1251": "Завод выпускает деревообрабатывающие станки и пилорамы для лесопильных заводов.",
    "windows-1253": "Η εταιρεία μας κατασκευάζει αντλίες νερού και βαλβίδες υψηλής ποιότητας στην Αθήνα.",
    "windows-1255": "החברה שלנו מייצרת משאבות מים לתעשייה ולחקלאות ומוכרת אותן בישראל ובעולם כולו.",
    "windows-1256": "تقوم الشركة بتصنيع مضخات المياه والمضخات الغاطسة ومحطات الضخ للمصانع والمزارع.",
    "windows-874": "บริษัทของเราผลิตปั๊มน้ำคุณภาพสูงสำหรับอุตสาหกรรมและการเกษตรทั่วประเทศ",
    "shift_jis": "当社は業務用製麺機の開発・製造・販売を行っています。①うどん、そば、ラーメン㈱",
    "euc-jp": "当社は業務用製麺機の開発・製造・販売を行っています。①うどん、そば、ラーメン㈱",
    "euc-kr": "한국펌프는 산업용 펌프를 전문으로 생산하는 기업입니다. 최고의 품질을 제공합니다.",
    "gbk": "北京水泵制造有限公司专业生产离心泵、污水泵、潜水泵等产品，销往全国各地，深受好评。",
    "big5": "臺灣水泵股份有限公司專業生產各種水泵及閥門，產品行銷全球，歡迎各界來電洽詢。",
}
TEXTS |= {"koi8-r": TEXTS["windows-1251"], "ibm866": TEXTS["windows-1251"]}
CODECS = {"windows-874": "cp874", "shift_jis": "cp932", "euc-jp": "euc_jis_2004"}


@pytest.mark.parametrize("charset", TEXTS)
def test_letters_tell_what_a_page_does_not_declare(charset: str) -> None:
    """As in browsers; ㈱ and ① are no part of what Python calls EUC-JP, and of what the Web does."""
    page = f"<title>{TEXTS[charset]}</title><p>Tel. 01"
    decoded = decode(page.encode(CODECS.get(charset, charset)), "text/html")
    assert (decoded.charset, decoded.source, decoded.text) == (charset, "letters", page)


@pytest.mark.parametrize(
    "text",
    [
        "Größere Übergrößen für Äpfel, Öl und süße Möhren: wir führen böhmische Gläser. " * 9,
        "Fabricação e manutenção de máquinas: não há opções melhores à disposição. " * 9,
        "\xa0\xa0\xa0»» Não há à disposição opção melhor: é ótimo \xa0\xa0·· \xa0\xa0 " * 40,
        "\xa9\xae\xb7\xb7\xb7\xb7\xbb\xbb\xab\xab" * 40,
        *(row * 60 for row in "\xa0\xb7\u2014\u2022\xb0\xa4\xa8"),
        *(f"<p>{row * 4}text {row * 3}é " * 20 for row in "\xa0\xb7\u2014"),
        "Mixed: é\xe0 ç\xe8 " + "caf\xe9 " * 50,
    ],
)
def test_what_may_be_western_is_read_as_it(text: str) -> None:
    decoded = decode(text.encode("windows-1252"), "text/html")
    assert (decoded.text, decoded.charset, decoded.source) == (text, "windows-1252", "default")


@pytest.mark.parametrize("charset", ["euc-jp", "euc-kr", "gbk", "windows-1256", "koi8-r"])
def test_rows_of_a_sign_between_words_hide_no_language(charset: str) -> None:
    row = {"euc-jp": "\u3000" * 3, "euc-kr": "\u3000" * 3, "gbk": "\u3000" * 3, "windows-1256": "ـ" * 9}
    page = "".join(f"{row.get(charset, '═' * 9)}{word}" for word in TEXTS[charset].split()) * 2
    decoded = decode(page.encode(CODECS.get(charset, charset)), "text/html")
    assert (decoded.charset, decoded.source, decoded.text) == (charset, "letters", page)


def test_few_letters_of_another_alphabet_or_many_that_are_none_tell_nothing() -> None:
    """Forty-eight bytes beyond ASCII are enough; of a hundred characters two may be spoilt."""
    assert undeclared_charset("абвоеаинтсрв".encode("koi8-r") * 4) == "koi8-r"
    assert (
        undeclared_charset(b"a" + "абвоеаинтсрв".encode("koi8-r")[:-1] + "оеаинтсрвоее".encode("koi8-r") * 3)
        is None
    )
    words = TEXTS["euc-kr"].encode("euc-kr")
    assert undeclared_charset(words * 9) == "euc-kr"
    assert undeclared_charset((words + b" \xfe\xfe\xff\xff ") * 9) is None


def test_characters_that_only_the_web_has_in_an_encoding_are_read() -> None:
    body = "<meta charset=gb2312><p>镕 㐂 玥".encode("gb18030")
    assert decode(body).text.endswith("镕 㐂 玥")
    assert decode("㈱①".encode("euc_jis_2004"), "text/html; charset=EUC-JP").text == "㈱①"


@given(
    st.binary(),
    st.one_of(st.none(), st.text(), st.sampled_from(["text/html; charset=utf-16", "charset=big5"])),
)
def test_decoding_never_raises(body: bytes, content_type: str | None) -> None:
    decoded = decode(body, content_type)
    decoded.text.encode()  # no lone surrogates either


@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le", "utf-16-be"])
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")))
def test_a_byte_order_mark_brings_any_text_back(charset: str, text: str) -> None:
    assert decode(("\ufeff" + text).encode(charset), "text/html; charset=latin1").text == text
