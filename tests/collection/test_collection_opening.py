"""Files that are no collection, or not one that can be used: one line each."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from collection_samples import NOON, TOPIC, MakePage

from bizcrawl.cli.beds import new_bed, open_bed
from bizcrawl.cli.places_to_write import place_for_collection
from bizcrawl.collection import schema, writer
from bizcrawl.collection.database_files import is_no_place
from bizcrawl.collection.opening import CollectionBusy, CollectionError, connect
from bizcrawl.collection.reader import Reader, reading, reading_together
from bizcrawl.collection.rows import Batch, CrawlRow
from bizcrawl.collection.writer import Collection
from bizcrawl.errors import WrongUse


def one_line(error: pytest.ExceptionInfo[CollectionError]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("name", ["notes.txt", "notes.csv", "notes.json", "notes.jsonl", "notes.parquet"])
def test_some_other_file_is_not_a_duckdb_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("no database, but longer than a header of one" * 1_000)
    with pytest.raises(CollectionError, match="is not a DuckDB file") as error:
        Collection.open(path)
    assert name in one_line(error)
    with pytest.raises(CollectionError, match="is not a DuckDB file"):
        Reader(path).rows("SELECT 1")


@pytest.mark.parametrize(
    "tables", ["", "CREATE TABLE pages (a INTEGER)", "CREATE TABLE collection (a INTEGER)"]
)
def test_some_other_duckdb_file_is_not_a_collection(tmp_path: Path, tables: str) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(tables)
    before = path.read_bytes()
    for attempt in (Collection.open, Collection.create, lambda p: Reader(p).rows("SELECT 1")):
        with pytest.raises(CollectionError, match="not a collection of bizcrawl") as error:
            attempt(path)
        one_line(error)
    assert path.read_bytes() == before, "it is left as it was"


@pytest.mark.parametrize(
    ("version", "says"),
    [
        (f"{schema.VERSION}", "has no table"),
        ("'x'", "not a collection of bizcrawl"),
        ("NULL", "not a collection of bizcrawl"),
    ],
)
def test_a_file_that_only_says_it_is_a_collection_is_refused_in_one_line(
    tmp_path: Path, version: str, says: str
) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(
            f"CREATE TABLE collection AS SELECT '{schema.APPLICATION}' AS application, "
            f"{version} AS schema_version"
        )
    with pytest.raises(CollectionError, match=says) as error:
        Reader(path).rows("SELECT 1")
    one_line(error)
    with pytest.raises(CollectionError) as error:
        Collection.open(path)
    one_line(error)


def test_a_damaged_file_is_told_from_one_that_is_locked(tmp_path: Path) -> None:
    """The checksum of a block does not match: that was taken for a lock, and waited for."""
    path = tmp_path / "padlock.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE a (b INTEGER)")
    spoiled = bytearray(path.read_bytes())
    spoiled[4_200:8_000] = b"\xff" * 3_800
    path.write_bytes(spoiled)
    for attempt in (Collection.open, lambda p: Reader(p).rows("SELECT 1")):
        with pytest.raises(CollectionError, match="damaged or was cut short") as error:
            attempt(path)
        assert not isinstance(error.value, CollectionBusy)
        one_line(error)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for opened in (lambda path: Reader(path).rows("SELECT 1"), Collection.open):
        with pytest.raises(CollectionError, match="is a pipe"):
            opened(tmp_path / "pipe")


def test_no_collection_takes_the_place_of_a_pipe_a_socket_or_a_link(tmp_path: Path) -> None:
    """``--to /dev/null`` made a file of the device, for whoever may do so."""
    pipe, listening, link = tmp_path / "pipe", tmp_path / "socket", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(link)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(listening))
        for path, told in ((pipe, "a pipe"), (listening, "a socket"), (link, "a link that leads to itself")):
            kind = stat.S_IFMT(path.lstat().st_mode)
            with pytest.raises(CollectionError) as error:
                Collection.create(path)
            assert one_line(error) == f"{path} is {told}; name a file"
            with pytest.raises(WrongUse, match=told):
                place_for_collection(path)
            assert stat.S_IFMT(path.lstat().st_mode) == kind
    assert is_no_place(Path(os.devnull)) == "a device"


@pytest.mark.parametrize("name", ["~run.duckdb", "md:run.duckdb", ":memory:", "gold: 10:30.duckdb"])
def test_a_file_is_called_as_it_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB makes of such names a file in the home folder, another kind of database, or no file at all."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for file in (Path(name), Path("other.duckdb")):
        Collection.create(file).close()
    with reading_together([Path("other.duckdb"), Path(name)]) as con:
        assert con.execute("SELECT count(*) FROM duckdb_databases() WHERE readonly").fetchone() == (2,)
    assert Reader(Path(name)).rows("SELECT application FROM collection") == [("bizcrawl",)]
    with new_bed(Path(f"bed {name}")) as bed:
        bed.execute("CREATE TABLE topics (topic INTEGER)")
    open_bed(Path(f"bed {name}"), read_only=True).close()
    assert {path.name for path in tmp_path.iterdir()} == {name, "other.duckdb", f"bed {name}"}


def test_a_collection_is_made_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, place = tmp_path / "harvest.duckdb", tmp_path / "disk" / "harvest.duckdb"
    link.symlink_to(place)
    with Collection.create(link):
        assert link.is_symlink()
    assert Reader(place).rows("SELECT application FROM collection") == [("bizcrawl",)]
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["harvest.duckdb"]


def test_a_collection_of_a_newer_version_is_refused_with_the_reason(path: Path) -> None:
    Collection.create(path).close()
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE collection SET schema_version = ?", [schema.VERSION + 1])
    with pytest.raises(CollectionError, match=r"newer bizcrawl.*upgrade"):
        Collection.open(path)
    with pytest.raises(CollectionError, match=r"newer bizcrawl.*upgrade"), reading(path):
        pass


def test_no_such_file_no_such_directory_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="no such file"):
        Collection.open(tmp_path / "none.duckdb")
    with pytest.raises(CollectionError, match="no directory"):
        Collection.create(tmp_path / "none" / "x.duckdb")
    with pytest.raises(CollectionError, match="is a directory"):
        Collection.open(tmp_path)


def test_a_file_that_another_process_writes_names_that_process(path: Path) -> None:
    Collection.create(path).close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        with pytest.raises(CollectionBusy, match=f"process {holder.pid}") as error:
            Collection.open(path)
        one_line(error)
        # it does not answer queries either: the same line, not a hang
        with pytest.raises(CollectionBusy, match=f"process {holder.pid}"):
            Reader(path).rows("SELECT 1")
    finally:
        holder.communicate("\n")


def test_whoever_is_just_reading_is_waited_for(path: Path) -> None:
    Collection.create(path).close()
    looks = (
        "import duckdb, sys, time; con = duckdb.connect(sys.argv[1], read_only=True); "
        "print(1, flush=True); time.sleep(0.5)"
    )
    with subprocess.Popen([sys.executable, "-c", looks, str(path)], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        Collection.open(path).close()


def test_an_empty_file_becomes_a_collection(path: Path) -> None:
    path.touch()
    Collection.create(path).close()
    assert Reader(path).rows("SELECT application FROM collection") == [("bizcrawl",)]


def test_a_crash_while_the_file_is_made_leaves_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*arguments: object) -> None:
        raise RuntimeError("killed here")

    monkeypatch.setattr(schema, "create_views", crash)
    with pytest.raises(RuntimeError):
        Collection.create(path)
    assert list(path.parent.iterdir()) == []


def test_committed_pages_survive_a_torn_log(path: Path, make_page: MakePage) -> None:
    """Case i03: the last bytes of the log are missing after a crash (with a unique index: #18732)."""
    script = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from bizcrawl.collection.rows import *
from bizcrawl.collection.writer import Collection
from bizcrawl.topic import Topic
from datetime import datetime
collection = Collection.create(Path({str(path)!r}))
collection.begin_crawl(CrawlRow("crawl", Topic("t", (), "x"), "breadth_first"))
for n in (1, 2):
    row = PageRow(f"https://a.example/{{n}}", f"https://a.example/{{n}}", datetime(2026, 1, 1))
    collection.submit(Batch([StoredPage(row, PageLinks(), b"tree")])).result()
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", script], check=False)
    wal = Path(f"{path}.wal")
    whole = wal.read_bytes()
    wal.write_bytes(whole[:-5])
    with Collection.open(path) as collection:
        cursor = collection.cursor()
        found = cursor.execute("SELECT url FROM pages ORDER BY page").fetchall()
        cursor.close()
        assert found[:1] == [("https://a.example/1",)]
        collection.continue_crawl(1)
        collection.submit(Batch([make_page("https://a.example/3")])).result()
    assert ("https://a.example/3",) in Reader(path).rows("SELECT url FROM pages")


def test_the_clock_may_jump_back(path: Path, make_page: MakePage) -> None:
    """Wall-clock times are stored, never reckoned with."""
    times = iter([NOON, NOON, NOON.replace(year=2001), NOON.replace(year=1999)])
    with Collection.create(path, now=lambda: next(times)) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth_first"))
        collection.submit(Batch([make_page("https://a.example/")])).result()
        collection.end_crawl("done")
    assert Reader(path).rows("SELECT count(*) FROM crawls WHERE ended_at < started_at") == [(1,)]


def test_on_a_full_disk_no_collection_is_opened_for_writing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection.create(path).close()
    monkeypatch.setattr(writer, "free_bytes_of", lambda _directory: 0)
    with pytest.raises(CollectionError, match=r"the disk is full; make room \(64 MB at least\)$"):
        Collection.open(path)


def test_a_disk_that_fails_while_a_collection_is_opened_is_told_in_one_line(path: Path) -> None:
    """DuckDB has undone the transaction then, and undoing it once more was a traceback."""
    Collection.create(path).close()
    script = f"""
import resource, signal, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from bizcrawl.collection.opening import CollectionError
from bizcrawl.collection.writer import Collection
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
try:
    Collection.open(Path({str(path)!r}))
except CollectionError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    (fault,) = ended.stdout.splitlines()
    assert "could not be opened for writing: the file may not grow any more: " in fault, ended.stderr
    with Collection.open(path) as collection:
        collection.begin_crawl(CrawlRow("crawl", TOPIC, "breadth_first"))


@pytest.mark.parametrize("close_works", [False, True])
def test_a_write_that_fails_ends_the_writing_and_what_was_acknowledged_stays(
    path: Path, close_works: bool
) -> None:
    """The file system itself says no, in the middle of a commit: here by a limit on the size of files."""
    script = f"""
import resource, signal, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from datetime import datetime
from bizcrawl.collection.link_columns import pack
from bizcrawl.collection.opening import CollectionError
from bizcrawl.collection.rows import *
from bizcrawl.collection.writer import Collection
from bizcrawl.topic import Topic
from contexts.links import Link
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
collection = Collection.create(Path({str(path)!r}))
collection.begin_crawl(CrawlRow("crawl", Topic("t", (), "x"), "breadth-first"))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, hard))

found = pack([Link("https://b.example/", 2, 0, "b", "a", "")], [""], [1], [""])
links = PageLinks(found, [0.0], [{{}}], ["queued"])

def page(n):
    row = PageRow(f"https://a.example/{{n}}", f"https://a.example/{{n}}", datetime(2026, 1, 1))
    return Batch([StoredPage(row, links, bytes(100_000))])

acknowledged = 0
try:
    while True:
        collection.submit(page(acknowledged)).result()
        acknowledged += 1
except CollectionError as error:
    print(error)
if {close_works}:
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
try:
    collection.submit(page(-1)).result()
    print("a later batch was taken")
except CollectionError:
    pass
collection.close()
print(acknowledged)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    fault, count = ended.stdout.splitlines()
    assert "the disk is full; what was acknowledged is safe" in fault
    assert int(count) > 0
    stored = Reader(path).rows(
        "SELECT count(*), (SELECT count(*) FROM links), (SELECT count(*) FROM trees) FROM pages"
    )
    assert stored == [(int(count),) * 3]
    with Collection.open(path) as collection:
        collection.continue_crawl(1)


@pytest.mark.parametrize(
    "fault", [OSError(errno.EROFS, "Read-only file system"), CollectionError("FILE can't be opened")]
)
def test_a_place_where_nothing_can_be_made_is_told_by_the_name_that_was_asked_for(
    fault: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *, read_only: bool) -> None:
        raise type(fault)(*(str(part).replace("FILE", str(path)) for part in fault.args))

    monkeypatch.setattr(writer, "connect", refuse)
    with pytest.raises(CollectionError) as error:
        Collection.create(tmp_path / "new.duckdb")
    assert one_line(error).startswith(f"{tmp_path / 'new.duckdb'} can't be ")


def test_a_read_only_file_system_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise duckdb.IOException('IO Error: Cannot open file "new.duckdb": Read-only file system')

    monkeypatch.setattr(duckdb, "connect", refuse)
    with pytest.raises(CollectionError, match="it lies on a read-only file system") as error:
        connect(tmp_path / "new.duckdb", read_only=False)
    one_line(error)
