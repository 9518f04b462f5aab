"""The main text as spans: verbatim, in sequence, apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers import main_text
from polite_crawler.readers.main_text import align, find_main
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import read_visible


@pytest.mark.parametrize(
    ("text", "part", "found"),
    [
        ("a\nb\nc", "b", ["b"]),
        ("a\nb\n\nc\nd", "b\nc", ["b\n\nc"]),
        ("a\nb\nc", "a\nc", ["a", "c"]),
        ("x\ny\nx", "y\nx", ["y\nx"]),
        ("x\ny\nx", "x\ny", ["x\ny"]),
        ("a\nb", "c", []),
        ("  a  \nb", "a", ["a"]),
        ("before the words that are searched for", "the words that are searched", ["the words that are searched"]),
        ("the words that are searched for\nb", "b\nthe words that are searched", ["the words that are searched", "b"]),
        ("a short one", "short", ["short"]),
        ("", "a", []),
        ("a", "", []),
        ("b\na", "a\nb", ["b\na"]),
    ],
)
def test_align(text: str, part: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in align(text, part)] == found


_LINES = st.lists(
    st.sampled_from(["one", "two words", "", " x ", "a longer line that can be searched for"]), max_size=12
)


@given(_LINES, _LINES)
def test_spans_are_in_sequence_and_apart(text: list[str], part: list[str]) -> None:
    whole = "\n".join(text)
    spans = align(whole, "\n".join(part))
    positions = [position for span in spans for position in span]
    assert positions == sorted(set(positions))
    assert all(0 <= start < end <= len(whole) for start, end in spans)


@given(_LINES)
def test_the_whole_text_is_one_span(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "".join(text[start:end] for start, end in align(text, text)) == text.strip()


PARAGRAPH = "<p>A paragraph of the article, with words enough, so that it counts as content of the page.</p>"


def spans_of(source: str, length: int | None = None) -> tuple[list[str], tuple[str, ...]]:
    tree = parse_html(source)
    text = read_visible(tree.root).text
    spans, notes = find_main(tree.root, text, len(source) if length is None else length, flat=tree.flat)
    return [text[start:end] for start, end in spans], notes


def test_a_page_without_its_boxes_has_no_main_text() -> None:
    source = "<div class=article>" * 2100 + PARAGRAPH * 5
    assert spans_of(source) == ([], ("no main text: the page is read without its boxes",))


def test_the_tree_is_left_as_it_was() -> None:
    root = parse_html(f"<div hidden>x</div><div id=menu>menu</div><article>{PARAGRAPH * 5}</article>").root
    before = read_visible(root)
    find_main(root, before.text, 1000)
    assert read_visible(root) == before
    assert len(root.xpath("//*[@hidden]")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * (main_text.MAX_DEPTH + 1) + "deep",
        "<p>text</p>" * (main_text.MAX_ELEMENTS + 1),
    ],
)
def test_a_large_page_gets_a_note(source: str) -> None:
    assert spans_of(source) == ([], ("no main text: the page is too large to look for it",))


def test_a_long_source_gets_a_note() -> None:
    assert spans_of(PARAGRAPH, main_text.MAX_SOURCE + 1) == (
        [],
        ("no main text: the page is too large to look for it",),
    )


def test_no_text_has_no_main_text() -> None:
    assert spans_of("<p>") == ([], ())


def test_a_failure_of_the_heuristics_is_a_note(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from readability.readability import Document

    def fail(*arguments: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(Document, "score_paragraphs", fail)
    assert spans_of(PARAGRAPH) == ([], ("no main text: the page has none that readability finds",))
    assert caplog.records == []


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("color:red", True),
        ("display:none", False),
        ("display:none;display:block", True),
        ("color:red; visibility: hidden", False),
        ("backface-visibility:hidden", True),
        ("background:url('a;display:none')", True),
        ("background:" + "url(" * 20_000, True),
    ],
)
def test_a_style_counts_only_by_what_it_hides(style: str, shown: bool) -> None:
    paragraph = "<p>A paragraph of the article, with enough words, commas and text to be scored.</p>"
    article = paragraph * 6 + f'<p style="{style}">The paragraph, which has a style of its own, and words.</p>'
    root = parse_html(f"<style>p {{}}</style><ul><li>menu</ul><div class=article>{article}</div>").root
    text = read_visible(root).text
    spans, notes = find_main(root, text, len(text))
    assert ("style of its own" in "".join(text[start:end] for start, end in spans)) is shown
    assert notes == ()
    assert [element.get("style") for element in root.iter("p")][-1] == style
