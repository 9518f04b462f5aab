"""Folding: words match in ten scripts, FTS5 and Python agree on each token, and no question is FTS5 syntax."""

import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import closing

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.store.folding import LONGEST_TOKEN, Atom, fold, parse_query, tokens

TEXTS = {
    1: "网络爬虫遵守协议。猫",
    2: "ภาษาไทยง่ายมาก",
    3: "हिन्दी भाषा सरल है",
    4: "ΟΔΥΣΣΕΥΣ ὁ πολύτροπος",
    5: "Straße in İstanbul, eﬃcient",
    6: unicodedata.normalize("NFD", "Crème brûlée à la façon"),
    7: "ウェブクローラー 東京都",
    8: "웹크롤러는 예의가 바르다",
    9: "כָּתַב كِتَابٌ",
    10: "ＡＢＣ１２３ co\u00adoperate",
    11: "我有小猫",
    12: "ﾃﾞｰﾀﾍﾞｰｽ ｶﾞｷﾞｸﾞ",
    13: "Łódź Ærø Ðuro ħeġ naïve don’t",
    14: "a\u200bb zero\u200dwidth \ufeffmark",
    15: "ខ្មែរ ພາສາລາວ မြန်မာ",
    16: "⒓ ⅒ ⑻ ½ ²",
    17: "snake_case e-mail C++ a.b",
}

FOUND = [
    ("爬虫", 1), ("遵守协议", 1), ("虫爬", None), ("猫", 1), ("遵", 1), ("议", 1), ("ไทย", 2), ("ภาษา", 2), ("भाषा", 3),
    ("हिन्दी", 3), ("हिंदी", None), ("हिदी", None), ("οδυσσευς", 4), ("πολυτροπος", 4), ("strasse", 5), ("STRASSE", 5),
    ("ISTANBUL", 5), ("efficient", 5), ("effic*", 5), ("creme BRULEE", 6), ("façon", 6), ("fac*", 6), ("東京", 7),
    ("クローラー", 7), ("ｸﾛｰﾗｰ", 7), ("ウェブ", 7), ("ｳｪﾌﾞ", 7), ("京", 7), ("크롤러", 8), ("바르다", 8), ("כתב", 9),
    ("كتاب", 9), ("abc123", 10), ("ａｂｃ", None), ("ａｂｃ*", 10), ("cooperate", 10), ("小猫", 11), ("猫", 11),
    ("我 猫", 11),
    ("データベース", 12), ("ﾃﾞｰﾀ", 12), ("ガギグ", 12), ("ｶﾞ", 12), ("lodz", 13), ("aero", 13), ("duro", 13),
    ("naive", 13),
    ("don't", 13), ("\"don't\"", 13), ("ab", 14), ("zerowidth", 14), ("mark", 14), ("ខ្មែរ", 15), ("ພາສາ", 15),
    ("မြန်မာ", 15),
    ("12", 16), ("8", 16), ("snake", 17), ("case", 17), ("snake_case", 17), ("email", None), ("e-mail", 17),
    ("c++", 17),
    ('"a b"', 17), ("“e mail”", 17), ('"mail c', 17),
]  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(body, title, content='', tokenize='ascii')")
    for number, text in TEXTS.items():
        connection.execute("INSERT INTO f(rowid, body, title) VALUES(?,?,'')", (number, fold(text)))
    connection.execute("CREATE VIRTUAL TABLE own USING fts5(body, tokenize='ascii')")
    connection.execute("CREATE VIRTUAL TABLE vocab USING fts5vocab(own, instance)")
    yield connection
    connection.close()


def ask(table: sqlite3.Connection, query: str) -> set[int]:
    atoms = parse_query(query)
    match = " ".join(atom.match() for atom in atoms)
    return {row[0] for row in table.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,))} if atoms else set()


@pytest.mark.parametrize(("query", "number"), FOUND)
def test_a_word_is_found_in_its_script(table: sqlite3.Connection, query: str, number: int | None) -> None:
    found = ask(table, query)
    assert number in found if number else not found


@pytest.mark.parametrize("number", TEXTS)
def test_each_text_finds_itself_as_a_phrase_and_as_words(table: sqlite3.Connection, number: int) -> None:
    plain = TEXTS[number].replace('"', " ")
    assert number in ask(table, plain)
    assert number in ask(table, f'"{plain}"')


UNSPACED = "网络爬虫遵守协议ภาษาไทยง่ายウェブクローラーｶﾞｷ웹크롤러ခမ"


@settings(max_examples=200)
@given(st.text(UNSPACED, min_size=1, max_size=12), st.data())
def test_each_part_of_a_run_without_spaces_is_found(text: str, data: st.DataObject) -> None:
    clusters = regex.findall(r"\X", text)
    start = data.draw(st.integers(0, len(clusters) - 1))
    part = "".join(clusters[start : data.draw(st.integers(start + 1, len(clusters)))])
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE f USING fts5(body, content='', tokenize='ascii')")
        connection.execute("INSERT INTO f(rowid, body) VALUES(1, ?)", (fold(text),))
        (atom,) = parse_query(part)
        assert connection.execute("SELECT 1 FROM f WHERE f MATCH ?", (atom.match(),)).fetchall()


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_fts5_cuts_folded_text_as_python_does(table: sqlite3.Connection, text: str) -> None:
    table.execute("DELETE FROM own")
    table.execute("INSERT INTO own(body) VALUES(?)", (fold(text),))
    cut = [row[0] for row in table.execute("SELECT term FROM vocab ORDER BY offset")]
    assert cut == tokens(fold(text))


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_case_and_unicode_form_do_not_change_the_tokens(text: str) -> None:
    bare = text.replace("\u0345", "")  # its capital form is a letter
    forms = {tuple(tokens(fold(unicodedata.normalize(form, bare)))) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert len(forms) == 1


@pytest.mark.parametrize("word", ["x" * 1000, "é" * 1000, "x" * LONGEST_TOKEN, "1a" * 40_000, "क्ष" * 20_000])
def test_a_long_token_is_cut_the_same_in_text_and_question(table: sqlite3.Connection, word: str) -> None:
    folded = fold(f"before {word} after")
    assert max(map(len, tokens(folded))) <= LONGEST_TOKEN
    table.execute("DELETE FROM own")
    table.execute("INSERT INTO own(body) VALUES(?)", (folded,))
    assert [row[0] for row in table.execute("SELECT term FROM vocab ORDER BY offset")] == tokens(folded)
    atom = parse_query(word)[0]
    assert table.execute("SELECT count(*) FROM own WHERE own MATCH ?", (atom.match(),)).fetchone()[0] == 1


ATOMS = [
    ("", ()), ("  ", ()), ('""', ()), ("***", ()), ("!?", ()), ("tea", (Atom(("tea",)),)),
    ("tea TEA téa", (Atom(("tea",)),)), ("tea*", (Atom(("tea",), True),)), ('"tea*"', (Atom(("tea",)),)),
    ('"wide web" x', (Atom(("wide", "web")), Atom(("x",)))),
    ('hello "wide web', (Atom(("hello",)), Atom(("wide", "web")))),
    ("AND OR NOT", (Atom(("and",)), Atom(("or",)), Atom(("not",)))), ("body:x", (Atom(("body", "x")),)),
    ("NEAR(a b)", (Atom(("near", "a")), Atom(("b",)))), ("c++", (Atom(("c",)),)),
    ("a\0b", (Atom(("a",)), Atom(("b",)))),
    ("猫", (Atom(("猫",), True),)), ("小猫", (Atom(("小猫",)),)), ("x猫", (Atom(("x", "猫"), True),)),
    ("猫x", (Atom(("猫", "x")),)), ("小猫*", (Atom(("小猫",), True),)),
    ("«tea» „maki”", (Atom(("tea",)), Atom(("maki",)))),
]  # fmt: skip


@pytest.mark.parametrize(("query", "atoms"), ATOMS)
def test_a_question_is_words_and_phrases(query: str, atoms: tuple[Atom, ...]) -> None:
    assert parse_query(query) == atoms


PIECES = st.sampled_from(
    ['"', "'", "*", "^", ":", "-", "+", "(", ")", "{", "}", "NEAR", "AND", "OR", "NOT", "body", "title", "\\", "\0",
     "é", "ß",
     "中文", "ก", "\u200d", "\ud83d", "\ude00", "a", "b", '""', "f.", "rowid", ";", "--", "%", "\n", "\t", "“", "”",
     "＂", "1", "_"]
)  # fmt: skip
QUERIES = st.lists(PIECES | st.text(max_size=3) | st.just(" "), max_size=12).map("".join)


def survives(table: sqlite3.Connection, query: str) -> None:
    atoms = parse_query(query)
    for join in (" ", " AND ", " OR "):
        if atoms:
            table.execute(
                "SELECT rowid FROM f WHERE f MATCH ?", (join.join(atom.match() for atom in atoms),)
            ).fetchall()
    for atom in atoms:
        assert atom.tokens
        assert all(char.isalnum() or ord(char) > 127 for token in atom.tokens for char in token)


@settings(max_examples=200)
@given(QUERIES)
def test_any_question_is_safe(table: sqlite3.Connection, query: str) -> None:
    survives(table, query)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(max_examples=100_000, deadline=None)
@given(QUERIES)
def test_a_hundred_thousand_questions_are_safe(table: sqlite3.Connection, query: str) -> None:
    survives(table, query)
