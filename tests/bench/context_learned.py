"""How much of the best context in hindsight anything could reach that looks at the page alone (M4).

    python tests/bench/context_learned.py [--pages 300]

For each link every ancestor is described by what a rule can see: how high it stands, how many terms, telling
words and links it and its parent hold, how long the page and the link's own text are, whether it is a block.
Boosted trees learn from that how near an ancestor's text is to the page that the link leads to, on one web,
and choose for each link of both webs the ancestor that they hold for the nearest. Pages that are tried are
other ones than those that were learned from.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

sys.path.insert(0, str(Path(__file__).resolve().parent))

from context_quality import BEDS, Bed, cosine_of_slice, load, some_targets

from contexts.aggregation import spans
from contexts.aggregation.adaptive import SAY_NOTHING
from contexts.blocks import find_blocks, links_below, nodes_of
from contexts.links import Link, links
from contexts.tagtree import TagTree
from contexts.vectors import Floats

LINKS_PER_PAGE = 20
NAMES = ("bizweb", "webkb")


@dataclass
class Sample:
    """Links of some pages: their ancestors as a rule sees them, and how near each is to the target."""

    seen: list[list[float]] = field(default_factory=list)
    cosines: list[float] = field(default_factory=list)
    link: list[int] = field(default_factory=list)
    """Which link each ancestor is one of."""
    best: list[float] = field(default_factory=list)
    adaptive: list[float] = field(default_factory=list)

    def add(self, ancestors: list[list[float]], cosines: list[float], adaptive: float) -> None:
        self.seen += ancestors
        self.cosines += cosines
        self.link += [len(self.best)] * len(cosines)
        self.best.append(max(cosines))
        self.adaptive.append(adaptive)

    def chosen(self, predicted: Floats) -> Floats:
        """Cosine of each link's ancestor with the highest prediction."""
        order = np.lexsort((predicted, self.link))
        last = np.append(np.flatnonzero(np.diff(np.array(self.link)[order])), len(order) - 1)
        return np.array(self.cosines)[order[last]]


def ancestors_of(tree: TagTree, every: list[Link]) -> Floats:
    """(n, 6) what a rule sees of each node: terms, different terms, telling words, links, block, share of
    the page."""
    telling = np.array([not (stem in SAY_NOTHING or stem.isdigit()) for stem in tree.stems], np.bool_)
    nodes = nodes_of(every)
    n_links = links_below(tree, nodes)
    is_block = find_blocks(tree, nodes).is_block
    seen = np.zeros((len(tree), 6))
    for node in range(len(tree)):
        tokens = tree.tokens_below(node)
        seen[node] = (
            np.log1p(len(tokens)),
            np.log1p(len(np.unique(tokens))),
            np.log1p(telling[tokens].sum()),
            np.log1p(n_links[node]),
            is_block[node],
            len(tokens) / max(len(tree.tokens), 1),
        )
    return seen


def gather(bed: Bed, urls: list[str], chance: random.Random) -> Sample:
    sample = Sample()
    for url in urls:
        tree = bed.tree(url)
        every = links(tree, url)
        chosen = some_targets(bed, url, every, LINKS_PER_PAGE, chance)
        if not chosen:
            continue
        seen = ancestors_of(tree, every)
        adaptive = spans(tree, every, "adaptive")
        for end, link in chosen:
            target = bed.vector(end)
            rows, cosines, node = [], [], link.node
            while node >= 0:
                above = seen[max(int(tree.parent[node]), 0)]
                rows.append([len(rows), *seen[node], *above[[0, 3]], seen[link.node][0], len(tree.tokens)])
                start, stop = int(tree.first_token[node]), int(tree.first_token[tree.end[node]])
                cosines.append(cosine_of_slice(tree, start, stop, target))
                node = int(tree.parent[node])
            start, stop = int(adaptive.starts[link.position]), int(adaptive.ends[link.position])
            sample.add(rows, cosines, cosine_of_slice(tree, start, stop, target))
    return sample


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=300, help="learned from, and tried, on each web")
    options = parser.parse_args()
    learned, tried = {}, {}
    for name in NAMES:
        bed, chance = load(BEDS / name / "web.warc.gz"), random.Random(1)
        urls = chance.sample(sorted(bed.texts), min(2 * options.pages, len(bed.texts)))
        learned[name] = gather(bed, urls[::2], chance)
        tried[name] = gather(bed, urls[1::2], chance)
    print("learned on  tried on  of hindsight  adaptive")
    for name in NAMES:
        trees = HistGradientBoostingRegressor(max_iter=200, max_leaf_nodes=15, random_state=1)
        trees.fit(learned[name].seen, learned[name].cosines)
        for other in NAMES:
            sample = tried[other]
            top = float(np.mean(sample.best))
            got = float(sample.chosen(trees.predict(sample.seen)).mean())
            print(f"{name:10s}  {other:8s}  {got / top:12.3f}  {float(np.mean(sample.adaptive)) / top:8.3f}")


if __name__ == "__main__":
    main()
