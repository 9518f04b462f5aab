"""Near duplicates."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.simhash import BITS, NEAR_BITS, NearDuplicates, distance, simhash

DICE = random.Random(5)
VOCABULARY = [f"word{n}" for n in range(2000)]


def _text(seed: int, words: int = 600) -> list[str]:
    return random.Random(seed).choices(VOCABULARY, k=words)


def test_equal_words_have_one_hash() -> None:
    assert simhash("The quick brown fox jumps.") == simhash("  the QUICK\nbrown fox, jumps!")
    assert simhash("") == simhash("?!") == 0
    assert simhash("one") != simhash("two")


@pytest.mark.parametrize("seed", range(20))
def test_one_word_in_many_changes_few_bits(seed: int) -> None:
    words = _text(seed)
    other = [*words[:-1], "different"]
    assert distance(simhash(" ".join(words)), simhash(" ".join(other))) <= NEAR_BITS


@pytest.mark.parametrize("seed", range(20))
def test_other_texts_differ_in_many_bits(seed: int) -> None:
    assert distance(simhash(" ".join(_text(seed))), simhash(" ".join(_text(seed + 1000)))) > 12


def test_near_duplicates_are_found() -> None:
    seen = NearDuplicates()
    texts = [_text(seed) for seed in range(50)]
    for n, words in enumerate(texts):
        assert seen.find_or_add(simhash(" ".join(words)), f"page {n}") is None
    for n, words in enumerate(texts):
        assert seen.find_or_add(simhash(" ".join([*words[:-1], "copy"])), "copy") == f"page {n}"


def test_texts_without_words_are_near_to_nothing() -> None:
    seen = NearDuplicates()
    assert seen.find_or_add(0, "a") is None
    assert seen.find_or_add(0, "b") is None


def test_the_newest_are_kept() -> None:
    seen = NearDuplicates(limit=3)
    values = [DICE.getrandbits(BITS) for _ in range(5)]
    for n, value in enumerate(values):
        assert seen.find_or_add(value, str(n)) is None
    assert [seen.find_or_add(value, "again") for value in values[2:]] == ["2", "3", "4"]
    assert seen.find_or_add(values[0], "again") is None


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 2**BITS - 1), st.lists(st.integers(0, BITS - 1), max_size=NEAR_BITS))
def test_so_many_bits_are_always_near(value: int, flips: list[int]) -> None:
    seen = NearDuplicates()
    seen.find_or_add(value, "first")
    near = value
    for bit in flips:
        near ^= 1 << bit
    assert seen.find_or_add(near, "second") == ("first" if near else None)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=100))
def test_any_text_has_a_hash(text: str) -> None:
    assert 0 <= simhash(text) < 2**BITS
