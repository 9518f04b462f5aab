"""Bodies that are text already: plain text, Markdown, JSON, XML, CSV and the like."""

import re

from polite_crawler.readers.charset import decode
from polite_crawler.readers.page import Page
from polite_crawler.readers.scrub import clean, one_line

MAX_CHARS = 5_000_000
"""Code points of text that are kept."""

_HEADING = re.compile(r"(?m)^#[ \t]+(\S.*?)[ \t#]*$")


def read_plain(body: bytes, *, content_type: str | None = None) -> Page:
    """Read a text body as it stands: no markup is removed. A Markdown text gives its first heading as the title."""
    decoded = decode(body, content_type)
    text = clean(decoded.text)
    notes: tuple[str, ...] = ()
    if len(text) > MAX_CHARS:
        text = text[:MAX_CHARS]
        notes = (f"cut: more than {MAX_CHARS} characters",)
    elif not text.strip():
        notes = ("no text: the body is empty",)
    title = None
    if content_type and "markdown" in content_type.lower():
        heading = _HEADING.search(text[:20_000])
        title = one_line(heading.group(1)) if heading else None
    return Page(
        kind="text", title=title, text=text, encoding=decoded.encoding, encoding_source=decoded.source, notes=notes
    )
