"""Real pages against what Chromium shows of them, annotated segments, and bare readability."""

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from reading_samples import PAGES, Sample, fold, needs_pages, quotes, samples, unpack

from polite_crawler.readers.charset import decode
from polite_crawler.readers.html import read_page
from polite_crawler.readers.page import Page
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import read_visible

pytestmark = needs_pages

URL = "https://www.example.com/page"


@cache
def _page(body: bytes) -> Page:
    return read_page(body, url=URL)


@cache
def _read() -> tuple[tuple[Sample, Page], ...]:
    return tuple((sample, _page(sample.body)) for sample in samples())


def _shown() -> Iterator[tuple[str, str]]:
    """Chromium's text and ours."""
    for sample, page in _read():
        if sample.shown is not None:
            yield sample.shown, page.text


def test_quotes_of_what_chromium_shows_are_found() -> None:
    found = total = 0
    for shown, text in _shown():
        folded = fold(text)
        wanted = list(quotes(shown))
        total += len(wanted)
        found += sum(quote in folded for quote in wanted)
    assert total > 15_000
    assert found / total >= 0.988


def test_words_that_chromium_does_not_show_are_rare() -> None:
    common = ours = 0
    for shown, text in _shown():
        seen, read = Counter(re.findall(r"\w+", fold(shown))), Counter(re.findall(r"\w+", fold(text)))
        common += (seen & read).total()
        ours += read.total()
    assert common / ours >= 0.99


def test_annotated_segments_that_a_person_sees_are_found() -> None:
    pages = {sample.name: (sample, page) for sample, page in _read()}
    data = json.loads((PAGES / "trafilatura" / "evaldata.json").read_text("utf-8"))
    seen = missing = everything = found = 0
    for entry in data.values():
        sample, page = pages[f"trafilatura/{entry['file']}.gz"]
        text, shown = fold(page.text), fold(sample.shown or "")
        for segment in map(fold, entry["with"]):
            everything += 1
            found += segment in text
            if segment in shown:
                seen += 1
                missing += segment not in text
    assert seen > 200
    assert missing / seen <= 0.005
    # The rest stands only in the data of scripts, or under display: none.
    assert found / everything >= 0.965


def test_no_real_page_is_said_to_need_javascript_or_to_be_a_bot_check() -> None:
    names = [path for folder in ("readability", "trafilatura", "article-extraction-benchmark", "product")
             for path in sorted((PAGES / folder).glob("*.html.gz")) if ".expected." not in path.name]  # fmt: skip
    pages = [_page(unpack(path)) for path in names]
    assert len(pages) > 350
    assert [page.title for page in pages if page.needs_javascript] == []
    assert [page.title for page in pages if page.blocked] == []


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return Counter(tuple(words[at : at + 4]) for at in range(max(len(words) - 3, 1 if words else 0)))


def _f1(pairs: list[tuple[str, str]]) -> float:
    """The F1 of shingles of four words, averaged over the pages as the article-extraction-benchmark does."""
    precisions, recalls = [], []
    for truth, text in pairs:
        wanted, found = _shingles(truth), _shingles(text)
        common = (wanted & found).total()
        precisions.append(common / found.total() if found else 0.0)
        recalls.append(common / wanted.total() if wanted else 0.0)
    precision, recall = sum(precisions) / len(pairs), sum(recalls) / len(pairs)
    return 2 * precision * recall / (precision + recall)


def _bare(body: bytes) -> str:
    """What readability-lxml gives by itself: its summary, as text."""
    from readability.readability import Document

    logging.getLogger("readability.readability").disabled = True
    return str(parse_html(Document(decode(body, None).text).summary()).root.text_content())


def _main(body: bytes) -> str:
    page = _page(body)
    return "\n".join(page.text[start:end] for start, end in page.main)


def _truths(folder: str) -> list[tuple[bytes, str]]:
    if folder == "readability":
        return [
            (unpack(path), read_visible(parse_html(unpack(expected).decode()).root).text)
            for path in sorted((PAGES / folder).glob("*.html.gz"))
            if ".expected." not in path.name
            and (expected := path.with_name(path.name.replace(".html.gz", ".expected.html.gz"))).is_file()
        ]
    truth = json.loads((PAGES / folder / "ground-truth.json").read_text("utf-8"))
    paths = {name: PAGES / folder / f"{name}.html.gz" for name in truth}
    return [(unpack(paths[name]), entry["articleBody"]) for name, entry in truth.items() if paths[name].is_file()]


@pytest.mark.parametrize("folder", ["article-extraction-benchmark", "readability"])
def test_the_main_text_is_at_least_that_of_bare_readability(folder: str) -> None:
    truths = _truths(folder)

    def score(read: Callable[[bytes], str]) -> float:
        return _f1([(truth, read(body)) for body, truth in truths])

    assert len(truths) > 50
    assert score(_main) >= score(_bare)


def test_each_page_is_stored_as_json() -> None:
    assert len(_read()) > 250
    for _, page in _read():
        json.dumps([page.jsonld, dict(page.meta), page.notes], allow_nan=False, ensure_ascii=False).encode()
        page.text.encode()
        assert all(0 <= start < end <= len(page.text) for start, end in page.main)
