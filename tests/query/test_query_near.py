"""The nearest passage of a quote that is not there."""

import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from polite_crawler.query import near
from polite_crawler.query.near import MAX_QUOTE, Span, bounded_align, closest
from polite_crawler.query.quotes import QuotableText

FOX = "Over there. The quick brown fox jumps over the lazy dog. Something else."


@pytest.mark.parametrize("aligner", [None, bounded_align])
@pytest.mark.parametrize(
    ("quote", "matched", "distance", "ratio"),
    [
        ("the quick brown fox jumped over", "The quick brown fox jumps over", 2, 0.9355),
        ("quick brwn fox", "quick brown fox", 1, 0.9286),
        ("“QUICK  red fox”", None, None, None),
        ("entirely different words", None, None, None),
    ],
)
def test_closest(aligner: Any, quote: str, matched: str | None, distance: int | None, ratio: float | None) -> None:
    found = closest(QuotableText(FOX), quote, aligner=aligner)
    if matched is None:
        assert found is None or found.ratio < 0.75
        return
    assert found is not None
    assert (found.matched, found.distance, found.ratio) == (matched, distance, ratio)
    assert FOX[found.span.start : found.span.end] == matched


def test_a_long_quote_has_none() -> None:
    assert closest(QuotableText("a" * 5000), "b" + "a" * MAX_QUOTE) is None


def test_positions_are_those_of_the_stored_text() -> None:
    text = "Don’t\n\n  PANIC\u00ad now, dear reader"
    found = closest(QuotableText(text), "don't panik now")
    assert found is not None
    assert found.span == Span(0, 19)
    assert found.distance == 1


def test_without_edlib_the_bounded_search_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        if name == "edlib":
            raise ImportError(name)
        return importlib.import_module(name)

    monkeypatch.setattr(near, "import_module", missing)
    assert near.default_aligner() is bounded_align


def test_the_bounded_search_looks_around_rare_words() -> None:
    text = "the common words of the page " * 2000 + "a zeppelin landed near Konstanz " + "again and again " * 2000
    found = closest(QuotableText(text), "a zepelin landed near Konstanz", aligner=bounded_align)
    assert found is not None
    assert found.matched == "a zeppelin landed near konstanz".replace("k", "K")
    assert closest(QuotableText("ab " * 20_000), "zeppelin landing", aligner=bounded_align) is None


def test_a_quote_of_very_many_letters_is_not_given_to_edlib() -> None:
    quote = "".join(chr(0x4E00 + index) for index in range(400))
    text = "前" * 50 + quote[:200] + "差" + quote[201:]
    found = closest(QuotableText(text), quote)
    assert found is not None
    assert found.distance == 1


LETTERS = st.text(st.sampled_from("ab c"), min_size=1, max_size=12)


@given(LETTERS.filter(lambda text: text.strip() == text), st.text(st.sampled_from("ab c"), max_size=25))
def test_the_distance_is_the_least_of_all_passages(quote: str, text: str) -> None:
    spans = [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]
    least = min((Levenshtein.distance(quote, text[start:end]) for start, end in spans), default=len(quote))
    found = bounded_align(quote, text, len(quote) // 3)
    assert (found[0] if found else None) == (least if least <= len(quote) // 3 and text else None)
    edlib = near.default_aligner()(quote, text, len(quote) // 3) if text else None
    assert edlib == found
