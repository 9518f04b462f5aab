"""Ranking: each score is that of an FTS5 table of exactly the texts that may answer, whatever happened before."""

import random
from pathlib import Path

import pytest
from index_lab import IndexLab, Oracle
from store_lab import T0

from polite_crawler.store import segments
from polite_crawler.store.currency import VersionFacts, current_of
from polite_crawler.store.folding import parse_query
from polite_crawler.store.record import micros, utc

WORDS = ["tea", "maki", "teapot", "team", "rice", "nori", "rain", "river", "猫", "小猫", "网络爬虫", "été", "हिन्दी"]
QUESTIONS = [
    "tea", "nothing", "tea rice", "te*", "te* ri*", '"tea maki"', '"tea maki" rice', "网络", "猫", "ete हिन्दी",
    "tea maki teapot team rice nori rain river", '"rice rice"', "r* nothing", "爬", '"网络爬虫 tea"', "zzz* tea",
]  # fmt: skip


class History:
    """What was added, so that the right answer can be calculated from the rules alone."""

    def __init__(self) -> None:
        self.versions: dict[str, list[tuple[VersionFacts, str, str, bool]]] = {}

    def add(self, doc: str, facts: VersionFacts, title: str, text: str, held: bool) -> None:
        self.versions.setdefault(doc, []).append((facts, title, text, held))

    def texts(self, at: int | None = None) -> list[tuple[str, str, str]]:
        found = []
        for doc, versions in self.versions.items():
            if self._current(versions, None)[3]:
                continue  # held back now: each of its versions is
            known = [one for one in versions if at is None or one[0].fetched <= at]
            if known:
                _, title, text, held = self._current(known, at)
                if not held:
                    found.append((doc, title, text))
        return found

    @staticmethod
    def _current(
        versions: list[tuple[VersionFacts, str, str, bool]], at: int | None
    ) -> tuple[VersionFacts, str, str, bool]:
        current = current_of([one[0] for one in versions])
        return next(one for one in versions if one[0].id == current.id)


def fill(lab: IndexLab, rng: random.Random, steps: int, docs: int) -> History:
    history = History()
    for step in range(steps):
        doc = f"d{rng.randrange(docs)}"
        text = " ".join(rng.choice(WORDS[: rng.choice((4, len(WORDS)))]) for _ in range(rng.choice((1, 5, 60, 700))))
        old = history.versions.get(doc)
        if old and rng.random() < 0.3:
            text = rng.choice(old)[2]  # the text of an earlier version comes back
        title = rng.choice(("", "Tea time", "River"))
        held = rng.random() < 0.15
        at = rng.randrange(50) if rng.random() < 0.2 else 50 + step
        capture = lab.add(doc, text, at=at, title=title, hold="noai" if held else None)
        assert capture.body is not None
        facts = VersionFacts(step, capture.fetched, capture.id, capture.body.sha256)
        history.add(doc, facts, title, text, held)
        if rng.random() < 0.1:
            lab.index.maintain(tail=rng.choice((1, 5, 20)))
    return history


def compare(lab: IndexLab, history: History, at: int | None) -> int:
    oracle = Oracle(history.texts(at))
    answered = 0
    for query in QUESTIONS:
        atoms = parse_query(query)
        whole, rest = oracle.two_stages(atoms)
        found = lab.search(atoms, 1000, at=at)
        assert [doc for doc, _ in found[: len(whole)]] == [doc for doc, _ in found if doc in whole], query
        assert dict(found) == pytest.approx(whole | rest, rel=1e-9), query
        for part in (found[: len(whole)], found[len(whole) :]):
            scores = [score for _, score in part]
            assert scores == sorted(scores, reverse=True)
        assert lab.search(atoms, 3, at=at) == found[:3]
        answered += bool(found)
    return answered


@pytest.mark.parametrize("seed", range(12))
def test_scores_are_those_of_fts5_over_the_texts_that_may_answer(tmp_path: Path, seed: int) -> None:
    lab = IndexLab(tmp_path)
    rng = random.Random(seed)
    history = fill(lab, rng, steps=60, docs=rng.choice((3, 12, 40)))
    assert compare(lab, history, None) > 3
    for at in (0, 25, 60, 90, 200):
        compare(lab, history, micros(utc(T0 + at)))
    segments.build(lab.index.connection(), lab.index.generations.path(lab.index.generation))
    assert compare(lab, history, None) > 3
    compare(lab, history, micros(utc(T0 + 70)))
    assert not segments.check(lab.index.connection(), lab.index.generations.path(lab.index.generation))
    lab.index.close()
