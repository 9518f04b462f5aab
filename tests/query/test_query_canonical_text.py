"""Texts under normalizations: what becomes equal, what stays different, and the way back to the stored text."""

import sys
import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.query import canonical_text
from polite_crawler.query.canonical_chars import JOINS_BACK
from polite_crawler.query.canonical_spaces import solid_pieces
from polite_crawler.query.canonical_text import Form, fold, fold_quote

LOOSEST = Form("squeezed", typography=True, emphasis=True, case=True)
TYPOGRAPHY = Form(typography=True)
FORMS = [Form(*values) for values in product(("kept", "collapsed", "squeezed"), *[(False, True)] * 3)]

TEXTS = st.text(
    st.one_of(
        st.sampled_from("abcXYZ 129.,:-–—’“”…*_~`\n\t\u00a0\u00ad\u200bßﬁİéÅ"),
        st.sampled_from("e\u0301\u0327\u0308\u0323ôーパﾊﾟ中文한각\u1112\u1161\u11abक\u093cกำ\u0e49"),
        st.characters(),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("don’t", "don't"),
        ("“yes” „no” «si»", '"yes" "no" "si"'),
        ("1914–1918 — a−b", "1914-1918 - a-b"),
        ("wait…", "wait..."),
        ("co\u00adop\u200beration\ufeff", "cooperation"),
        ("eﬃcient ﬂoor ﬅ", "efficient floor st"),
        ("ｆｕｌｌ　Ｗ", "full　W"),
        ("ﾊﾟﾝ", "パン"),
        ("ﻻ", "لا"),
        ("𝑥 ∈ ℝ", "x ∈ R"),
        ("5 µm", "5 μm"),
        ("Ångström", "A\u030angstro\u0308m"),
        ("\u212b", "\u00c5"),
        ("a\u0327\u0301", "a\u0301\u0327"),
        ("i\u0307\u0323", "i\u0323\u0307"),
        ("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
        ("\u0958", "\u0915\u093c"),
        ("\u0344", "\u0308\u0301"),
    ],
)
def test_typography_makes_equal(one: str, other: str) -> None:
    assert fold(one, TYPOGRAPHY).text == fold(other, TYPOGRAPHY).text


@pytest.mark.parametrize(
    ("one", "other"),
    [("10²", "102"), ("½", "1⁄2"), ("①", "1"), ("H₂O", "H2O"), ("™", "TM"), ("Ⅳ", "IV"), ("é", "e"), ("№", "No"),
     ("‘a’", '"a"'), ("ª", "a"), ("㎏", "kg"), ("ß", "ss"), ("A", "a"), ("a  b", "a b")],
)  # fmt: skip
def test_typography_keeps_apart(one: str, other: str) -> None:
    assert fold(one, TYPOGRAPHY).text != fold(other, TYPOGRAPHY).text


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Mon 9am", "Mon9am", True),
        ("日本 語", "日本語", True),
        ("ภาษา ไทย", "ภาษาไทย", True),
        ("hello , world !", "hello,world!", True),
        ("end. Next", "end.Next", True),
        ("10 €", "10€", True),
        ("now here", "nowhere", False),
        ("now Here", "nowHere", False),
        ("10 2", "102", False),
        ("12, 50", "12,50", False),
        ("1. 5", "1.5", False),
        ("5 - 6", "5-6", False),
        ("한국 어", "한국어", False),
    ],
)
def test_squeezed_white_space(one: str, other: str, equal: bool) -> None:
    squeezed = Form("squeezed")
    assert (fold_quote(one, squeezed) == fold_quote(other, squeezed)) is equal


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**bold** and _soft_", "bold and soft"),
        ("(*a*), `code`.", "(a), code."),
        ("~~gone~~", "gone"),
        ("5*3 snake_case", "5*3 snake_case"),
        ("a * b", "a * b"),
    ],
)
def test_emphasis(marked: str, plain: str) -> None:
    assert fold(marked, Form(emphasis=True)).text == plain


def test_case_folds_as_unicode_does() -> None:
    case = Form(typography=True, case=True)
    assert fold("STRASSE ΟΔΟΣ İ", case).text == fold("Straße οδός i̇".replace("ό", "ο"), case).text


def test_joins_back_is_what_this_python_composes_backwards() -> None:
    pairs = (unicodedata.decomposition(chr(code)).split() for code in range(sys.maxunicode))
    seconds = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and not pair[0].startswith("<")}
    composing = {char for char in seconds if not unicodedata.combining(char)}
    excluded = {"\u0fb5", "\u0fb7"}  # only in characters that NFC never composes
    assert composing - excluded <= JOINS_BACK


@given(TEXTS, st.sampled_from(FORMS))
def test_a_span_leads_back_to_what_gave_the_place(text: str, form: Form) -> None:
    folded = fold(text, form)
    last = 0
    for at in range(len(folded.text)):
        start, end = folded.span(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last
        last = start
    if folded.text:
        whole = folded.span(0, len(folded.text))
        assert fold(text[slice(*whole)], form).text.strip(" ") == folded.text.strip(" ") or form.emphasis


@given(TEXTS, st.sampled_from([form for form in FORMS if form.typography]))
def test_canonically_equivalent_texts_are_equal(text: str, form: Form) -> None:
    both = {fold(unicodedata.normalize(name, text), form).text for name in ("NFC", "NFD")}
    assert both == {fold(text, form).text}


@given(st.text(st.characters(max_codepoint=127), max_size=40), st.sampled_from(FORMS))
def test_ascii_takes_the_same_way(text: str, form: Form) -> None:
    text += " x"
    assert fold(text + "é", form).text == fold(text, form).text + "é"


@given(TEXTS, st.sampled_from(FORMS), st.integers(1, 6))
def test_a_text_in_pieces_is_the_same(text: str, form: Form, size: int) -> None:
    whole = fold(text, form)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical_text, "_PIECE", size)
        pieces = fold(text, form)
    assert pieces.text == whole.text
    spans = [(at, at + 1) for at in range(len(whole.text))]
    assert [pieces.span(*span) for span in spans] == [whole.span(*span) for span in spans]
    assert pieces.marks.tolist() == whole.marks.tolist()


@given(TEXTS)
def test_solid_pieces_survive_squeezing(text: str) -> None:
    collapsed = fold_quote(text, Form("collapsed", typography=True, case=True))
    squeezed = fold_quote(text, Form("squeezed", typography=True, case=True))
    pieces = solid_pieces(collapsed)
    assert all(piece in squeezed and piece in collapsed for piece in pieces)
    assert sum(map(len, pieces)) == len(squeezed)


def test_many_marks_on_one_character_are_left_in_their_sequence() -> None:
    text = "a" + "\u0301\u0327" * 100
    assert len(fold(text, TYPOGRAPHY).text) == len(text)
    assert fold(text, TYPOGRAPHY).span(0, len(text)) == (0, len(text))


def test_long_texts_with_marks_in_many_places() -> None:
    text = unicodedata.normalize("NFD", "Đường phố Việt Nam é ") * 500
    composed = unicodedata.normalize("NFC", text)
    folded = fold(text, LOOSEST)
    assert folded.text == fold(composed, LOOSEST).text
    assert folded.span(0, len(folded.text))[0] == 0
