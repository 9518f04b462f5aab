"""Segments: written, merged and named so that no text is missed, and damage is found."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from index_lab import IndexLab, Oracle

from polite_crawler.errors import StoreError
from polite_crawler.store import segments
from polite_crawler.store.doctor import examine
from polite_crawler.store.faults import DamagedSegment
from polite_crawler.store.folding import parse_query
from polite_crawler.store.postings import Segment
from polite_crawler.store.segment_build import Part, build_from_texts, merge

WORDS = [f"w{n}" for n in range(200)] + ["té", "网络", "x" * 200]


def texts(rng: random.Random, count: int) -> list[list[str]]:
    return [[rng.choice(WORDS) for _ in range(rng.choice((0, 1, 30, 900)))] for _ in range(count)]


def write(folder: Path, numbered: dict[int, list[str]]) -> Segment:
    entries = np.array(sorted(numbered), np.int64)
    lengths = np.array([len(numbered[entry]) for entry in sorted(numbered)], np.int64)
    build_from_texts(sorted(numbered.items()), [Part(folder, entries, lengths)])
    return Segment(folder)


def holds(segment: Segment, numbered: dict[int, list[str]]) -> None:
    counts = {entry: Counter(words) for entry, words in numbered.items()}
    assert segment.entries.tolist() == sorted(numbered)
    assert segment.lengths.tolist() == [len(numbered[entry]) for entry in sorted(numbered)]
    vocabulary = sorted({word for words in numbered.values() for word in words}, key=str.encode)
    assert [segment.term(at).decode() for at in range(segment.terms)] == vocabulary
    for word in [*vocabulary, "absent", "", "w", "zz"]:
        found = segment.postings(word.encode())
        pairs = (
            {}
            if found is None
            else dict(zip(segment.entries[found.texts].tolist(), found.counts.tolist(), strict=True))
        )
        assert pairs == {entry: count[word] for entry, count in counts.items() if word in count}
    for prefix in ("w1", "w", "t", "网", "x", "nope"):
        found = segment.prefix_postings(prefix.encode())
        sums = {
            entry: sum(n for word, n in count.items() if word.startswith(prefix)) for entry, count in counts.items()
        }
        pairs = (
            {}
            if found is None
            else dict(zip(segment.entries[found.texts].tolist(), found.counts.tolist(), strict=True))
        )
        assert pairs == {entry: total for entry, total in sums.items() if total}
    segment.check()


@pytest.mark.parametrize("seed", range(3))
def test_a_segment_gives_back_what_went_in(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    numbered = {7 + 3 * n: words for n, words in enumerate(texts(rng, 40))}
    numbered[500] = ["w1"] * 300 + ["w2"] * 70_000  # counts over one octet
    holds(write(tmp_path / "a", numbered), numbered)


def test_merged_segments_hold_the_texts_of_all(tmp_path: Path) -> None:
    rng = random.Random(5)
    numbered = dict(enumerate(texts(rng, 90), 1))
    numbered[3] = ["w1"] * 999
    split: list[dict[int, list[str]]] = [{}, {}, {}]
    for entry, words in numbered.items():
        split[entry % 3][entry] = words
    made = [write(tmp_path / str(at), part) for at, part in enumerate(split)]
    kept = {entry: words for entry, words in numbered.items() if entry % 5}
    rest = {entry: words for entry, words in numbered.items() if not entry % 5}
    parts = [
        Part(
            tmp_path / name, np.array(sorted(some), np.int64), np.array([len(some[e]) for e in sorted(some)], np.int64)
        )
        for name, some in (("kept", kept), ("rest", rest))
    ]
    merge(made, parts)
    holds(Segment(tmp_path / "kept"), kept)
    holds(Segment(tmp_path / "rest"), rest)


@pytest.mark.parametrize(
    "name", ["ids", "counts", "terms", "term_ends", "offsets", "entries", "lengths", "segment.json"]
)
def test_damage_is_found(tmp_path: Path, name: str) -> None:
    write(tmp_path / "a", {1: ["a", "b"], 2: ["b", "c"]})
    path = tmp_path / "a" / name
    data = path.read_bytes()
    if name != "segment.json":
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(DamagedSegment, match=name):
            Segment(tmp_path / "a").check()
    path.write_bytes(data[:-1])
    with pytest.raises(DamagedSegment, match=r"damaged|bytes|open"):
        Segment(tmp_path / "a").check()
    path.unlink()
    with pytest.raises(DamagedSegment):
        Segment(tmp_path / "a")


def test_a_growing_index_keeps_few_segments_and_true_scores(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = IndexLab(store_dir)
    rng = random.Random(3)
    current: dict[str, str] = {}
    for step in range(600):
        doc = f"d{rng.randrange(400)}"
        current[doc] = " ".join(rng.choice(WORDS[:60]) for _ in range(8))
        lab.add(doc, current[doc], at=step)
        if step % 8 == 0:
            lab.index.maintain(tail=8)
    ask = lab.index.connection().execute
    assert ask("SELECT count(*) FROM seg").fetchone()[0] <= 20
    assert ask("SELECT count(*) FROM ent WHERE part = 0").fetchone()[0] <= 8
    assert (
        ask("SELECT sum(docs) FROM seg").fetchone()[0] == ask("SELECT count(*) FROM ent WHERE part > 0").fetchone()[0]
    )
    assert (
        len(list((lab.index.generations.path(lab.index.generation) / "segments").iterdir()))
        == (ask("SELECT count(*) FROM seg").fetchone()[0])
    )
    oracle = Oracle((doc, "", text) for doc, text in current.items())
    for query in ("w1 w2 w3", "w5", "w1*", '"w1 w2"'):
        whole, rest = oracle.two_stages(parse_query(query))
        assert dict(lab.search(parse_query(query), 1000)) == pytest.approx(whole | rest, rel=1e-9)
    lab.index.close()


def test_many_old_texts_make_a_new_build(store_dir: Path) -> None:
    lab = IndexLab(store_dir)
    for round_ in range(6):
        for n in range(300):
            lab.add(f"d{n}", f"tea round {round_} page {n}", at=round_ * 1000 + n)
        lab.index.maintain()
    rows = dict(lab.index.connection().execute("SELECT part, sum(docs) FROM seg GROUP BY part").fetchall())
    assert rows[segments.CURRENT] < 2 * 300 + 4 * segments.TAIL
    assert len(lab.search(parse_query("tea"), 1000)) == 300
    assert len(lab.search(parse_query('"round 0"'), 1000)) == 0
    lab.index.close()


def faults(lab: IndexLab) -> str:
    return "\n".join(examine(lab.index).faults)


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def test_the_doctor_finds_each_damage_and_a_reindex_cures_the_index(store_dir: Path) -> None:
    lab = IndexLab(store_dir)
    for n in range(30):
        lab.add(f"d{n}", f"tea number{n} " * 20, at=n, title=f"Title {n}")
    lab.index.maintain(tail=1)
    diagnosis = examine(lab.index)
    assert (diagnosis.ok, diagnosis.texts, diagnosis.bodies, diagnosis.lines) == (True, 30, 0, 0)
    generation = lab.index.generations.path(lab.index.generation)
    segment = next((generation / "segments").iterdir())
    damage(segment / "counts")
    assert "counts of the index is damaged" in faults(lab)
    lab.index.connection().execute("UPDATE ent SET len = len + 1 WHERE id = 3")
    assert "text 3 has" in faults(lab)
    lab.index.connection().execute("UPDATE txt SET body = replace(body, 'number5', 'another5')")
    assert "the full-text table says something else" in faults(lab)
    (segment / "terms").unlink()
    with pytest.raises(StoreError, match="pc reindex"):
        lab.search(parse_query("tea"))
    lab.index.reindex()
    assert faults(lab) == ""
    lab.index.close()


@pytest.mark.parametrize("where", ["full-text table", "database"])
def test_the_doctor_finds_damage_of_the_file(store_dir: Path, where: str) -> None:
    lab = IndexLab(store_dir)
    for n in range(50):
        lab.add(f"d{n}", " ".join(f"w{n * 60 + m}" for m in range(60)), at=n)
    lab.index.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if where == "database":
        database = lab.index.generations.database(lab.index.generation)
        data = bytearray(database.read_bytes())
        for page in range(3, len(data) // 4096, 2):
            data[page * 4096 : page * 4096 + 60] = b"\xff" * 60
        database.write_bytes(data)
        assert "the index is damaged" in faults(lab) or "does not answer" in faults(lab)
    else:
        ask = lab.index.connection().execute
        ask("UPDATE f_data SET block = zeroblob(length(block)) WHERE id > 10")
        assert "full-text table" in faults(lab) or "does not answer" in faults(lab)
    lab.index.close()


def test_another_process_that_cares_for_the_segments_wins(store_dir: Path) -> None:
    lab = IndexLab(store_dir)
    lab.add("d1", "tea", at=0)
    generation = lab.index.generations.path(lab.index.generation)
    with segments._lock(generation) as own:
        assert own
        assert not lab.index.maintain(tail=1)
    assert lab.index.maintain(tail=1)
    assert not lab.index.maintain(tail=1)
    with segments._lock(generation / "away") as own:
        assert not own
    lab.index.close()


def test_a_long_tail_is_built_from_the_table(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_LARGE", 40)
    monkeypatch.setattr(segments, "_MOST", 3)
    lab = IndexLab(store_dir)
    for n in range(60):
        lab.add(f"d{n}", f"tea number{n}", at=n)
    assert lab.index.maintain(tail=1)
    assert lab.index.connection().execute("SELECT docs FROM seg").fetchall() == [(60,)]
    for n in range(8):
        lab.add(f"e{n}", f"tea again{n}", at=n)
        lab.index.maintain(tail=1)
        assert lab.index.connection().execute("SELECT count(*) FROM seg").fetchone()[0] <= 4
    assert len(lab.search(parse_query("tea"), 100)) == 68
    lab.index.close()


def test_the_doctor_looks_at_the_log_and_the_bodies(store_dir: Path) -> None:
    from store_lab import StoreLab

    log = StoreLab(store_dir)
    good, bad, lost = (log.page(f"http://{name}.example/", name) for name in ("good", "bad", "lost"))
    lab = IndexLab(store_dir)
    assert examine(lab.index).ok
    assert good.body is not None
    assert bad.body is not None
    assert lost.body is not None
    damage(log.blobs.path(bad.body.sha256))
    log.blobs.path(lost.body.sha256).unlink()
    with (log.folder.log / "2026/03.ndjson").open("ab") as file:
        file.write(b"{torn")
    diagnosis = examine(lab.index)
    assert (diagnosis.lines, diagnosis.bodies) == (3, 2)
    torn, missing, damaged = diagnosis.faults
    assert torn == "1 lines of the log are torn or damaged"
    assert missing == f"the stored body {lost.body.sha256[:16]} is missing; {lost.id} names it"
    assert damaged.startswith(f"the stored body {bad.body.sha256[:16]} is damaged")
    assert examine(lab.index, bodies=False).bodies == 0
    lab.index.close()
    log.close()
