"""Which document a URL names, which of its versions is current, and which capture is its copy."""

import pytest
from index_state import OLD, A
from store_lab import HOUR, T0, StoreLab

from polite_crawler.errors import NotStored
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture, Redaction, ResponseHead, Time, Validators, micros, utc


def test_a_304_moves_checked_and_makes_no_version(lab: StoreLab) -> None:
    page = lab.page(A, "one page")
    lab.not_modified(A, page, at=HOUR)
    with Index(lab.folder) as index:
        doc = index.catalog.doc(A)
        assert doc.checked == micros(utc(T0 + HOUR))
        (version,) = index.catalog.versions(doc)
        assert version.fetched == page.fetched
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert (copy.capture.id, copy.checked) == (page.id, micros(utc(T0 + HOUR)))
        assert copy.confirmed_by is not None
        assert copy.confirmed_by.status == 304


def test_a_render_stays_current_while_the_plain_body_stays(lab: StoreLab) -> None:
    plain = lab.page(A, "please turn on JavaScript")
    lab.page(A, "what the script shows", at=1, kind="render", source={"of": plain.id})
    lab.page(A, "please turn on JavaScript", at=HOUR)
    with Index(lab.folder) as index:
        doc = index.catalog.doc(A)
        assert index.catalog.text(index.catalog.current(doc)) == "what the script shows"
        lab.page(A, "a new page", at=2 * HOUR)
        index.catch_up()
        doc = index.catalog.doc(A)
        assert index.catalog.text(index.catalog.current(doc)) == "a new page"
        assert [v.capture_kind for v in index.catalog.versions(doc)] == ["fetch", "fetch", "render", "fetch"]
        at = index.catalog.version_at(doc, micros(utc(T0 + HOUR + 1)))
        assert at is not None
        assert at.capture_kind == "render"
        assert index.catalog.version_at(doc, micros(utc(T0 - 1))) is None


def test_a_render_without_its_page_stands_on_the_plain_page_before_it(lab: StoreLab) -> None:
    lab.page(A, "plain")
    lab.page(A, "rendered", at=1, kind="render")
    lab.page(A, "plain", at=2)
    with Index(lab.folder) as index:
        assert index.catalog.current(index.catalog.doc(A)).capture_kind == "render"


def test_requested_urls_and_bare_urls_name_the_document(lab: StoreLab) -> None:
    first = lab.redirect(OLD)
    second = lab.redirect("http://example.com/hop", at=1, redirect_of=first.id)
    page = lab.page(A, "the page", at=2, redirect_of=second.id)
    with Index(lab.folder) as index:
        for name in (A, f"url:{A}", OLD, f"url:{OLD}", "HTTP://EXAMPLE.com:80/old#x", "http://example.com/hop"):
            assert index.catalog.doc(name).doc == f"url:{A}"
        copy = index.catalog.copy_of(OLD)
        assert copy is not None
        assert copy.capture == page
        for name in ("", "x", "http://example.com/other", "url:", "menu:1", "\0", "http://[bad"):
            with pytest.raises(NotStored):
                index.catalog.doc(name)
        with pytest.raises(NotStored, match=r"near names: url:http://example\.com/a"):
            index.catalog.doc("https://example.com/x/a")


def _hop(lab: StoreLab, location: str, *, at: float = 1.0, redacted: tuple[Redaction, ...] = ()) -> Capture:
    """A redirect of OLD after which the log holds no line of its own."""
    head = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n"
    return lab.write(
        Capture(
            kind="fetch", url=OLD, time=Time(utc(T0 + at)), outcome="redirect", status=302,
            response=ResponseHead(head, "exact"), redacted=redacted,
        )
    )  # fmt: skip


@pytest.mark.parametrize("location", [A, "/a", "a#part", "//EXAMPLE.com:80/a?utm_source=x"])
def test_a_hop_to_a_page_that_the_store_answered_names_its_document(lab: StoreLab, location: str) -> None:
    lab.page(A, "the page")
    _hop(lab, location)
    with Index(lab.folder) as index:
        assert index.catalog.doc(OLD).doc == f"url:{A}"
        # how old the page is says nothing of the hop
        assert index.catalog.copy_of(OLD) is None


@pytest.mark.parametrize(
    ("location", "redacted"),
    [("mailto:a@b.example", ()), ("", ()), ("/never", ()), (OLD, ()),
     (A, (Redaction("response.location.query.key", 1),))],
)  # fmt: skip
def test_a_hop_that_leads_to_no_page_names_none(lab: StoreLab, location: str, redacted: tuple[Redaction, ...]) -> None:
    lab.page(A, "the page")
    _hop(lab, location, redacted=redacted)
    with Index(lab.folder) as index, pytest.raises(NotStored):
        index.catalog.doc(OLD)


def test_a_hop_to_a_page_that_a_304_confirmed_leads_to_its_body(lab: StoreLab) -> None:
    page = lab.page(A, "the page")
    hop = _hop(lab, "/a", at=HOUR)
    lab.write(
        Capture(
            kind="fetch", url=A, time=Time(utc(T0 + HOUR + 1)), outcome="not_modified", status=304,
            redirect_of=hop.id, validators=Validators({"If-None-Match": '"x"'}, page.id),
        )
    )  # fmt: skip
    with Index(lab.folder) as index:
        assert index.catalog.doc(OLD).doc == f"url:{A}"
        copy = index.catalog.copy_of(OLD)
        assert copy is not None
        assert (copy.capture, copy.checked) == (page, micros(utc(T0 + HOUR + 1)))


def test_a_url_with_a_redacted_part_has_no_copy(lab: StoreLab) -> None:
    secret = "http://example.com/?token=REDACTED"
    lab.page(secret, "the page of somebody", redacted=(Redaction("url.query.token", 1),))
    hop = lab.redirect(OLD)
    lab.page(
        "http://example.com/x?key=REDACTED", "x", at=1, redirect_of=hop.id, redacted=(Redaction("url.query.key", 1),)
    )
    with Index(lab.folder) as index:
        assert index.catalog.copy_of(secret) is None
        assert index.catalog.copy_of(OLD) is None
        assert index.catalog.doc(secret).doc == f"url:{secret}"


def test_the_latest_answer_of_a_url_is_its_copy(lab: StoreLab) -> None:
    lab.page(A, "first")
    latest = lab.page(A, "second", at=1)
    lab.page(A, "robots", at=2, kind="robots")
    lab.page(A, "gone", at=3, outcome="gone", status=404)
    lab.page(A, "a copy", at=4, kind="archive-copy", source={"original": A})
    with Index(lab.folder) as index:
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert copy.capture == latest
        assert index.catalog.copy_of("http://example.com/never") is None
        assert index.catalog.copy_of("no url") is None
        assert index.catalog.counts() == {"documents": 2, "held_back": 0, "versions": 3, "captures": 5}


def test_a_secret_of_the_referrer_costs_no_copy(lab: StoreLab) -> None:
    page = lab.page(A, "x", referrer="http://example.com/?key=REDACTED", redacted=(Redaction("url.query.key", 1),))
    with Index(lab.folder) as index:
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert copy.capture == page


@pytest.mark.parametrize(("recipe", "stays"), [("venue", True), ("page", False), (None, False)])
def test_a_richer_recipe_stays_current_on_the_same_body(lab: StoreLab, recipe: str | None, stays: bool) -> None:
    first = lab.page(A, "one page", recipe=recipe)
    second = lab.page(A, "one page", recipe="page", at=HOUR)
    with Index(lab.folder) as index:
        assert index.catalog.current(index.catalog.doc(A)).capture == (first if stays else second).id


def test_a_hop_loop_in_the_log_ends(lab: StoreLab) -> None:
    first = lab.redirect(OLD)
    for n in range(30):
        first = lab.redirect(OLD, at=1.0 + n, redirect_of=first.id)
    with Index(lab.folder) as index:
        assert index.catalog.copy_of(OLD) is None
