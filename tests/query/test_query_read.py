"""read and versions: ranges, captures, times, and the rules of a held-back page."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from store_lab import DAY, HOUR, T0, StoreLab

from polite_crawler import open_store
from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.read import ReadResult, read_small
from polite_crawler.query.store import Store
from polite_crawler.store.document import FIRST_LINKS
from polite_crawler.store.record import Capture, utc

A, HELD = "http://example.com/a", "http://example.com/held"
FIRST, SECOND = "The first text. 网络 é end", "The second text"
STRUCTURAL = {"content_type", "encoding", "size", "signals", "chars"}


class Captures:
    """The captures of the store below."""

    def __init__(self, lab: StoreLab) -> None:
        self.first = lab.page(A, FIRST, title="One")
        self.second = lab.page(A, SECOND, title="Two", at=DAY)
        self.held = lab.page(HELD, "private words", title="Private", hold="ai-input=no")


@pytest.fixture
def lab(store_dir: Path) -> Iterator[StoreLab]:
    made = StoreLab(store_dir)
    yield made
    made.close()


@pytest.fixture
def captures(lab: StoreLab) -> Captures:
    return Captures(lab)


@pytest.fixture
def store(lab: StoreLab, captures: Captures) -> Iterator[Store]:
    with open_store(lab.folder.path) as opened:
        yield opened


def test_the_current_text(store: Store, captures: Captures) -> None:
    result = store.read(A)
    assert result == ReadResult(
        doc=f"url:{A}", kind="page", title="Two", url=A, capture=captures.second.id,
        fetched_at="2026-03-02T12:00:00.020000Z", at=None, before_first=False, start=0, end=len(SECOND),
        total=len(SECOND), next_start=None, text=SECOND, meta=result.meta, held_back=False, archived=None, note=None,
    )  # fmt: skip
    assert {"content_type", "encoding", "size"} <= set(result.meta)


RANGES = [
    (0, None, 0, 24, None), (0, 5, 0, 5, 5), (4, 5, 4, 9, 9), (16, 2, 16, 18, 18), (20, 6, 20, 24, None),
    (20, 600, 20, 24, None), (24, None, 24, 24, None), (900, 5, 24, 24, None), (0, 0, 0, 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("start", "length", "low", "high", "next_start"), RANGES)
def test_ranges_are_code_points(
    store: Store, captures: Captures, start: int, length: int | None, low: int, high: int, next_start: int | None
) -> None:
    result = store.read(A, start=start, length=length, capture=captures.first.id)
    assert (result.start, result.end, result.next_start, result.total) == (low, high, next_start, len(FIRST))
    assert result.text == FIRST[low:high]


TIMES = [
    ("2026-03-01T12:00:00Z", None), ("2026-03-01", None), ("2026-03-01T12:00:01Z", FIRST), ("2026-03-02", FIRST),
    ("2026-03-02T12:00:00.019Z", FIRST), ("2026-03-02T12:00:00.020Z", SECOND), ("2026-03-02T14:00:01+02:00", SECOND),
    ("2026-03-02T12:00:01", SECOND), (datetime(2026, 3, 2, tzinfo=UTC), FIRST), (datetime(2026, 3, 3), SECOND),
    ("2030-01-01", SECOND),
]  # fmt: skip


@pytest.mark.parametrize(("at", "text"), TIMES)
def test_the_text_as_it_was_at_a_time(store: Store, at: Any, text: str | None) -> None:
    result = store.read(A, at=at)
    assert result.at is not None
    assert result.at.endswith("Z")
    if text is None:
        assert (result.before_first, result.text, result.capture, result.title) == (True, "", None, None)
        assert result.note == "the first capture is of 2026-03-01T12:00:00.020000Z"
    else:
        assert (result.before_first, result.text, result.note) == (False, text, None)


@pytest.mark.parametrize(("start", "length"), [row[:2] for row in RANGES])
@pytest.mark.parametrize("of", [{}, {"capture": "first"}, {"at": "2026-03-02"}, {"at": "2026-03-02T12:00:01"}])
def test_what_is_small_is_read_at_once_and_as_it_always_is(
    store: Store, captures: Captures, start: int, length: int | None, of: dict[str, Any]
) -> None:
    options = {"start": start, "length": length, **of}
    if "capture" in of:
        options["capture"] = captures.first.id
    assert read_small(store.index, A, **options) == store.read(A, **options)


def test_of_many_links_the_first_are_read_at_once(store: Store, lab: StoreLab) -> None:
    anchors = "".join(f"<a href=/{n}>{n}</a>" for n in range(FIRST_LINKS + 5))
    lab.page(A, anchors, at=2 * DAY)
    store.index.catch_up()
    small, whole = read_small(store.index, A), store.read(A)
    assert small is not None
    links = whole.meta["links"]
    assert len(links) == FIRST_LINKS + 5
    assert small == replace(whole, meta={**whole.meta, "links": links[:FIRST_LINKS], "links_in_all": len(links)})


# a limit, and the question that is left to a thread
SLOW: dict[str, tuple[dict[str, int], dict[str, Any]]] = {
    "a long text": ({"SMALL_TEXT": 5}, {"doc": A}),
    "much metadata": ({"SMALL_META": 5}, {"doc": A}),
    "a page that is held back": ({}, {"doc": HELD}),
    "a page that is not stored": ({}, {"doc": "http://example.com/none"}),
    "a time before the first capture": ({}, {"doc": A, "at": "2020-01-01"}),
    "a capture and a time": ({}, {"doc": A, "at": "2020-01-01", "capture": "fetch.x"}),
}


@pytest.mark.parametrize("what", SLOW)
def test_the_rest_is_left_to_a_thread(store: Store, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    limits, question = SLOW[what]
    for name, value in limits.items():
        monkeypatch.setattr(f"polite_crawler.query.read.{name}", value)
    assert read_small(store.index, **question) is None


@pytest.mark.parametrize("wrong", [{"start": -1}, {"length": -1}, {"at": "soon"}])
def test_a_bad_option_is_told_at_once(store: Store, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        read_small(store.index, A, **wrong)
    with pytest.raises(NotStored):
        read_small(store.index, A, capture="fetch.none")


def test_main_gives_the_main_text_of_the_range(store: Store, lab: StoreLab) -> None:
    body = (
        "<nav><a href=/x>Navigation link</a></nav><article><h1>Head</h1>"
        + "<p>A long paragraph of the article, with many words, commas, and sense.</p>" * 12
        + "</article><footer>Imprint</footer>"
    )
    lab.body("http://example.com/m", body.encode(), at=1)
    store.index.catch_up()
    whole, main = store.read("http://example.com/m"), store.read("http://example.com/m", main=True)
    assert "Imprint" in whole.text
    assert "long paragraph" in main.text
    assert "Imprint" not in main.text
    assert (main.total, main.start, main.end) == (whole.total, 0, whole.total)
    assert store.read("http://example.com/m", start=whole.total, main=True).text == ""


BAD: list[dict[str, Any]] = [
    {"start": -1}, {"length": -1}, {"at": "soon"}, {"capture": "fetch.x", "at": "2026-01-01"}, {"at": "2026-02-30"},
]  # fmt: skip


@pytest.mark.parametrize("options", BAD)
def test_a_bad_option_is_one_clear_line(store: Store, options: dict[str, Any]) -> None:
    with pytest.raises(BadOption) as caught:
        store.read(A, **options)
    assert "\n" not in str(caught.value)


def test_what_is_not_stored(store: Store, captures: Captures) -> None:
    for doc, capture in (("http://example.com/none", None), (A, captures.held.id), (A, "fetch.none"), ("", None)):
        with pytest.raises(NotStored):
            store.read(doc, capture=capture)
    with pytest.raises(NotStored, match="near names"):
        store.read("https://example.com/b/a")
    with pytest.raises(NotStored):
        store.versions("menu:none")
    with pytest.raises(NotStored):
        store.capture("fetch.none")


def assert_held(result: ReadResult) -> None:
    assert (result.held_back, result.title, result.text, result.start, result.end) == (True, None, "", 0, 0)
    assert set(result.meta) <= STRUCTURAL
    assert "not to be AI input" in (result.note or "") or "held back" in (result.note or "")
    assert "private" not in repr(result).lower()


def test_a_held_back_page_shows_only_structural_facts(store: Store, captures: Captures) -> None:
    result = store.read(HELD)
    assert_held(result)
    assert (result.total, result.capture, result.kind) == (len("private words"), captures.held.id, "page")
    assert result.meta["chars"] == len("private words")
    assert result.meta["signals"] == {"hold": "ai-input=no"}
    for options in ({"capture": captures.held.id}, {"at": "2027-01-01"}, {"main": True}, {"start": 3}):
        assert_held(store.read(HELD, **options))
    (version,) = store.versions(HELD)
    assert (version.title, version.text_sha256, version.held_back, version.current) == (None, None, True, True)


def test_while_the_current_version_is_held_back_each_one_is(store: Store, lab: StoreLab, captures: Captures) -> None:
    lab.page(A, "private third", hold="noai", at=2 * DAY)
    store.index.catch_up()
    for options in ({}, {"capture": captures.first.id}, {"at": "2026-03-02"}):
        result = store.read(A, **options)
        assert (result.held_back, result.text, result.title) == (True, "", None)
    assert [(one.title, one.held_back) for one in store.versions(A)] == [(None, True)] * 3


def test_a_version_that_asked_stays_held_back_for_ever(store: Store, lab: StoreLab, captures: Captures) -> None:
    lab.page(HELD, "public words", title="Public", at=DAY)
    store.index.catch_up()
    assert store.read(HELD).text == "public words"
    assert_held(store.read(HELD, capture=captures.held.id))
    assert_held(store.read(HELD, at="2026-03-01T13:00:00Z"))
    assert [(one.title, one.held_back) for one in store.versions(HELD)] == [("Public", False), (None, True)]


def test_the_same_text_asked_for_by_one_capture_alone(store: Store, lab: StoreLab, captures: Captures) -> None:
    lab.page(HELD, "private words", title="Private", at=DAY)
    store.index.catch_up()
    assert store.read(HELD).text == "private words"
    assert_held(store.read(HELD, capture=captures.held.id))
    (hit,) = store.find("private")
    assert hit.fetched_at.startswith("2026-03-02")
    assert store.find("private", at="2026-03-02") == ()


def overrides(lab: StoreLab) -> list[Capture]:
    return [capture for _, capture in lab.log.scan() if capture.kind == "override"]


def test_user_provided_lifts_the_hold_and_is_logged(lab: StoreLab, captures: Captures) -> None:
    with Store(lab.folder.path, clock=lambda: T0 + HOUR) as store:
        assert store.read(HELD, user_provided=True).text == "private words"
        assert store.read(A, user_provided=True).text == SECOND
        (override,) = overrides(lab)
        assert (override.url, override.time.start, override.source) == (HELD, utc(T0 + HOUR), {"of": captures.held.id})
        assert "private" not in override.line().decode()
        assert_held(store.read(HELD))
        assert store.index.catch_up().captures == 1
        assert store.read(HELD, user_provided=True, length=7).text == "private"
        assert len(overrides(lab)) == 2


def test_the_hold_stays_when_the_override_cannot_be_logged(
    lab: StoreLab, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(lab.folder.path) as store:
        monkeypatch.setattr(os, "fdatasync", lambda fd: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        result = store.read(HELD, user_provided=True)
        assert_held(result)
        assert "could not be logged" in (result.note or "")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with open_store(lab.folder.path) as store:
        result = store.read(HELD, user_provided=True)
        assert_held(result)
        assert "cannot be written" in (result.note or "")


def test_versions_are_the_newest_first(store: Store, captures: Captures) -> None:
    two, one = store.versions(A)
    assert (two.capture, two.title, two.current, two.chars) == (captures.second.id, "Two", True, len(SECOND))
    assert (one.capture, one.title, one.current, one.capture_kind) == (captures.first.id, "One", False, "fetch")
    assert one.text_sha256 != two.text_sha256


def test_an_archived_copy_says_so(store: Store, lab: StoreLab) -> None:
    source = {"source": "wayback", "timestamp": "2024-01-15T09:30:00Z", "original": A}
    lab.page("http://web.archive.org/web/1id_/x", "the old page", kind="archive-copy", source=source, at=5)
    store.index.catch_up()
    result = store.read(f"archive:{A}")
    assert (result.text, result.kind, result.archived) == (
        "the old page", "archived", {**source, "url": None, "record": None}
    )  # fmt: skip
    assert result.note == "an archived copy from wayback of 2024-01-15T09:30:00Z"
    assert store.read(A).text == SECOND
