"""diff over a store, on a terminal and as a page."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from store_lab import DAY, HOUR, StoreLab

from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.diff import DiffLimits, DiffResult, DiffSummary, diff_document
from polite_crawler.query.diff_page import diff_page
from polite_crawler.query.store import Store, open_store
from polite_crawler.query.unified import unified

URL = "https://site.example/page"
DOC = "url:" + URL


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[StoreLab]:
    lab = StoreLab(tmp_path / "store")
    yield lab
    lab.close()


def opened(lab: StoreLab) -> Store:
    return open_store(lab.folder.path)


def lines(diff: DiffResult) -> list[str]:
    return unified(diff).splitlines()[2:]


def test_the_newest_with_the_one_before(lab: StoreLab) -> None:
    lab.page(URL, "oldest words", at=0)
    old = lab.page(URL, "open on Sundays", at=DAY, title="House")
    new = lab.page(URL, "open on Mondays", at=2 * DAY, title="House & Garden")
    with opened(lab) as store:
        diff = store.diff(DOC)
    assert diff.doc == DOC
    assert diff.from_ is not None
    assert diff.to is not None
    assert (diff.from_.capture, diff.to.capture) == (old.id, new.id)
    assert diff.to.fetched_at == new.fetched_at
    assert (diff.same, diff.exact, diff.truncated, diff.note) == (False, True, False, None)
    assert diff.summary.lines_changed == 1
    assert (diff.summary.words_added, diff.summary.words_removed) == (1, 1)
    assert [(one.path, one.old, one.new) for one in diff.meta if one.path == "title"] == [
        ("title", '"House"', '"House & Garden"')
    ]
    assert diff.summary.meta_changes == len(diff.meta)
    assert lines(diff)[:2] == ["@@ -1,1 +1,1 @@", "~open on [-Sundays-]{+Mondays+}"]


def test_versions_by_capture_and_by_time(lab: StoreLab) -> None:
    first = lab.page(URL, "one", at=0)
    second = lab.page(URL, "two", at=DAY)
    lab.page(URL, "three", at=2 * DAY)
    with opened(lab) as store:
        by_capture = store.diff(DOC, from_=first.id, to=second.id)
        by_time = store.diff(DOC, from_="2026-03-01T18:00:00Z", to={"at": "2026-03-02T18:00:00Z"})
        assert by_time == by_capture
        backwards = store.diff(DOC, from_=second.id, to=first.id)
        assert backwards.from_ == by_capture.to
        same = store.diff(DOC, from_=first.id, to=first.id)
    assert (same.same, same.hunks, same.meta) == (True, (), ())


def test_before_means_the_same_recipe_and_capture_kind(lab: StoreLab) -> None:
    lab.page(URL, "plain one", at=0)
    rendered = lab.page(URL, "rendered one", at=HOUR, kind="render")
    plain = lab.page(URL, "plain two", at=DAY)
    render = lab.page(URL, "rendered two", at=DAY + HOUR, kind="render")
    with opened(lab) as store:
        diff = store.diff(DOC)
        assert diff.from_ is not None
        assert diff.to is not None
        assert (diff.from_.capture, diff.to.capture) == (rendered.id, render.id)
        older = store.diff(DOC, to=plain.id).from_
        assert older is not None
        assert older.capture not in (rendered.id, plain.id)


def test_the_same_text_again(lab: StoreLab) -> None:
    lab.page(URL, "words", at=0, title="T")
    lab.page(URL, "words", at=DAY, title="T")
    with opened(lab) as store:
        diff = store.diff(DOC)
    assert (diff.same, diff.hunks, diff.meta, diff.summary.meta_changes) == (True, (), (), 0)
    assert "The two versions are the same." in diff_page(diff)


def test_no_version_to_compare_with(lab: StoreLab) -> None:
    lab.page(URL, "words", at=0)
    with opened(lab) as store:
        alone = store.diff(DOC)
        assert (alone.from_, alone.same) == (None, None)
        assert alone.note == "there is no earlier version of the same recipe and capture kind"
        early = store.diff(DOC, from_="2020-01-01")
        assert (early.from_, early.note) == (None, "the first capture is of 2026-03-01T12:00:00.020000Z")
        too_early = store.diff(DOC, to="2020-01-01")
        assert (too_early.to, too_early.same) == (None, None)
    assert "(no version)" in unified(alone)
    assert "no version" in diff_page(alone)


@pytest.mark.parametrize("held_side", ["from", "to", "doc"])
def test_a_held_back_side_shows_structure_alone(lab: StoreLab, held_side: str) -> None:
    lab.page(URL, "private one", at=0, title="Hidden", hold="noai" if held_side == "from" else None)
    lab.page(URL, "private two and more", at=DAY, title="Hidden too", hold="noai" if held_side == "to" else None)
    if held_side == "doc":
        lab.page(URL, "x", at=2 * DAY, hold="noai")
    with opened(lab) as store:
        versions = store.versions(DOC)
        diff = store.diff(DOC, from_=versions[-1].capture, to=versions[-2].capture)
    assert (diff.same, diff.hunks) == (None, ())
    assert {change.path.split(".")[0] for change in diff.meta} == {"meta"}
    shown = unified(diff) + diff_page(diff)
    assert "private" not in shown
    assert "Hidden" not in shown
    assert any(change.path == "meta.chars" for change in diff.meta)
    assert diff.note is not None
    assert diff.note.startswith("the page asked not to be AI input")


def test_limits_are_told_together(lab: StoreLab) -> None:
    lab.page(URL, "a", at=0, title="x" * 400)
    lab.page(URL, "b", at=DAY, title="y" * 400)
    with opened(lab) as store:
        diff = diff_document(store, DOC, limits=DiffLimits(lines=0, meta_changes=1))
    assert diff.truncated
    assert not diff.exact
    assert diff.note is not None
    assert "only the first 0 lines" in diff.note
    assert "values of the metadata are cut to 300 characters" in diff.note


def test_bad_questions(lab: StoreLab) -> None:
    lab.page(URL, "words")
    with opened(lab) as store:
        with pytest.raises(NotStored):
            store.diff("url:https://other.example/")
        with pytest.raises(NotStored):
            store.diff(DOC, to="fetch.none")
        with pytest.raises(BadOption):
            store.diff(DOC, to="2026-99-99")
        with pytest.raises(BadOption, match="a capture id, a time"):
            store.diff(DOC, to={"when": "2026-01-01"})


def test_a_terminal_gets_no_control_characters(lab: StoreLab) -> None:
    lab.page(URL, "one\x1b[31m red", at=0, content_type="text/plain", title=None)
    lab.page(URL, "two\x1b[31m red", at=DAY, content_type="text/plain")
    with opened(lab) as store:
        diff = store.diff(DOC)
    assert "\x1b" not in unified(diff)
    coloured = unified(diff, colour=True)
    assert "\x1b[31m[-one-]\x1b[0m" in coloured
    assert "\x1b[32m{+two+}\x1b[0m" in coloured


class Page(HTMLParser):
    """The text of each element of a page, and what a browser would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))


def test_the_page_is_whole_escaped_and_alone(lab: StoreLab) -> None:
    lab.page(URL, "a &lt;b&gt; one\nsame", at=0, title="<script>alert(1)</script>", content_type="text/html")
    lab.page(URL, "a &lt;b&gt; two\nsame", at=DAY, title="&quot;T&quot;", content_type="text/html")
    with opened(lab) as store:
        html = diff_page(store.diff(DOC), title="<House>")
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "object"})
    assert page.links == [URL]
    assert ("h1", "<House>") in page.texts
    assert ("del", "one") in page.texts
    assert ("ins", "two") in page.texts
    assert any("<b>" in text for _, text in page.texts)
    assert "prefers-color-scheme:dark" in html
    assert 'lang="en"' in html


def test_a_changed_line_without_words_is_shown_as_two(lab: StoreLab) -> None:
    lab.page(URL, "word " * 40, at=0)
    lab.page(URL, "word " * 40 + "more", at=DAY)
    with opened(lab) as store:
        diff = diff_document(store, DOC, limits=DiffLimits(words=10))
    assert [line[0] for line in lines(diff)[1:3]] == ["-", "+"]
    assert diff_page(diff).count('<tr class="del">') == 1


def test_a_value_that_comes_or_goes(lab: StoreLab) -> None:
    lab.page(URL, "same", at=0, title="Old")
    lab.page(URL, "same", at=DAY)
    with opened(lab) as store:
        gone = store.diff(DOC)
        come = store.diff(DOC, from_=store.versions(DOC)[0].capture, to=store.versions(DOC)[1].capture)
    assert '-title: "Old"' in unified(gone)
    assert '+title: "Old"' in unified(come)
    assert (gone.same, gone.hunks) == (False, ())
    assert "<td></td>" in diff_page(gone)


def test_the_page_of_a_document_without_an_address() -> None:
    empty = DiffResult("menu:forno/<b>", None, None, None, True, False, DiffSummary(), (), (), None)
    html = diff_page(empty)
    assert "menu:forno/&lt;b&gt;" in html
    assert "href" not in html
