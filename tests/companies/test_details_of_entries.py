"""Who is listed together where each company has a list or a table of its own details within its entry."""

from __future__ import annotations

import pytest
from companies_pages import page_of

from bizcrawl.companies.facts import OutLink

FIRMS = ("Acorn", "Birch", "Cedar", "Dogwood")
WEB = "<a href='http://www.{0}.test/'>web site</a>"
NETWORK = "<a href='https://www.facebook.com/{0}'>Facebook</a>"


def linked(entry: str, around: str = "<div>{}</div>") -> list[OutLink]:
    """Links of a page with an entry for each company, but for those to networks."""
    entries = "".join(entry.format(name) for name in FIRMS)
    page = page_of("http://hub.test/", f"<title>Members</title><h1>Members</h1>{around.format(entries)}")
    return [link for link in page.outlinks if "facebook" not in link.url]


@pytest.mark.parametrize(
    ("entry", "around"),
    [
        (f"<li>{{0}}<ul><li>Pumps<li>Leeds<li>{WEB}</ul>", "<ul>{}</ul>"),
        (f"<li><h3>{{0}}</h3><ul><li>{WEB}<li>{NETWORK}</ul>", "<ul>{}</ul>"),
        (f"<div><div><h3>{{0}}</h3><ul><li>{WEB}<li>{NETWORK}</ul></div></div>", "<div>{}</div>"),
        (f"<tr><td>{{0}}<table><tr><td>{WEB}<tr><td>{NETWORK}</table>", "<table>{}</table>"),
        (f"<dl><dt>{{0}}<dd>01234<dd>{WEB}<dd>{NETWORK}</dl>", "<div>{}</div>"),
    ],
)
def test_companies_whose_entries_hold_a_list_of_their_details_are_listed_together(
    entry: str, around: str
) -> None:
    links = linked(entry, around)
    assert len(links) == len(FIRMS)
    assert len({link.list_id for link in links} - {-1}) == 1
    assert [link.entry.split()[0] for link in links] == list(FIRMS)


def test_companies_under_a_heading_with_a_list_of_details_each_are_listed_together() -> None:
    links = linked(f"<h3>{{0}}</h3><ul><li>{WEB}<li>{NETWORK}</ul>")
    assert len({link.list_id for link in links} - {-1}) == 1


def test_pages_of_a_directory_on_a_company_each_are_listed_together_there_too() -> None:
    entries = "".join(f"<li>{name}<ul><li>Leeds<li><a href='/firm/{name}'>more</a></ul>" for name in FIRMS)
    page = page_of("http://hub.test/", f"<title>Members</title><ul>{entries}</ul>")
    assert len({link.list_id for link in page.inner} - {-1}) == 1


def test_lists_of_several_companies_each_stay_apart() -> None:
    other = "<a href='http://www.{0}-two.test/'>two</a>"
    links = linked(f"<li>{{0}}<ul><li>{WEB}<li>{other}</ul>", "<ul>{}</ul>")
    assert len({link.list_id for link in links}) == len(FIRMS)


def test_entries_with_details_under_letters_are_one_list() -> None:
    entry = f"<li>{{0}}<ul><li>{WEB}<li>{NETWORK}</ul>"
    names = {"A": ("Acorn", "Alder", "Ash"), "B": ("Beech", "Birch", "Box"), "C": ("Cedar", "Cherry", "Cork")}
    parts = (f"<h2>{x}</h2><ul>{''.join(map(entry.format, firms))}</ul>" for x, firms in names.items())
    page = page_of("http://hub.test/", f"<title>Members</title><h1>Members</h1><div>{''.join(parts)}</div>")
    links = [link for link in page.outlinks if "facebook" not in link.url]
    assert len(links) == 9
    assert len({link.list_id for link in links} - {-1}) == 1
