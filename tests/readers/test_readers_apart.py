"""A large page that is read in another process: the same facts, and no page is lost when the process fails."""

from collections.abc import Iterator

import pytest
from hostile import KINDS

from polite_crawler.readers import apart, reading
from polite_crawler.readers.processes import close_workers

URL = "https://www.example.com/a/b"


@pytest.fixture(autouse=True, scope="module")
def _worker() -> Iterator[None]:
    yield
    close_workers()


def all_facts() -> bytes:
    """A page with each of the facts that a Page can hold."""
    return (
        b"<!doctype html><html lang=en><title>T</title><meta name=author content=A><link rel=canonical href=/a/b>"
        b"<link rel=alternate type=application/rss+xml href=/feed><meta http-equiv=refresh content='0; url=/next'>"
        b'<script type="application/ld+json">{"@type": "Event", "n": [1, 2.5, null, true, {"x": "y"}]}</script>'
        b"<div itemscope itemtype=https://schema.org/Thing><span itemprop=name>N</span></div>"
        b"<a rel='nofollow me' href=/c>c</a>"
        b"<noscript>"
        + b"seen without scripts " * 20
        + b"</noscript><article>"
        + b"<p>Words of an article, and more.</p>" * 9000
    )


@pytest.mark.parametrize("kind", [None, *KINDS])
def test_a_page_is_the_same_in_another_process(kind: str | None) -> None:
    body = KINDS[kind](apart.LARGE * 6 // 5).encode("utf-8", "surrogatepass") if kind else all_facts()
    assert len(body) >= apart.LARGE
    page = apart.read_apart(body, url=URL, content_type="text/html; charset=utf-8")
    assert page == reading.read(body, url=URL, content_type="text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(b"<p>" + b"a" * (apart.LARGE - 4), "text/html"), (b"a" * apart.LARGE, "text/plain"), (b"%PDF-1.7", None)],
)
def test_what_is_no_large_page_is_read_here(
    body: bytes, content_type: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "PROCESSES", None)
    assert apart.read_apart(body, url=URL, content_type=content_type) == reading.read(
        body, url=URL, content_type=content_type
    )


@pytest.mark.parametrize("limits", [apart.Limits(memory=64 << 20), apart.Limits(seconds=0.05)])
def test_a_page_that_its_process_cannot_read_is_read_here(
    limits: apart.Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "LIMITS", limits)
    body = all_facts() * 4
    assert apart.read_apart(body, url=URL, content_type="text/html") == reading.read(
        body, url=URL, content_type="text/html"
    )
