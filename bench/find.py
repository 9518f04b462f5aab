"""find: our ranking against raw FTS5 and tantivy, on documents of 900 Zipf words of a fixed seed.

Figures are CPU time of one process in one run, the median over 12 questions of the median over the rounds. Raw FTS5
is a contentless table of the same texts: `MATCH 'a OR b ...' ORDER BY rank LIMIT 10`. Every score of ours is compared
with the one that this table gives.
"""

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from harness import Bar, Options, Report, children_cpu, cpu, main, peer
from zipf_corpus import Corpus

from polite_crawler.store import segments
from polite_crawler.store.document import Document
from polite_crawler.store.entry import insert_capture
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.folding import Atom, parse_query
from polite_crawler.store.index import Index
from polite_crawler.store.question import Hit, Question
from polite_crawler.store.record import Body, Capture, Decoded, Time, utc

START = 1_700_000_000
TOP = 10
_IN_MEMORY = 100_000
OLD = 20


@dataclass(frozen=True)
class Bench:
    """The indexes of one corpus, and the seconds that building them took."""

    index: Index
    raw: sqlite3.Connection
    questions: dict[int, list[tuple[Atom, ...]]]
    docs: int
    seconds: dict[str, float]
    octets: dict[str, int]

    def ours(self, atoms: tuple[Atom, ...], **more: Any) -> list[Hit]:
        """Our answer to a question."""
        return answer(self.index, atoms, **more)

    def fts5(self, atoms: tuple[Atom, ...], join: str = " OR ", extra: str = "") -> list[tuple[int, float]]:
        """The answer of the raw table."""
        match = join.join(atom.match() for atom in atoms)
        sql = f"SELECT rowid, -rank FROM f WHERE f MATCH ? {extra} ORDER BY rank LIMIT {TOP}"
        return self.raw.execute(sql, (match,)).fetchall()


def answer(index: Index, atoms: tuple[Atom, ...], **more: Any) -> list[Hit]:
    """Our best texts for a question."""
    return index.reading(lambda catalog: index.search(catalog, Question(atoms, TOP, **more)))


def capture_of(number: int, text: str, at: int) -> tuple[Capture, tuple[Document, ...]]:
    """A capture with its document."""
    url = f"https://site.example/{number}"
    body = Body("0" * 64, len(text), decoded=Decoded(f"{at:064x}", len(text)))
    capture = Capture(kind="fetch", url=url, time=Time(utc(START + at)), outcome="ok", body=body).sealed()
    return capture, (Document(f"url:{url}", "page", None, text, url, {"size": len(text)}),)


def raw_table(path: Path) -> sqlite3.Connection:
    """An empty contentless FTS5 table."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=NORMAL")
    raw.execute("PRAGMA cache_size=-65536")
    raw.execute("CREATE VIRTUAL TABLE f USING fts5(body, content='', tokenize='ascii')")
    return raw


def fill_raw(raw: sqlite3.Connection, texts: Iterable[str]) -> None:
    """Insert all texts in one transaction."""
    raw.execute("BEGIN")
    raw.executemany("INSERT INTO f(rowid, body) VALUES(?,?)", enumerate(texts, 1))
    raw.execute("COMMIT")


def fill_ours(index: Index, captures: Iterable[tuple[Capture, tuple[Document, ...]]]) -> None:
    """Add all captures in one transaction, as a rebuild does, and write the segments."""
    with index.writing() as connection:
        for capture, documents in captures:
            insert_capture(connection, capture, documents, None)
    segments.build(index.connection(), index.generations.path(index.generation))


def build(folder: Path, corpus: Corpus) -> Bench:
    """Build the raw table and our index of one corpus."""
    raw = raw_table(folder / "raw.sqlite")
    index = Index(StoreFolder(folder / "store").create())
    texts: Iterable[str] = corpus.texts()
    captures: Iterable[tuple[Capture, tuple[Document, ...]]] = starmap(
        lambda number, text: capture_of(number, text, number), enumerate(corpus.texts(), 1)
    )
    if corpus.docs <= _IN_MEMORY:  # what only makes the data is not part of the figures
        texts, captures = list(texts), list(captures)
    seconds = {"raw": cpu(lambda: fill_raw(raw, texts)), "ours": cpu(lambda: fill_ours(index, captures))}
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    generation = index.generations.path(index.generation)
    fts = index.connection().execute("SELECT sum(length(block)) FROM f_data").fetchone()[0]
    octets = {
        "raw": (folder / "raw.sqlite").stat().st_size,
        "ours": fts + sum(path.stat().st_size for path in (generation / "segments").rglob("*") if path.is_file()),
    }
    questions = {words: [parse_query(one) for one in corpus.questions(words)] for words in (1, 4, 16)}
    return Bench(index, raw, questions, corpus.docs, seconds, octets)


def milliseconds(rounds: int, works: Sequence[Callable[[], object]], repeat: int = 1) -> float:
    """The median over the works of the median over the rounds of their CPU time, in milliseconds."""
    figures = []
    for work in works:
        times = []
        for _ in range(rounds):
            before = time.process_time()
            for _ in range(repeat):
                work()
            times.append((time.process_time() - before) / repeat)
        figures.append(median(times))
    return median(figures) * 1000


def asks(ask: Callable[..., object], questions: Sequence[tuple[Atom, ...]], **more: Any) -> list[Callable[[], object]]:
    """One call for each question."""
    return [lambda atoms=atoms: ask(atoms, **more) for atoms in questions]


def equal_scores(bench: Bench) -> float:
    """The share of our scores that are those of the raw table, in two stages: each word, then one of them."""
    same = total = 0
    for questions in bench.questions.values():
        for atoms in questions:
            whole = dict(bench.fts5(atoms, " AND "))
            some = [score for doc, score in bench.raw.execute(
                "SELECT rowid, -rank FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?",
                (" OR ".join(atom.match() for atom in atoms), TOP + 10_000)) if doc not in whole]  # fmt: skip
            expected = (sorted(whole.values(), reverse=True) + (some if len(whole) < TOP else []))[:TOP]
            found = [hit.score for hit in bench.ours(atoms)]
            total += max(len(expected), len(found))
            same += sum(abs(a - b) <= 1e-9 * max(1, abs(a)) for a, b in zip(expected, found, strict=False))
    return same / total


def tantivy_ask(folder: Path, corpus: Corpus) -> Callable[[tuple[Atom, ...]], object]:
    """A tantivy index of the same texts, and how it is asked for the 10 best of any word."""
    tantivy = peer("tantivy")
    schema = tantivy.SchemaBuilder().add_text_field("body", stored=False).add_integer_field("id", stored=True).build()
    folder.mkdir()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for number, text in enumerate(corpus.texts(), 1):
        writer.add_document(tantivy.Document(id=number, body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(atoms: tuple[Atom, ...]) -> object:
        query = index.parse_query(" ".join(atom.tokens[0] for atom in atoms), ["body"])
        return searcher.search(query, TOP).hits

    return ask


def compare_find(
    bench: Bench, ask_tantivy: Callable[[tuple[Atom, ...]], object], rounds: int
) -> Iterator[Bar | tuple[str, str]]:
    """The bars of find, and the milliseconds behind them."""
    for words, least in ((1, 4.0), (4, 15.0), (16, 15.0)):
        questions = bench.questions[words]
        ours = milliseconds(rounds, asks(bench.ours, questions), 5)
        fts5 = milliseconds(rounds, asks(bench.fts5, questions))
        tantivy = milliseconds(rounds, asks(ask_tantivy, questions), 5)
        at = milliseconds(rounds, [later(bench, atoms) for atoms in questions], 5)
        yield Bar(f"find of {words} words is so many times faster than raw FTS5 OR", fts5 / ours, ">=", least)
        if words > 1:
            yield Bar(f"find of {words} words takes so many times the CPU of tantivy", ours / tantivy, "<=", 4.0)
        yield Bar(f"find --at of {words} words takes so many times the CPU of find", at / ours, "<=", 5.0)
        yield f"{words} words: ms of ours, raw FTS5, tantivy, --at", f"{ours:.3f} {fts5:.2f} {tantivy:.3f} {at:.3f}"


def later(bench: Bench, atoms: tuple[Atom, ...]) -> Callable[[], object]:
    """A question at a time that was not asked before, when two thirds of the documents were there."""
    moments = iter(range((START + bench.docs * 2 // 3) * 10**6, 10**18))
    return lambda: bench.ours(atoms, at=next(moments))


def compare_within(bench: Bench, rounds: int) -> Iterator[Bar]:
    """The bar of rank_within: two thirds of the ids."""
    rng = np.random.default_rng(9)
    chosen = np.sort(rng.choice(np.arange(1, bench.docs + 1), bench.docs * 2 // 3, replace=False)).tolist()
    docs = frozenset(f"url:https://site.example/{number}" for number in chosen)
    bench.raw.execute("CREATE TEMP TABLE within(id INTEGER PRIMARY KEY)")
    bench.raw.executemany("INSERT INTO within VALUES(?)", ((number,) for number in chosen))
    extra = "AND +rowid IN (SELECT id FROM within)"
    for words in (4, 16):
        ours = milliseconds(rounds, asks(bench.ours, bench.questions[words], docs=docs), 5)
        fts5 = milliseconds(rounds, asks(bench.fts5, bench.questions[words], extra=extra))
        yield Bar(
            f"rank_within of {words} words is so many times faster than FTS5 with +rowid", fts5 / ours, ">=", 20.0
        )


def compare_crawling(folder: Path, corpus: Corpus) -> Bar:
    """One transaction a page on both sides; ours with the segments that it writes and merges on the way."""
    texts = [text for text, _ in zip(corpus.texts(), range(1500), strict=False)]
    captures = [capture_of(number, text, number) for number, text in enumerate(texts, 1)]
    raw = raw_table(folder / "one-by-one.sqlite")
    index = Index(StoreFolder(folder / "growing").create())
    rates: dict[str, list[float]] = {"raw": [], "ours": []}
    # in turns of 100 pages, so that a busy machine is unfair to none
    for start in range(0, len(texts), 100):
        numbers = range(start, start + 100)
        rates["raw"].append(cpu(lambda numbers=numbers: [one_page(raw, n + 1, texts[n]) for n in numbers]))
        rates["ours"].append(cpu(lambda numbers=numbers: [index.add(*captures[n]) for n in numbers]))
        rates["ours"].append(cpu(index.maintain))
    raw.close()
    index.close()
    share = sum(rates["raw"]) / sum(rates["ours"])
    return Bar("index while crawling: pages a CPU second, as a share of raw FTS5", share, ">=", 0.4)


def one_page(raw: sqlite3.Connection, number: int, text: str) -> None:
    """Insert one text in a transaction of its own."""
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("INSERT INTO f(rowid, body) VALUES(?,?)", (number, text))
    raw.execute("COMMIT")


def compare_history(folder: Path, rounds: int) -> Bar:
    """The same current texts, with and without 20 old versions of each document."""
    corpus = Corpus(1000 * (OLD + 1), words=150)
    texts = list(corpus.texts())
    current, old = texts[:1000], texts[1000:]
    figures = {}
    for name, versions in (("alone", 0), ("history", OLD)):
        index = Index(StoreFolder(folder / name).create())
        captures = [
            capture_of(number, text, version * 1000 + number)
            for version in range(versions + 1)
            for number, text in enumerate(
                current if version == versions else old[version * 1000 : version * 1000 + 1000]
            )
        ]
        fill_ours(index, captures)
        questions = [parse_query(one) for words in (1, 4, 16) for one in corpus.questions(words)]
        figures[name] = milliseconds(rounds, asks(partial(answer, index), questions), 10)
        index.close()
    return Bar(f"find with {OLD} old versions a document", figures["history"] / figures["alone"], "<=", 1.3)


def compare_start(bench: Bench, rounds: int) -> Bar:
    """From the start of the process to the answer."""
    question = " ".join(atom.tokens[0] for atom in bench.questions[4][0])
    command = [Path(sys.executable).with_name("pc-find"), "--dir", bench.index.folder.path, "--json", question]
    numpy = [sys.executable, "-c", "import sqlite3, numpy"]
    answer = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
    assert len(answer) == TOP
    assert json.loads(answer[0])["score"] > 0
    runs = {"ours": command, "numpy": numpy}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(max(rounds, 7)):
        for name, run in runs.items():
            times[name].append(children_cpu(lambda run=run: subprocess.run(run, capture_output=True, check=True)))
    return Bar(
        "pc-find from start to answer, over python -c 'import sqlite3, numpy'",
        median(times["ours"]) / median(times["numpy"]), "<=", 2.0,
    )  # fmt: skip


@contextmanager
def built(folder: Path, corpus: Corpus) -> Iterator[Bench]:
    """A bench that is closed at the end."""
    folder.mkdir()
    bench = build(folder, corpus)
    try:
        yield bench
    finally:
        bench.index.close()
        bench.raw.close()


def measure(options: Options) -> Report:
    """All claims of find."""
    corpus = Corpus(10_000 if options.quick else 30_000)
    results: list[Bar | tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with built(folder / "main", corpus) as bench:
            ask_tantivy = tantivy_ask(folder / "tantivy", corpus)
            results += compare_find(bench, ask_tantivy, options.rounds)
            results.append(Bar("share of the scores that are those of FTS5", equal_scores(bench), ">=", 1.0))
            results += compare_within(bench, options.rounds)
            built_in = bench.seconds["ours"] / bench.seconds["raw"]
            results.append(Bar("building index and segments, over raw FTS5", built_in, "<=", 2.5))
            size = bench.octets["ours"] / bench.octets["raw"]
            results.append(Bar("FTS5 and segments on disk, over raw FTS5", size, "<=", 2.2))
            results.append(compare_start(bench, options.rounds))
            small = milliseconds(options.rounds, asks(bench.ours, bench.questions[16]), 5)
        results.append(compare_crawling(folder, corpus))
        results.append(compare_history(folder, options.rounds))
        if not options.quick:
            with built(folder / "large", Corpus(10 * corpus.docs)) as bench:
                large = milliseconds(options.rounds, asks(bench.ours, bench.questions[16]))
            results.append(Bar("find of 16 words in 300,000 documents, over 30,000", large / small, "<=", 12.0))
    rows = [
        ("documents", f"{corpus.docs:,} x {corpus.words} words"),
        *(one for one in results if isinstance(one, tuple)),
    ]
    return Report([one for one in results if isinstance(one, Bar)], rows=rows)


if __name__ == "__main__":
    main("find", measure, versions=("numpy", "tantivy"))
