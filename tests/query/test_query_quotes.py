"""Quotes in texts: the strictest set of normalizations, the place and the count."""

import unicodedata
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.query import quotes
from polite_crawler.query.canonical_text import Form, fold, fold_quote
from polite_crawler.query.quotes import (
    ELLIPSIS_GAP,
    NORMALIZATIONS,
    QuotableText,
    TextCache,
    find_value,
    quotable,
    verify_text,
)

CASES = [
    # text, quote, normalization, matched
    ("Use it for examples.", "for examples", "exact", "for examples"),
    ("one\n\n  two three", "one two three", "white-space", "one\n\n  two three"),
    ("one two", " one two ", "white-space", "one two"),
    ("10\u00a0000\u202fkm", "10 000 km", "white-space", "10\u00a0000\u202fkm"),
    ("Open Mon9am daily", "Mon 9am", "white-space", "Mon9am"),
    ("日本\n語の本", "日本語の本", "white-space", "日本\n語の本"),
    ("She said “don’t” — twice.", '"don\'t" - twice', "typography", "“don’t” — twice"),
    ("co\u00adop\u00aderation is key", "cooperation is", "typography", "co\u00adop\u00aderation is"),
    (unicodedata.normalize("NFD", "au Café Zürich"), "Café Zürich", "typography", "Cafe\u0301 Zu\u0308rich"),
    ("the eﬃcient oﬃce", "efficient office", "typography", "eﬃcient oﬃce"),
    ("x … y", "x ... y", "typography", "x … y"),
    ("“one\n two”", '"one two"', "white-space+typography", "“one\n two”"),
    ("one two three four five", "one two ... five", "ellipsis", "one two three four five"),
    ("one two three four five", "one [...] three […] five", "ellipsis", "one two three four five"),
    ("one two three four five", "... three four …", "ellipsis", "three four"),
    ("one  two – three four", "one two - … four", "white-space+typography+ellipsis", "one  two – three four"),
    ("It is plain text", "It is **plain** text", "emphasis", "It is plain text"),
    ("It is **plain** text", "It is plain text", "emphasis", "It is **plain** text"),
    ("It is *plain*  text", "is _plain_ text", "white-space+emphasis", "is *plain*  text"),
    ("OPEN ON SUNDAYS", "Open on Sundays", "case", "OPEN ON SUNDAYS"),
    ("Straße nach İstanbul", "STRASSE NACH i̇stanbul", "case", "Straße nach İstanbul"),
    ("Don’t  PANIC", "don't panic", "white-space+typography+case", "Don’t  PANIC"),
    ("ONE two three FOUR", "one … four", "ellipsis+case", "ONE two three FOUR"),
    ("hello World. Hello world", "Hello world", "exact", "Hello world"),
    ("HELLO world; hello  world", "hello world", "white-space", "hello  world"),
    ("a\0b  c", "a\0b c", "white-space", "a\0b  c"),
    ("\ud83d x  y", "\ud83d x y", "white-space", "\ud83d x  y"),
    ("😀 “x”", '😀 "x"', "typography", "😀 “x”"),
]


@pytest.mark.parametrize(("text", "quote", "normalization", "matched"), CASES)
def test_quotes(text: str, quote: str, normalization: str, matched: str) -> None:
    match = verify_text(text, quote)
    assert match is not None
    assert (match.normalization, text[match.start : match.end], match.count) == (normalization, matched, 1)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("10² km", "102 km"),
        ("1½ cups", "11⁄2 cups"),
        ("① first", "1 first"),
        ("the café", "the cafe"),
        ("nowhere", "now here"),
        ("5*3 = 15", "53 = 15"),
        ("snake_case", "snakecase"),
        ("12, 50", "12,50"),
        ("one two three", "three … one"),
        ("한국", "하"),
        ("one two", "one two three"),
        ("", "a"),
        ("abc", "\u00ad"),
    ],
)
def test_what_is_not_there(text: str, quote: str) -> None:
    assert verify_text(text, quote) is None


@pytest.mark.parametrize("quote", ["", " ", "\n\t", "\u00a0", "\u3000"])
def test_a_quote_needs_a_visible_character(quote: str) -> None:
    with pytest.raises(BadOption, match="quote is empty"):
        verify_text("some text", quote)


def test_the_gap_of_an_ellipsis_is_bounded() -> None:
    near = "start " + "x" * (ELLIPSIS_GAP - 2) + " end"
    assert verify_text(near, "start … end") is not None
    assert verify_text(near.replace("x", "xx", 1), "start … end") is None


def test_an_ellipsis_takes_the_nearest_start() -> None:
    text = "start one. start two. end"
    match = verify_text(text, "start ... end")
    assert match is not None
    assert text[match.start : match.end] == "start two. end"
    close = verify_text("startend", "start ... end")
    assert close is not None
    assert (close.start, close.end, close.normalization) == (0, 8, "ellipsis")


def test_counts_the_places_of_the_same_set() -> None:
    text = "an Apple, an  apple, an apple"
    match = verify_text(text, "an apple")
    assert match is not None
    assert (match.normalization, match.count) == ("exact", 1)
    match = verify_text("An Apple an apple, AN APPLE", "an aPPle")
    assert match is not None
    assert (match.normalization, match.count, match.start) == ("case", 3, 0)


@pytest.mark.parametrize(
    ("text", "quote", "normalization", "start", "count"),
    [
        ("NO NO", "no", "case", 0, 2),
        ("AAAA", "aa", "case", 0, 2),
        ("It’s, it’s It’s", "It's", "typography", 0, 2),
        ("Hello. HELLO. hello", "heLLo", "case", 0, 3),
        ("a  b a b A b", "a b", "exact", 5, 1),
        ("a  b A b", "a b", "white-space", 0, 1),
        ("A b a  b", "a b", "white-space", 4, 1),
        # what shows nothing belongs to the place that begins or ends with it
        ("so \u00adyes \u200bno", "\u00adyes \u200b\n", "white-space", 3, 1),
    ],
)
def test_places_side_by_side_count_each(text: str, quote: str, normalization: str, start: int, count: int) -> None:
    match = verify_text(text, quote)
    assert match is not None
    assert (match.normalization, match.start, match.count) == (normalization, start, count)


@given(st.text(st.sampled_from("ab AB. '’"), max_size=24), st.text(st.sampled_from("ab AB. '"), min_size=1, max_size=5))
def test_few_places_are_those_of_the_whole_text(text: str, quote: str) -> None:
    assume(quote.strip())
    few = verify_text(QuotableText(text), quote)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_FEW", 0)
        assert verify_text(QuotableText(text), quote) == few


def test_many_places_are_looked_at_in_the_whole_text() -> None:
    text = "Ab cd. " * 200 + "ab  cd"
    match = verify_text(text, "ab cd")
    assert match is not None
    assert (match.normalization, match.count, match.start) == ("white-space", 1, 1400)
    match = verify_text("Ab cd. " * 200, "ab cd")
    assert match is not None
    assert (match.normalization, match.count) == ("case", 200)


def test_a_quote_of_marks_alone_is_looked_up_as_it_is() -> None:
    match = verify_text("a *** b", "***")
    assert match is not None
    assert match.normalization == "exact"
    assert verify_text("a b", "***") is None


PIECES = st.text(st.sampled_from("ab AB.,’'“\"–-…*_é\u0301\u00a0\n1ßﬁ"), min_size=0, max_size=30)


@given(PIECES, PIECES, PIECES)
def test_every_part_of_a_text_is_exact(before: str, quote: str, after: str) -> None:
    assume(quote.strip())
    text = before + quote + after
    match = verify_text(text, quote)
    assert match is not None
    assert match.normalizations == ()
    assert text[match.start : match.end] == quote
    assert match.start == text.find(quote)
    assert match.count == text.count(quote)


UNMARKED = st.text(st.sampled_from("ab AB.,’'“\"–-é\u00a0\n1ßﬁ"), max_size=30)


@given(UNMARKED, UNMARKED)
def test_the_set_is_the_strictest(text: str, quote: str) -> None:
    """Against a search of the whole text under every set without ellipsis and emphasis."""
    assume(quote.strip() and "..." not in quote)
    match = verify_text(text, quote)
    sets = []
    for case, typography, white_space in product((False, True), repeat=3):
        form = Form("collapsed" if white_space else "kept", typography=typography, case=case)
        on = {"white-space": white_space, "typography": typography, "case": case}
        folded = fold_quote(quote, form)
        if folded and folded in fold(text, form).text:
            sets.append(tuple(name for name in NORMALIZATIONS if on.get(name)))
    if sets:
        assert match is not None
        assert match.normalizations == sets[0]
    elif match is not None:
        assert "white-space" in match.normalizations


@given(PIECES, PIECES, st.sampled_from(["upper", "nfd", "spaces", "quotes"]))
def test_a_changed_quote_is_found(text: str, quote: str, change: str) -> None:
    assume(quote.strip() and text.strip())
    changes = {
        "upper": lambda one: one.upper(),
        "nfd": lambda one: unicodedata.normalize("NFD", one),
        "spaces": lambda one: one.replace(" ", " \n "),
        "quotes": lambda one: one.replace("'", "’").replace('"', "“"),
    }
    whole = "x " + text + " x"
    match = verify_text(whole, changes[change]("x " + text + " x"))
    assert match is not None
    assert 0 <= match.start < match.end <= len(whole)


LONG = st.text(st.sampled_from("ab AB.’'\u00ade\u0301\n ß"), min_size=0, max_size=60)

LONG_QUOTE = st.text(st.sampled_from("ab AB.’'\u00ade\u0301\n ß"), min_size=17, max_size=60)


@given(LONG, LONG_QUOTE, LONG, st.booleans(), st.booleans())
def test_an_indexed_text_answers_the_same(one: str, quote: str, two: str, twice: bool, changed: bool) -> None:
    assume(quote.strip())
    text = one + quote + two + (quote if twice else "") + one
    asked = quote.replace(" ", "  ").replace("'", "’") if changed else quote
    plain = verify_text(QuotableText(text), asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_INDEXED", 0)
        indexed = verify_text(QuotableText(text), asked)
    assert indexed == plain
    assert plain is not None or changed


INSIDE = "words that are there, and a cafe\u0301 too"
"""A text with a character that has a mark."""


@pytest.mark.parametrize(
    ("quote", "start"),
    [
        ("words that are there, and a cafe", 0),
        ("\u0301 too, words that are there", 32),
        (" there, and a cafe\u0301 too", 14),
        ("\u00adthere, and a cafe\u0301 too", None),
    ],
    ids=["ends before a mark", "begins with a mark", "begins with a space", "begins with what is not there"],
)
def test_an_exact_quote_of_an_indexed_text(quote: str, start: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotes, "_INDEXED", 0)
    text = f"{INSIDE}, {INSIDE}"
    match = QuotableText(text).exact(quote)
    assert (match and match.start) == start
    assert (match.count if match else 0) == text.count(quote)


@pytest.mark.parametrize("quote", ["e" * 30, "\u0301" + "e\u0301" * 30, "a" * 40, "a b" * 20, "x" * 40 + "e"])
def test_an_indexed_text_of_one_pattern(quote: str) -> None:
    text = ("e\u0301" * 100 + "a" * 100 + "a ba b" * 100 + "x" * 50 + "e\u0301" + "e" * 40) * 50
    match = verify_text(QuotableText(text), quote)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_INDEXED", 0)
        assert verify_text(QuotableText(text), quote) == match
    if quote in text:
        assert match is not None
        assert (match.normalizations, match.start, match.count) == ((), text.find(quote), text.count(quote))


def test_a_value_is_found_as_a_word_under_normalizations() -> None:
    anywhere = find_value(QuotableText("Anna, Ann"), "Ann")
    assert anywhere is not None
    assert (anywhere.start, anywhere.normalizations, anywhere.count) == (6, (), 2)
    assert find_value(QuotableText("with"), "IT") is None
    assert find_value(QuotableText("a rabbit"), "IT") is None
    assert find_value(QuotableText("items"), "IT") is None
    folded = find_value(QuotableText("with It"), "IT")
    assert folded is not None
    assert (folded.start, folded.normalization) == (5, "case")


def test_the_cache_keeps_the_last_texts() -> None:
    cache = TextCache(chars=200)
    first = cache.put("a", QuotableText("x" * 60))
    assert cache.get("a") is first
    second = cache.put("b", QuotableText("y" * 60))
    assert cache.get("a") is None
    assert cache.get("b") is second
    large = cache.put("c", QuotableText("z" * 1000))
    assert cache.get("c") is large


def test_a_long_text_is_folded_one_time() -> None:
    text = "some words and a “quote” here " * 1000
    assert quotable(text) is quotable(text)
    assert quotable("short") is not quotable("short")
