"""The apprentice: its signs, its record, what it learns, and that its calls alone decide what it does."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from bizcrawl.companies.opinions import Judgement, Opinion
from bizcrawl.errors import WrongUse
from bizcrawl.page import TidiedPage
from bizcrawl.reasons import Reason
from bizcrawl.strategies.apprentice import Apprentice
from bizcrawl.strategies.apprenticeship.keepers import keeping
from bizcrawl.strategies.apprenticeship.link_table import Found, LinkTable, Sums
from bizcrawl.strategies.apprenticeship.signs import NAMES, RECORD, SIGHTING, Known, sighting_of
from bizcrawl.strategies.apprenticeship.weights import (
    LEAST_SCALE,
    LEAST_SPREAD,
    MIN_OUTCOMES,
    RIDGE,
    Correction,
    Learned,
    load_weights,
)
from bizcrawl.strategies.apprenticeship.wording import GENERAL, Wording, telling_keywords
from bizcrawl.strategies.table import make_strategy
from bizcrawl.topic import Topic
from contexts.links import links
from contexts.tidy import tidy
from contexts.vectors import Query

SEEDS = ("http://pumpworks.example/", "http://valvehouse.example/")
TOPIC = Topic("pumps", SEEDS, "industrial pumps valves")
HUB = """<h1>Members</h1><ul><li><a href="http://pumpworks.example/">Pumpworks</a>
<li><a href="http://valvehouse.example/">Valvehouse</a><li><a href="http://rival.example/">Rival Pumps</a>
</ul><p><a href="http://advert.example/">Cheap trips</a> <a href="/members?page=2">next</a></p>"""


def page(url: str, html: str) -> TidiedPage:
    tree = tidy(html)
    return TidiedPage(url, url, links(tree, url), tree)


def apprentice(**options: object) -> Apprentice:
    strategy = make_strategy("apprentice", random.Random(0), **options)
    assert isinstance(strategy, Apprentice)
    strategy.start(TOPIC)
    return strategy


def sign(signs: np.ndarray, name: str) -> float:
    return float(signs[NAMES.index(name)])


def sighting(html: str, known: Known | None = None) -> np.ndarray:
    seeds = frozenset({"pumpworks.example", "valvehouse.example"})
    hub = page("http://union.example/members", html)
    return sighting_of(hub, TOPIC.query, TOPIC.query, known or Known(seeds, {}, {}), 1).signs


def test_seeds_in_the_same_list_speak_for_a_link_and_not_for_one_outside() -> None:
    signs = sighting(HUB)
    rival, advert = signs[2], signs[3]
    assert sign(rival, "seeds_in_list") == pytest.approx(np.log1p(2))
    assert sign(advert, "seeds_in_list") == 0
    assert sign(rival, "seeds_on_page") == sign(advert, "seeds_on_page") == pytest.approx(np.log1p(2))


def test_a_site_does_not_speak_for_itself() -> None:
    own = page("http://pumpworks.example/links", HUB)
    known = Known(frozenset({"pumpworks.example", "valvehouse.example"}), {}, {})
    signs = sighting_of(own, TOPIC.query, TOPIC.query, known, 1).signs
    assert sign(signs[2], "seeds_on_page") == pytest.approx(np.log1p(1))
    assert sign(signs[2], "from_seed") == 1


def test_sites_found_similar_count_beside_the_seeds() -> None:
    known = Known(frozenset(), {}, {"rival.example": 1.0, "advert.example": 0.4})
    signs = sighting(HUB, known)
    assert sign(signs[0], "similar_in_list") == pytest.approx(np.log1p(1))
    assert sign(signs[3], "similar_in_list") == 0


def test_cues_next_links_and_places_are_told() -> None:
    signs = sighting(HUB)
    assert sign(signs[4], "next_page") == 1
    assert sign(signs[4], "leaves_site") == 0
    assert sign(signs[4], "url_cue") == 1
    assert sign(signs[2], "is_root") == 1
    assert sign(signs[2], "anchor_keywords") > 0


@pytest.mark.parametrize(
    ("anchor", "cue", "label"),
    [
        ("Members", 0, 1),
        ("Exhibitor list", 0, 1),
        ("  Our partners » ", 0, 0.5),
        ("Asian Pumps and Valves Council", 1, 0),
        ("Top 12 pump makers", 1, 0),
        ("Listed in Yellowlink", 1, 0),
        ("Padaeng Industry Public Company Limited", 0, 0),
        ("National Metal Manufacturing and Casting", 0, 0),
        ("Science links", 0, 0),
    ],
)
def test_labels_of_lists_and_names_of_those_who_keep_them_are_cues_and_company_names_are_not(
    anchor: str, cue: float, label: float
) -> None:
    signs = sighting(f'<a href="http://new.example/x">{anchor}</a>')[0]
    assert (sign(signs, "anchor_cue"), sign(signs, "anchor_label")) == (cue, label)


def test_a_host_name_is_no_cue_and_a_path_is() -> None:
    host, path = sighting('<a href="http://members.example/x">a</a><a href="http://x.example/members">b</a>')
    assert sign(host, "url_cue") == 0
    assert sign(path, "url_cue") == 1


@pytest.mark.parametrize("label", ["2", "Next »", "N-Z", "page 3"])
def test_the_next_part_of_a_page_that_names_seeds_is_worth_more_than_that_of_another(label: str) -> None:
    after = f'<a href="/members?page=2">{label}</a>'
    of_hub, of_other = sighting(HUB + after)[-1], sighting(f"<p>weather</p>{after}")[-1]
    assert sign(of_hub, "next_of_hub") == pytest.approx(np.log1p(2))
    assert sign(of_hub, "next_of_topical") > 0
    assert sign(of_other, "next_page") == 1
    assert sign(of_other, "next_of_hub") == sign(of_other, "next_of_topical") == 0


def record_of(cited_by: int, similarity: float, one_a_site: float = 1.0, keeping: float = 0.0) -> np.ndarray:
    """Signs of one more link to a site with one visited page, cited by so many sites."""
    table = LinkTable(one_a_site)
    html = '<a href="http://seen.example/more">more of it</a>'
    seen = sighting_of(
        page("http://l.example/", html), TOPIC.query, TOPIC.query, Known(frozenset(), {}, {}), 4
    )
    for number in range(cited_by):
        table.cite({"seen.example"}, f"site{number}.example", strongly=False)
    table.learn("http://seen.example/", "seen.example", Found(0.0, similarity, keeping))
    table.see(["http://seen.example/more"], seen, [0], "http://l.example/")
    signs = table.signs_of("http://seen.example/more", 1)
    assert signs is not None
    return signs


def test_more_of_a_site_that_turned_out_strange_counts_against_it_unless_many_cite_it() -> None:
    assert sign(record_of(1, 0.0), "stranger_again") == 1
    assert sign(record_of(1, 0.75), "stranger_again") == 0.25
    assert sign(record_of(12, 0.0), "stranger_again") == 0.25
    assert sign(record_of(1, 0.0, one_a_site=0.0), "stranger_again") == 0


@pytest.mark.parametrize(
    ("domain", "title", "divisions"),
    [
        ("hall9.example", "World of Valves", ["Exhibitors", "Visitors", "Hall plan"]),
        ("ivf.example", "Industrieverband Fluidtechnik", ["Mitglieder", "Der Verband"]),
        ("lse.example", "Northern Stock Exchange", ["Issuers", "Rules"]),
        ("yellowlink.example", "Yellowlink", ["Add your company", "Browse by country"]),
        ("daily.example", "The Daily Observer", ["Archive", "Subscribe"]),
    ],
)
def test_who_keeps_lists_is_known_by_divisions_and_name(
    domain: str, title: str, divisions: list[str]
) -> None:
    assert keeping(domain, title, divisions) == 1


def test_a_company_is_known_by_its_divisions_and_a_page_that_says_nothing_is_neither() -> None:
    assert keeping("kavalon.example", "Kavalon", ["Products", "Careers", "Investor relations"]) == -1
    assert keeping("kavalon.example", "Kavalon", ["Products", "Careers", "Careers", "Events", "Press"]) < 0
    assert keeping("kavalon.example", "", []) == 0


def test_more_of_a_site_that_keeps_lists_is_worth_something_and_is_no_stranger() -> None:
    assert sign(record_of(1, 0.0, keeping=0.75), "keeps_lists") == 0.75
    assert sign(record_of(1, 0.0, keeping=0.75), "stranger_again") == 0.25
    assert sign(record_of(1, 0.0, keeping=-1.0), "keeps_lists") == 0
    assert sign(record_of(1, 0.0, keeping=-1.0), "stranger_again") == 1


def test_where_seeds_share_a_site_what_is_near_to_them_counts() -> None:
    assert sign(record_of(1, 0.0, one_a_site=0.0), "near_on_shared") == pytest.approx(0.6)
    assert sign(record_of(1, 0.0), "near_on_shared") == 0
    assert sign(record_of(1, 0.0), "nearness") == pytest.approx(0.6)


def test_a_rival_listed_with_seeds_is_fetched_before_the_advert() -> None:
    strategy = apprentice()
    assert {link.url for link in strategy.next(2)} == set(SEEDS)
    for url in SEEDS:
        strategy.visit(page(url, '<p>industrial pumps and valves</p><a href="http://union.example/">u</a>'))
    strategy.visit(page("http://union.example/members", HUB))
    order = [link.url for link in strategy.next(10)]
    assert order.index("http://rival.example/") < order.index("http://advert.example/")


def test_a_page_in_the_seeds_own_words_is_as_similar_as_they_are_to_each_other() -> None:
    """docs/apprentice.md: such a page is of the business; one that says half of it is less so."""
    strategy = apprentice()
    said = "<p>industrial pumps valves dosing hoses bread"
    for url in SEEDS:
        strategy.visit(page(url, said))
    for host, text in (("rival", said), ("half", "<p>pumps wine oil"), ("other", "<p>wine oil")):
        strategy.visit(page(f"http://{host}.example/", text))
    found = [strategy._similarity[f"{host}.example"] for host in ("pumpworks", "rival", "half", "other")]
    assert found[:2] == [1.0, 1.0]
    words = telling_keywords(TOPIC.query)
    half, whole = (page("http://x.example/", text).similarity(words) for text in ("<p>pumps wine oil", said))
    assert found[2] == pytest.approx(half / whole)
    assert found[3] == 0.0


def judged(*opinions: tuple[Judgement, str]) -> float:
    """Score of a link on a list with two sites met before, after what was said of them."""
    strategy = apprentice()
    pumps = "<p>industrial pumps and valves for industry, pumps</p>"
    for url in (*SEEDS, "http://rival.example/"):
        strategy.visit(page(url, f"{pumps}<a href='http://cited.example/'>c</a>"))
    for judgement, company in opinions:
        strategy.judge(Opinion(judgement, company))
    rows = "".join(f"<li><a href='http://{name}.example/'>{name}</a>" for name in ("rival", "other", "new"))
    return strategy.visit(page("http://list.example/", f"<ul>{rows}</ul>"))[2].score


def test_accepted_companies_count_as_seeds_in_a_list_and_rejected_ones_for_nothing() -> None:
    accepted, rejected = (Judgement.ACCEPT, "rival.example"), (Judgement.REJECT, "rival.example")
    assert judged(accepted) > judged() > judged(rejected)
    assert judged(rejected, accepted) > judged()
    assert judged((Judgement.REJECT, "new-to-it.example")) == judged()


def test_a_verdict_that_was_withdrawn_leaves_nothing_behind() -> None:
    for company in ("rival.example", "pumpworks.example"):
        withdrawn = (Judgement.WITHDRAW, company)
        for judgement in (Judgement.ACCEPT, Judgement.REJECT):
            assert judged((judgement, company), withdrawn) == judged()


def test_what_a_rejected_company_cites_is_vouched_for_no_longer() -> None:
    table = LinkTable()
    table.cite({"cited.example"}, "rival.example", strongly=True)
    cited = table.host("cited.example")
    assert table.hosts.seeds_citing[cited] == 1
    for _ in range(2):
        table.vouch("rival.example", False, 0.0)
        assert table.hosts.seeds_citing[cited] == 0
    for _ in range(2):
        table.vouch("rival.example", True, 0.5)
        assert table.hosts.seeds_citing[cited] == 1


def test_a_site_cites_another_once_however_many_of_its_pages_do() -> None:
    """docs/apprentice.md counts sites, not pages."""
    table = LinkTable()

    def citing() -> list[tuple[float, float]]:
        numbers = [table.host(domain) for domain in ("one.example", "other.example")]
        return [(table.hosts.sites_citing[n], table.hosts.seeds_citing[n]) for n in numbers]

    for _ in range(2):
        table.cite({"one.example", "other.example"}, "daily.example", strongly=False)
    assert citing() == [(1, 0), (1, 0)]
    for _ in range(2):
        table.cite({"one.example"}, "rival.example", strongly=True)
    assert citing() == [(2, 1), (1, 0)]
    table.cite({"one.example"}, "daily.example", strongly=True)  # it turned out to be of the business
    assert citing() == [(2, 2), (1, 0)]
    table.vouch("rival.example", False, 0.0)
    assert citing() == [(2, 1), (1, 0)]
    table.vouch("daily.example", True, 1.0)
    assert citing() == [(2, 1), (1, 1)]


def test_every_link_gets_a_score_with_the_signs_that_made_it() -> None:
    strategy = apprentice()
    hub = page("http://union.example/members", HUB)
    scored = strategy.visit(hub)
    assert [link.url for link in scored] == [link.url for link in hub.links]
    rival = next(link for link in scored if link.url == "http://rival.example/")
    assert rival.parts
    assert set(rival.parts) <= set(NAMES)


def test_what_led_to_nothing_lowers_what_is_like_it() -> None:
    table = LinkTable()
    urls = [f"http://s{i}.example/" for i in range(3)]
    html = "<ul>" + "".join(f'<li><a href="{url}">maker</a>' for url in urls) + "</ul>"
    seen = sighting_of(
        page("http://l.example/", html), TOPIC.query, TOPIC.query, Known(frozenset(), {}, {}), 1
    )
    table.see(urls, seen, range(3), "http://l.example/")
    before = table.signs_of(urls[2], 1)
    table.forget(urls[0], 0.0)
    table.forget(urls[1], 0.0)
    after = table.signs_of(urls[2], 1)
    assert before is not None
    assert after is not None
    for name in ("list_reward", "page_reward", "path_reward", "word_reward"):
        assert sign(after, name) < sign(before, name)


def test_sums_of_more_keys_than_at_first_keep_what_they_knew_and_begin_anew_with_the_prior() -> None:
    sums = Sums(prior_count=2.0, prior_mean=0.25)
    first = sums.id_of(0)
    sums.add(first, 1.0)
    numbers = [sums.id_of(key) for key in range(2_500)]
    assert numbers == list(range(2_500))
    assert sums.id_of(0) == first
    sums.add(2_400, 0.0)
    means = sums.means(np.array([first, 1, 1_023, 1_024, 2_048, 2_400, 2_499]))
    assert means == pytest.approx([(2 * 0.25 + 1) / 3, 0.25, 0.25, 0.25, 0.25, 2 * 0.25 / 3, 0.25])


def test_a_table_of_more_links_and_sites_than_at_first_keeps_what_it_knew() -> None:
    """What is known of the first link of a thousand sites is what it would be known of it alone."""

    def grown(more: int) -> tuple[np.ndarray, LinkTable]:
        table = LinkTable()
        known = Known(frozenset({"pumpworks.example", "valvehouse.example"}), {}, {})
        hub = page("http://union.example/", HUB)
        urls = [link.url for link in hub.links]
        table.see(
            urls,
            sighting_of(hub, TOPIC.query, TOPIC.query, known, 1),
            range(len(urls)),
            "http://union.example/",
        )
        table.cite({"rival.example"}, "pumpworks.example", strongly=True)
        table.learn("http://rival.example/old", "rival.example", Found(1.0, 0.5, 0.25))
        new = [f"http://n{number}.example/" for number in range(more)]
        if new:
            far = page("http://far.example/", "".join(f'<p><a href="{url}">x{url[8:]}</a>' for url in new))
            seen = sighting_of(far, TOPIC.query, TOPIC.query, known, 1)
            table.see(new, seen, range(more), "http://far.example/")
        signs = table.signs_of("http://rival.example/", 9)
        assert signs is not None
        return signs, table

    alone, _ = grown(0)
    among, table = grown(2_100)
    assert np.array_equal(alone, among)
    assert len(table.rows) == 2_105
    last, before = (table.signs_of(f"http://n{number}.example/", 9) for number in (2_099, 7))
    assert last is not None
    assert before is not None
    assert sign(last, "seeds_in_list") == 0
    assert [sign(last, name) for name in RECORD] == pytest.approx([sign(before, name) for name in RECORD])


def test_a_link_seen_again_keeps_the_best_of_every_sign() -> None:
    table = LinkTable()
    known = Known(frozenset({"pumpworks.example"}), {}, {})
    poor = '<p><a href="http://rival.example/">here</a>'
    for url, html in (
        ("http://a.example/", poor),
        ("http://union.example/", HUB),
        ("http://b.example/", poor),
    ):
        seen = sighting_of(page(url, html), TOPIC.query, TOPIC.query, known, 1)
        place = [link.url for link in page(url, html).links].index("http://rival.example/")
        table.see(["http://rival.example/"], seen, [place], url)
    signs = table.signs_of("http://rival.example/", 3)
    assert signs is not None
    assert sign(signs, "seeds_in_list") > 0
    assert sign(signs, "anchor_keywords") > 0


@pytest.mark.parametrize("refused", ["nowhere", ".example/2"])
def test_the_table_holds_what_waits_and_nothing_else(refused: str) -> None:
    rng = random.Random(0)
    strategy = make_strategy("apprentice", rng, max_frontier=20, admits=lambda url: refused not in url)
    assert isinstance(strategy, Apprentice)
    strategy.start(TOPIC)
    for i in range(60):
        (link,) = strategy.next(1)
        if i % 7 == 6:
            strategy.fail(link.url, Reason.HTTP_ERROR)
            continue
        names = rng.sample(range(200), 12)
        rows = "".join(f"<li><a href='http://h{n}.example/{n % 3}'>{'pump' * (n % 2)} {n}</a>" for n in names)
        here = page(link.url, f"<p>industrial pumps</p><ul>{rows}</ul>")
        if i % 5 == 4:  # it was redirected to a page that waits
            other = next(iter(strategy.frontier)).url
            here = TidiedPage(link.url, other, here.links, here.tree)
        strategy.visit(here)
        assert set(strategy.table.rows) == {link.url for link in strategy.frontier} - set(SEEDS)
    assert strategy.dropped > 50
    (link,) = strategy.next(1)
    assert link.url in strategy.table.rows, "what is in hand is still to be learned from"


def test_corrections_follow_what_links_brought() -> None:
    rng = np.random.default_rng(0)
    prior = np.zeros(len(NAMES), np.float32)
    prior[0] = 1.0
    correction = Correction(prior, rate=1.0)
    for _ in range(400):
        signs = rng.random(len(NAMES)).astype(np.float32)
        correction.see(signs, float(signs[0] + 2 * signs[1] - signs[2]))
    correction.fit()
    change = correction.weights - prior
    assert change[1] == max(change)
    assert change[2] == min(change)
    assert change[1] > 0.5
    assert change[2] < -0.2


@pytest.mark.parametrize("worth", [2.0, 0.1, -1.0])
def test_a_correction_is_a_ridge_regression_of_what_the_weights_did_not_promise(worth: float) -> None:
    """Worked out anew from the links themselves: signs in units of their spread, drawn to zero by `RIDGE`."""
    rng = np.random.default_rng(4)
    prior = rng.normal(size=len(NAMES)).astype(np.float32)
    signs = (rng.random((90, len(NAMES))) * rng.random(len(NAMES))).astype(np.float32)
    signs[:, 3] = 0.7  # says nothing, and must not be taken for much
    rewards = worth * (signs @ prior) + signs[:, 0] - 2 * signs[:, 1] + 0.3
    correction = Correction(prior, rate=0.6)
    for one, reward in zip(signs, rewards, strict=True):
        correction.see(one, float(reward))
    correction.fit()

    x = signs.astype(float)
    slope, offset = np.polyfit(x @ prior, rewards, 1)
    spread = x.std(0) + LEAST_SPREAD
    z = (x - x.mean(0)) / spread
    left = rewards - slope * (x @ prior) - offset
    change = np.linalg.solve(z.T @ z + RIDGE * np.eye(len(NAMES)), z.T @ left) / spread
    assert correction.weights == pytest.approx(prior + 0.6 * change / max(slope, LEAST_SCALE), abs=1e-4)
    assert np.abs(correction.weights - prior).max() > 0.01


def test_weights_that_promise_the_same_of_every_link_are_corrected_by_the_rewards_alone() -> None:
    prior = np.zeros(len(NAMES), np.float32)
    correction = Correction(prior, rate=1.0)
    for i in range(MIN_OUTCOMES):
        signs = np.zeros(len(NAMES), np.float32)
        signs[1] = i % 2
        correction.see(signs, 5.0 + i % 2)
    correction.fit()
    assert correction.weights[1] > 0.1
    assert not np.delete(correction.weights, 1).any()


def test_without_a_rate_or_with_few_outcomes_the_weights_stay() -> None:
    prior = load_weights()
    for rate, outcomes in ((0.0, 400), (1.0, MIN_OUTCOMES - 1)):
        correction = Correction(prior, rate)
        for i in range(outcomes):
            correction.see(np.full(len(NAMES), i % 7, np.float32), float(i % 3))
        correction.fit()
        assert np.array_equal(correction.weights, prior)


def test_wording_is_what_seeds_share_and_others_lack() -> None:
    wording = Wording(Query.from_text("pumps"))
    wording.see({"pump": 5, "impel": 3, "contact": 2}, "a.example")
    wording.see({"pump": 2, "impel": 4, "contact": 2, "leed": 3}, "b.example")
    wording.see({"pump": 1, "contact": 1}, "c.example")
    for _ in range(60):
        wording.see({"contact": 3, "weather": 2}, None)
    weights = wording.query().by_stem
    assert weights["impel"] > weights.get("contact", 0.0)
    assert "leed" not in weights
    assert "weather" not in weights
    assert "pump" in weights


def test_words_that_every_site_has_are_no_wording_and_weigh_little_among_the_keywords() -> None:
    wording = Wording(Query.from_text("industrial pumps"))
    for seed in ("a", "b", "c"):
        wording.see({"contact": 9, "compani": 9, "impel": 1, "2026": 3}, f"{seed}.example")
    weights = wording.query().by_stem
    assert set(weights) == {"impel", "industri", "pump"}
    assert weights["industri"] == pytest.approx(GENERAL * weights["pump"])
    only_general = Query.from_text("industrial services")
    assert telling_keywords(only_general) == only_general


@pytest.mark.parametrize("option", ["explore", "learn", "rescore_every"])
def test_options_out_of_range_are_refused(option: str) -> None:
    with pytest.raises(WrongUse, match=option):
        apprentice(**{option: "-1"})


def test_exploring_favours_sites_without_pages() -> None:
    bold, shy = apprentice(explore="50"), apprentice(explore="0")
    for strategy in (bold, shy):
        strategy.visit(page("http://big.example/", '<a href="/pumps">industrial pumps valves</a>'))
        strategy.visit(page("http://other.example/", '<a href="http://new.example/x">x</a>'))
        strategy.fail(SEEDS[0], Reason.DNS)
        strategy.fail(SEEDS[1], Reason.DNS)
    assert shy.next(1)[0].url == "http://big.example/pumps"
    assert bold.next(1)[0].url == "http://new.example/x"


def test_weights_come_from_a_file_and_wrong_ones_are_named(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps({"nearness": 2.5}))
    weights = load_weights(str(file))
    assert weights[SIGHTING.index("nearness")] == 2.5
    assert np.count_nonzero(weights) == 1
    for text, message in (("[]", "JSON object"), ('{"charm": 1}', "charm"), ("{", "JSON object")):
        wrong = tmp_path / f"{len(text)}.json"
        wrong.write_text(text)
        with pytest.raises(WrongUse, match=message):
            load_weights(str(wrong))
    with pytest.raises(WrongUse, match=r"missing\.json"):
        load_weights(str(tmp_path / "missing.json"))


def test_what_a_crawl_has_learned_is_what_the_next_one_begins_with(tmp_path: Path) -> None:
    """R118; a sign that weighs nothing is left out, for a person to read."""
    weights = (np.linspace(1, 2, len(NAMES)) * np.resize([1, -1], len(NAMES))).astype(np.float32)
    weights[2] = 0
    Learned(weights).save(tmp_path / "learned.json")
    assert load_weights(str(tmp_path / "learned.json")) == pytest.approx(weights, abs=1e-5)
    assert list(json.loads((tmp_path / "learned.json").read_text())) == [*NAMES[:2], *NAMES[3:]]


def test_the_same_calls_give_the_same_order() -> None:
    orders = []
    for _ in range(2):
        strategy = apprentice(rescore_every="2")
        strategy.next(2)
        order = []
        for number in range(12):
            strategy.visit(page(f"http://union{number}.example/members", HUB.replace("rival", f"r{number}")))
            order += [link.url for link in strategy.next(1)]
        orders.append(order)
    assert orders[0] == orders[1]
    assert len(set(orders[0])) == len(orders[0])
