"""The demo web as a recorded web: a small test bed that needs no download.

A record can only hold so much of a web that makes pages when asked. It holds everything that links lead to,
calendars up to `LAST_RECORDED_MONTH`; what lies beyond is not recorded, as on any recorded web.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import NAMESPACE_URL, uuid5

from fastwarc.warc import WarcRecord, WarcRecordType

from bizcrawl.collection.replacing import write_text
from bizcrawl.urls import host_of, parse
from contexts.decode import decode
from contexts.links import links
from contexts.tidy import tidy
from testbed.demo.site import Answer
from testbed.demo.topics import demo_companies, demo_topics
from testbed.demo.traps import LAST_RECORDED_MONTH
from testbed.demo.web import DEFAULT_SEED, World, build_world
from testbed.topics import write_topics

RECORDED_AT = "2003-05-20T12:00:00Z"
"""The date of every record, so that the same seed gives the same file."""


@dataclass(frozen=True, slots=True)
class Bed:
    """Files of the demo web as a test bed."""

    warc: Path
    topics: Path
    companies: Path
    """One JSON object a line: company, hosts, business, country; the truth for rankings."""


def write_bed(folder: Path, seed: int = DEFAULT_SEED) -> Bed:
    """Write ``web.warc.gz``, ``topics.jsonl`` and ``companies.jsonl`` into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    bed = Bed(folder / "web.warc.gz", folder / "topics.jsonl", folder / "companies.jsonl")
    write_warc(bed.warc, seed)
    write_topics(demo_topics(seed), bed.topics)
    hosts: dict[str, list[str]] = {}
    records = {}
    for host, company in demo_companies(seed).items():
        hosts.setdefault(company.company, []).append(host)
        records[company.company] = asdict(company)
    lines = (json.dumps(r | {"hosts": hosts[name]}, ensure_ascii=False) for name, r in records.items())
    write_text(bed.companies, "".join(f"{line}\n" for line in lines))
    return bed


def write_warc(path: Path, seed: int = DEFAULT_SEED) -> int:
    """Write the demo web as WARC 1.1, gzipped record by record if the name ends in ``.gz``.

    Returns the number of responses.
    """
    recorded = dict(reachable(build_world(seed)))
    with path.open("wb") as file:
        for url, answer in recorded.items():
            record = BytesIO()
            _record(url, answer).write(record, checksum_data=True)
            packed = gzip.compress(record.getvalue(), mtime=0) if path.suffix == ".gz" else record.getvalue()
            file.write(packed)
    return len(recorded)


def reachable(world: World) -> Iterator[tuple[str, Answer]]:
    """Everything that stands on the demo web, and what its rules answer to the links between its pages."""
    seen = dict.fromkeys(world.answers)
    waiting = list(seen)
    for url in waiting:
        answer = world.answer(url)
        yield url, answer
        for target in _targets(url, answer):
            if target not in seen and host_of(target) in world.hosts and not _beyond_record(target):
                seen[target] = None
                waiting.append(target)


def _targets(url: str, answer: Answer) -> Iterator[str]:
    if location := answer.headers.get("location"):
        target = parse(location, url)
        if target is not None:
            yield target
    elif answer.status == HTTPStatus.OK and answer.headers["content-type"].startswith("text/html"):
        tree = tidy(decode(answer.body, answer.headers["content-type"]).text)
        yield from (link.url for link in links(tree, url))


def _beyond_record(url: str) -> bool:
    month = parse_qs(urlsplit(url).query).get("month", [""])[0]
    return bool(month) and not "2023-01" <= month <= LAST_RECORDED_MONTH


def _record(url: str, answer: Answer) -> WarcRecord:
    status = HTTPStatus(answer.status)
    head = [f"HTTP/1.1 {answer.status} {status.phrase}"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    head += [f"content-length: {len(answer.body)}", "", ""]
    record = WarcRecord()
    record.init_headers(
        record_type=WarcRecordType.response, record_urn=f"uuid:{uuid5(NAMESPACE_URL, url)}".encode()
    )
    record.headers["WARC-Date"] = RECORDED_AT
    record.headers["WARC-Target-URI"] = url
    record.headers["Content-Type"] = "application/http; msgtype=response"
    record.set_bytes_content("\r\n".join(head).encode("latin-1") + answer.body)
    return record
