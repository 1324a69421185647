"""Seeds as people write and paste them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bizcrawl.cli.seeds import seed_urls
from bizcrawl.errors import WrongUse

ONE, TWO = "https://one.example/", "https://two.example/"


@pytest.mark.parametrize(
    "written",
    [
        ["one.example", "two.example"],
        ["one.example,", "two.example;"],
        ["one.example, two.example"],
        ["one.example,two.example"],
        ["one.example;two.example;"],
        ["https://one.example/, https://two.example/"],
        [" one.example ", "two.example ,", "one.example."],
    ],
)
def test_commas_and_semicolons_of_a_pasted_list_are_left_out(written: list[str]) -> None:
    assert [url.replace(".example./", ".example/") for url in seed_urls(written)][:2] == [ONE, TWO]


def test_a_line_of_a_file_may_end_in_a_comma_or_hold_several(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("one.example,\ntwo.example, https://three.example/a,b\n")
    assert seed_urls([f"@{tmp_path / 'seeds.txt'}"]) == (ONE, TWO, "https://three.example/a,b")


def test_commas_and_blanks_within_an_address_are_its_own() -> None:
    assert seed_urls(["https://one.example/a;b,c?d=e,f"]) == ("https://one.example/a;b,c?d=e,f",)
    assert seed_urls(["https://one.example/our companies"]) == ("https://one.example/our%20companies",)


@pytest.mark.parametrize(
    "text", ["Roastwell Ltd", "me@one.example", ",", "one.example, nonsense", "http://a,b.c/"]
)
def test_what_is_no_address_is_named_whole(text: str) -> None:
    with pytest.raises(WrongUse) as told:
        seed_urls([text])
    assert repr(text) in str(told.value)


def test_a_file_without_its_at_sign_is_not_asked_for_as_a_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.txt").write_text("one.example\n")
    with pytest.raises(WrongUse, match=r"@seeds\.txt"):
        seed_urls(["seeds.txt"])
    assert seed_urls(["https://seeds.txt/"]) == ("https://seeds.txt/",)
