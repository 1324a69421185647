"""Both roads lead to one tree on real pages, and hardly any page needs the slow one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from saved_pages import recorded, saved

from contexts.differences import difference
from contexts.links import links
from contexts.tidy import tidy


def compare(pages: Iterator[tuple[str, str]]) -> tuple[int, int, list[str]]:
    """Number of pages, of those that the guard sends to html5lib, and those of which the roads differ."""
    n_pages = n_guarded = 0
    differing = []
    for name, text in pages:
        n_pages += 1
        fast = tidy(text)
        if fast.road == "html5lib":
            n_guarded += 1
            continue
        exact = tidy(text, "html5lib")
        url = name if name.startswith("http") else "http://page.example/"
        if difference(fast, exact) or links(fast, url) != links(exact, url):
            differing.append(name)
    return n_pages, n_guarded, differing


@pytest.mark.timeout(300)
def test_saved_pages_have_one_tree(shared: Path) -> None:
    n_pages, n_guarded, differing = compare(
        saved(shared / "corpora" / "pages_readability_scrapinghub.tar.xz", every=6)
    )
    assert n_pages > 40
    assert not differing
    assert n_guarded <= 0.06 * n_pages


def test_old_pages_have_one_tree(shared: Path) -> None:
    n_pages, n_guarded, differing = compare(recorded(shared / "beds" / "webkb" / "web.warc.gz", every=40))
    assert n_pages > 200
    assert not differing
    assert n_guarded <= 0.05 * n_pages


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_saved_pages_have_one_tree_and_few_are_guarded(shared: Path) -> None:
    corpora = sorted((shared / "corpora").glob("pages_*.tar.xz"))
    n_pages, n_guarded, differing = compare(page for corpus in corpora for page in saved(corpus))
    assert n_pages == 1351
    assert not differing
    assert n_guarded < 0.03 * n_pages


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_old_pages_have_one_tree_and_few_are_guarded(shared: Path) -> None:
    n_pages, n_guarded, differing = compare(recorded(shared / "beds" / "webkb" / "web.warc.gz"))
    assert n_pages == 8110
    assert not differing
    assert n_guarded < 0.03 * n_pages
