"""The copy of a page from the index alone: it says what the line of the log would, or nothing."""

from typing import Any

import pytest
from store_lab import HOUR, T0, StoreLab

from polite_crawler.middlewares.stored_response import freshness_of
from polite_crawler.rules.freshness import FIELDS
from polite_crawler.store.document import Document
from polite_crawler.store.index import Index
from polite_crawler.store.indexed_copy import IndexedCopy, indexed_copy
from polite_crawler.store.record import Capture, Redaction, RequestHead, ResponseHead, Time, Validators, utc

A, OLD = "http://example.com/a?x=1", "http://example.com/old"
ASKED = "GET /a?x=1 HTTP/1.1\r\nHost: example.com\r\nUser-Agent: Bot\r\nAccept-Encoding: gzip\r\nX-Other: 1\r\n\r\n"
NOTED = {"note": "a note \ud800", "recipe": "page", "status": 203}


def head(*fields: str, status: int = 200) -> ResponseHead:
    return ResponseHead("\r\n".join([f"HTTP/1.1 {status} X", "Content-Type: text/html", *fields, "", ""]))


def confirm(lab: StoreLab, of: Capture, *fields: str) -> None:
    lab.write(
        Capture(
            kind="fetch", url=A, time=Time(utc(T0 + HOUR), 10, 20), outcome="not_modified", status=304,
            validators=Validators({}, of.id), response=head(*fields, status=304),
        )
    )  # fmt: skip


def copies(index: Index, url: str) -> tuple[IndexedCopy | None, Any]:
    """The copy of the index, and that of the log."""
    ids = index.catalog.copy_ids(url)
    return (None if ids is None else indexed_copy(index.connection(), ids)), index.catalog.copy_of(url)


# fields of the page, more facts of its capture, and the fields of a 304 after it (None: there is none)
SAME: list[tuple[list[str], dict[str, Any], list[str] | None]] = [
    ([], {}, None),
    (["Cache-Control: max-age=5", "Date: Sun, 01 Mar 2026 12:00:00 GMT", "ETag: x", "Age: 3"], {}, None),
    (
        ["Expires: 0", "Last-Modified: Sun, 01 Feb 2026 12:00:00 GMT", "Cache-Control: private,", "\tmax-age=1"],
        {},
        None,
    ),
    (["Vary: accept-encoding , USER-AGENT", "Vary: x-none"], {"request": RequestHead(ASKED)}, None),
    (["Vary: *"], {"request": RequestHead(ASKED)}, None),
    ([], NOTED, None),
    ([], {"hold": "tdm", "title": "Mine"}, None),
    ([], {"coded": True}, None),
    (["Cache-Control: max-age=5"], {}, []),
    (["Cache-Control: max-age=5", "Vary: User-Agent"], {"request": RequestHead(ASKED)}, ["cache-control: no-store"]),
    (["Vary: User-Agent"], {"request": RequestHead(ASKED)}, ["vary: USER-AGENT", "Age: 7"]),
]


@pytest.mark.parametrize(("fields", "more", "later"), SAME)
def test_the_index_says_what_the_line_does(
    lab: StoreLab, fields: list[str], more: dict[str, Any], later: list[str] | None
) -> None:
    page = lab.page(A, "one page", **{"response": head(*fields), "title": "One", **more})
    if later is not None:
        confirm(lab, page, *later)
    with Index(lab.folder) as index:
        found, copy = copies(index, A)
        assert found is not None
        capture, (version,) = copy.capture, index.catalog.versions(index.catalog.doc(A))
        assert (found.doc, found.url, found.title, found.chars) == (
            version.doc, capture.url, version.title, version.chars,
        )  # fmt: skip
        assert (found.status, found.note, found.recipe) == (capture.status, capture.note, capture.recipe)
        assert (found.blob, found.fetched, found.held) == (
            capture.body.sha256, capture.fetched, capture.hold is not None,
        )  # fmt: skip
        assert not found.truncated
        assert index.log.holds(found.place)
        line = freshness_of(copy)
        assert (found.facts.status, found.facts.received) == (line.status, line.received)
        assert found.facts.requested == pytest.approx(line.requested, abs=1e-6)
        # all that is looked at, and of the request what Vary names
        assert found.facts.headers == tuple(one for one in line.headers if one[0].lower() in FIELDS)
        names = " ".join(value for name, value in line.headers if name.lower() == "vary").lower()
        assert found.facts.request_headers == tuple(
            one for one in line.request_headers if one[0].lower() in names.replace(",", " ").split()
        )


# what the index leaves to the engine, which sees the whole page and the whole line
LEFT: dict[str, tuple[str, dict[str, Any], list[str] | None]] = {
    "a refresh of the page": ('<meta http-equiv="refresh" content="0; url=/next"><p>x', {}, None),
    "a page that needs a browser": ("<div id=root></div><script src=/a.js></script>", {}, None),
    "a refresh of the head": ("<p>one page", {"response": head("Refresh: 0; url=/next")}, None),
    "a 304 that brings a refresh": ("<p>one page", {}, ["Refresh: 0; url=/next"]),
    "a 304 that brings another Vary": ("<p>one page", {"response": head("Vary: accept")}, ["Vary: accept, cookie"]),
    "a plain text of an archive": ("<p>one page", {"kind": "archive-copy", "source": {"original": A}}, None),
    "the answer to a POST": ("<p>one page", {"method": "POST"}, None),
    "a request with credentials": ("<p>one", {"redacted": (Redaction("request.authorization", 1),)}, None),
    "a URL with a secret": ("<p>one", {"url": f"{A}&key=REDACTED", "redacted": (Redaction("url.query.key", 1),)}, None),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT)
def test_the_index_leaves_the_rest_to_the_engine(lab: StoreLab, what: str) -> None:
    body, more, later = LEFT[what]
    page = lab.body(**{"url": A, "data": body.encode(), "response": head(), **more})
    if later is not None:
        confirm(lab, page, *later)
    with Index(lab.folder) as index:
        assert copies(index, more.get("url", A))[0] is None


def test_a_capture_whose_line_has_no_place_yet_is_left(lab: StoreLab) -> None:
    with Index(lab.folder) as index:
        page = lab.page(A, "one page")
        index.add(page, [Document(f"url:{A}", "page", None, "one page", A)])
        assert copies(index, A) == (None, None)
        index.catch_up()
        found, _ = copies(index, A)
        assert found is not None
        assert index.log.holds(found.place)


def test_a_304_of_a_line_that_is_lost_names_no_copy(lab: StoreLab) -> None:
    hop = lab.redirect(OLD)
    lost = Capture(kind="fetch", url=A, time=Time(utc(T0)), outcome="ok").sealed()
    lab.write(
        Capture(
            kind="fetch", url=A, time=Time(utc(T0 + 1)), outcome="not_modified", status=304, redirect_of=hop.id,
            validators=Validators({}, lost.id),
        )
    )  # fmt: skip
    with Index(lab.folder) as index:
        assert copies(index, OLD) == (None, None)
