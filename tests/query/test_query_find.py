"""find: what answers, in which sequence, with passages that can be quoted, and what never appears."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_lab import DAY, StoreLab

from polite_crawler import open_store
from polite_crawler.errors import BadOption
from polite_crawler.query.find import Found
from polite_crawler.query.snippet import WIDTH, snippet_of
from polite_crawler.query.store import Store
from polite_crawler.store.folding import fold, parse_query

SITE = "http://example.com"


@pytest.fixture
def lab(store_dir: Path) -> Iterator[StoreLab]:
    made = StoreLab(store_dir)
    yield made
    made.close()


@pytest.fixture
def store(lab: StoreLab) -> Iterator[Store]:
    lab.page(f"{SITE}/tea", "Green tea and black tea from the hills.", title="All about tea")
    lab.page(f"{SITE}/rice", "Rice for sushi, and tea with rice.", title="Rice", at=1)
    lab.page(f"{SITE}/nori", "Nori holds the maki together. Rice is inside.", title="Maki", at=2)
    lab.page(f"{SITE}/bread", "A baker bakes bread; baking is a craft.", title="Bakery", at=3)
    lab.page(f"{SITE}/spider", "网络爬虫遵守协议。Crawlers obey robots.txt.", title="爬虫", at=4)
    lab.page(f"{SITE}/plain", "plain tea text", content_type="text/plain", at=5)
    lab.page(f"{SITE}/secret", "tea for nobody rice", title="Tea", hold="ai-input=no", at=6)
    lab.page(
        f"{SITE}/copy", "an old tea page", at=7, kind="archive-copy",
        source={"source": "wayback", "timestamp": "2024-01-15T09:30:00Z", "original": f"{SITE}/lost"},
    )  # fmt: skip
    with open_store(lab.folder.path) as opened:
        yield opened


def names(found: tuple[Found, ...]) -> list[str]:
    return [hit.doc.rpartition("/")[2] for hit in found]


def test_a_result_has_all_its_facts(store: Store) -> None:
    (hit,) = store.find("sushi")
    text = store.read(hit.doc).text
    assert hit == Found(
        doc=f"url:{SITE}/rice", kind="page", title="Rice", url=f"{SITE}/rice", score=hit.score,
        snippet="Rice for sushi, and tea with rice.", start=0, end=len(text), capture=hit.capture,
        fetched_at="2026-03-01T12:00:01.020000Z", archived=None,
    )  # fmt: skip
    assert hit.score > 0
    assert store.capture(hit.capture).url == f"{SITE}/rice"


QUERIES = [
    ("sushi tea", ["rice", "plain", "lost", "tea"]),  # each word first, then one of them
    ('"black tea"', ["tea"]), ('"tea black"', []), ("bak*", ["bread"]), ("bake", []), ("爬虫", ["spider"]),
    ("遵守", ["spider"]),
    ("虫爬", []), ("nobody", []), ("Bakery", ["bread"]), ("MAKI nori", ["nori"]), ("zzz", []), ("", []), ("!?", []),
    ('"robots txt"', ["spider"]), ("lost", []), ('maki "rice is inside"', ["nori"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), QUERIES)
def test_who_answers(store: Store, query: str, expected: list[str]) -> None:
    found = names(store.find(query))
    assert found[:1] == expected[:1]
    assert sorted(found) == sorted(expected)


def test_limit_and_offset_cut_one_list(store: Store) -> None:
    whole = store.find("tea rice", limit=100)
    assert len(whole) == 5
    for limit in (1, 2, 5, 9):
        for offset in (0, 1, 4, 5, 7):
            assert store.find("tea rice", limit=limit, offset=offset) == whole[offset : offset + limit]


def test_kind_and_archived(store: Store) -> None:
    assert names(store.find("tea", kind="text")) == ["plain"]
    assert names(store.find("tea", kind="pdf")) == []
    (hit,) = store.find("tea", kind="archived")
    assert (hit.doc, hit.url) == (f"archive:{SITE}/lost", f"{SITE}/lost")
    assert hit.archived is not None
    assert hit.archived["source"] == "wayback"


def test_a_filter_does_not_shape_the_scores(store: Store) -> None:
    scores = {hit.doc: hit.score for hit in store.find("tea")}
    for kind in ("text", "archived", "page"):
        for hit in store.find("tea", kind=kind):
            assert hit.score == scores[hit.doc]


def test_a_held_back_page_shapes_no_score(lab: StoreLab, store: Store) -> None:
    before = store.find("tea rice", limit=50)
    for n in range(20):
        lab.page(f"{SITE}/held{n}", "tea rice " * (n + 1), hold="noai", at=100.0 + n)
    lab.page(f"{SITE}/tea2", "tea", at=200)
    lab.page(f"{SITE}/tea2", "tea", hold="noai", at=300)
    store.index.catch_up()
    assert store.find("tea rice", limit=50) == before


def test_an_old_text_answers_only_at_its_time(lab: StoreLab, store: Store) -> None:
    lab.page(f"{SITE}/tea", "Only coffee now.", title="Coffee", at=DAY)
    store.index.catch_up()
    assert "tea" not in names(store.find("green"))
    assert names(store.find("coffee")) == ["tea"]
    assert store.find("coffee", at="2026-03-01T13:00:00Z") == ()
    (then,) = store.find("green", at="2026-03-01T13:00:00Z")
    assert (then.title, then.snippet) == ("All about tea", "Green tea and black tea from the hills.")
    assert store.read(then.doc, capture=then.capture).text == then.snippet
    assert store.find("green", at="2026-03-01") == ()
    assert store.find("green", at="2026-03-02T11:59:59Z") != ()
    assert store.find("green", at="2026-03-02T12:01:00+00:00") == ()


def test_what_is_held_back_now_does_not_answer_at_a_time_before(lab: StoreLab, store: Store) -> None:
    lab.page(f"{SITE}/tea", "Green tea again.", hold="noai", at=DAY)
    store.index.catch_up()
    assert store.find("green", at="2026-03-01T13:00:00Z") == ()
    lab.page(f"{SITE}/tea", "Green tea is free.", at=2 * DAY)
    store.index.catch_up()
    assert names(store.find("green")) == ["tea"]
    assert names(store.find("green", at="2026-03-01T13:00:00Z")) == ["tea"]
    assert store.find("green", at="2026-03-02T13:00:00Z") == ()


def test_fast_leaves_common_words_out_of_the_second_part(lab: StoreLab) -> None:
    for n in range(10):
        rare = "saffron" if n == 3 else "salt"
        lab.page(f"{SITE}/{n}", f"common words here {rare} {'both rare' if n == 7 else ''}", at=float(n))
    with open_store(lab.folder.path) as store:
        exact, fast = store.find("common saffron", limit=20), store.find("common saffron", limit=20, rank="fast")
        assert names(exact)[0] == names(fast)[0] == "3"
        assert exact[0] == fast[0]
        assert (len(exact), len(fast)) == (10, 1)
        # each word is common: the rarest one stays
        assert len(store.find("common words salt", limit=20, rank="fast")) == 9
        assert names(store.find("here salt both", limit=20, rank="fast"))[0] == "7"


def test_rank_within_ranks_a_set_in_the_sequence_of_find(store: Store) -> None:
    docs = [f"url:{SITE}/{name}" for name in ("plain", "tea", "rice", "bread", "secret", "unknown")]
    ranked = store.rank_within("tea rice", docs)
    scores = {hit.doc: hit.score for hit in store.find("tea rice", limit=50)}
    assert [one.doc for one in ranked] == [doc for doc in scores if doc in docs]
    assert all(one.score == scores[one.doc] for one in ranked)
    assert store.rank_within("tea rice", docs, limit=2) == ranked[:2]
    with pytest.raises(BadOption):
        store.rank_within("tea", docs, limit=0)
    assert store.rank_within("tea", []) == ()
    assert store.rank_within("zzz", frozenset(docs)) == ()
    assert store.rank_within("tea", docs, at="2026-01-01") == ()
    assert len(store.rank_within("tea", docs, at="2026-03-02", rank="fast")) == 3


BAD: list[dict[str, Any]] = [
    {"limit": 0}, {"limit": 1001}, {"offset": -1}, {"rank": "best"}, {"at": "yesterday"}, {"at": "2026-13-01"},
]  # fmt: skip


@pytest.mark.parametrize("options", BAD)
def test_a_bad_option_is_one_clear_line(store: Store, options: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match="bad ") as caught:
        store.find("tea", **options)
    assert "\n" not in str(caught.value)


PASSAGES = [
    ("wide web", "the web. " * 60 + "a wide web is here. " + "wide. " * 60, "wide web is here"),
    ('"wide web"', "wide x web, x. " * 30 + "the wide, web is here. " + "web x wide x. " * 30, "wide, web is here"),
    ("tea", "x " * 500 + "Tea, at last.", "Tea, at last."),
    ("ete", "avant " * 100 + "L'été arrive.", "L'été arrive."),
    ("クローラー", "あ" * 400 + "ｸﾛｰﾗｰ です", "ｸﾛｰﾗｰ"),
    ("爬虫", "猫" * 900 + "网络爬虫遵守协议" + "猫" * 900, "爬虫"),
    ("tea*", "z " * 300 + "the teapot", "the teapot"),
    ("हिन्दी", "भाषा " * 200 + "हिन्दी है", "हिन्दी है"),
    ("nothing here", "A text with other words.", "A text with other words."),
    ("x", "", ""),
]


@pytest.mark.parametrize(("query", "text", "inside"), PASSAGES)
def test_the_passage_holds_what_was_asked(query: str, text: str, inside: str) -> None:
    start, end = snippet_of(text, parse_query(query))
    assert inside in text[start:end]
    assert end - start <= 2 * WIDTH


def test_of_equal_passages_the_one_in_the_main_text() -> None:
    text = "tea menu " + "x " * 300 + "the main part has tea inside " + "x " * 300
    main = text.index("the main")
    start, end = snippet_of(text, parse_query("tea"), [(main, main + 30)])
    assert text[start:end].startswith("the main part has tea")
    assert snippet_of(text, parse_query("tea"))[0] == 0


WORDS = st.sampled_from(
    ["tea", "TEA", "thé", "网络爬虫", "ภาษา", "x" * 300, "don’t", " ", "\n\n", ".", "🍵", "e\u0301", "\xad"]
)


@settings(max_examples=150)
@given(st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=500), st.lists(WORDS, max_size=4).map(" ".join))
def test_a_passage_is_a_short_range_that_begins_and_ends_with_ink(text: str, query: str) -> None:
    atoms = parse_query(query)
    start, end = snippet_of(text, atoms)
    assert 0 <= start <= end <= len(text)
    assert end - start <= 2 * WIDTH
    assert text[start:end] == text[start:end].strip()
    if text.isascii() and len(atoms) == 1 and len(atoms[0].tokens) == 1 and not atoms[0].prefix:
        assert (atoms[0].tokens[0] in fold(text).split()) <= (atoms[0].tokens[0] in fold(text[start:end]).split())
