"""What an export has to remember, on the disk: which captures it wrote, the lines of the index and the pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from polite_crawler.archive.temporary import TemporaryTables

_TABLES = """
CREATE TABLE capture(id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE line(text BLOB NOT NULL);
CREATE TABLE page(doc TEXT PRIMARY KEY, fetched INTEGER NOT NULL, capture TEXT NOT NULL, url TEXT NOT NULL,
    date TEXT NOT NULL, title TEXT) WITHOUT ROWID;
"""
_CACHE_KIB = 1024


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page of the page list: the latest capture of a document. `date` is its WARC-Date."""

    capture: str
    url: str
    date: str
    title: str | None


class Scratch(TemporaryTables):
    """The captures, the lines of the index and the pages of one export."""

    def __init__(self) -> None:
        super().__init__(_TABLES, cache_kib=_CACHE_KIB)

    def add_capture(self, capture: str) -> bool:
        """Note a capture; False when it was noted before."""
        return self._db.execute("INSERT OR IGNORE INTO capture VALUES(?)", (capture,)).rowcount > 0

    def drop_capture(self, capture: str) -> None:
        """Forget a capture that was not written after all."""
        self._db.execute("DELETE FROM capture WHERE id=?", (capture,))

    def has_capture(self, capture: str) -> bool:
        """Whether a capture was noted."""
        return self._db.execute("SELECT 1 FROM capture WHERE id=?", (capture,)).fetchone() is not None

    def add_line(self, line: bytes) -> None:
        """Keep a line of the index."""
        self._db.execute("INSERT INTO line VALUES(?)", (line,))

    def lines(self) -> Iterator[bytes]:
        """The lines of the index, sorted by their octets."""
        for row in self._db.execute("SELECT text FROM line ORDER BY text"):
            yield row[0]

    def size_of_lines(self) -> int:
        """The octets of all lines of the index."""
        return int(self._db.execute("SELECT coalesce(sum(length(text)), 0) FROM line").fetchone()[0])

    def add_page(self, doc: str, fetched: int, page: PageLine) -> None:
        """Keep a page of a document, in the place of an older one."""
        self._db.execute(
            "INSERT INTO page VALUES(?,?,?,?,?,?) ON CONFLICT(doc) DO UPDATE SET fetched=excluded.fetched,"
            " capture=excluded.capture, url=excluded.url, date=excluded.date, title=excluded.title"
            " WHERE excluded.fetched >= fetched",
            (doc, fetched, page.capture, page.url, page.date, page.title),
        )

    def pages(self) -> Iterator[PageLine]:
        """The pages, sorted by document."""
        for row in self._db.execute("SELECT capture, url, date, title FROM page ORDER BY doc"):
            yield PageLine(*row)

    def count_pages(self) -> int:
        """How many documents have a page."""
        return int(self._db.execute("SELECT count(*) FROM page").fetchone()[0])
