"""Lists that write down the addresses of their companies and link to none of them."""

from __future__ import annotations

import pytest
from companies_pages import company_page, page_of
from processor_time import within_cpu_s

from bizcrawl.companies.assess import assess
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.written_addresses import written_addresses
from bizcrawl.topic import Topic
from contexts.links import links
from contexts.tidy import tidy

FIRMS = ("Acorn", "Birch", "Cedar", "Dogwood")
HEAD = "<title>Business directory</title><h1>Pumps</h1>"


def directory(body: str) -> PageFacts:
    return page_of("http://www.hub.test/pumps", f"{HEAD}{body}<p>&copy; www.hub.test")


@pytest.mark.parametrize(
    ("entry", "around"),
    [
        ("<div><b>{0}</b><br>Leeds<br>www.{0}.test<br>info@{0}.test</div>", "<div>{}</div>"),
        ("<tr><td>{0}<td>Leeds<td>http://www.{0}.test/pumps", "<table>{}</table>"),
        ("<li>{0}, Leeds, WWW.{0}.TEST", "<ul>{}</ul>"),
        ("<p><b>{0}</b> makes pumps. Web: www.{0}.test.</p>", "<div>{}</div>"),
    ],
)
def test_companies_whose_addresses_stand_in_a_list_are_listed_together(entry: str, around: str) -> None:
    hub = directory(around.format("".join(entry.format(name) for name in FIRMS)))
    assert [link.url for link in hub.outlinks] == [f"http://www.{name.lower()}.test/" for name in FIRMS]
    homes = [company_page(f"{name.lower()}.test", f"{name} Ltd", "makes pumps.") for name in FIRMS[:2]]
    found = assess([*homes, hub], Topic("pumps", tuple(home.url for home in homes), "pumps"))
    assert {row.company for row in found.evidence if row.kind == "listed"} >= {"cedar.test", "dogwood.test"}


def test_addresses_that_are_linked_to_are_no_second_links() -> None:
    hub = directory("".join(f"<p><a href='http://{name}.test/'>{name}</a> www.{name}.test" for name in FIRMS))
    assert len(hub.outlinks) == len(FIRMS)


def test_a_few_addresses_in_a_text_are_no_links() -> None:
    assert not directory("<p>See www.acorn.test and www.birch.test, or write to me@www.cedar.test").outlinks


def test_addresses_by_the_ten_thousand_are_read_in_time() -> None:
    """A page of 4 MB took 7 s in the process of the crawl."""
    text = "".join(f"www.a{n}.linked.test www.a{n}.linked.test " for n in range(50_000))
    html = f"<a href=http://linked.test/>x</a>{text}" + "".join(f"www.{name}.test " for name in FIRMS)
    tree = tidy(html)
    found = links(tree, "http://hub.test/")
    assert within_cpu_s(2.0, lambda: written_addresses(tree, found, "hub.test")) == []
