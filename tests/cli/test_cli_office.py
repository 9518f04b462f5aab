"""Office documents and e-books from the fetch to a quote, and once more after a reindex."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_cli_fetch_crawl import pc

from polite_crawler.testsite.site import Site

QUOTES = {
    "letter.docx": "a keeper wound the clockwork every four hours",
    "as-zip": "By the log of the keeper.",
    "tides.odt": "Old harbour\t06:40",
    "notes.epub": "The largest is called M2, and it repeats",
    "bomb.docx": "This was written in later.",
}


def answers(*arguments: str, store: Path) -> list[Any]:
    return [json.loads(line) for line in pc(*arguments, "--json", store=store).stdout.splitlines()]


@pytest.fixture
def store(site: Site, store_dir: Path) -> Path:
    pages = answers("fetch", *(site.url(f"/office/{name}") for name in QUOTES), store=store_dir)
    assert [page["outcome"] for page in pages] == ["ok"] * len(QUOTES)
    assert all(page["chars"] > 300 for page in pages)
    return store_dir


def check(site: Site, store: Path) -> None:
    found = answers("find", '"written in later"', "--kind", "text", store=store)
    assert {one["url"] for one in found} == {
        site.url(f"/office/{name}") for name in ("letter.docx", "as-zip", "bomb.docx")
    }
    for name, quote in QUOTES.items():
        (verified,) = answers("verify", site.url(f"/office/{name}"), quote, store=store)
        assert verified["found"], name
    (book,) = answers("read", site.url("/office/notes.epub"), store=store)
    assert (book["kind"], book["title"]) == ("text", "Notes of the harbour")
    start = book["text"].index(QUOTES["notes.epub"])
    (chapter,) = [one for one in book["meta"]["chapters"] if one["start"] <= start < one["end"]]
    assert chapter["title"] == "How the tide table is made"


def test_from_the_fetch_to_a_quote_and_after_a_reindex(site: Site, store: Path) -> None:
    check(site, store)
    (found,) = answers("reindex", store=store)
    assert (found["documents"], found["failed"]) == (len(QUOTES), 0)
    check(site, store)
