"""verify over a store: current, stale, held-back, of a capture, of a time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_lab import DAY, StoreLab

from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.store import Store, open_store

URL = "https://site.example/page"
DOC = "url:" + URL


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[StoreLab]:
    lab = StoreLab(tmp_path / "store")
    yield lab
    lab.close()


def opened(lab: StoreLab) -> Store:
    return open_store(lab.folder.path)


def test_a_quote_of_the_current_text(lab: StoreLab) -> None:
    capture = lab.page(URL, "Our “house” is  open on Sundays.", title="House")
    with opened(lab) as store:
        check = store.verify(DOC, 'Our "house" is open')
        text = store.read(DOC).text
    assert check.doc == DOC
    assert check.found
    assert (check.capture, check.fetched_at) == (capture.id, capture.fetched_at)
    assert capture.body is not None
    assert check.blob == capture.body.sha256
    assert check.start is not None
    assert text[check.start : check.end] == check.matched
    assert check.normalization == "typography"
    assert (check.count, check.stale, check.held_back, check.closest, check.note) == (1, False, False, None, None)
    assert check.selectors is not None
    assert [one["type"] for one in check.selectors] == ["TextQuoteSelector", "TextPositionSelector", "FragmentSelector"]
    assert str(check.selectors[2]["link"]).startswith(URL + "#:~:text=")


def test_a_bare_url_is_a_doc(lab: StoreLab) -> None:
    lab.page(URL, "some words")
    with opened(lab) as store:
        assert store.verify(URL, "some words").found


def test_a_quote_that_is_not_there_names_the_nearest_passage(lab: StoreLab) -> None:
    capture = lab.page(URL, "We are open on Sundays from nine.")
    with opened(lab) as store:
        check = store.verify(DOC, "We are open on Mondays from nine.")
    assert not check.found
    assert (check.start, check.end, check.matched, check.normalization, check.count) == (None, None, None, None, 0)
    assert check.capture == capture.id
    assert check.closest is not None
    assert check.closest.matched == "We are open on Sundays from nine."
    assert check.closest.ratio >= 2 / 3
    assert check.selectors is None


def test_stale_when_only_an_earlier_capture_holds_it(lab: StoreLab) -> None:
    first = lab.page(URL, "open on Sundays", at=0)
    lab.page(URL, "open on Mondays", at=DAY)
    lab.page(URL, "closed", at=2 * DAY)
    with opened(lab) as store:
        check = store.verify(DOC, "open on Sundays")
        assert (check.found, check.stale, check.capture) == (True, True, first.id)
        assert check.note == "only an earlier capture holds the quote: the current text does not"
        of_capture = store.verify(DOC, "open on Sundays", capture=first.id)
        assert (of_capture.found, of_capture.stale, of_capture.capture) == (True, False, first.id)
        at_time = store.verify(DOC, "open on Sundays", at="2026-03-01T18:00:00Z")
        assert (at_time.found, at_time.stale) == (True, False)
        assert not store.verify(DOC, "open on Sundays", at="2026-03-02T18:00:00Z").found


def test_before_the_first_capture_nothing_answers(lab: StoreLab) -> None:
    lab.page(URL, "open")
    with opened(lab) as store:
        check = store.verify(DOC, "open", at="2026-01-01")
    assert (check.found, check.capture, check.blob, check.held_back) == (False, None, None, False)
    assert check.note == "the first capture is of 2026-03-01T12:00:00.020000Z"


def test_a_held_back_page_is_no_oracle(lab: StoreLab) -> None:
    lab.page(URL, "the secret is out", at=0)
    held = lab.page(URL, "the secret is out", at=DAY, hold="noai")
    with opened(lab) as store:
        there, not_there = store.verify(DOC, "the secret"), store.verify(DOC, "nothing of it")
        assert there == not_there
        assert there.held_back
        assert (there.found, there.capture, there.blob, there.closest) == (False, None, None, None)
        assert there.note is not None
        assert "noai" in there.note
        for version in store.versions(DOC):
            assert store.verify(DOC, "the secret", capture=version.capture).held_back
        assert store.verify(DOC, "the secret", at="2026-03-01T18:00:00Z").held_back
        lifted = store.verify(DOC, "the secret", user_provided=True)
        assert (lifted.found, lifted.held_back, lifted.capture) == (True, False, held.id)


def test_held_versions_are_never_looked_into_without_their_capture(lab: StoreLab) -> None:
    held = lab.page(URL, "what was held back", at=0, hold="ai-input=no")
    lab.page(URL, "open words", at=DAY)
    with opened(lab) as store:
        check = store.verify(DOC, "what was held back")
        assert (check.found, check.held_back) == (False, False)
        assert store.verify(DOC, "what was held back", capture=held.id).held_back
        assert store.verify(DOC, "what was held back", capture=held.id, user_provided=True).found


def test_an_archived_copy_says_so(lab: StoreLab) -> None:
    source = {"source": "wayback", "timestamp": "20200101000000", "original": URL}
    lab.page("https://web.archive.example/20200101/" + URL, "old words", kind="archive-copy", source=source)
    with opened(lab) as store:
        check = store.verify("archive:" + URL, "old words")
    assert check.found
    assert check.note == "an archived copy from wayback of 20200101000000"


def test_bad_questions(lab: StoreLab) -> None:
    capture = lab.page(URL, "words")
    with opened(lab) as store:
        with pytest.raises(BadOption, match="quote is empty"):
            store.verify(DOC, " \n")
        with pytest.raises(BadOption, match="not the two"):
            store.verify(DOC, "words", capture=capture.id, at="2026-03-01")
        with pytest.raises(NotStored):
            store.verify("url:https://other.example/", "words")
        with pytest.raises(NotStored):
            store.verify(DOC, "words", capture="fetch.none")
        note = store.verify(DOC, "w" * 3000).note
        assert store.verify(DOC, "w" * 2000).note is None
    assert note == "a quote of more than 2000 characters has no closest passage"


def test_an_empty_quote_is_a_mistake_whatever_the_document_is(lab: StoreLab) -> None:
    lab.page(URL, "nobody reads this", hold="noai")
    with opened(lab) as store, pytest.raises(BadOption, match="quote is empty"):
        store.verify(DOC, " ")
