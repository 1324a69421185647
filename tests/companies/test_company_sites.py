"""Sites: what belongs together, where companies are at home, what stands where."""

from __future__ import annotations

import pytest
from companies_pages import company_page, page_of
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.companies.assess import assess
from bizcrawl.companies.data import lines
from bizcrawl.companies.evidence_kinds import EvidenceKind
from bizcrawl.companies.facts import PageFacts
from bizcrawl.companies.hubs import listings_of
from bizcrawl.companies.names import fold
from bizcrawl.companies.naming import identity_of
from bizcrawl.companies.site_keys import home_distance, site_of
from bizcrawl.companies.sites import sites_of
from bizcrawl.companies.verdicts import dead_sites, verdict_of
from bizcrawl.reasons import Reason
from bizcrawl.topic import Topic


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.larch.co.uk/a", "larch.co.uk"),
        ("https://shop.larch.com/", "larch.com"),
        ("http://free.test/~larch/index.html", "free.test/~larch"),
        ("https://larch.wordpress.com/about", "larch.wordpress.com"),
        ("https://larchshop.myshopify.com/", "larchshop.myshopify.com"),
        ("https://www.etsy.com/shop/Larch", "etsy.com/shop/larch"),
        ("http://www.a.co.unlisted/", "a.co.unlisted"),
    ],
)
def test_site_of(url: str, key: str) -> None:
    assert site_of(url) == key


@given(st.text(max_size=50))
def test_site_of_never_raises(text: str) -> None:
    site_of(f"http://{text}/")


def test_the_top_is_nearest_to_home_and_index_pages_come_next() -> None:
    urls = ["http://a.test/", "http://a.test/index.html", "http://a.test/x", "http://a.test/?p=1"]
    assert sorted(urls, key=home_distance)[:2] == urls[:2]


def test_a_redirected_home_page_joins_the_old_site_to_the_new() -> None:
    pages = [
        page_of("http://new.test/", "<title>Larch AG</title>", asked="http://old.test/"),
        page_of(
            "http://hub.test/",
            "<ul><li><a href='http://old.test/x'>Larch</a><li><a href='http://b.test/'>B</a></ul>",
        ),
    ]
    sites = sites_of(pages)
    assert "old.test" not in sites
    assert sites["new.test"].aliases == {"old.test"}
    assert [mention.link.anchor for mention in sites["new.test"].mentions] == ["Larch"]


NEW_SITE = "<a href='http://www.novacolor.test/'>www.novacolor.test</a>"
NETWORK = "<a href='https://www.facebook.com/novacolor'>Facebook</a>"


@pytest.mark.parametrize(
    "notice",
    [
        f"<title>Altcolor</title><p>Altcolor Ltd has changed its name. Please visit {NEW_SITE} {NETWORK}",
        f"<title>Altcolor is now Novacolor</title><p>{NEW_SITE}",
        f"<title>Altcolor</title><p>We've moved! You will find us at {NEW_SITE}",
        f"<title>Altcolor</title><p>Wir sind umgezogen: {NEW_SITE}",
        f"<title>Altcolor</title><p>Altcolor est devenue Novacolor. {NEW_SITE}",
    ],
)
def test_a_first_page_that_says_where_its_company_is_now_joins_the_old_site_to_the_new(notice: str) -> None:
    pages = [
        page_of("http://www.altcolor.test/", notice),
        company_page("novacolor.test", "Novacolor", "paint"),
    ]
    sites = sites_of(pages)
    assert "altcolor.test" not in sites
    assert sites["novacolor.test"].aliases == {"altcolor.test"}
    assert sites["novacolor.test"].front_door == "http://www.novacolor.test/"


@pytest.mark.parametrize(
    "page",
    [
        f"<title>Altcolor</title><p>Our new site is coming soon and has moved up a gear. Design: {NEW_SITE}",
        f"<title>Altcolor</title><p>Paints and varnishes. Partner of {NEW_SITE}",
        f"<title>Altcolor</title><p>{'Paints that last. ' * 80} The works have moved. {NEW_SITE}",
        f"<title>Altcolor</title><p>We have moved to Leeds. {NEW_SITE} <a href='http://www.map.test/'>Map</a>",
    ],
)
def test_a_first_page_that_links_to_one_other_site_has_not_moved_for_that(page: str) -> None:
    pages = [page_of("http://www.altcolor.test/", page), company_page("novacolor.test", "Novacolor", "paint")]
    assert "altcolor.test" in sites_of(pages)


def test_a_hub_that_has_moved_is_met_under_its_new_key() -> None:
    hub = (
        "<title>Members</title><ul><li><a href='http://a.test/'>A</a><li><a href='http://b.test/'>B</a></ul>"
    )
    pages = [
        page_of("http://newhub.test/", "<p>here", asked="http://hub.test/"),
        page_of("http://hub.test/members", hub),
        company_page("a.test", "A Pumps Ltd", "pumps"),
    ]
    found = assess(pages, Topic("t", ("http://a.test/",), "pumps"))
    assert "newhub.test" in found.verdicts
    assert [
        row.page
        for row in found.evidence
        if row.company == "b.test" and row.kind in {EvidenceKind.LISTED, EvidenceKind.PARTNERED}
    ]


def test_a_page_visited_again_says_what_it_says_now() -> None:
    def hub(*lists: str) -> PageFacts:
        rows = (
            f"<ul>{''.join(f'<li><a href=http://{n}.test/>{n}</a>' for n in names)}</ul>" for names in lists
        )
        return page_of("http://hub.test/", "<title>Lists</title>" + "<p>and</p>".join(rows))

    former, now = company_page("a.test", "Old Pumps Ltd", "pumps"), company_page("a.test", "A Ltd", "valves")
    sites = sites_of([former, hub("abc", "xyz"), now, hub("xyz", "bcd")])
    assert sites["a.test"].pages == [now]
    assert sites["a.test"].mentions == []
    listings = listings_of(sites, [f"{letter}.test" for letter in "abcdxyz"])
    assert [set(listing.members) for listing in listings] == [
        {"b.test", "c.test", "d.test"},
        {"x.test", "y.test", "z.test"},
    ]


def test_moves_in_a_circle_end_with_the_last() -> None:
    """As when a site moved there in one crawl and had moved back by the next."""
    pages = [
        page_of("http://b.test/", "<p>x", asked="http://a.test/"),
        page_of("http://c.test/", "<p>y", asked="http://b.test/"),
        page_of("http://a.test/", "<p>z", asked="http://c.test/"),
    ]
    sites = sites_of(pages)
    assert {key: site.aliases for key, site in sites.items()} == {"a.test": {"b.test", "c.test"}}
    assert len(sites["a.test"].pages) == 3


def test_the_company_is_never_the_platform() -> None:
    for url in (
        "https://www.etsy.com/shop/Larch",
        "https://larchshop.myshopify.com/",
        "https://facebook.com/larch",
    ):
        site = sites_of([page_of(url, "<title>Larch</title><h1>Larch</h1>")])[site_of(url)]
        assert not verdict_of(site).may_be_company
    blog = sites_of([page_of("https://larch.wordpress.com/", "<title>Larch Ltd</title>")])[
        "larch.wordpress.com"
    ]
    assert verdict_of(blog).may_be_company


def test_a_platform_shop_with_a_canonical_home_belongs_to_that() -> None:
    shop = page_of(
        "https://larchshop.myshopify.com/", "<link rel=canonical href='https://larchshop.test/'><p>Larch"
    )
    assert set(sites_of([shop])) == {"larchshop.test"}


PARKED = "<title>larch-labs.test is for sale</title><p>This domain may be for sale.</p><a href='http://ads.test/'>loans</a>"
KINDS = [
    ("company", "http://larch.test/", "<title>Larch AG</title><p>&copy; Larch AG"),
    ("parked", "http://ww1.larch-labs.test/", PARKED),
    ("association", "http://apm.test/", "<title>Association of Makers</title><a href='/m'>Our members</a>"),
    ("event", "http://fair.test/", "<title>Pump Expo</title><a href='/e'>Exhibitors</a>"),
    (
        "association",
        "http://pumpen.test/",
        "<title>Bundesverband Pumpen e. V.</title><a href='/n'>Produkte</a>",
    ),
    ("association", "http://apt.test/", "<title>Adhérents</title><p>&copy; 2024 Pompes du Nord asbl"),
    ("association", "http://leden.test/", "<title>Federatie Pompen</title><a href='/l'>Ledenlijst</a>"),
    ("public", "http://fh.test/", "<title>Technische Hochschule Nord</title>"),
    ("public", "http://u.test/", "<title>University of Somewhere</title>"),
    (
        "exchange",
        "http://x.test/",
        "<title>Somewhere Stock Exchange</title><a href='/l'>Listed companies</a>",
    ),
    ("marketplace", "http://s.test/", "<title>Tool Marketplace</title><a href='/c'>Cart</a>"),
    ("personal", "http://j.test/", "<title>Jo's weblog</title><a href='/me'>About me</a>"),
    ("farm", "http://f.test/", "<title>Link exchange</title>"),
    ("directory", "http://d.test/", "<title>Business directory</title><a href='/add'>Add company</a>"),
    (
        "directory",
        "http://review.test/",
        "<a href='/c'>Categories</a> <a href='/r'>Write a review</a> <a href='/v'>For vendors</a>",
    ),
    ("directory", "http://eintrag.test/", "<title>Pumpen</title><a href='/neu'>Unternehmen eintragen</a>"),
    ("media", "http://n.test/", "<title>The Daily News</title><a href='/o'>Opinion</a>"),
]


def test_a_maker_that_sells_on_its_own_site_is_no_marketplace() -> None:
    words = ("Shop", "Cart", "Checkout", "My account", "Wishlist")
    shop = "".join(f"<a href='/{word}'>{word}</a> " for word in words)
    home = page_of(
        "http://larch.test/", f"<title>Larch – Official Shop</title>{shop}<h1>Larch</h1><p>Chairs."
    )
    chair = page_of(
        "http://larch.test/chair", f"<title>Chair</title>{shop}<p>In stock. Free shipping. Add to cart"
    )
    assert verdict_of(sites_of([home, chair])["larch.test"]).may_be_company


@pytest.mark.parametrize(("kind", "url", "html"), KINDS)
def test_verdicts_say_what_a_site_is_and_why(kind: str, url: str, html: str) -> None:
    site = next(iter(sites_of([page_of(url, html)]).values()))
    verdict = verdict_of(site)
    assert verdict.kind == kind
    assert verdict.reasons


def test_a_site_of_which_the_home_page_says_not_found_is_dead() -> None:
    missing = "<title>Larch AG</title><h1>Page not found</h1>"
    home, deep = page_of("http://larch.test/", missing), page_of("http://larch.test/old/list", missing)
    shop = page_of("http://larch.test/shop", "<title>Larch AG</title><p>Timber of all kinds. &copy; Larch AG")
    assert verdict_of(sites_of([home, deep])["larch.test"]).kind == "dead"
    assert verdict_of(sites_of([deep])["larch.test"]).kind == "unseen"
    assert verdict_of(sites_of([home, shop])["larch.test"]).kind == "company"


def test_only_a_home_page_that_cannot_be_had_means_that_nobody_lives_there() -> None:
    failures = [
        ("http://a.test/", Reason.DNS),
        ("http://b.test/deep/page", Reason.HTTP_ERROR),
        ("http://c.test/", Reason.ROBOTS),
        ("http://d.test/", Reason.TIMEOUT),
        ("http://free.test/~larch/", Reason.HTTP_ERROR),
    ]
    assert dead_sites(failures) == {"a.test", "free.test/~larch"}


def test_a_name_is_what_title_copyright_line_and_links_agree_on() -> None:
    home = company_page("larch.test", "Larch Pumps GmbH", "makes pumps.")
    hub = page_of(
        "http://hub.test/",
        "<ul><li><a href='http://larch.test/'>Larch Pumps</a>"
        "<li><a href='http://x.test/'>visit website</a></ul>",
    )
    identity = identity_of(sites_of([home, hub])["larch.test"])
    assert identity.name == identity.legal_name == "Larch Pumps GmbH"
    assert {"title", "copyright line"} <= set(identity.sources)
    assert identity.language == "en"


def test_a_site_known_from_one_empty_link_is_called_by_its_key() -> None:
    hub = page_of("http://hub.test/", "<ul><li><a href='http://x.test/'>visit website</a><li>a</ul>")
    assert identity_of(sites_of([hub])["x.test"]).name == "x.test"


def test_a_tenant_is_called_as_it_is_and_not_as_its_host() -> None:
    home = page_of("http://freepages.test/~larch/", "<title>Free Pages | Larch Pumps</title><h1>Hello</h1>")
    (site,) = sites_of([home]).values()
    assert identity_of(site).name == "Larch Pumps"


def test_what_every_link_of_a_list_says_is_no_name() -> None:
    rows = "".join(f"<tr><td>{x}<td><a href='http://{x}.test/'>Zur Webseite</a>" for x in "abc")
    hub = page_of("http://hub.test/", f"<table>{rows}</table><a href='http://a.test/'>Acorn AG</a>")
    sites = sites_of([hub])
    assert [identity_of(sites[f"{x}.test"]).name for x in "abc"] == ["Acorn AG", "b.test", "c.test"]


def test_the_share_class_that_an_exchange_prints_is_no_part_of_the_name() -> None:
    hub = page_of(
        "http://exchange.test/listed",
        "<ul><li><a href='http://larch.test/'>LARCH CORP. DL 1</a><li><a href='http://b.test/'>B</a></ul>",
    )
    assert identity_of(sites_of([hub])["larch.test"]).name == "LARCH CORP."


def test_a_link_that_says_where_it_leads_gives_no_name() -> None:
    cell = "<li><a href='http://www.larch.co/'>{}</a>"
    rows = "".join(map(cell.format, ("larch.co", "www.larch.co", "LARCH.co/", "Larch")))
    hub = page_of("http://list.test/", f"<ul>{rows}<li><a href='http://oak.se/'>oak.se</a></ul>")
    home = page_of("http://www.larch.co/", "<title>Larch | Pumps</title><h1>Larch</h1>")
    assert identity_of(sites_of([hub])["larch.co"]).name == "Larch"
    assert identity_of(sites_of([hub, home])["larch.co"]).name == "Larch"
    assert identity_of(sites_of([hub])["oak.se"]).name == "oak.se"


def test_a_site_that_is_called_as_its_host_carries_no_legal_form() -> None:
    home = page_of("http://pumpen.eu/", "<title>pumpen.eu</title><p>Pumps of many kinds are shown here.")
    assert verdict_of(sites_of([home])["pumpen.eu"]).kind == "unknown"


@pytest.mark.parametrize(
    ("line", "owner"),
    [
        ("© 2003 Cafemaq S.A. All rights reserved.", "Cafemaq S.A."),
        ("(c) 1998-2004 Oven Ltd.", "Oven Ltd."),
        ("Copyright © Larch AG. Terms of use apply to everything here.", "Larch AG"),
        ("© Foo Co. Ltd", "Foo Co. Ltd"),
        ("© 2024 by Larch AG", "Larch AG"),
        ("© Larch GmbH 2019-2024", "Larch GmbH"),
        ("© Larch Ltd. 2024", "Larch Ltd."),
        ("© 2024 Larch 2000", "Larch 2000"),
    ],
)
def test_the_copyright_line_names_the_owner_with_its_dots(line: str, owner: str) -> None:
    assert page_of("http://x.test/", f"<p>text</p><p>{line}</p>").owner == owner


@pytest.mark.parametrize(
    "foot",
    [
        "© 2024 Larch AG <a href=/impressum>Impressum</a> <a href=/agb>AGB</a>",
        "© 2024 <a href=/>Larch <b>AG</b></a> <a href=/privacy>Privacy</a>",
        "<div>© 2024 Larch AG</div><div>Follow us on the road to timber</div>",
        "Copyright<br>2010-2024<br>Larch AG<br>All rights reserved",
        "<table><tr><td>©<td>Larch AG<td>Tel. 334</table>",
    ],
)
def test_the_owner_that_a_copyright_line_names_ends_with_its_link_line_or_block(foot: str) -> None:
    page = page_of("http://x.test/", f"<p>text</p><footer>{foot}</footer><p>more below it</p>")
    assert page.owner == "Larch AG"


def test_structured_data_gives_name_and_country() -> None:
    home = page_of(
        "http://q.test/",
        '<script type="application/ld+json">{"@type": "Organization", "name": "Quince S.A.", '
        '"address": {"addressCountry": "France"}}</script><title>Welcome</title>',
    )
    identity = identity_of(sites_of([home])["q.test"])
    assert (identity.name, identity.country) == ("Quince S.A.", "France")


@given(st.text(alphabet='<>/ahrefliu="{}[]:,@ptyne©', max_size=200))
def test_facts_of_anything_never_raise(html: str) -> None:
    site = sites_of([page_of("http://x.test/", html)])
    for entry in site.values():
        verdict_of(entry)
        identity_of(entry)


def test_links_to_the_own_host_with_or_without_www_lead_to_divisions_of_the_site() -> None:
    for own, other in (("www.larch.test", "larch.test"), ("larch.test", "www.larch.test")):
        home = page_of(f"http://{own}/", f"<title>Larch</title><a href='http://{other}/about'>About us</a>")
        assert (home.inner_anchors, home.outlinks) == (["about us"], ())


@pytest.mark.parametrize(
    "link",
    [
        "<img alt='Larch Pumps logo'>",
        "<img alt='Logo Larch Pumps'>",
        "Visit Larch Pumps' website",
        "Website of Larch Pumps →",
        "Zur Website von Larch Pumps",
        "3. Larch Pumps (opens in a new tab)",
        "Larch Pumps [external link, öffnet in neuem Fenster]",
        "External link: Larch Pumps",
    ],
)
def test_what_says_that_a_link_is_a_link_is_no_part_of_a_name(link: str) -> None:
    hub = page_of("http://list.test/", f"<ul><li><a href='http://larch.test/'>{link}</a></ul>")
    assert identity_of(sites_of([hub])["larch.test"]).name.rstrip("'") == "Larch Pumps"


@pytest.mark.parametrize(
    "link", ["Official website", "View profile", "Book now", "Zur Homepage", "公式サイト", "URL"]
)
def test_a_link_that_says_no_more_than_that_it_is_one_gives_no_name(link: str) -> None:
    hub = page_of("http://list.test/", f"<ul><li><a href='http://larch.test/'>{link}</a></ul>")
    assert identity_of(sites_of([hub])["larch.test"]).name == "larch.test"


@pytest.mark.parametrize(
    "title",
    ["Just a moment...", "Pardon Our Interruption", "Select your country", "React App", "Coming soon"],
)
def test_a_page_that_stands_for_another_is_not_what_the_company_is_called(title: str) -> None:
    hub = page_of("http://list.test/", "<ul><li><a href='http://larch.test/'>Larch</a></ul>")
    shell = page_of(
        "http://larch.test/", f"<title>{title}</title><meta property=og:site_name content=Mysite>"
    )
    assert identity_of(sites_of([hub, shell])["larch.test"]).name == "Larch"


def test_a_logo_names_the_company_whose_title_does_not() -> None:
    """docs/companies.md, "Names": the text of the first picture that leads to the top of the site."""
    logo = "<a href='/'><img alt='Larch Rotork logo' src=l.png></a>"
    other = "<a href='/fair'><img alt='Water Fair' src=f.png></a>"
    home = page_of("http://lr.test/", f"<title>Home</title>{other}{logo}<p>Pumps")
    assert home.logo == "Larch Rotork logo"
    identity = identity_of(sites_of([home])["lr.test"])
    assert (identity.name, identity.sources) == ("Larch Rotork", ("logo",))


def test_electric_vehicles_are_no_registered_association() -> None:
    home = page_of("http://larch.test/", "<title>Larch EV</title><a href='/p'>Products</a><p>&copy; Larch EV")
    assert verdict_of(sites_of([home])["larch.test"]).kind == "company"


def _kind_of(html: str) -> str:
    return verdict_of(sites_of([page_of("http://a.test/", html)])["a.test"]).kind


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        (
            "<title>日本製麺機工業会</title><p><a href=/k>会員一覧</a> 製麺機メーカーの団体です。",
            "association",
        ),
        ("<title>대한펌프협회</title><a href=/m>회원사</a>", "association"),
        ("<title>Ассоциация «Лес»</title><a href=/m>Члены ассоциации</a>", "association"),
        ("<title>Fuar</title><a href=/m>Katılımcı listesi</a>", "event"),
        ("<title>معرض المياه</title><a href=/m>العارضون</a>", "event"),
        ("<title>機械ナビ</title><a href=/add>企業登録</a>", "directory"),
        ("<title>Каталог</title><a href=/add>Добавить компанию</a>", "directory"),
        ("<title>Pumpen</title><a href=/a>Wir über uns</a> <a href=/b>Lieferprogramm</a>", "company"),
        ("<title>Насосы</title><a href=/a>О компании</a> <a href=/b>Продукция</a>", "company"),
        ("<title>مضخات</title><a href=/a>عن الشركة</a> <a href=/b>منتجاتنا</a>", "company"),
        ("<title>Pompes</title><a href=/a>L’entreprise</a> <a href=/b>Nos produits</a>", "company"),
        ("<title>うどん機械研究所</title><a href=/a>会社案内</a> <a href=/b>製品紹介</a>", "company"),
        ("<title>a.test</title><p>このドメインは売り出し中です。", "parked"),
        ("<title>x</title><p>Домен продаётся.", "parked"),
    ],
)
def test_signs_are_known_in_languages_with_and_without_spaces_between_words(html: str, kind: str) -> None:
    assert _kind_of(html) == kind


def test_makers_that_sell_on_their_own_site_are_companies_in_any_language() -> None:
    shop = "<a href=/cart>Корзина</a> <a href=/order>Оформить заказ</a> <a href=/my>Личный кабинет</a>"
    assert _kind_of(f"<title>Интернет-магазин</title>{shop}") == "unknown"
    assert _kind_of(f"<title>Насос</title>{shop} <a href=/a>О компании</a>") == "company"


def test_no_sign_stands_twice_for_one_kind() -> None:
    rows = [line.split("\t") for line in lines("cues.tsv")]
    signs = [(kind, where, fold(sign)) for kind, where, sign, _ in rows]
    assert len(signs) == len(set(signs))


def test_a_name_in_quotation_marks_keeps_both_in_a_link() -> None:
    hub = page_of("http://list.test/", "<ul><li><a href='http://les.test/'>АО «Лес»</a></ul>")
    assert identity_of(sites_of([hub])["les.test"]).name == "АО «Лес»"


@pytest.mark.parametrize(
    "line",
    [
        "© 2024 Larch Ltda - Todos os direitos reservados",
        "© Larch Ltda, 2005-2024. Все права защищены.",
        "© 2024 Larch Ltda 无断转载",
        "版权所有：Larch Ltda 保留所有权利",
        "جميع الحقوق محفوظة © Larch Ltda 2024",
        "© 2024 Larch Ltda. Tüm hakları saklıdır.",
    ],
)
def test_a_copyright_line_of_any_language_names_the_owner_alone(line: str) -> None:
    assert page_of("http://x.test/", f"<p>text</p><p>{line}</p>").owner == "Larch Ltda"


@pytest.mark.parametrize(
    "heading",
    [
        "Willkommen bei Larch Pumps",
        "Bem-vindo à Larch Pumps",
        "Добро пожаловать на сайт Larch Pumps",
        "مرحباً بكم في Larch Pumps",
        "欢迎光临Larch Pumps",
        "Larch Pumpsへようこそ",
    ],
)
def test_a_welcome_is_no_part_of_a_name(heading: str) -> None:
    page = page_of("http://x.test/", f"<title>Главная</title><h1>{heading}</h1><p>text")
    assert identity_of(sites_of([page])["x.test"]).name == "Larch Pumps"


def test_a_name_agrees_with_a_host_that_spells_its_umlaut_out() -> None:
    """Title and heading say what it makes; the logo says who it is, as does the host."""
    page = page_of(
        "http://www.loewenthal.test/",
        "<title>Verpackungsmaschinen</title><a href='/'><img alt=Löwenthal></a><h1>Verpackungsmaschinen</h1>",
    )
    hub = page_of("http://list.test/", "<ul><li><a href='http://www.loewenthal.test/'>Löwenthal</a></ul>")
    assert identity_of(sites_of([page, hub])["loewenthal.test"]).name == "Löwenthal"
