"""SQLite files of a store that cannot be written."""

import sqlite3
from pathlib import Path

# what a writer changes meanwhile is seen in the first way only; the second one needs no file beside the database
_WAYS = ("?mode=ro", "?mode=ro&immutable=1")


def connect_read_only(path: Path, *, seconds: float) -> sqlite3.Connection:
    """A connection that changes nothing, also where nothing can be changed; `seconds` is its busy time-out.

    SQLite reads a file in WAL mode with the files that a writer keeps beside it. On a folder that cannot be written
    and that nobody writes they are not there, and the file is read as one that does not change
    (https://www.sqlite.org/wal.html, read-only databases). Raises sqlite3.Error.
    """
    failure: sqlite3.Error | None = None
    for way in _WAYS:
        connection = sqlite3.connect(
            path.absolute().as_uri() + way, uri=True, isolation_level=None, check_same_thread=False, timeout=seconds
        )
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            failure = error
        except sqlite3.Error:
            connection.close()
            raise
        else:
            return connection
    assert failure is not None
    raise failure
