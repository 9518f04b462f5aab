"""The pages of a PDF file by PDFium, in the process of readers/worker.py: PDFium aborts on hostile files."""

from collections.abc import Iterator, Mapping
from typing import Any

import pypdfium2

_PASSWORD = 4
"""FPDF_ERR_PASSWORD of fpdfview.h."""

SAMPLE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 27>>stream
BT/F 9 Tf 9 9 Td(warm)Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Size 6/Root 1 0 R>>"""
"""A file of our own that the server reads before it forks, so that each child finds PDFium and Python warm."""

SAMPLE_LIMITS: Mapping[str, Any] = {"pages": 1, "characters": 9}


def read(body: bytes, limits: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The lines of one file: the head, then each page with its text, then the end or the error."""
    try:
        document = _open(body)
    except pypdfium2.PdfiumError as error:
        kind = "password" if getattr(error, "err_code", None) == _PASSWORD else "broken"
        yield {"error": kind, "why": str(error)[:200]}, ""
        return
    count = len(document)
    yield {"pages": count, "meta": _metadata(document)}, ""
    left = limits["characters"]
    for index in range(min(count, limits["pages"])):
        text, fault = _page(document, index)
        yield {"page": index + 1, "fault": fault}, text[:left]
        if len(text) > left:
            yield {"cut": "characters"}, ""
            return
        left -= len(text)
    yield ({"cut": "pages"} if count > limits["pages"] else {"end": True}), ""


def _open(body: bytes) -> Any:
    factory: Any = pypdfium2.PdfDocument
    return factory(body)


def _page(document: Any, index: int) -> tuple[str, str | None]:
    try:
        page = document[index]
        try:
            text_page = page.get_textpage()
            try:
                return text_page.get_text_range(errors="ignore"), None
            finally:
                text_page.close()
        finally:
            page.close()
    except (pypdfium2.PdfiumError, ValueError, RuntimeError, MemoryError) as error:
        return "", type(error).__name__


def _metadata(document: Any) -> dict[str, str]:
    try:
        return {str(key): str(value)[:2000] for key, value in document.get_metadata_dict(skip_empty=True).items()}
    except (pypdfium2.PdfiumError, ValueError, RuntimeError):
        return {}
