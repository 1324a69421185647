"""Scenarios: what is worked out once for a web is what each page would have said by itself."""

from __future__ import annotations

import pytest

from bizcrawl.page import TidiedPage
from bizcrawl.reasons import Reason
from bizcrawl.relevance.classifier import BadClassifier, Classifier
from bizcrawl.strategies.link_signals import link_signals
from bizcrawl.topic import Topic
from bizcrawl.urls import host_of
from contexts.tidy import tidy
from testbed.evolve.features import GraphFeatures
from testbed.evolve.fitness import FITNESSES
from testbed.evolve.roulette import Crawl
from testbed.evolve.scenario import Scenario, make_scenario, train_from_seeds
from testbed.pagegraph import PageGraph
from testbed.topics import BedTopic


def test_a_whole_web_is_scored_as_page_by_page(
    graph: PageGraph, features: GraphFeatures, topics: list[BedTopic]
) -> None:
    for topic in topics[:3]:
        classifier = train_from_seeds(graph, topic)
        together = features.scores(classifier)
        alone = [classifier.score_tree(graph.tree(page)) for page in range(len(graph))]
        assert together.tolist() == pytest.approx(alone)


def test_features_that_the_web_does_not_know_count_nothing(features: GraphFeatures, graph: PageGraph) -> None:
    strange = Classifier({"xyzzy": 1.0, "xyzzy plugh": 1.0, "coffe xyzzy": 1.0}, 0.25)
    assert features.scores(strange).tolist() == [0.25] * len(graph)


def test_a_classifier_learns_from_the_seeds_alone(graph: PageGraph, topics: list[BedTopic]) -> None:
    topic = topics[0]
    classifier = train_from_seeds(graph, topic)
    seeds = {page for url in topic.topic.seeds if not isinstance(page := graph.outcome(url), Reason)}
    assert all(classifier.score_tree(graph.tree(page)) > 0 for page in seeds)
    without_targets = BedTopic(topic.topic, ("http://elsewhere.example/",))
    assert train_from_seeds(graph, without_targets) == classifier


def test_a_page_of_nearly_every_target_site_is_told_from_most_others(
    graph: PageGraph, features: GraphFeatures, topics: list[BedTopic]
) -> None:
    hosts = [host_of(graph.final_url(page)) for page in range(len(graph))]
    for topic in topics:
        scores = features.scores(train_from_seeds(graph, topic))
        ranks = (scores.argsort().argsort() / len(scores)).tolist()
        targets = {host_of(url) for url in topic.targets} & set(hosts)
        # home pages are often blind (frames, splash screens), so a site is known by its best page
        best = [max(rank for rank, host in zip(ranks, hosts, strict=True) if host == one) for one in targets]
        assert sum(best) / len(best) > 0.85, topic.name


def test_known_examples_judge_better_than_the_seeds_alone(
    graph: PageGraph, features: GraphFeatures, topics: list[BedTopic]
) -> None:
    targets = [page for url in topics[0].targets if not isinstance(page := graph.outcome(url), Reason)]
    by_seeds, by_known = (
        make_scenario(features, topics[0], examples=examples).scores for examples in ("seeds", "known")
    )
    assert sum(by_known[page] > 0 for page in targets) > sum(by_seeds[page] > 0 for page in targets)


def test_seeds_that_are_no_pages_are_said(graph: PageGraph) -> None:
    with pytest.raises(BadClassifier):
        train_from_seeds(graph, BedTopic(Topic("none", ("http://elsewhere.example/",), "words"), ()))


def test_remembered_outcomes_and_signals_are_the_graphs_own(scenario: Scenario, graph: PageGraph) -> None:
    names = ("hub", "context:parent")
    plain = link_signals(names, scenario.topic)
    remembered = scenario.signals(names, scenario.topic)
    for number in range(0, len(graph), 37):
        page = graph.page(number)
        for _ in range(2):
            assert remembered(page).tolist() == plain(page).tolist()
            assert scenario.outcome(page.final_url) == graph.outcome(page.final_url)
    assert scenario.signals(names, scenario.topic) is remembered
    assert all(scenario.outcome(url) is Reason.EXCLUDED for url in scenario.bed_topic.excluded)


def test_a_scenario_judges_pages_of_its_own_web_alone(scenario: Scenario) -> None:
    page = TidiedPage("http://a.example/", "http://a.example/", [], tidy(""))
    with pytest.raises(TypeError, match="its own graph"):
        scenario.score(page)


def crawl_of(pages: list[int]) -> Crawl:
    return Crawl(pages=pages, depths=[0] * len(pages), urls=[""] * len(pages))


def test_fitness_counts_pages_sites_and_targets(scenario: Scenario) -> None:
    good = [page for page, score in enumerate(scenario.scores) if score > 0]
    bad = [page for page, score in enumerate(scenario.scores) if score <= 0][:10]
    crawl = crawl_of(good[:10] + bad)
    sites = {scenario.hosts[page] for page in good[:10]}
    fitness = {name: measure(scenario, crawl, 20) for name, measure in FITNESSES.items()}
    assert fitness["harvest"] == 0.5
    assert fitness["sites"] == len(sites) / 20
    assert fitness["discovery"] == pytest.approx((0.5 + len(sites) / 20) / 2)
    everywhere = crawl_of(list(range(len(scenario.graph))))
    assert FITNESSES["targets"](scenario, everywhere, 1) == 1.0
    # three targets answer on another host, by a redirect, or not at all to robots
    assert len(scenario.target_hosts) >= 14


@pytest.mark.parametrize("name", FITNESSES)
def test_a_crawl_that_found_nothing_is_worth_nothing(scenario: Scenario, name: str) -> None:
    assert FITNESSES[name](scenario, crawl_of([]), 100) == 0.0
