"""Lists of members that are divided by letters."""

from __future__ import annotations

import pytest
from companies_pages import company_page, page_of

from bizcrawl.companies.assess import assess
from bizcrawl.companies.facts import PageFacts
from bizcrawl.topic import Topic

MEMBERS = {
    "A": ["acorn", "alder", "almond"],
    "B": ["birch"],
    "C": ["cedar", "cherry", "cypress"],
    "D – E": ["dogwood", "elder", "elm"],
}
ENTRY = "<a href='http://www.{0}.test/'>{0}</a>"


def lists_of(page: PageFacts) -> list[set[str]]:
    found: dict[int, set[str]] = {}
    for link in page.outlinks:
        if link.list_id >= 0:
            found.setdefault(link.list_id, set()).add(link.anchor)
    return list(found.values())


def page_with(part: str, entry: str = "<li>" + ENTRY, before: str = "", after: str = "") -> PageFacts:
    parts = (part.format(letter, "".join(map(entry.format, members))) for letter, members in MEMBERS.items())
    return page_of("http://list.test/m", f"<title>Members</title>{before}<div>{''.join(parts)}</div>{after}")


EVERYBODY = {name for members in MEMBERS.values() for name in members}
BESIDE = "<ul><li><a href='http://bank.test/'>bank</a><li><a href='http://post.test/'>post</a></ul>"


@pytest.mark.parametrize(
    ("part", "entry"),
    [
        ("<h3>{}</h3><ul>{}</ul>", "<li>" + ENTRY),
        ("<p><a name=x>{}</a></p><table>{}</table>", "<tr><td>" + ENTRY + "<tr><td>" + ENTRY),
        ("<section><h2>{}</h2>{}</section>", "<p>" + ENTRY + "</p>"),
        ("<ul><li>{}</li>{}</ul>", "<li>" + ENTRY),
    ],
)
def test_a_list_for_each_letter_is_one_list(part: str, entry: str) -> None:
    assert EVERYBODY in lists_of(page_with(part, entry, before=BESIDE, after=BESIDE))


def test_other_lists_of_the_page_stay_apart() -> None:
    lists = lists_of(page_with("<h3>{}</h3><ul>{}</ul>", before=BESIDE, after=f"<h3>Sponsors</h3>{BESIDE}"))
    assert lists == [{"bank", "post"}, EVERYBODY, {"bank", "post"}]


def test_lists_under_other_captions_are_not_one() -> None:
    assert len(lists_of(page_with("<h3>Makers of {}</h3><ul>{}</ul>"))) == len(MEMBERS)


def test_a_second_alphabet_is_a_second_list() -> None:
    second = "".join(f"<h3>{x}</h3><ul><li><a href='http://{x}.test/'>{x}</a></ul>" for x in "abd")
    lists = lists_of(page_with("<h3>{}</h3><ul>{}</ul>", after=second))
    assert lists == [EVERYBODY, {"a", "b", "d"}]


def test_members_under_another_letter_are_listed_with_known_companies_as_those_beside_them() -> None:
    homes = [company_page(f"{name}.test", f"{name.title()} Ltd", "makes pumps.") for name in EVERYBODY]
    topic = Topic("pumps", ("http://www.alder.test/", "http://www.cedar.test/"), "pumps")
    found = assess([*sorted(homes, key=lambda page: page.url), page_with("<h3>{}</h3><ul>{}</ul>")], topic)
    strengths = {row.company: row.weight for row in found.evidence if row.kind == "listed"}
    assert strengths["dogwood.test"] == strengths["cherry.test"] == round(2 / 11, 4)
