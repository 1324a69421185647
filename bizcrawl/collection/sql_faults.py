"""What may come of SQL from strangers: a mistake, a refusal, an end before its time."""

from __future__ import annotations

import duckdb

from bizcrawl.errors import BizcrawlError, WrongUse
from bizcrawl.plaintext import visible

TOO_MUCH_MEMORY = "the query needs more memory than it may have; ask for less, or in parts"


class SqlMistake(WrongUse):
    """DuckDB can't make sense of a statement; the message shows where."""


class SqlRefused(WrongUse):
    """A statement that does more than read."""


class SqlStopped(BizcrawlError):  # noqa: N818 - named for what happened
    """A query that was ended: too long, too much memory, or its asker went away."""


def mistake(error: duckdb.Error) -> BizcrawlError:
    """What DuckDB said about a statement, as a fault of ours."""
    message = "\n".join(visible(line) for line in str(error).splitlines() if line.strip())
    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlStopped(TOO_MUCH_MEMORY)
    if isinstance(error, duckdb.InterruptException):
        return SqlStopped("the query was interrupted")
    return SqlMistake(message)
