"""A small recorded web with the usual troubles: redirects, robots.txt, dead links, and no pages."""

from __future__ import annotations

import io
import random
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bizcrawl.topic import Topic

HOSTS = [f"{name}.example" for name in ("alder", "beech", "cedar", "elm", "fir", "hazel", "larch", "oak")]
WORDS = ("pump", "makers", "valve", "brewery", "steel", "bread", "wine", "museum", "football", "garden")
SEEDS = ("http://alder.example/", "http://beech.example/", "http://cedar.example/")
TOPIC = Topic("Top/Pumps", SEEDS, "pump makers")
EXCLUDED = ("http://oak.example/answer",)


def write_web(path: Path, pages_per_host: int = 12) -> Path:
    """Write it to a .warc.gz, the same at every run."""
    rng = random.Random(7)
    with path.open("wb") as sink:
        writer = WARCWriter(sink, gzip=True)
        for host in HOSTS:
            if host == "fir.example":
                record(
                    writer,
                    f"http://{host}/robots.txt",
                    "User-agent: *\nDisallow: /p3\nDisallow: /private",
                    kind="text/plain",
                )
            if host == "larch.example":
                record(writer, f"http://{host}/robots.txt", "busy", status="503 Busy")
            for i in range(pages_per_host):
                url = f"http://{host}/" if i == 0 else f"http://{host}/p{i}"
                record(writer, url, body(rng, host, pages_per_host))
            record(writer, f"http://{host}/private", "<p>pump makers</p>")
            record(
                writer,
                f"http://{host}/old",
                "",
                status="301 Moved",
                headers=(("Location", f"http://{host}/p1"),),
            )
            record(writer, f"http://{host}/loop", "", status="302 Found", headers=(("Location", "/loop"),))
            record(writer, f"http://{host}/gone", "gone", status="410 Gone")
            record(writer, f"http://{host}/logo", "\x89PNG", kind="image/png")
            record(writer, f"http://{host}/blank", "  ")
        record(writer, EXCLUDED[0], '<p>pump makers</p><a href="http://elm.example/p3">x</a>')
    return path


def body(rng: random.Random, host: str, pages: int) -> str:
    """Paragraphs and lists of links, most of them within the host."""
    blocks = []
    for _ in range(rng.randint(1, 4)):
        items = []
        for _ in range(rng.randint(1, 5)):
            where = host if rng.random() < 0.6 else rng.choice(HOSTS)
            path = rng.choice(["", "old", "loop", "gone", "logo", "blank", "private", "answer", "lost"])
            if rng.random() < 0.8:
                path = f"p{rng.randrange(1, pages)}"
            items.append(f'<li>{words(rng, 3)} <a href="http://{where}/{path}">{words(rng, 2)}</a></li>')
        blocks.append(f"<p>{words(rng, 8)}</p><ul>{''.join(items)}</ul>")
    return f"<html><head><title>{words(rng, 3)}</title></head><body>{''.join(blocks)}</body></html>"


def words(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n))


def record(
    writer: WARCWriter,
    url: str,
    text: str,
    *,
    status: str = "200 OK",
    kind: str = "text/html",
    headers: tuple[tuple[str, str], ...] = (),
) -> None:
    data = text.encode("latin-1")
    http = StatusAndHeaders(status, [("Content-Type", kind), *headers], protocol="HTTP/1.1")
    writer.write_record(
        writer.create_warc_record(url, "response", io.BytesIO(data), length=len(data), http_headers=http)
    )
