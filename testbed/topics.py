"""Topics of a test bed, and the file they rest in.

A test bed topic is a crawl's topic and what only the evaluation may know: targets, description, pages that
must not be fetched. The two are kept apart by type: a strategy is started with `BedTopic.topic` and has no
way to the rest (R5, R7, R8).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bizcrawl.collection.replacing import write_text
from bizcrawl.errors import BizcrawlError
from bizcrawl.text_files import json_in, lines_of
from bizcrawl.topic import Topic
from bizcrawl.urls import parse


class TopicsError(BizcrawlError):
    """A topics file or recipe that cannot be used; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class BedTopic:
    """One topic of a test bed."""

    topic: Topic
    """Seeds and keywords: all that a crawler is given."""
    targets: tuple[str, ...]
    """URLs to be found; disjoint from the seeds unless D = 0 (R5, R60)."""
    description: str = ""
    """Descriptions of seeds and targets, for evaluation alone (R7)."""
    excluded: tuple[str, ...] = ()
    """Pages that hold the answer: never fetched, counted as `Reason.EXCLUDED`."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else is known of the topic, such as its family; kept when it is written again."""

    @property
    def name(self) -> str:
        """Path of the category."""
        return self.topic.name

    def with_facts(self, **facts: Any) -> BedTopic:
        """The topic with more known of it."""
        return replace(self, facts={**self.facts, **facts})


CUT_SHORT = "; the file may have been cut short: 'bizcrawl testbed topics BED --to FILE' writes a bed's again"
_OWN = ("topic", "keywords", "seeds", "targets", "excluded", "description", "hubs")


def read_topics(path: Path) -> list[BedTopic]:
    """The topics of a ``topics.jsonl``: one JSON object a line with topic, keywords, seeds, targets and, if
    known, excluded, description and hubs; other fields become `BedTopic.facts`.

    Raises TopicsError naming the line that is not a topic, or two topics of one name.
    """
    topics: list[BedTopic] = []
    names: dict[str, int] = {}
    try:
        lines = lines_of(path)
    except (OSError, UnicodeError) as problem:
        raise TopicsError(f"{path}: cannot be read as topics: {problem}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        topic = _topic(line, f"{path}, line {number}", CUT_SHORT if number == len(lines) else "")
        if first := names.get(topic.name):
            raise TopicsError(f"{path}, line {number}: topic {topic.name!r} stands on line {first} already")
        names[topic.name] = number
        topics.append(topic)
    if not topics:
        raise TopicsError(f"{path}: holds no topics; one JSON object a line is expected")
    return topics


def write_topics(topics: Iterable[BedTopic], path: Path) -> int:
    """Write topics as `read_topics` reads them, all or none; the number written."""
    lines = [json.dumps(as_record(topic), ensure_ascii=False) for topic in topics]
    write_text(path, "".join(f"{line}\n" for line in lines))
    return len(lines)


def as_record(topic: BedTopic) -> dict[str, Any]:
    """A topic as the JSON object of its line."""
    record: dict[str, Any] = {
        "topic": topic.name,
        "keywords": topic.topic.keywords,
        "seeds": list(topic.topic.seeds),
        "targets": list(topic.targets),
        "excluded": list(topic.excluded),
        "description": topic.description,
    }
    if topic.topic.hubs:
        record["hubs"] = list(topic.topic.hubs)
    return record | dict(topic.facts)


def _topic(line: str, place: str, hint: str) -> BedTopic:
    """The topic of a line; `hint`, for a person, where it is no JSON."""
    try:
        record = json_in(line)
    except json.JSONDecodeError as problem:
        raise TopicsError(f"{place}: not JSON: {problem.msg}{hint}") from None
    except ValueError as problem:
        raise TopicsError(f"{place}: no JSON to be used: {problem}") from None
    if not isinstance(record, dict):
        raise TopicsError(f"{place}: a JSON object is expected, not {type(record).__name__}")
    return BedTopic(
        topic=Topic(
            name=_text(record, "topic", place),
            seeds=_pages(record, "seeds", place, needed=True),
            keywords=_text(record, "keywords", place),
            hubs=_pages(record, "hubs", place),
        ),
        targets=_pages(record, "targets", place, needed=True),
        description=_text(record, "description", place) if "description" in record else "",
        excluded=_urls(record, "excluded", place),
        facts={key: value for key, value in record.items() if key not in _OWN},
    )


def _text(record: Mapping[str, Any], key: str, place: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise TopicsError(f"{place}: {key!r} must be a text")
    return value


def _pages(record: Mapping[str, Any], key: str, place: str, *, needed: bool = False) -> tuple[str, ...]:
    """URLs of pages; what is excluded may be a host."""
    urls = _urls(record, key, place, needed=needed)
    if bad := [url for url in urls if parse(url) is None]:
        raise TopicsError(f"{place}: {key!r}: {bad[0]!r} is no URL; write it with http:// or https://")
    return urls


def _urls(record: Mapping[str, Any], key: str, place: str, *, needed: bool = False) -> tuple[str, ...]:
    value = record.get(key, [])
    if (
        not isinstance(value, list)
        or not all(isinstance(url, str) for url in value)
        or (needed and not value)
    ):
        raise TopicsError(f"{place}: {key!r} must be a list of URLs{' and not empty' if needed else ''}")
    return tuple(value)
