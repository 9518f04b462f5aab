"""The index of grams: every place, or no answer."""

from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.query.gram_index import SHORTEST, GramIndex

TEXTS = st.text(st.sampled_from("ab\ud83dé😀"), max_size=120)


def overlapping(text: str, piece: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(piece, at)]


@given(TEXTS, st.integers(0, 120), st.integers(SHORTEST, 60))
def test_every_place_of_a_part(text: str, start: int, length: int) -> None:
    piece = (text[start:] + "a" * length)[:length]
    assert GramIndex(text).places(piece) == overlapping(text, piece)


def test_a_short_piece_is_not_answered() -> None:
    index = GramIndex("a" * 100)
    assert index.places("a" * (SHORTEST - 1)) is None
    assert index.places("a" * SHORTEST) == list(range(100 - SHORTEST + 1))


def test_grams_that_are_everywhere_are_not_answered() -> None:
    index = GramIndex("ab" * 100_000)
    assert index.places("ab" * SHORTEST) is None
    assert index.places("abc" * SHORTEST) == []
