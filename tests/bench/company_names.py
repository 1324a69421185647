"""Names of companies compared and resolved, on the names of listed equities.

    python tests/bench/company_names.py [--corpus ../shared/corpora/financedatabase.tar.xz]

Variants are names under one ISIN or one share-class FIGI. The identifiers are partly wrong, so a pair is left
out if one is a fund, if industries differ together with web sites or countries, or if the names have no
telling word in common, not even its beginning (other names of one company cannot be known from the names).
Hard negatives are, for each name, the two nearest by rapidfuzz's WRatio among other companies of its
industry. Then 100,000 names are resolved.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import re
import sys
import tarfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from rapidfuzz import fuzz, process

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bizcrawl.companies.listing_names import without_share_class  # noqa: E402
from bizcrawl.companies.name_similarity import SAME, key_similarity, similarity, weighted_words  # noqa: E402
from bizcrawl.companies.names import parse_name  # noqa: E402
from bizcrawl.companies.resolve import Record, resolve  # noqa: E402

FUND = re.compile(
    r"\b(?:etc|etp|etf|leverage|granite ?shares|wisdomtree|xtrackers|turbo|warrant|fund|index)\b",
    re.IGNORECASE,
)
MAX_POOL = 400
NEGATIVES = 2
RESOLVED = 100_000


@dataclass
class Known:
    """What the rows of a name say."""

    industries: set[str] = field(default_factory=set)
    countries: set[str] = field(default_factory=set)
    sites: set[str] = field(default_factory=set)
    identifiers: set[str] = field(default_factory=set)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared/corpora/financedatabase.tar.xz")
    known = read(parser.parse_args().corpus)
    left_out: Counter[str] = Counter()
    same = positives(known, left_out)
    other = negatives(known, {name for pair in same for name in pair}, random.Random(5))
    print(f"variants {len(same):,}, left out {dict(left_out)}, hard negatives {len(other):,}")
    print("| threshold | precision | recall | F1 |\n|---|---|---|---|")
    right = [score(pair) for pair in same]
    wrong = [score(pair) for pair in other]
    for threshold in (0.6, 0.7, 0.8, SAME, 0.9, 0.95):
        hits = sum(value >= threshold for value in right)
        false = sum(value >= threshold for value in wrong)
        precision, recall = hits / (hits + false), hits / len(right)
        f1 = 2 * precision * recall / (precision + recall)
        print(f"| {threshold} | {precision:.3f} | {recall:.3f} | {f1:.3f} |")
    names = sorted(known)
    records = [Record(str(n), names[n % len(names)]) for n in range(RESOLVED)]
    started, cpu = time.perf_counter(), time.process_time()
    found = len(set(resolve(records).values()))
    print(
        f"{RESOLVED:,} names ({len(names):,} distinct) resolved to {found:,} companies in "
        f"{time.perf_counter() - started:.0f} s ({time.process_time() - cpu:.0f} s CPU)"
    )


def score(pair: tuple[str, str]) -> float:
    """Similarity of two names as lists print them."""
    return similarity(without_share_class(pair[0]), without_share_class(pair[1]))


def read(corpus: Path) -> dict[str, Known]:
    """Names with what their rows say."""
    csv.field_size_limit(10**9)
    known: dict[str, Known] = defaultdict(Known)
    with tarfile.open(corpus) as archive:
        for member in sorted(archive.getmembers(), key=lambda entry: entry.name):
            if not member.name.endswith(".csv"):
                continue
            handle = archive.extractfile(member)
            assert handle is not None
            for row in csv.DictReader(io.TextIOWrapper(handle, "utf-8")):
                name = row["name"].strip()
                if len(name) < 3:
                    continue
                entry = known[name]
                entry.industries |= {row["industry"]} - {""}
                entry.countries |= {row["country"]} - {""}
                site = re.sub(r"^https?://(?:www\.)?", "", row["website"].lower()).split("/")[0]
                entry.sites |= {site} - {""}
                entry.identifiers |= {
                    f"{kind}:{row[kind]}" for kind in ("isin", "shareclass_figi") if row[kind]
                }
    return dict(known)


def positives(known: dict[str, Known], left_out: Counter[str]) -> list[tuple[str, str]]:
    """Pairs of names of one company; pairs that are left out are counted by reason."""
    groups: dict[str, set[str]] = defaultdict(set)
    for name, entry in known.items():
        for identifier in entry.identifiers:
            groups[identifier].add(name)
    pairs = {pair for names in groups.values() for pair in combinations(sorted(names), 2)}
    kept = []
    for a, b in sorted(pairs):
        reason = doubt(known[a], known[b], a, b)
        if reason:
            left_out[reason] += 1
        else:
            kept.append((a, b))
    return kept


def doubt(left: Known, right: Known, a: str, b: str) -> str:
    """Why a pair under one identifier is no pair of variants; "" if it may be one."""
    if FUND.search(a) or FUND.search(b):
        return "fund or certificate"
    if apart(left.industries, right.industries):
        if apart(left.sites, right.sites):
            return "industry and site differ"
        if apart(left.countries, right.countries):
            return "industry and country differ"
    return "" if akin(a, b) else "no telling word in common"


def apart(a: set[str], b: set[str]) -> bool:
    """Whether both say something, and not the same."""
    return bool(a) and bool(b) and not a & b


def akin(a: str, b: str) -> bool:
    """Whether two names share the beginning of a telling word, or one is the other's initials."""
    left, right = (
        [word for word, weight in weighted_words(parse_name(without_share_class(name)).key) if weight > 0.6]
        for name in (a, b)
    )
    if not left or not right:
        return False
    if any(x[:3] == y[:3] for x in left for y in right if len(x) > 2 and len(y) > 2):
        return True
    return "".join(x[0] for x in right) == left[0] or "".join(x[0] for x in left) == right[0]


def negatives(known: dict[str, Known], names: set[str], rng: random.Random) -> list[tuple[str, str]]:
    """Pairs of names of two companies of one industry that look most alike."""
    pools: dict[str, list[str]] = defaultdict(list)
    for name in sorted(known):
        for industry in known[name].industries:
            pools[industry].append(name)
    keys = {name: parse_name(without_share_class(name)).key for name in known}
    found: set[tuple[str, str]] = set()
    for name in sorted(names):
        mine = known[name]
        for industry in sorted(mine.industries)[:1]:
            pool = [
                other
                for other in pools[industry]
                if keys[other]
                and key_similarity(keys[other], keys[name]) not in (1.0, 0.97)
                and not mine.identifiers & known[other].identifiers
                and not mine.sites & known[other].sites
            ]
            pool = rng.sample(pool, MAX_POOL) if len(pool) > MAX_POOL else pool
            nearest = process.extract(without_share_class(name), pool, scorer=fuzz.WRatio, limit=NEGATIVES)
            found.update(tuple(sorted((name, other))) for other, _, _ in nearest)
    return sorted(found)


if __name__ == "__main__":
    main()
