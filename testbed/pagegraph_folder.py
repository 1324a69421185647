"""Page graphs kept on disk: each made of its recorded web once, then opened.

A page graph is kept in a folder beside the WARC, or in a cache folder where that can't be written, and made
anew when the WARC, the page cap or the program that tidies pages changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np

import contexts
from bizcrawl.errors import BizcrawlError
from bizcrawl.web.recorded import RecordedWeb
from bizcrawl.web.warc_index import user_cache
from bizcrawl.web.warc_parts import RECORDED_WEBS, NotAWarcError
from testbed.graph_arrays import REASONS, Arrays, SpanArrays
from testbed.pagegraph import PageGraph
from testbed.pagegraph_build import Progress, build

PAPER_PAGE_CAP_BYTES = 10_000
"""R13."""
_FORMAT = "2"
_RECORD = re.compile(r"\.(?:w?arc|cdxj?)(?:\.gz)?$")
"""Files of a folder that a recorded web is read from."""


def open_graph(
    warc: Path,
    page_cap_bytes: int | None = PAPER_PAGE_CAP_BYTES,
    cache: Path | None = None,
    progress: Progress = lambda _done, _all: None,
) -> PageGraph:
    """The page graph of a recorded web (a WARC file or a folder of them), made if there is none that fits.

    `progress` is told of the making, which takes seconds for a thousand pages. Raises `NotAWarcError` for
    what is no recorded web.
    """
    beside = warc.parent / f"{warc.name}.graph"
    apart = (cache or user_cache() / "graphs") / f"{_digest(str(warc.resolve()))[:16]}-{warc.name}.graph"
    if not warc.exists():
        raise NotAWarcError(f"{warc}: no such file: {RECORDED_WEBS}")
    mark = _mark(warc, page_cap_bytes)
    for folder in (beside, apart):
        if os.path.isdir(folder / mark):  # False also where one may not look
            return load(folder / mark)
    folder = beside if cache is None and _may_be_written(warc.parent) else apart
    with RecordedWeb(warc, page_cap_bytes) as web:  # what is none leaves no folder behind
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror or error
            raise BizcrawlError(
                f"{folder}: the page graph can't be kept there: {why}; name another place with XDG_CACHE_HOME"
            ) from error
        with _only_one(folder):
            if not (folder / mark).is_dir():
                arrays, known = build(web, progress)
                _drop_outdated(folder, mark)
                save(folder / mark, arrays, known, {fault.value: n for fault, n in web.faults.items()})
            return load(folder / mark)


def save(folder: Path, arrays: Arrays, known: Mapping[str, SpanArrays], faults: Mapping[str, int]) -> None:
    """Write a page graph; the folder appears under its name only when it is whole."""
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    draft.mkdir(parents=True)
    for part in fields(Arrays):
        np.save(draft / f"{part.name}.npy", getattr(arrays, part.name))
    for name, spans in known.items():
        _save_spans(draft, name, spans)
    (draft / "faults.json").write_text(json.dumps(dict(faults)), encoding="utf-8")
    draft.rename(folder)


def load(folder: Path) -> PageGraph:
    """Read a page graph; its large arrays stay on disk until they are looked at."""
    arrays = Arrays(
        **{part.name: np.asarray(np.load(folder / f"{part.name}.npy", "r")) for part in fields(Arrays)}
    )
    faults = json.loads((folder / "faults.json").read_text(encoding="utf-8"))
    return PageGraph(arrays, partial(_load_spans, folder), partial(_save_spans, folder), faults)


def _load_spans(folder: Path, name: str) -> SpanArrays | None:
    path = folder / f"spans-{name}.npz"
    if not path.is_file():
        return None
    with np.load(path) as stored:
        return SpanArrays(stored["starts"], stored["ends"], stored["norms"])


def _save_spans(folder: Path, name: str, spans: SpanArrays) -> None:
    if not folder.is_dir():  # another process has made the graph anew; what is loaded stays valid
        return
    draft = folder / f".{name}.{os.getpid()}.npz"
    np.savez(draft, starts=spans.starts, ends=spans.ends, norms=spans.norms)
    draft.rename(folder / f"spans-{name}.npz")


def _may_be_written(folder: Path) -> bool:
    """Whether a folder is meant to be written to: root could write to any, also to those marked read-only."""
    return os.access(folder, os.W_OK) and bool(folder.stat().st_mode & 0o222)


def _mark(warc: Path, page_cap_bytes: int | None) -> str:
    """The page cap, and a name that changes when the record or what tidies pages changes."""
    files = sorted(f for f in warc.iterdir() if _RECORD.search(f.name)) if warc.is_dir() else [warc]
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    home = Path(contexts.__file__).parent
    program = [(str(p.relative_to(home)), p.read_bytes()) for p in sorted(home.rglob("*.py"))]
    return f"{page_cap_bytes or 'whole'}-{_digest(repr((_FORMAT, stats, REASONS, program)))[:16]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _drop_outdated(folder: Path, mark: str) -> None:
    """Drop what was kept of the same page cap: the pages at other caps are other pages, and in use too."""
    cap = mark.partition("-")[0]
    for old in folder.iterdir():
        its_cap, has_one, _ = old.name.lstrip(".").partition("-")
        if old.is_dir() and (its_cap == cap or not has_one):
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, so that two processes don't make the same graph."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
