"""How well a link's context foretells the page it leads to, on the recorded webs (L2, M4).

    python tests/bench/context_quality.py [--pages 1000] [--beds bizweb webkb]

For every aggregation: mean cosine of context and target, share of links whose context has no word
of the target, mean size in terms; all of it against the best ancestor of each link in hindsight. Pages are a
random sample; of each at most 30 links to other recorded pages, each target once.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from contexts.aggregation import spans  # noqa: E402
from contexts.decode import decode  # noqa: E402
from contexts.links import Link, links  # noqa: E402
from contexts.tagtree import TagTree  # noqa: E402
from contexts.tidy import tidy  # noqa: E402
from contexts.urls import join  # noqa: E402
from contexts.vectors import page_counts  # noqa: E402

BEDS = ROOT.parent / "shared" / "beds"
AGGREGATIONS = (
    *("anchor", "parent", "ancestor:2", "ancestor:3", "block", "window:5", "window:10", "window:20"),
    *("page", "adaptive"),
)
LINKS_PER_PAGE = 30


@dataclass
class Bed:
    """The good pages of a recorded web."""

    texts: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    trees: dict[str, TagTree] = field(default_factory=dict)
    vectors: dict[str, dict[str, float]] = field(default_factory=dict)

    def end_of(self, url: str) -> str | None:
        """The page to which a URL leads, over at most five redirects."""
        for _ in range(6):
            if url in self.texts:
                return url
            url = join(self.redirects.get(url, ""), url) or ""
        return None

    def tree(self, url: str) -> TagTree:
        if url not in self.trees:
            self.trees[url] = tidy(self.texts[url])
        return self.trees[url]

    def vector(self, url: str) -> dict[str, float]:
        """Unit vector of a page."""
        if url not in self.vectors:
            tree = self.tree(url)
            counts = page_counts(tree)
            length = sqrt(float(counts @ counts))
            self.vectors[url] = {s: n / length for s, n in zip(tree.stems, counts.tolist(), strict=True)}
        return self.vectors[url]


def load(warc: Path) -> Bed:
    bed = Bed()
    with warc.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            url, headers = record.headers["WARC-Target-URI"], record.http_headers
            content_type = headers.get("Content-Type") or ""
            if headers.status_code in {301, 302, 303, 307, 308}:
                bed.redirects[url] = headers.get("Location") or ""
            elif headers.status_code == 200 and "html" in content_type:
                bed.texts[url] = decode(record.reader.read(), content_type).text
    return bed


def cosine_of_slice(tree: TagTree, start: int, end: int, target: dict[str, float]) -> float:
    if end <= start:
        return 0.0
    terms, counts = np.unique(tree.tokens[start:end], return_counts=True)
    dot = sum(
        n * target.get(tree.stems[i], 0.0) for i, n in zip(terms.tolist(), counts.tolist(), strict=True)
    )
    return dot / sqrt(float(counts @ counts))


def hindsight(tree: TagTree, link: Link, target: dict[str, float]) -> float:
    """Cosine of the best of a link's ancestors."""
    best, node = 0.0, link.node
    while node >= 0:
        start, end = int(tree.first_token[node]), int(tree.first_token[tree.end[node]])
        best = max(best, cosine_of_slice(tree, start, end, target))
        node = int(tree.parent[node])
    return best


def some_targets(
    bed: Bed, url: str, every: Sequence[Link], at_most: int, chance: random.Random
) -> list[tuple[str, Link]]:
    """Pages of the bed with text to which a page links, and the first link to each: a sample."""
    targets: dict[str, Link] = {}
    for link in every:
        end = bed.end_of(link.url) if link.kind in {"a", "area"} else None
        if end and end != url and len(bed.tree(end).tokens):
            targets.setdefault(end, link)
    return chance.sample(sorted(targets.items()), min(at_most, len(targets)))


def measure(bed: Bed, n_pages: int, random_seed: int = 1) -> None:
    chance = random.Random(random_seed)
    best: list[float] = []
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in AGGREGATIONS}
    for url in chance.sample(sorted(bed.texts), min(n_pages, len(bed.texts))):
        tree = bed.tree(url)
        every = links(tree, url)
        contexts = {name: spans(tree, every, name) for name in AGGREGATIONS}
        for end, link in some_targets(bed, url, every, LINKS_PER_PAGE, chance):
            target = bed.vector(end)
            best.append(hindsight(tree, link, target))
            for name, context in contexts.items():
                start, stop = int(context.starts[link.position]), int(context.ends[link.position])
                found[name].append((cosine_of_slice(tree, start, stop, target), stop - start))
    top = float(np.mean(best))
    nothing = np.mean(np.array(best) == 0)
    print(f"{len(best):,} links; best ancestor in hindsight: mean cosine {top:.4f}, no word {nothing:.3f}")
    print("aggregation   cosine  no word    terms  of hindsight  of parent")
    parent = float(np.mean([score for score, _ in found["parent"]]))
    for name, values in found.items():
        scores, sizes = np.array(values).T
        mean = float(scores.mean())
        shares = f"{mean / top:13.3f} {mean / parent:10.3f}"
        print(f"{name:12s} {mean:7.4f} {np.mean(scores == 0):8.3f} {sizes.mean():8.1f} {shares}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--beds", nargs="+", default=["bizweb", "webkb"])
    options = parser.parse_args()
    for name in options.beds:
        warc = BEDS / name / "web.warc.gz"
        if not warc.exists():
            sys.exit(f"needs the recorded web {warc}")
        print(name)
        measure(load(warc), options.pages)


if __name__ == "__main__":
    main()
