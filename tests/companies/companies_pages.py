"""Pages for tests of the company analysis, made from HTML as the crawl makes them."""

from __future__ import annotations

from bizcrawl.companies.facts import PageFacts, facts_of
from contexts.links import links
from contexts.tidy import tidy


def page_of(url: str, html: str, asked: str = "") -> PageFacts:
    """Facts of a page that answered at `url`; `asked` is the URL that was asked for, if it was another."""
    tree = tidy(html)
    return facts_of(asked or url, url, tree, links(tree, url))


def company_page(host: str, name: str, business: str, extra: str = "", page: str = "") -> PageFacts:
    """A page of a company's site, its home page by default."""
    return page_of(
        f"http://www.{host}/{page}",
        f"<html lang=en><title>{name}</title><nav><a href='/'>Home</a> <a href='/about'>About us</a>"
        f" <a href='/products'>Products</a></nav><h1>{name}</h1><p>{name} {business}</p>{extra}"
        f"<p>&copy; 2024 {name}</p></html>",
    )
