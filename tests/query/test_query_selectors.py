"""Selectors and text fragment links of a quote."""

import pytest

from polite_crawler.query.selectors import CONTEXT, selectors


def link_of(text: str, quote: str, url: str = "https://site.example/a", count: int = 1) -> str:
    start = text.index(quote)
    return str(selectors(text, start, start + len(quote), url=url, count=count)[2]["link"])


def test_w3c_selectors() -> None:
    text = "a" * 50 + "the quote" + "b" * 50
    quote, position, fragment = selectors(text, 50, 59, url="https://site.example/a")
    assert quote == {
        "type": "TextQuoteSelector",
        "exact": "the quote",
        "prefix": "a" * CONTEXT,
        "suffix": "b" * CONTEXT,
    }
    assert position == {"type": "TextPositionSelector", "start": 50, "end": 59}
    assert fragment["value"] == ":~:text=the%20quote"
    assert fragment["link"] == "https://site.example/a#:~:text=the%20quote"


@pytest.mark.parametrize(
    ("text", "quote", "directive"),
    [
        ("a well-known, fact & more", "well-known, fact & more", "well%2Dknown%2C%20fact%20%26%20more"),
        ("Überall  Straße", "Überall  Straße", "%C3%9Cberall%20Stra%C3%9Fe"),
        ("a~b_c.d", "a~b_c.d", "a~b_c.d"),
        ("first line\nsecond line", "line\nsecond", "line,second"),
        ("a b c d e f g\n\nh i j k l m n", "a b c d e f g\n\nh i j k l m n", "a%20b%20c%20d%20e,j%20k%20l%20m%20n"),
        ("lone \ud83d surrogate", "\ud83d", "%3F"),
    ],
)
def test_directives(text: str, quote: str, directive: str) -> None:
    assert link_of(text, quote) == "https://site.example/a#:~:text=" + directive


def test_a_long_quote_is_named_by_its_ends() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    assert link_of(text, text).endswith(
        "#:~:text=word0%20word1%20word2%20word3%20word4,word95%20word96%20word97%20word98%20word99"
    )
    assert len(link_of("x" * 5000, "x" * 5000)) < 1000


def test_a_fragment_of_the_url_stays() -> None:
    assert link_of("a b", "b", url="https://site.example/#top") == "https://site.example/#top:~:text=b"


def test_several_places_are_told_apart_by_what_stands_around() -> None:
    text = "open\nbread 4 EUR each\ncake 4 EUR each"
    start = text.index("4 EUR", 20)
    link = selectors(text, start, start + 5, url="https://site.example/", count=2)[2]["link"]
    assert link == "https://site.example/#:~:text=cake-,4%20EUR,-each"
    assert link_of("x", "x", count=2).endswith("#:~:text=x")
