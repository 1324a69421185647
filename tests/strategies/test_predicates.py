"""What a user calls a good page, in SQL or Python, and classifiers from examples."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from strategy_pages import page

from bizcrawl.harvest import Body, tidied
from bizcrawl.page import TidiedPage
from bizcrawl.relevance.predicates import COLUMNS, BadPredicate, SqlPredicate, compile_predicate, row_of
from bizcrawl.relevance.text_classifiers import NoExamples, load_classifiers, train
from bizcrawl.robots.tags import FOLLOWS_ALL
from contexts.links import links
from contexts.text import stems
from contexts.tidy import tidy

EXAMPLES = {
    "automobiles": ["cars and car dealers", "used cars, new engines", "a dealer of cars and trucks"],
    "food": ["bread and cheese", "wine and cheese from farms", "fresh bread every day"],
}


def a_page(html: str = "<html lang=en><title>Smith Motors</title><p>Car Dealer in Leeds</p>") -> TidiedPage:
    url, tree = "http://www.smith.co.uk/cars", tidy(html)
    return TidiedPage(url, url, links(tree, url), tree)


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("host LIKE '%.uk' AND text ILIKE '%dealer%'", True),
        ("host LIKE '%.com'", False),
        ("domain = 'smith.co.uk' AND title = 'Smith Motors' AND language = 'en'", True),
        ("status = 200 AND depth < 3", True),
        ("bytes > 10", False),  # not known: NULL is no
        ("regexp_matches(text, 'Leeds|York') -- a remark", True),
        ("classifier('automobiles') > 0.5 AND classifier('food') < 0.5", True),
    ],
)
def test_sql_is_evaluated_on_the_page_as_a_row(predicate: str, holds: bool) -> None:
    """R106."""
    assert compile_predicate(predicate, train(EXAMPLES))(row_of(a_page(), status=200, depth=1)) is holds


def test_a_classifier_is_asked_about_the_page_at_hand() -> None:
    predicate = compile_predicate("classifier('automobiles') > 0.5", train(EXAMPLES))
    texts = ("cars", "bread and wine", "engines of trucks")
    assert [predicate(row_of(page("http://x.example/", text))) for text in texts] == [True, False, True]


@pytest.mark.parametrize(
    ("predicate", "says"),
    [
        ("host LIK 'x'", "syntax error"),
        ("colour = 'red'", '"colour" not found'),
        ("true) ; DROP TABLE pages; SELECT (true", "several statements"),
        ("classifier('tea') > 0.5", "no classifier is called 'tea'; there are: automobiles, food"),
        ("(SELECT count(*) FROM read_csv('/etc/passwd')) > 0", "disabled by configuration"),
        ("no_such_module_here:function", "No module named 'no_such_module_here'"),
        ("json:no_such_function", "json has no function no_such_function"),
    ],
)
def test_what_cannot_be_understood_is_refused_before_the_crawl_in_one_line(predicate: str, says: str) -> None:
    with pytest.raises(BadPredicate, match="--predicate") as refusal:
        compile_predicate(predicate, train(EXAMPLES))
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_conditions_are_told_one_by_one_as_people_write_them() -> None:
    """A part may fail by itself that the whole never comes to; what stands in quotes is no operator."""
    predicate = compile_predicate(
        "title = 'a ~~ b' OR text NOT ILIKE '%dealer%' OR host GLOB '*.uk' OR true "
        "OR CAST(title AS INTEGER) > 1"
    )
    row = row_of(a_page("<title>a ~~ b</title><p>Car Dealer"))
    assert isinstance(predicate, SqlPredicate)
    assert predicate(row)
    *told, (fails, why) = predicate.parts(row).items()
    assert told == [
        ("(title = 'a ~~ b')", True),
        ("(\"text\" NOT ILIKE '%dealer%')", False),
        ("(host GLOB '*.uk')", True),
        ("true", True),
    ]
    assert fails == "(CAST(title AS INTEGER) > 1)"
    assert str(why).startswith("Conversion Error: Could not convert string 'a ~~ b'")


def test_without_classifiers_the_message_says_how_to_get_them() -> None:
    with pytest.raises(BadPredicate, match="give --classifiers a folder of examples"):
        compile_predicate("classifier('tea') > 0.5")


def test_a_predicate_can_be_a_function_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_dealers.py").write_text(
        "def is_dealer(row):\n    return 'Dealer' in row['text']\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    predicate = compile_predicate("my_dealers:is_dealer")
    assert predicate(row_of(a_page()))
    assert not predicate(row_of(a_page("<p>bread")))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            "def holds(row):\n    return row['colour']",
            "fails on http://www.smith.co.uk/cars: KeyError: 'colour'",
        ),
        (
            (
                "class Odd:\n    def __bool__(self):\n        raise ValueError('a\\nb')\n"
                "def holds(row):\n    return Odd()"
            ),
            "a b",
        ),
    ],
)
def test_a_function_of_ones_own_that_fails_on_a_page_is_one_line(
    source: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"my_failing_{len(source)}"
    (tmp_path / f"{name}.py").write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    predicate = compile_predicate(f"{name}:holds")
    with pytest.raises(BadPredicate) as failure:
        predicate(row_of(a_page()))
    assert f"--predicate {name}:holds: fails on" in str(failure.value)
    assert says in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("source", ["1 / 0", "def ("])
def test_a_module_of_ones_own_that_cannot_be_imported_is_one_line(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"my_broken_{len(source)}"
    (tmp_path / f"{name}.py").write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadPredicate, match=f"--predicate {name}:holds: .*Error"):
        compile_predicate(f"{name}:holds")


def test_a_function_of_ones_own_sees_every_column_and_none_where_it_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_columns.py").write_text("def holds(row):\n    return row['depth'] is None", "utf-8")
    monkeypatch.chdir(tmp_path)
    predicate = compile_predicate("my_columns:holds")
    assert predicate(row_of(a_page()))
    assert not predicate(row_of(a_page(), depth=0))


def test_a_row_has_what_the_page_says_and_what_is_added() -> None:
    row = row_of(a_page(), status=200, depth=2, bytes=99)
    assert set(row) == set(COLUMNS)
    assert row["text"] == "Smith Motors Car Dealer in Leeds "
    assert (row["host"], row["domain"], row["language"]) == ("www.smith.co.uk", "smith.co.uk", "en")


@pytest.mark.parametrize(
    "html",
    [
        "<html lang=en-GB><title>Smith\n Motors</title><p>Car Dealer",
        "<html lang=EN><title> </title><title>Smith Motors</title><p>Car Dealer",
        "<p>Car Dealer",
    ],
)
def test_a_row_says_what_the_collection_will_say(html: str) -> None:
    """``language = 'en'``, as the docs have it, was false of all pages in en-GB."""
    kept = tidied(
        Body("http://a.example/", "http://a.example/", html.encode(), None, truncated=False, nofollow=False),
        "auto",
        "parent",
        FOLLOWS_ALL,
    )
    row = row_of(kept.page)
    assert (row["title"], row["language"]) == (kept.title, kept.language)
    assert compile_predicate("language = 'en'")(row) is (kept.language == "en")


class TestClassifiers:
    def test_a_folder_of_examples_has_a_folder_for_each_class(self, tmp_path: Path) -> None:
        for name, texts in EXAMPLES.items():
            (tmp_path / name).mkdir()
            for i, text in enumerate(texts):
                (tmp_path / name / f"{i}.html").write_text(f"<script>bread</script><p>{text}</p>", "utf-8")
        classifiers = load_classifiers(tmp_path)
        assert set(classifiers) == set(EXAMPLES)
        assert classifiers["food"]("cheese") > 0.5 > classifiers["food"]("cars")
        assert 0 <= classifiers["food"]("") <= 1

    def test_a_probability_is_that_of_logistic_regression_over_weighted_stems(self) -> None:
        """Worked out by scikit-learn on the stems' logarithmic frequency and rarity."""
        rare = {**EXAMPLES, "boats": ["sails, sails and engines"]}
        texts = [text for told in rare.values() for text in told]
        names = [name for name, told in rare.items() for _ in told]
        pipeline = make_pipeline(
            TfidfVectorizer(analyzer=stems, sublinear_tf=True),
            LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000),
        )
        asked = ["cars cars cars and wine", "sails of cheese, engines, engines", "unknown words", ""]
        for name, classifier in train(rare).items():
            pipeline.fit(texts, [label == name for label in names])
            expected = pipeline.predict_proba(asked)[:, 1].tolist()
            assert [classifier(text) for text in asked] == pytest.approx(expected)

    def test_markup_is_read_in_pages_alone_and_descriptions_are_cut_into_examples(
        self, tmp_path: Path
    ) -> None:
        for name, word in (("a", "pumps"), ("b", "cheese")):
            (tmp_path / name).mkdir()
            (tmp_path / name / "below").mkdir()
            (tmp_path / name / "x.HTM").write_text(f"<title>{word}</title><script>hidden</script>", "utf-8")
            (tmp_path / name / "y.txt").write_text(f"{word} <b>bold</b> <script>shown</script>", "utf-8")
            (tmp_path / name / ".DS_Store").write_text("a note of the system", "utf-8")
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git" / "HEAD").write_text("a note of an editor", "utf-8")
        classes = load_classifiers(tmp_path)
        assert set(classes) == {"a", "b"}
        known = classes["a"].idf
        assert {"pump", "chees", "bold", "shown", "script"} <= known.keys()
        assert known.keys().isdisjoint({"hidden", "note"})
        lines = [
            json.dumps({"topic": t, "keywords": t, "description": f"{t} " * 79}) for t in ("pumps", "tea")
        ]
        (tmp_path / "topics.jsonl").write_text("\n".join(lines), "utf-8")
        # 80 words of each are two examples of 40: each word in two texts of four
        assert load_classifiers(tmp_path / "topics.jsonl")["tea"].idf["tea"] == pytest.approx(1 + log(5 / 3))

    def test_a_topics_file_gives_a_class_for_each_topic(self, tmp_path: Path) -> None:
        lines = [
            json.dumps({"topic": f"Top/{name}", "keywords": name, "description": " ".join(texts)})
            for name, texts in EXAMPLES.items()
        ]
        (tmp_path / "topics.jsonl").write_text("\n".join(lines), "utf-8")
        classifiers = load_classifiers(tmp_path / "topics.jsonl")
        assert classifiers["Top/automobiles"]("dealer of trucks") > classifiers["Top/automobiles"]("wine")

    def test_what_nothing_can_be_learned_from_is_refused_in_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "alone").mkdir()
        (tmp_path / "alone" / "a.txt").write_text("text", "utf-8")
        with pytest.raises(NoExamples, match="at least two classes"):
            load_classifiers(tmp_path)
        with pytest.raises(NoExamples, match="no such folder"):
            load_classifiers(tmp_path / "none")
        (tmp_path / "t.jsonl").write_text("{}", "utf-8")
        with pytest.raises(NoExamples, match="line 1 is no topic"):
            load_classifiers(tmp_path / "t.jsonl")
        (tmp_path / "t.jsonl").write_bytes(b"caf\xe9")
        with pytest.raises(NoExamples, match="cannot be read as a topics file"):
            load_classifiers(tmp_path / "t.jsonl")
        (tmp_path / "silent").mkdir()
        (tmp_path / "silent" / "a.txt").write_text("the", "utf-8")
        with pytest.raises(NoExamples, match="examples that say something"):
            load_classifiers(tmp_path)
