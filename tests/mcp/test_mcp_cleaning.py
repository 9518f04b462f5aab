"""Strings and skeletons: the fast way for ASCII gives what the long way gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.mcp.cleaning import clean, clean_json
from polite_crawler.mcp.skeleton import skeleton

MARK = "\u00e9"
"""A letter that no ASCII text has: with it, the long way is taken."""


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("", ""),
        ("plain words", "plain words"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb\x00c\x7fd", "a\ufffdb\ufffdc\ufffdd"),
        ("caf\u00e9 \u202e\u2028\ufeff", "caf\u00e9 \ufffd\ufffd\ufffd"),
        ("\ud800x", "\ufffdx"),
    ],
)
def test_a_string_of_ours(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
    assert clean_json({text: [text, 1, None]}) == {cleaned: [cleaned, 1, None]}


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_no_exception(text: str) -> None:
    assert clean(text) == clean(text + MARK)[:-1]
    assert skeleton(text) == skeleton(text + MARK)[:-1]
