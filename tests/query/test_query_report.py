"""The quotations of a Markdown file, and their check against a store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_lab import DAY, StoreLab

from polite_crawler.query.markdown_quotes import Quotation, quotations
from polite_crawler.query.report import check_report, report_lines
from polite_crawler.query.store import open_store

CAPTURE = "fetch.abcdefghijklmnopqrstuvwxyz"[:32]
E = "https://e.com/"


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        (f"It says “open now” ([source]({E}a)).", [(1, "open now", E + "a")]),
        (f'It says "open now", see <{E}a>.', [(1, "open now", E + "a")]),
        (f"Il dit «ouvert» {E}a, „offen“ url:{E}b", [(1, "ouvert", E + "a"), (1, "offen", f"url:{E}b")]),
        (f"[A]({E}a) says “one” and “two”.", [(1, "one", E + "a"), (1, "two", E + "a")]),
        (f"“One” is said ([A]({E}a)). “Two” is said ([B]({E}b)).", [(1, "One", E + "a"), (1, "Two", E + "b")]),
        (f"[A]({E}a) says “one”. [B]({E}b) says “two”.", [(1, "one", E + "a"), (1, "two", E + "b")]),
        (f'["the link text"]({E}a) and [B]({E}b)', [(1, "the link text", E + "a")]),
        (f"“One.”[^n] and “two” [x][Ref  A] “three” [ref a]\n\n[ref a]: {E}r 'title'\n[^n]: See {E}f.",
         [(1, "One.", E + "f"), (1, "two", E + "r"), (1, "three", E + "r")]),
        (f"“one\ntwo” {E}a\n\n“three” {E}b", [(1, "one\ntwo", E + "a"), (4, "three", E + "b")]),
        (f"- “one” {E}a\n- “two” {E}b\n\n1. “three”", [(1, "one", E + "a"), (2, "two", E + "b"), (4, "three", None)]),
        (f"| “one” | {E}a |\n| “two” | {E}b |", [(1, "one", E + "a"), (2, "two", E + "b")]),
        (f"“a **bold** [word]({E}x) \\*here\\* &amp; there” `menu:forno/focaccia`",
         [(1, "a **bold** word *here* & there", "menu:forno/focaccia")]),
        (f"“one” {E}a {CAPTURE} and {E}b", [(1, "one", E + "a", CAPTURE)]),
        (f"“one” [a]({E}wiki/A_(b)) ok", [(1, "one", E + "wiki/A_(b)")]),
        (f'![alt "text"]({E}img.png) “one”', [(1, 'text', None), (1, "one", None)]),
        (f'[a]({E}a "a title") "one"', [(1, "one", E + "a")]),
        (f'<a href="{E}a">"one"</a>', [(1, "one", E + "a")]),
        (f"5\" and 6\" pipes {E}a", []),
        (f"```\n“code” {E}a\n```\n~~~\n\"code\"\n~~~\n`\"code\"` {E}a", []),
        (f"<!-- “hidden” {E}a\n-->\n“shown” {E}a", [(3, "shown", E + "a")]),
        ("“mail” [a](mailto:a@b.c) [b](#part) [c](page.html)", [(1, "mail", None)]),
        ("", []),
    ],
)  # fmt: skip
def test_inline(markdown: str, found: list[tuple[object, ...]]) -> None:
    assert list(quotations(markdown)) == [Quotation(*one) for one in found]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        (f"> Words that go\n> over lines.\n>\n> — [E]({E}a)", ("Words that go\nover lines.", E + "a")),
        (f"> Words.\n> [E]({E}a)", ("Words.", E + "a")),
        (f"> Words. — <{E}a>", ("Words.", E + "a")),
        (f"> Words ([E]({E}a))", ("Words", E + "a")),
        (f"> Words. ([E]({E}a))", ("Words.", E + "a")),
        (f"> “Words.”\n\nSource: url:{E}a {CAPTURE}", ("Words.", f"url:{E}a", CAPTURE)),
        (f"> Words.\n\n([E]({E}a))", ("Words.", E + "a")),
        (f"[E]({E}a) says:\n\n> Words.", ("Words.", E + "a")),
        (f"[E]({E}a) is a page.\n\n> Words.\n\nMore of [F]({E}b).", ("Words.", None)),
        (f"> Some [linked]({E}a) words.", ("Some linked words.", E + "a")),
        ("> > Words.", ("Words.", None)),
    ],
)
def test_block_quotes(markdown: str, found: tuple[object, ...]) -> None:
    (quotation,) = quotations(markdown)
    assert (quotation.quote, quotation.doc, quotation.capture) == (*found, None)[:3]


MARKDOWN = st.text(st.sampled_from('"“”«»„>[]()<>`*-|#:\\ \nab.!https://e.com/ '), max_size=80)


@given(MARKDOWN)
def test_any_text_is_read(markdown: str) -> None:
    lines = markdown.count("\n") + 1
    for one in quotations(markdown):
        assert 1 <= one.line <= lines
        assert one.quote.strip()


URL = "https://site.example/page"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[StoreLab]:
    lab = StoreLab(tmp_path / "store")
    yield lab
    lab.close()


def test_a_report(lab: StoreLab) -> None:
    first = lab.page(URL, "We are open on Sundays, from nine to five.", at=0)
    lab.page(URL, "We are open on Mondays, from nine to five.", at=DAY)
    lab.page("https://held.example/", "private words", hold="noai")
    markdown = f"""# Hours

They say “We are open on Mondays” ([page]({URL})), or as url:{URL} {first.id} had it, “open on Sundays”.
“open on Sundays, from” was once on [the page]({URL}).

> from ten to five

Source: <{URL}>

“private words” (https://held.example/) and “more” https://other.example/ but nobody says “this”.
"""
    with open_store(lab.folder.path) as store:
        report = check_report(store, markdown)
    found = [(one.line, one.ok, one.found, one.stale, one.held_back) for one in report.quotations]
    assert found == [
        (3, True, True, False, False),
        (3, True, True, False, False),
        (4, True, True, True, False),
        (6, False, False, False, False),
        (10, False, False, False, True),
        (10, False, False, False, False),
        (10, False, False, False, False),
    ]
    assert (report.ok, report.checked, report.failed, report.unlinked) == (False, 7, 4, 0)
    assert report.quotations[1].capture == first.id
    assert report.quotations[3].closest == "from nine to five"
    assert "no stored document" in str(report.quotations[5].note)
    lines = list(report_lines(report, "hours.md"))
    assert lines[0] == f"hours.md:3: ok (exact): 'We are open on Mondays' in url:{URL}"
    assert any(line.startswith("hours.md:6: NOT FOUND: 'from ten to five'") for line in lines)
    assert any(line.startswith("hours.md:10: HELD BACK") for line in lines)
    assert "hours.md:6: closest passage: 'from nine to five'" in lines
    assert lines[-1] == "hours.md: 7 quotations checked, 4 failed"


def test_a_report_without_a_link_is_ok(lab: StoreLab) -> None:
    lab.page(URL, "words")
    with open_store(lab.folder.path) as store:
        report = check_report(store, "Nobody said “this”.")
    assert (report.ok, report.checked, report.unlinked, report.quotations) == (True, 0, 1, ())
    assert list(report_lines(report, "a.md")) == ["a.md: 0 quotations checked, 0 failed; 1 without a link"]
