"""Keys, hosts, scope, exclusions and traps: pure questions about a URL."""

from __future__ import annotations

from pathlib import Path

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.admission import Admission
from bizcrawl.download import Rules
from bizcrawl.errors import WrongUse
from bizcrawl.reasons import Reason
from bizcrawl.scope import Exclusions, Scope
from bizcrawl.traps import Sightings, TrapRules
from bizcrawl.urls import authority_of, domain_of, host_of, hosts_of, key_of, parse, session_in
from contexts.urls import Base

URLISH = st.text(alphabet="htps:/\\@?#.a1[]%2e=&; \t\nü", max_size=30).map(lambda text: "http:" + text)


class TestKeys:
    @pytest.mark.parametrize(
        ("url", "key"),
        [
            ("http://h.example?x=1", "http://h.example/?x=1"),
            ("http://h.example:/x", "http://h.example/x"),
            ("HTTP://H.Example:80", "http://h.example/"),
            ("https://h.example:443/", "https://h.example/"),
            ("http://h.example:443/", "http://h.example:443/"),
            ("https://[2001:DB8:0:0::3B6]:8080/x", "https://[2001:db8::3b6]:8080/x"),
            ("http://%25user:%25pass@h.example/", "http://h.example/"),
            ("http://faß.de/", "http://xn--fa-hia.de/"),
            ("https://h%2Eexample/", "https://h.example/"),
            ("http://h.example./a", "http://h.example/a"),
            ("http://h.example/a#top", "http://h.example/a"),
            ("http://h.example/Case/../Path?b=2&a=1", "http://h.example/Path?b=2&a=1"),
            ("http://h.example/search?tags[]=a&x=[1]", "http://h.example/search?tags[]=a&x=[1]"),
            ("http://h.example/?utm_source=x", "http://h.example/?utm_source=x"),
            ("no url", "no url"),
        ],
    )
    def test_what_can_never_name_another_page_is_left_out(self, url: str, key: str) -> None:
        assert key_of(url) == key

    @pytest.mark.parametrize(
        ("url", "key"),
        [
            ("http://h.example/p;jsessionid=E460A978.node_2?v=1", "http://h.example/p?v=1"),
            ("http://h.example/p?osCsid=0af3b2c19d&cat=4", "http://h.example/p?cat=4"),
            ("http://h.example/;jsessionid=E38?lang=cy", "http://h.example/?lang=cy"),
            ("http://h.example/?a=1*2&_gl=1*zzz", "http://h.example/?a=1*2"),
            ("http://h.example/?utm_source=x&id=3", "http://h.example/?id=3"),
            ("http://h.example/?UTM_Source=x", "http://h.example/"),
            ("http://h.example/?q=utm_source", "http://h.example/?q=utm_source"),
            ("http://h.example/?sid=5", "http://h.example/?sid=5"),
            ("http://h.example/?sid=0af3b2c19d0af3b2c19d", "http://h.example/"),
            ("http://h.example/?a=%20+b&&c", "http://h.example/?a=%20+b&&c"),
        ],
    )
    def test_trackers_and_session_ids_go_when_asked(self, url: str, key: str) -> None:
        assert key_of(url, trackers=True) == key

    @given(URLISH, st.booleans())
    def test_keys_are_idempotent_and_never_raise(self, url: str, trackers: bool) -> None:
        key = key_of(url, trackers=trackers)
        assert key_of(key, trackers=trackers) == key

    @given(URLISH)
    def test_a_key_never_changes_the_host(self, url: str) -> None:
        assert host_of(key_of(url)) == host_of(url)

    def test_sessions_are_found(self) -> None:
        assert session_in("http://h.example/a;jsessionid=1F?x") == ";jsessionid=1F"
        assert session_in("http://h.example/a?x=1&PHPSESSID=abc#f") == "PHPSESSID=abc"
        assert session_in("http://h.example/a?x=sid") is None


@pytest.mark.parametrize("text", ["http://bob:s3cret@h.example/x", "//bob@h.example/x", "x"])
def test_links_carry_neither_user_nor_password(text: str) -> None:
    base = "http://eve:s3cret@h.example/"
    assert parse(text, base) == "http://h.example/x"
    assert Base(base).join(text) == "http://h.example/x"


class TestHosts:
    @given(URLISH)
    def test_the_cached_host_is_the_parsers(self, url: str) -> None:
        try:
            host = ada_url.URL(url).hostname.rstrip(".")
        except ValueError:
            host = ""
        assert host_of(url) == host

    @given(st.lists(URLISH))
    def test_the_hosts_of_many_urls_are_the_host_of_each(self, urls: list[str]) -> None:
        joined = [url for text in urls if (url := Base("http://h.example/").join(text)) is not None]
        assert hosts_of(joined) == [host_of(url) for url in joined]

    def test_the_authority_ends_where_the_path_begins(self) -> None:
        assert authority_of("https://u@h.example:8443/a/b?c") == "https://u@h.example:8443"
        assert authority_of("http:\\\\h.example\\a") == "http:\\\\h.example\\a"

    def test_http_with_backslashes_is_a_host_of_its_own(self) -> None:
        assert parse("http:\\\\foo.example\\", "http://base.example/") == "http://foo.example/"


class TestScope:
    SEEDS = ("http://www.a.example/", "https://shop.b.co.uk/x")

    @pytest.mark.parametrize(
        ("reach", "inside", "outside"),
        [
            ("any", ["http://elsewhere.example/"], []),
            ("host", ["https://www.a.example/deep"], ["http://a.example/", "http://other.b.co.uk/"]),
            (
                "site",
                ["http://a.example/", "http://other.b.co.uk/"],
                ["http://c.co.uk/", "http://ba.example/"],
            ),
        ],
    )
    def test_reach(self, reach: str, inside: list[str], outside: list[str]) -> None:
        scope = Scope.around(self.SEEDS, reach)
        assert all(scope.ruling(url) for url in inside)
        assert all(scope.ruling(url).reason is Reason.OUT_OF_SCOPE for url in outside)

    @pytest.mark.parametrize(
        ("seed", "inside", "outside"),
        [
            (
                "https://a.example/blog/",
                ["/blog/", "/blog", "/blog/2026/x?p=/shop"],
                ["/", "/blogs", "/shop/blog/"],
            ),
            ("https://a.example/blog", ["/blog", "/blog/x"], ["/blogroll", "/about"]),
            ("https://a.example/en/index.html?x=1#top", ["/en/", "/en/about.html"], ["/de/", "/english/"]),
            ("https://a.example/", ["/", "/anything"], []),
        ],
    )
    def test_a_section_is_the_folder_of_a_seed(
        self, seed: str, inside: list[str], outside: list[str]
    ) -> None:
        scope = Scope.around([seed, "http://b.example/one/", "http://b.example/two/"], "section")
        assert all(scope.ruling(f"http://a.example{path}") for path in inside)
        assert all(scope.ruling(f"https://a.example{path}").reason is Reason.OUT_OF_SCOPE for path in outside)
        assert scope.ruling("http://b.example/two/x")
        assert not scope.ruling("http://b.example/three/")
        assert not scope.ruling("http://c.example/blog/")

    def test_a_crawl_admits_links_of_the_section_alone(self) -> None:
        admission = Admission(Rules(scope=Scope.around(["http://a.example/blog/"], "section")))
        fates = [
            admission.fate(f"http://{place}")
            for place in ("a.example/blog/x", "a.example/shop", "c.example/")
        ]
        assert fates == ["queued", "out_of_scope", "out_of_scope"]

    def test_an_unknown_reach_is_an_error(self) -> None:
        with pytest.raises(ValueError):
            Scope.around(self.SEEDS, "galaxy")

    def test_sites_are_registrable_domains(self) -> None:
        assert domain_of("shop.b.co.uk") == "b.co.uk"


class TestExclusions:
    def test_urls_hosts_domains_and_files(self, tmp_path: Path) -> None:
        listed = tmp_path / "never.txt"
        listed.write_text("# what is never fetched\nhttp://file.example/one\n\nfile-host.example\n")
        excluded = Exclusions.of(["http://A.example:80/p#x", "host.example", ".domain.example", f"@{listed}"])
        no = [
            "http://a.example/p",
            "https://host.example/any",
            "http://domain.example/",
            "http://x.y.domain.example/",
        ]
        no += ["http://file.example/one", "http://file-host.example/two"]
        yes = [
            "http://a.example/p2",
            "http://sub.host.example/",
            "http://notdomain.example/",
            "http://file.example/",
        ]
        assert [excluded.ruling(url).reason for url in no] == [Reason.EXCLUDED] * len(no)
        assert all(excluded.ruling(url) for url in yes)

    @pytest.mark.parametrize("entry", ["host.example/private", "you@host.example", "host.example?p=1"])
    def test_a_page_without_its_scheme_does_not_exclude_all_of_its_host(self, entry: str) -> None:
        with pytest.raises(WrongUse, match="neither a URL nor a host name"):
            Exclusions.of([entry])

    @pytest.mark.parametrize("entry", ["ftp://a.example/", "http://", "@/no/such/file", "two words"])
    def test_what_is_none_of_them_is_wrong_use_in_one_line(self, entry: str) -> None:
        with pytest.raises(WrongUse) as fault:
            Exclusions.of([entry])
        assert "\n" not in str(fault.value)
        assert entry in str(fault.value)


class TestTraps:
    @pytest.mark.parametrize(
        "url",
        [
            "http://h.example/a/a/a/",
            "http://h.example/x/products/products/products/",
            "http://h.example/a/b/a/b/a/b",
            "http://h.example/a/b/c/a/b/c/a/b/c/end",
            "http://h.example/" + "d/e" * 30,
            "http://h.example/?q=&q=&q=",
            "http://h.example/?" + "&".join(f"k{i}=1" for i in range(30)),
            "http://h.example/" + "x" * 2_100,
        ],
    )
    def test_endless_addresses_are_traps(self, url: str) -> None:
        ruling = TrapRules().ruling(url)
        assert ruling.reason is Reason.TRAP
        assert ruling.detail

    @pytest.mark.parametrize(
        "url",
        [
            "http://h.example/",
            "http://h.example/img/img/logo.html",
            "http://h.example/2026/11/28/news/2026-review",
            "http://h.example/a/b/c/d/e/f/g",
            "http://h.example/?tags[]=a&tags[]=b&tags[]=c",
            "http://h.example/?a=1&b=1&c=1",
            "http://h.example/?x=a/a/a/a",
        ],
    )
    def test_real_addresses_are_not(self, url: str) -> None:
        assert TrapRules().ruling(url, depth=20)

    def test_depth_has_an_end(self) -> None:
        assert TrapRules(max_depth=3).ruling("http://h.example/", 4).reason is Reason.TOO_DEEP
        assert TrapRules(max_depth=3).ruling("http://h.example/", 3)

    @given(URLISH)
    def test_no_address_makes_them_raise(self, url: str) -> None:
        TrapRules().ruling(url)
        Sightings(2026).url(url)

    def test_an_endless_calendar_ends(self) -> None:
        sightings = Sightings(2026, max_dated_pages=100)
        months = (f"{2026 + i // 12}/{i % 12 + 1:02d}" for i in range(30))
        forward = [sightings.url(f"http://h.example/calendar/{month}/") for month in months]
        assert sum(map(bool, forward)) == 24
        assert forward[-1].reason is Reason.TRAP
        back = [sightings.url(f"http://h.example/calendar?year={year}") for year in range(2026, 1000, -1)]
        assert sum(map(bool, back)) <= 100
        assert back[-1].reason is Reason.TRAP

    @pytest.mark.parametrize(
        "url",
        [
            "http://h.example/view/2198011.htm",
            "http://h.example/p/20991.html",
            "http://h.example/item-21000101x99/",
        ],
    )
    def test_numbers_are_not_dates(self, url: str) -> None:
        assert Sightings(2026, max_dated_pages=0).url(url)

    def test_pages_of_the_past_are_not_traps_until_there_are_too_many(self) -> None:
        sightings = Sightings(2026, max_dated_pages=2)
        assert sightings.url("http://h.example/history/1945-05-08")
        assert sightings.url("http://h.example/news/2003/04/01/item")
        assert not sightings.url("http://h.example/news/2003/04/02/item")
        assert sightings.url("http://other.example/news/2003/04/02/item")

    def test_a_clock_that_was_never_set_makes_no_traps_of_the_present(self) -> None:
        assert Sightings(1970).url("http://h.example/news/2026/04/01/item")

    def test_session_ids_multiply_a_page_only_so_often(self) -> None:
        sightings = Sightings(2026, max_sessions=3)
        got = [bool(sightings.url(f"http://h.example/p?PHPSESSID={i:032x}&id=1")) for i in range(10)]
        assert got == [True] * 3 + [False] * 7
        assert sightings.url("http://h.example/p?PHPSESSID=abc&id=2")

    def test_only_an_unbroken_run_of_one_content_is_a_trap(self) -> None:
        sightings = Sightings(2026, max_same=3)
        assert all(sightings.content("h.example", digest) for digest in [1, 1, 1, 2, 1, 1, 1])
        assert sightings.content("h.example", 1).reason is Reason.TRAP
        assert sightings.content("other.example", 1)
