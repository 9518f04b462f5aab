"""The facts of a large page, in the process of readers/worker.py, for readers/apart.py."""

from collections.abc import Iterator, Mapping
from typing import Any

from polite_crawler.readers.apart import facts_of
from polite_crawler.readers.reading import read as read_page

SAMPLE = (
    b"<!doctype html><title>warm</title><div itemscope itemtype=https://schema.org/Thing><p itemprop=name>"
    + b"A page of our own, which the server reads before it forks. " * 20
    + b"</div>"
)
SAMPLE_LIMITS: Mapping[str, Any] = {"url": "http://localhost/", "content_type": "text/html"}


def read(body: bytes, limits: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The one line of a page, and the end."""
    page = read_page(body, url=limits["url"], content_type=limits["content_type"])
    yield {"facts": facts_of(page)}, page.text
    yield {"end": True}, ""
