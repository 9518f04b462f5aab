"""Large pages, read in a process of their own: while a page is read, the requests of other hosts start in time.

A thread is not enough. lxml and regular expressions go over a whole text in one step, and no other thread of the
process runs in that time. What comes is the same Page in both places; a process that fails costs nothing but time.
"""

from collections.abc import Mapping
from typing import Any

from polite_crawler.readers.page import Link, Page
from polite_crawler.readers.processes import Limits, Processes
from polite_crawler.readers.reading import form_of, read

LARGE = 256 << 10
"""The octets from which a page is worth the way to another process."""
LIMITS = Limits(characters=0, seconds=120.0, cpu=100, memory=4 << 30)
"""For a process that hangs or grows without a bound. The page is then read in this one, as a small page is."""
PROCESSES = Processes("page_facts")


def read_apart(body: bytes, *, url: str, content_type: str | None) -> Page:
    """Read a body as `reading.read` does; a large page in another process."""
    if len(body) >= LARGE and form_of(body, content_type) == "html":
        for line, text in PROCESSES.read(body, LIMITS, url=url, content_type=content_type):
            if "facts" in line:
                return page_of(line["facts"], text)
    return read(body, url=url, content_type=content_type)


def facts_of(page: Page) -> dict[str, Any]:
    """A page without its text, as JSON values."""
    facts = {name: getattr(page, name) for name in Page.__dataclass_fields__ if name != "text"}
    return facts | {"links": [(link.url, link.text, link.rel) for link in page.links]}


def page_of(facts: Mapping[str, Any], text: str) -> Page:
    """The page of these JSON values."""
    return Page(
        **{
            **facts,
            "text": text,
            "main": tuple((start, end) for start, end in facts["main"]),
            "links": tuple(Link(url, seen, tuple(rel)) for url, seen, rel in facts["links"]),
            "feeds": tuple(facts["feeds"]),
            "notes": tuple(facts["notes"]),
        }
    )
