"""Speed of recorded webs, in CPU time: ``python tests/bench/recorded.py FILE.warc.gz``.

Opening with the CDXJ, opening by a pass over the file, opening by the index that the pass left, lookups in
random order, reading the whole web, and keeping its pages as a new WARC.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[2])  # a bench of this folder is named like a package

from bizcrawl.web import Request, Response  # noqa: E402
from bizcrawl.web.recorded import RecordedWeb  # noqa: E402
from bizcrawl.web.warc_writer import WarcWriter  # noqa: E402

LOOKUPS = 5000


def took_s(work: Callable[[], object]) -> float:
    """CPU seconds of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Print a table."""
    warc = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / warc.name
        shutil.copy(warc, bare)
        print(f"open with CDXJ    {took_s(lambda: RecordedWeb(warc).shut()):8.2f} s")
        for what in ("open by a pass   ", "open, index kept "):
            print(f"{what} {took_s(lambda: RecordedWeb(bare, cache=Path(folder)).shut()):8.2f} s")
        with RecordedWeb(warc) as web:
            urls = random.Random(1).choices(list(web.urls()), k=LOOKUPS)
            rate = LOOKUPS / took_s(lambda: [web.lookup(url) for url in urls])
            print(f"lookups           {rate:8,.0f} /s")
            pages: list[Response] = []
            rate = len(web) / took_s(lambda: pages.extend(web.iterate()))
            print(f"iterate           {rate:8,.0f} /s of {len(web):,}")
        writer = WarcWriter(Path(folder) / "kept", software="bench")
        kept = pages[:LOOKUPS]
        rate = len(kept) / took_s(lambda: [writer.write(Request(page.url), page) for page in kept])
        writer.close()
        mean_bytes = sum(len(page.body) for page in kept) / len(kept)
        print(f"write             {rate:8,.0f} /s of {mean_bytes:,.0f} bytes")


if __name__ == "__main__":
    main()
