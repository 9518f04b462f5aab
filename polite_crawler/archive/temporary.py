"""What a long piece of work has to remember, on the disk beyond a small cache."""

import sqlite3


class TemporaryTables:
    """Tables without a name: SQLite keeps them on the disk beyond a small cache and drops them at the end, so memory
    does not grow with what they hold. One transaction, which nothing ends. Threads can hand it on."""

    def __init__(self, tables: str, *, cache_kib: int) -> None:
        """`tables` are the statements that make them."""
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.execute(f"PRAGMA cache_size=-{cache_kib}")
        self._db.execute("PRAGMA temp_store=FILE")
        self._db.execute("PRAGMA journal_mode=OFF")
        for statement in tables.split(";"):
            self._db.execute(statement)
        self._db.execute("BEGIN")

    def close(self) -> None:
        """Drop the tables."""
        self._db.close()
