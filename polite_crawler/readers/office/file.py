"""The reader of DOCX, ODT and EPUB files, in a process of its own: a hostile file costs a note, and what came before it
is kept.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polite_crawler.readers.dates import read_date
from polite_crawler.readers.page import Page
from polite_crawler.readers.processes import Findings, Limits, Processes
from polite_crawler.readers.scrub import one_line, visible

_BREAK = "\n\n"
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACE = " \t\n"
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")

PROCESSES = Processes("office.parts")


@dataclass(frozen=True, slots=True)
class OfficeLimits(Limits):
    """The limits of one file: octets that its parts inflate to, pages of a book, and those of every file."""

    inflated: int = 200 << 20
    chapters: int = 2000


DEFAULT_LIMITS = OfficeLimits()


@dataclass(frozen=True, slots=True)
class Chapter:
    """A page of a book: its heading, and its span in the text."""

    title: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Office:
    """The text of a file and its facts. `chapters` are those of a book, in the sequence of reading; `meta` holds
    author, description, published and modified when the file names them.
    """

    text: str = ""
    title: str | None = None
    language: str | None = None
    chapters: tuple[Chapter, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_office(body: bytes, limits: OfficeLimits = DEFAULT_LIMITS) -> Office:
    """Read a file. Never an error: what came before a limit or a fault is kept, and a note says what it was."""
    found = _Findings(limits)
    for line, text in PROCESSES.read(body, limits):
        found.take(line, text)
    return found.office()


def read_office_page(body: bytes, limits: OfficeLimits = DEFAULT_LIMITS) -> Page:
    """The facts of a file as a Page. `meta["chapters"]` lists the title, start and end of each page of a book."""
    office = read_office(body, limits)
    meta: dict[str, Any] = dict(office.meta)
    if office.chapters:
        meta["chapters"] = [{"title": one.title, "start": one.start, "end": one.end} for one in office.chapters]
    return Page(
        kind="text", title=office.title, text=office.text, language=office.language, meta=meta, notes=office.notes
    )


class _Findings(Findings):
    """The parts of a document or a book."""

    def __init__(self, limits: OfficeLimits) -> None:
        super().__init__(limits)
        self._facts: dict[str, str] = {}
        self._texts: list[str] = []
        self._chapters: list[tuple[str | None, str]] = []

    def _keep(self, line: Mapping[str, Any], text: str) -> bool:
        if "facts" in line:
            self._facts.update(line["facts"])
        elif "text" in line:
            self._texts.append(text)
        elif "chapter" in line:
            self._chapters.append((one_line(line["chapter"], 500), text))
        elif "note" in line:
            self._notes.append(line["note"])
        else:
            return False
        return True

    def _where(self) -> str:
        if self._chapters:
            return f"after page {len(self._chapters)} of the book"
        length = sum(map(len, self._texts))
        return f"after {length} characters" if length else "before the first text"

    def office(self) -> Office:
        self._finish()
        parts, chapters, at = [_clean("".join(self._texts))] if self._texts else [], [], 0
        for title, text in self._chapters:
            text = _clean(text)
            chapters.append(Chapter(title, at, at + len(text)))
            parts.append(text)
            at += len(text) + len(_BREAK)
        whole = _BREAK.join(parts)
        if not whole and not any(note.startswith(("no text:", "cut:")) for note in self._notes):
            self._notes.append("no text: the document has none")
        facts = self._facts
        meta = {
            "author": one_line(facts.get("author"), 500),
            "description": one_line(facts.get("description")),
            "published": read_date(facts.get("published")),
            "modified": read_date(facts.get("modified")),
        }
        language = (facts.get("language") or "").strip().replace("_", "-")
        return Office(
            text=whole,
            title=one_line(facts.get("title")) or one_line(facts.get("heading"), 300),
            language=language if len(language) <= 35 and _LANGUAGE.fullmatch(language) else None,
            chapters=tuple(chapters),
            meta={name: value for name, value in meta.items() if value},
            notes=tuple(dict.fromkeys(self._notes)),
        )


def _clean(text: str) -> str:
    lines = (line.rstrip(" ") for line in visible(text).split("\n"))
    return _BLANK_LINES.sub(_BREAK, "\n".join(lines)).strip(_SPACE)
