"""The reader of PDF files, by PDFium in a process of its own: a hostile file costs a note, and what came before it.

Scanned pages have no text and no OCR is tried. A file that needs a password is not read; an empty one opens.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polite_crawler.readers.dates import read_date
from polite_crawler.readers.hyphens import join_words
from polite_crawler.readers.page import Page
from polite_crawler.readers.processes import Findings, Limits, Processes
from polite_crawler.readers.scrub import one_line, visible

_PAGE_BREAK = "\n\n"
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d)?'?(\d\d)?")
__all__ = ["Pdf", "PdfLimits", "close_worker", "is_pdf", "page_of", "read_pdf", "read_pdf_page"]

PROCESSES = Processes("pdf_pages")
close_worker = PROCESSES.close


@dataclass(frozen=True, slots=True)
class PdfLimits(Limits):
    """The limits of one file: pages, and those of every file. The address space also bounds what its streams may
    inflate to.
    """

    pages: int = 2000


DEFAULT_LIMITS = PdfLimits()


@dataclass(frozen=True, slots=True)
class Pdf:
    """The text of a PDF. `pages` has the span (start, end) of each page that was read in `text`, the first is page 1;
    `page_count` is what the file says. `meta` holds author, published and modified when the file names them.
    """

    text: str = ""
    pages: tuple[tuple[int, int], ...] = ()
    page_count: int = 0
    title: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def is_pdf(body: bytes) -> bool:
    """Whether the mark of a PDF stands in the first 1,024 octets, as PDF readers look for it."""
    return b"%PDF-" in body[:1024]


def read_pdf(body: bytes, limits: PdfLimits = DEFAULT_LIMITS) -> Pdf:
    """Read a PDF file. Never an error: what came before a limit or a fault is kept, and a note says what it was."""
    if not is_pdf(body):
        return Pdf(notes=("not a PDF file",))
    found = _Findings(limits)
    for line, text in PROCESSES.read(body, limits):
        found.take(line, text)
    return found.pdf()


def read_pdf_page(body: bytes) -> Page:
    """The facts of a PDF as a Page. `meta["pages"]` lists the [start, end] of each page in the text."""
    pdf = read_pdf(body)
    meta: dict[str, Any] = dict(pdf.meta)
    if pdf.pages:
        meta["pages"] = [list(span) for span in pdf.pages]
        meta["page_count"] = pdf.page_count
    return Page(kind="pdf", title=pdf.title, text=pdf.text, meta=meta, notes=pdf.notes)


def page_of(pages: tuple[tuple[int, int], ...] | list[list[int]], position: int) -> int | None:
    """The number of the page, from 1, that a position of the text stands on; None when it is on none."""
    return next((number for number, (start, end) in enumerate(pages, 1) if start <= position < end), None)


class _Findings(Findings):
    """The pages of a PDF file."""

    def __init__(self, limits: PdfLimits) -> None:
        super().__init__(limits)
        self._texts: list[str] = []
        self._count = 0
        self._info: dict[str, str] = {}
        self._faults = 0

    def _keep(self, line: Mapping[str, Any], text: str) -> bool:
        if "pages" in line:
            self._count, self._info = line["pages"], line["meta"]
        elif "page" in line:
            self._texts.append(text)
            self._faults += line["fault"] is not None
        else:
            return False
        return True

    def _where(self) -> str:
        return f"after page {len(self._texts)} of {self._count}" if self._texts else "before the first page"

    def pdf(self) -> Pdf:
        self._finish()
        if self._faults:
            self._notes.append(f"left out: {self._faults} pages that cannot be read")
        texts = [visible(text).strip("\n") for text in join_words(self._texts)]
        spans = []
        at = 0
        for text in texts:
            spans.append((at, at + len(text)))
            at += len(text) + len(_PAGE_BREAK)
        whole = _PAGE_BREAK.join(texts)
        if texts and not whole.strip() and not self._faults:
            self._notes.append("no text: the pages have none, as those of a scan")
        facts = {
            "author": one_line(self._info.get("Author"), 500),
            "published": _pdf_date(self._info.get("CreationDate")),
            "modified": _pdf_date(self._info.get("ModDate")),
        }
        return Pdf(
            text=whole,
            pages=tuple(spans),
            page_count=self._count,
            title=one_line(self._info.get("Title")),
            meta={name: value for name, value in facts.items() if value},
            notes=tuple(self._notes),
        )


def _pdf_date(text: str | None) -> str | None:
    """A date of ISO 32000-1 section 7.9.4, as RFC 3339."""
    match = _DATE.match((text or "").strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, zone, zone_minute = match.groups()
    date = "-".join(part for part in (year, month, day) if part)
    if hour is None or day is None:
        return read_date(date)
    offset = "" if zone is None else "Z" if zone == "Z" else f"{zone}:{zone_minute or '00'}"
    return read_date(f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}")
