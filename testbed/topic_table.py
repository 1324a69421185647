"""Topics of a bed in its database, so that SQL can ask about them (R135).

topics      topic, keywords, description, facts (JSON)
topic_urls  topic, role (seed, hub, target, excluded), position, url
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

import duckdb
import pyarrow as pa

from bizcrawl.collection.opening import roll_back
from bizcrawl.text_files import json_in
from bizcrawl.topic import Topic
from testbed.topics import BedTopic, TopicsError

TABLES = """
CREATE TABLE IF NOT EXISTS topics (
    topic VARCHAR PRIMARY KEY, keywords VARCHAR, description VARCHAR, facts VARCHAR);
CREATE TABLE IF NOT EXISTS topic_urls (topic VARCHAR, role VARCHAR, position INTEGER, url VARCHAR);
"""


def save_topics(con: duckdb.DuckDBPyConnection, topics: Iterable[BedTopic]) -> int:
    """Put topics in place of those that the database holds; their number.

    Raises TopicsError for two of one name.
    """
    topics = list(topics)
    names = Counter(topic.name for topic in topics)
    if twice := [name for name, times in names.items() if times > 1]:
        raise TopicsError(f"topic {twice[0]!r} is there {names[twice[0]]} times; a bed has each topic once")
    known = [
        (t.name, t.topic.keywords, t.description, json.dumps(dict(t.facts), ensure_ascii=False))
        for t in topics
    ]
    urls = [
        (topic.name, role, position, url)
        for topic in topics
        for role, urls in _roles(topic)
        for position, url in enumerate(urls)
    ]
    con.execute(TABLES)
    con.execute("BEGIN")
    try:
        con.execute("DELETE FROM topics; DELETE FROM topic_urls")
        _insert(con, "topics", ("topic", "keywords", "description", "facts"), known)
        _insert(con, "topic_urls", ("topic", "role", "position", "url"), urls)
    except BaseException:
        roll_back(con)
        raise
    con.execute("COMMIT")
    return len(topics)


def load_topics(con: duckdb.DuckDBPyConnection) -> list[BedTopic]:
    """The topics of a database, in order of name. Raises TopicsError if it has none; nothing is written."""
    try:
        return _loaded(con)
    except (duckdb.CatalogException, duckdb.BinderException):  # another kind of database
        raise _none() from None
    except (ValueError, TypeError):
        raise TopicsError(
            "the bed's topics are none of bizcrawl's; make some with 'bizcrawl testbed build'"
        ) from None


def _none() -> TopicsError:
    return TopicsError("the bed holds no topics; make some with 'bizcrawl testbed build'")


def _loaded(con: duckdb.DuckDBPyConnection) -> list[BedTopic]:
    urls: dict[tuple[str, str], list[str]] = {}
    query = "SELECT topic, role, url FROM topic_urls ORDER BY topic, role, position"
    for topic, role, url in _texts(con.execute(query).fetchall()):
        urls.setdefault((topic, role), []).append(url)

    def of(topic: str, role: str) -> tuple[str, ...]:
        return tuple(urls.get((topic, role), ()))

    rows = _texts(
        con.execute("SELECT topic, keywords, description, facts FROM topics ORDER BY topic").fetchall()
    )
    if not rows:
        raise _none()
    return [
        BedTopic(
            Topic(name, of(name, "seed"), keywords, of(name, "hub")),
            targets=of(name, "target"),
            description=description,
            excluded=of(name, "excluded"),
            facts=_facts(facts),
        )
        for name, keywords, description, facts in rows
    ]


def _texts(rows: list[tuple[object, ...]]) -> list[tuple[str, ...]]:
    """Rows that somebody else may have written. Raises TypeError unless all that they hold is text."""
    if not all(isinstance(value, str) for row in rows for value in row):
        raise TypeError("not a text")
    return cast(list[tuple[str, ...]], rows)


def _facts(text: str) -> dict[str, Any]:
    facts = json_in(text)
    if not isinstance(facts, dict):
        raise TypeError("not a JSON object")
    return facts


def _roles(topic: BedTopic) -> tuple[tuple[str, Sequence[str]], ...]:
    return (
        ("seed", topic.topic.seeds),
        ("hub", topic.topic.hubs),
        ("target", topic.targets),
        ("excluded", topic.excluded),
    )


def _insert(
    con: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> None:
    if rows:
        con.register("incoming", pa.table(list(map(list, zip(*rows, strict=True))), names=list(names)))
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")  # noqa: S608 - our own tables
        con.unregister("incoming")
