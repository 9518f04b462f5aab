"""PDF files that Chromium printed, against their text, and the hostile files of the samples."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading_samples import PAGES, fold, needs_pages, quotes, squeeze

from polite_crawler.readers.pdf import close_worker, page_of, read_pdf

PDF = PAGES / "pdf"
pytestmark = needs_pages


@pytest.fixture(autouse=True, scope="module")
def _worker() -> Iterator[None]:
    yield
    close_worker()


def test_quotes_of_printed_pages_are_found() -> None:
    found = squeezed = total = 0
    for path in sorted(PDF.glob("*.pdf")):
        pdf = read_pdf(path.read_bytes())
        assert pdf.notes == ()
        assert len(pdf.pages) == pdf.page_count > 0
        text = fold(pdf.text)
        tight = squeeze(text)
        for quote in quotes(path.with_suffix(".txt").read_text("utf-8")):
            total += 1
            found += quote in text
            squeezed += squeeze(quote) in tight
    assert total > 2000
    assert found / total >= 0.94
    assert squeezed / total >= 0.988


def test_a_quote_names_its_page() -> None:
    pdf = read_pdf((PDF / "ietf-1.pdf").read_bytes())
    assert len(pdf.pages) > 1
    for number, (start, end) in enumerate(pdf.pages, 1):
        words = re.search(r"\w{5,}[^\n]{20,}", pdf.text[start:end])
        assert words is not None
        assert page_of(pdf.pages, start + words.start()) == number


@pytest.mark.slow
def test_the_hostile_files_cost_a_note(tmp_path: Path) -> None:
    (tmp_path / "hostile").mkdir()
    subprocess.run([sys.executable, str(PDF / "make_hostile.py")], cwd=tmp_path, check=True, capture_output=True)
    files = sorted((tmp_path / "hostile").glob("*.pdf"))
    assert len(files) >= 12
    for path in files:
        pdf = read_pdf(path.read_bytes())
        assert pdf.notes or "Hello quote here" in pdf.text, path.name
