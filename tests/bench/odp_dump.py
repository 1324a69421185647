"""A dump in the Open Directory's format of any size, for measuring its reader.

Categories, links and descriptions have the shapes and lengths of the real dumps of 2004 to 2017: about 430
bytes a listing, four listings a category in the mean with a long tail, one text in ten with a reference.
Nothing in it is real.

    python tests/bench/odp_dump.py 2000 /tmp/content.rdf.u8
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/"'
    ' xmlns="http://dmoz.org/rdf/">\n<!-- Generated at 2004-05-12 03:16:06 EST -->\n'
)
TAIL = "</RDF>\n"
_AREAS = ("Arts", "Business", "Computers", "Games", "Health", "Regional", "Science", "Shopping", "World")
_ENDS = (
    "Companies",
    "Consultants",
    "Manufacturers",
    "Directories",
    "Europe",
    "A",
    "Associations",
    "News",
    "History",
)


def words(rng: random.Random, count: int = 4000) -> list[str]:
    """Invented words of two to four syllables; one in fifty has a letter outside ASCII."""
    consonants, vowels = "bcdfghklmnprstvz", "aeiou"
    made = {
        "".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(rng.randint(2, 4)))
        for _ in range(count)
    }
    return [word.replace("e", "é", 1) if rng.random() < 0.02 else word for word in sorted(made)]


def categories(rng: random.Random, vocabulary: list[str]) -> Iterator[tuple[str, int]]:
    """Paths of categories with their numbers of listings, without end."""
    while True:
        branch = [
            rng.choice(_AREAS),
            *(word.capitalize() for word in rng.sample(vocabulary, rng.randint(1, 4))),
        ]
        business = rng.random() < 0.05
        end = rng.choice(_ENDS[:3]) if business else rng.choice(_ENDS)
        size = rng.randint(5, 60) if business else min(int(rng.expovariate(0.25)), 500)
        yield "/".join(["Top", *branch, end]), size


def chunks(megabytes: float, seed: int = 1) -> Iterator[str]:
    """The dump in pieces, one category each, until it has about `megabytes` (10^6 bytes)."""
    rng = random.Random(seed)
    vocabulary = words(rng)
    phrases = [
        " ".join(rng.choices(vocabulary, k=rng.randint(5, 22))).capitalize() + "." for _ in range(20_000)
    ]
    written, catid, page = 0, 1, 0
    yield HEAD
    for category, size in categories(rng, vocabulary):
        catid += 1
        lines = [f'<Topic r:id="{category}">\n  <catid>{catid}</catid>\n']
        urls = [f"http://www.{rng.choice(vocabulary)}{page + i}.com/" for i in range(size)]
        urls = [f"{url}{rng.choice(vocabulary)}.html" if rng.random() < 0.4 else url for url in urls]
        page += size
        kinds = [
            "link1" if i == 0 and size > 20 else ("pdf" if rng.random() < 0.01 else "link")
            for i in range(size)
        ]
        lines += [f'  <{kind} r:resource="{url}"></{kind}>\n' for kind, url in zip(kinds, urls, strict=True)]
        lines.append("</Topic>\n")
        for url in urls:
            text = rng.choice(phrases)
            text = text.replace(" ", " &amp; ", 1) if rng.random() < 0.1 else text
            lines.append(
                f'<ExternalPage about="{url}">\n  <d:Title>{text[:24]}</d:Title>\n'
                f"  <d:Description>{text}</d:Description>\n  <topic>{category}</topic>\n</ExternalPage>\n"
            )
        piece = "".join(lines)
        yield piece
        written += len(piece)
        if written >= megabytes * 1e6:
            break
    yield TAIL


def write(path: Path, megabytes: float, seed: int = 1) -> int:
    """Write a dump; its size in bytes."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(chunks(megabytes, seed))
    return path.stat().st_size


if __name__ == "__main__":
    sys.stdout.write(f"{write(Path(sys.argv[2]), float(sys.argv[1])):,} bytes\n")
