"""The shared sample pages and how a quote of them is compared. No test: a helper."""

import gzip
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from shared_files import SHARED

PAGES = SHARED / "samples" / "pages"
needs_pages = pytest.mark.skipif(not PAGES.is_dir(), reason="../shared/samples/pages is not there")
QUOTE = 12
"""Words of a quote."""

_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Sample:
    """A page of the index: its body, and what Chromium shows of it (None when it decoded the page wrongly)."""

    name: str
    body: bytes
    shown: str | None


def samples() -> Iterator[Sample]:
    for entry in json.loads((PAGES / "index.json").read_text("utf-8")):
        shown = entry.get("innertext") if entry["charset"] == entry["chromium_charset"] else None
        yield Sample(entry["file"], unpack(PAGES / entry["file"]), unpack(PAGES / shown).decode() if shown else None)


def unpack(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def fold(text: str) -> str:
    """Compatible characters, case and white space folded, as for the comparison of a quote."""
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", text)).casefold().split())


def squeeze(text: str) -> str:
    return "".join(text.split())


def quotes(text: str) -> Iterator[str]:
    """The quotes of twelve words that stand in one line, one after the other."""
    for line in text.split("\n"):
        words = fold(line).split(" ")
        for start in range(0, len(words) - QUOTE + 1, QUOTE):
            yield " ".join(words[start : start + QUOTE])
