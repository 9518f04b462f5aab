"""Which reader a body belongs to."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.plain import MAX_CHARS
from polite_crawler.readers.reading import form_of, read

URL = "https://www.example.com/file"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize(
    ("body", "content_type", "form"),
    [
        (b"<p>text", "text/html", "html"),
        (b"plain", "text/html; charset=utf-8", "html"),
        (b"<p>text", "application/xhtml+xml", "html"),
        (b"<!doctype html><p>", None, "html"),
        (b"\xef\xbb\xbf <!-- a --> <HTML >", "application/octet-stream", "html"),
        (b"<!DOCTYPE html><html>", "text/plain", "text"),
        (b"plain", "text/plain", "text"),
        (b"plain", None, "text"),
        (b"plain", "application/octet-stream", "text"),
        (b"# Title", "text/markdown", "text"),
        (b"a,b", "text/csv", "text"),
        (b"{}", "application/ld+json", "text"),
        (b"<rss/>", "application/rss+xml", "text"),
        (b"<svg/>", "image/svg+xml", "text"),
        (b"plain", "image/png", "text"),
        (b"BMW and MZ", "text/plain", "text"),
        ("text".encode("utf-16"), "text/plain", "text"),
        (b"%PDF-1.7", "text/html", "pdf"),
        (b"\r\n%PDF-1.7", None, "pdf"),
        (b"junk %PDF-1.7", "application/pdf", "pdf"),
        (b"junk\x00 %PDF-1.7", None, "pdf"),
        (b"<html>about %PDF-1.7", "text/html", "html"),
        (b"about %PDF-1.7", "text/plain", "text"),
        (PNG, "text/html", "image"),
        (PNG, None, "image"),
        (b"\xff\xd8\xff\xe0", "image/jpeg", "image"),
        (b"RIFF\x00\x00\x00\x00WEBP", None, "image"),
        (b"RIFF\x00\x00\x00\x00WAVE", None, "audio"),
        (b"RIFF\x00\x00\x00\x00none", "audio/x", "audio"),
        (b"\x00\x00\x00\x20ftypmp42", None, "video"),
        (b"\x00\x00\x00\x20ftypavif", "image/avif", "image"),
        (b"\x00\x00\x00\x20ftypheic", None, "image"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio/mp4", "audio"),
        (b"wOF2\x00", None, "font"),
        (b"PK\x03\x04\x00", None, "archive"),
        (b"\x1f\x8b\x08\x00", None, "archive"),
        (b"PK\x03\x04\x00[Content_Types].xml", None, "office"),
        (b"PK\x03\x04\x00mimetypeapplication/epub+zip", None, "office"),
        (b"PK\x03\x04\x00" + bytes(9000) + b"[Content_Types].xml", "application/zip", "office"),
        (b"PK\x03\x04\x00META-INF/container.xml", None, "office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", None, "office"),
        (b"\x00\x01", "application/msword", "office"),
        (b"\x00\x01", "video/x", "video"),
        (b"\x00\x01\x02", "application/octet-stream", "binary"),
        (b"\x7fELF\x00", None, "binary"),
        (b"", "text/html", "empty"),
        (b" \n", None, "empty"),
    ],
)
def test_form_of(body: bytes, content_type: str | None, form: str) -> None:
    assert form_of(body, content_type) == form


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "text", "title"),
    [
        (b"<title>t</title><p>a", "text/html", "page", "a", "t"),
        (b"a\r\nb\x00", "text/plain", "text", "a\nb", None),
        (b"text\n# A *title* #\n", "text/markdown", "text", "text\n# A *title* #\n", "A *title*"),
        (b"no title", "text/markdown", "text", "no title", None),
        (b"# No title", "text/plain", "text", "# No title", None),
        ('{"a": "é"}'.encode(), "application/json", "text", '{"a": "é"}', None),
        (b"a,\xe9", "text/csv; charset=latin1", "text", "a,é", None),
        (b"%PDF-1.7", "application/pdf", "pdf", "", None),
        (PNG, "image/png", "text", "", None),
        (b"", "text/html", "page", "", None),
        (b"", "text/plain", "text", "", None),
    ],
)
def test_read(body: bytes, content_type: str, kind: str, text: str, title: str | None) -> None:
    page = read(body, url=URL, content_type=content_type)
    assert (page.kind, page.text, page.title) == (kind, text, title)


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (PNG, "no text: an image"),
        (b"PK\x03\x04\x00[Content_Types].xml", "no text: the file is broken (no part that can be read)"),
        (b"PK\x03\x04\x00", "no text: an archive, which is not opened"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "no text: an office document of a kind that is not opened"),
        (b"", "no text: the body is empty"),
        (b"\xef\xbb\xbf \x7f", "no text: the body is empty"),
        (b"a" * (MAX_CHARS + 1), f"cut: more than {MAX_CHARS} characters"),
    ],
)
def test_notes(body: bytes, note: str) -> None:
    assert read(body, url=URL, content_type=None).notes == (note,)


def test_an_encoding_is_recorded() -> None:
    page = read(b"\xef\xbb\xbfa", url=URL, content_type="text/plain")
    assert (page.encoding, page.encoding_source) == ("utf-8", "bom")


@given(
    st.binary(max_size=120), st.sampled_from([None, "text/html", "text/plain", "image/png", "application/json", ";"])
)
def test_any_body_gives_a_page(body: bytes, content_type: str | None) -> None:
    page = read(body, url=URL, content_type=content_type)
    page.text.encode()
    assert page.text or page.notes or page.kind == "page"


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("charset", {"lxml", "scrapy", "twisted", "extruct", "pypdfium2"}),
        ("reading", {"lxml", "scrapy", "twisted", "extruct", "pypdfium2"}),
        ("html", {"scrapy", "twisted", "extruct", "readability", "pypdfium2", "rdflib"}),
        ("pdf", {"scrapy", "twisted", "pypdfium2"}),
        ("office.file", {"scrapy", "twisted", "lxml", "zipfile", "xml.parsers"}),
        ("sitemap", {"scrapy", "twisted", "lxml"}),
    ],
)
def test_heavy_imports_come_late(module: str, absent: set[str]) -> None:
    code = f"import polite_crawler.readers.{module}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert absent.isdisjoint(loaded)
