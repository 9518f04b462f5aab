"""An index without a crawl: captures and documents made by hand, and an FTS5 table that knows the right scores."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from store_lab import T0, digest

from polite_crawler.store.document import Document
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.folding import Atom, fold
from polite_crawler.store.index import Index
from polite_crawler.store.question import Hit, Question
from polite_crawler.store.record import Body, Capture, Time, utc


class IndexLab:
    """Adds versions to an index and answers from it. `at` is in seconds after T0."""

    def __init__(self, path: Path) -> None:
        self.index = Index(StoreFolder(path).create())

    def add(
        self,
        doc: str,
        text: str,
        *,
        at: float,
        title: str = "",
        kind: str = "page",
        hold: str | None = None,
        **fields: Any,
    ) -> Capture:
        url = f"http://x.example/{doc}"
        facts: dict[str, Any] = {
            "kind": "fetch",
            "outcome": "ok",
            "body": Body(digest(f"{title}\n{text}".encode("utf-8", "surrogatepass")), len(text)),
            "signals": {"hold": hold} if hold else None,
        } | fields
        capture = Capture(url=url, time=Time(utc(T0 + at)), **facts).sealed()
        assert self.index.add(capture, [Document(doc, kind, title or None, text, url)])
        return capture

    def search(self, atoms: Sequence[Atom], limit: int = 10, **options: Any) -> list[tuple[str, float]]:
        question = Question(tuple(atoms), limit, **options)

        def ask(catalog: Any) -> list[tuple[str, float]]:
            hits: list[Hit] = self.index.search(catalog, question)
            names = catalog.docs_of_entries(hit.entry for hit in hits)
            return [(names[hit.entry], hit.score) for hit in hits]

        return self.index.reading(ask)


class Oracle:
    """An FTS5 table of exactly these texts: (document, title, text)."""

    def __init__(self, texts: Iterable[tuple[str, str, str]]) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE VIRTUAL TABLE f USING fts5(body, title, content='', tokenize='ascii')")
        self.docs: dict[int, str] = {}
        for number, (doc, title, text) in enumerate(texts, 1):
            self.docs[number] = doc
            row = number, fold(text), fold(title)
            self.connection.execute("INSERT INTO f(rowid, body, title) VALUES(?,?,?)", row)

    def ask(self, match: str) -> dict[str, float]:
        """The score of each document that an FTS5 question finds."""
        rows = self.connection.execute("SELECT rowid, -rank FROM f WHERE f MATCH ?", (match,))
        return {self.docs[number]: score for number, score in rows}

    def two_stages(self, atoms: Sequence[Atom]) -> tuple[dict[str, float], dict[str, float]]:
        """Those with each atom, and the others with one."""
        words = [atom.match() for atom in atoms]
        whole, some = self.ask(" AND ".join(words)), self.ask(" OR ".join(words))
        return whole, {doc: score for doc, score in some.items() if doc not in whole}
