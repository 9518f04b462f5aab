"""How often a text holds a phrase, solved from the score that FTS5 gives: always the true count."""

import random
import sqlite3
from collections.abc import Sequence

import pytest

from polite_crawler.store.folding import Atom
from polite_crawler.store.phrases import phrase_postings


def table(texts: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(body, title, content='', tokenize='ascii')")
    connection.execute("CREATE TABLE ent(id INTEGER PRIMARY KEY, len INTEGER)")
    for number, text in enumerate(texts, 1):
        connection.execute("INSERT INTO f(rowid, body, title) VALUES(?,?,'')", (number, text))
        connection.execute("INSERT INTO ent VALUES(?,?)", (number, len(text.split())))
    return connection


def counted(texts: Sequence[str], tokens: tuple[str, ...], *, prefix: bool = False) -> dict[int, int]:
    found = {}
    for number, text in enumerate(texts, 1):
        words = text.split()
        places = [
            at
            for at in range(len(words) - len(tokens) + 1)
            if tuple(words[at : at + len(tokens) - 1]) == tokens[:-1]
            and (
                words[at + len(tokens) - 1].startswith(tokens[-1])
                if prefix
                else words[at + len(tokens) - 1] == tokens[-1]
            )
        ]
        if places:
            found[number] = len(places)
    return found


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
def test_counts_are_true(seed: int, share: float) -> None:
    rng = random.Random(seed)
    texts = []
    for _ in range(60):
        words = [rng.choice("abcdefgh") * rng.choice((1, 1, 2)) for _ in range(rng.choice((3, 40, 2000)))]
        if rng.random() < share:
            for _ in range(rng.choice((1, 3, 700))):
                at = rng.randrange(len(words))
                words[at:at] = ["x", "y", "z"]
        texts.append(" ".join(words))
    connection = table(texts)
    for tokens, prefix in (
        (("x", "y"), False),
        (("x", "y", "z"), False),
        (("a", "b"), False),
        (("a", "b"), True),
        (("q", "q"), False),
    ):
        numbers, counts = phrase_postings(connection, Atom(tokens, prefix))
        assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == counted(texts, tokens, prefix=prefix)
        assert numbers.tolist() == sorted(numbers.tolist())
    connection.close()


@pytest.mark.parametrize("texts", [["x y"], ["x y " * 5000, "x"], ["x y"] * 200, ["x y " * n for n in range(1, 300)]])
def test_the_edges(texts: list[str]) -> None:
    connection = table(texts)
    numbers, counts = phrase_postings(connection, Atom(("x", "y")))
    assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == counted(texts, ("x", "y"))
    connection.close()
