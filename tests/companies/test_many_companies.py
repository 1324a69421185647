"""Companies by the ten thousand, and pages with thousands of lists: time in proportion, and no number too
large.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from processor_time import within_cpu_s

from bizcrawl.companies import hubs
from bizcrawl.companies.facts import InnerLink, OutLink, PageFacts
from bizcrawl.companies.hubs import MIRROR_OVERLAP, Listing, listings_of
from bizcrawl.companies.naming import identity_of
from bizcrawl.companies.opinions import NO_OPINIONS
from bizcrawl.companies.sites import Site, sites_of
from bizcrawl.companies.standing import Met, Standing, standing_of
from bizcrawl.companies.worth_visiting import suggestions_from
from bizcrawl.topic import Topic

PUMPS = Topic("pumps", ("http://c0.test/", "http://c1.test/"), "pumps")


def facts(url: str, outlinks: Iterable[OutLink], inner: Iterable[InnerLink] = ()) -> PageFacts:
    """A page that says nothing but whom it links to."""
    nothing = dict.fromkeys(
        ("heading", "description", "lead", "language", "site_name", "page_type", "logo", "owner"), ""
    )
    return PageFacts(
        url=url,
        final_url=url,
        title="Hub",
        organisations=(),
        mail_domains=(),
        inner=tuple(inner),
        outlinks=tuple(outlinks),
        canonical="",
        words=100,
        stems=(),
        counts=(),
        opening="",
        **nothing,
    )


def listed(company: str, place: int, anchor: str = "", entry: str = "") -> OutLink:
    name = anchor or company
    return OutLink(f"http://{company}.test/", f"{company}.test", name, entry or name, place, nofollow=False)


def lists_of_popular_companies(count: int) -> list[PageFacts]:
    """Each list has ten of a hundred companies and ten of its own; every fifth is the list before, nearly."""
    draw = random.Random(5)
    pages: list[PageFacts] = []
    names: Sequence[str] = ()
    for n in range(count):
        if n % 5 == 4:
            names = [*names[:-2], f"other{n}"]
        else:
            names = [f"c{i}" for i in draw.sample(range(100), 10)] + [f"own{n}x{i}" for i in range(10)]
        pages.append(facts(f"http://hub{n}.test/", [listed(name, 1) for name in names]))
    return pages


def test_lists_that_repeat_another_are_left_out_whoever_stands_in_them() -> None:
    sites = sites_of(lists_of_popular_companies(300))
    companies = [key for key in sites if not key.startswith("hub")]
    kept: list[Listing] = []
    every = [page for key in sites for page in sites[key].pages]
    members = [(page, {link.host for link in page.outlinks}) for page in every]
    for page, names in sorted(members, key=lambda entry: -len(entry[1])):
        others = [set(listing.members) for listing in kept]
        if not any(len(names & other) >= MIRROR_OVERLAP * len(names | other) for other in others):
            kept.append(Listing(page, "", dict.fromkeys(names, page.outlinks[0])))
    assert len(kept) == 240
    found = listings_of(sites, companies)
    assert {listing.page.url for listing in found} == {listing.page.url for listing in kept}


def test_thousands_of_lists_with_the_same_companies_are_compared_in_time() -> None:
    sites = sites_of(lists_of_popular_companies(4_000))
    companies = [key for key in sites if not key.startswith("hub")]
    assert len(within_cpu_s(15.0, lambda: listings_of(sites, companies))) == 3_200


def test_who_takes_bookings_on_a_thousand_pages_is_told_in_time() -> None:
    """For each of these pages all mentions of the whole crawl were looked through."""
    pages = [
        facts(
            f"http://hub.test/{n}",
            [listed("calendar", 1, "Book now", f"entry {n} {i}") for i in range(60)]
            + [listed(f"c{n}x{i}", 1) for i in range(3)],
        )
        for n in range(2_000)
    ]
    book = sites_of(pages)["calendar.test"]
    assert len(within_cpu_s(5.0, lambda: hubs._beside_entries(book))) == len(pages)


def test_thousands_that_stand_on_the_same_pages_are_named_in_time() -> None:
    """For each of them all links of these pages were looked through."""
    what = "makes pumps for every purpose, and valves"
    links = [listed(f"c{n}", -1, f"Acorn {n}", f"Acorn {n} {what}") for n in range(2_000)]
    links += [listed(f"x{n}", -1, "Visit", f"All of these {what}") for n in range(2_000)]
    sites = sites_of(facts(f"http://hub{n}.test/", links) for n in range(3))
    named = within_cpu_s(2.0, lambda: {key: identity_of(site) for key, site in sites.items()})
    assert (named["c7.test"].name, named["c7.test"].description) == ("Acorn 7", f"Acorn 7 {what}")
    assert (named["x7.test"].name, named["x7.test"].description) == ("x7.test", "")


def test_sites_whose_titles_have_hundreds_of_parts_are_named_in_time() -> None:
    """Each part was compared with those of all other pages: a second for each site."""
    words = [f"{a}{b}{c}" for a in "bcdfghjk" for b in "lmnpqrst" for c in "vwxzaeiouy"]
    pages = [
        replace(
            facts(f"http://c{site}.test/{'news' * page}", []),
            title="|".join(f"{word}{site}" for word in words[60 * page :][:60]),
            site_name="Acorn Ltd",
        )
        for site in range(4)
        for page in range(8)
    ]
    sites = sites_of(pages)
    named = within_cpu_s(1.0, lambda: [identity_of(site).name for site in sites.values()])
    assert named == ["Acorn Ltd"] * 4


def test_sites_that_all_link_to_one_another_speak_with_one_voice_in_time() -> None:
    names = [f"hub{n}" for n in range(500)]
    pages = [
        facts(f"http://{name}.test/", [listed(other, -1) for other in names if other != name])
        for name in names
    ]
    sites = sites_of(pages)
    listings = [Listing(page, page.host, {}) for page in pages]
    voices = within_cpu_s(3.0, lambda: hubs.voices_of(sites, listings))
    assert set(voices.values()) == {"hub0.test"}


def test_a_page_with_a_thousand_lists_suggests_each_next_page_once() -> None:
    inner = [InnerLink(f"http://hub.test/?p={n}", f"{n % 900}") for n in range(1_000)]
    outlinks = [listed(f"c{n}", n // 3) for n in range(3_000)]
    standing = standing_of([facts("http://hub.test/", outlinks, inner)], PUMPS)
    assert len(standing.listings) == 1_000
    suggested = [found for found in suggestions_from(standing) if found.why.startswith("more of a list")]
    assert len(suggested) == len(inner)
    # of all lists the one that has the known companies counts
    assert {round(found.value, 6) for found in suggested} == {1.0}


def test_companies_may_be_ranked_beyond_the_ten_thousandth() -> None:
    keys = [f"c{n}.test" for n in range(20_000)]
    met = Met({key: Site(key) for key in keys}, {}, frozenset(), frozenset(), NO_OPINIONS, keys)
    standing = Standing(PUMPS, met, [], (), {}, keys, (), {}, {})
    assert next(suggestions_from(standing)).why == "home page of c0.test"


def test_a_site_that_has_moved_thousands_of_times_is_followed_once_however_many_link_to_it() -> None:
    """For each of these links all moves were followed: 5,000 links on each page, hours for some pages."""
    moves = [
        replace(facts(f"http://farm{n}.test/", []), canonical=f"http://farm{n + 1}.test/")
        for n in range(3_000)
    ]
    links = [listed("farm0", n, f"Acorn {n}") for n in range(5_000)]
    hubs_of_farm = [facts(f"http://hub{n}.test/", links) for n in range(20)]
    sites = within_cpu_s(2.0, lambda: sites_of([*moves, *hubs_of_farm]))
    assert len(sites["farm3000.test"].mentions) == 100_000
    assert len(sites["farm3000.test"].aliases) == 3_000
