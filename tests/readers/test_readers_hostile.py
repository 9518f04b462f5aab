"""Pages that are made to break a reader cost a note and nothing else."""

import json

import pytest
from hostile import KINDS

from polite_crawler.readers.html import read_page
from polite_crawler.readers.scrub import visible


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_pages_are_read(kind: str) -> None:
    assert len(KINDS) >= 17
    page = read_page(KINDS[kind](20_000).encode("utf-8", "surrogatepass"), url="https://www.example.com/")
    assert visible(page.text) == page.text
    json.dumps([page.jsonld, dict(page.meta)], allow_nan=False, ensure_ascii=False).encode()
    for start, end in page.main:
        assert 0 <= start < end <= len(page.text)


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("nested div", "the markup nests deeper than 2048 elements"),
        ("nested b and i", "the markup nests deeper than 2048 elements"),
        ("links", "cut: more than 10000 links"),
        ("many attributes", "cut: a tag with more than 2000 attributes"),
        ("microdata siblings", "no microdata: more than"),
        ("JSON-LD open objects", "JSON-LD: 1 block not readable"),
        ("aria-hidden siblings", "kept: text in aria-hidden elements"),
        ("select options", "no main text: the page is too large to look for it"),
    ],
)
def test_what_a_limit_cuts_is_noted(kind: str, note: str) -> None:
    page = read_page(KINDS[kind](400_000).encode(), url="https://www.example.com/")
    assert any(found.startswith(note) for found in page.notes)
