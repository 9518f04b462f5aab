"""A corpus of a fixed seed: documents of Zipf words, and questions of words that stand in them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from harness import SEED

_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


@dataclass(frozen=True)
class Corpus:
    """`docs` texts of `words` words, drawn from `vocabulary` words by Zipf's law (exponent 1)."""

    docs: int
    words: int = 900
    vocabulary: int = 100_000

    def terms(self) -> list[str]:
        """The words by rank: short ones first, as in a language."""
        rng = np.random.default_rng(SEED)
        seen: dict[str, None] = {}
        while len(seen) < self.vocabulary:
            length = 2 + (len(seen) > 1500) + (len(seen) > 20_000)
            seen["".join(_SYLLABLES[at] for at in rng.integers(0, len(_SYLLABLES), length))] = None
        return list(seen)

    def ranks(self) -> Iterator[np.ndarray]:
        """The ranks of the words of each document."""
        rng = np.random.default_rng(SEED + 1)
        share = 1 / np.arange(1, self.vocabulary + 1)
        edges = np.cumsum(share / share.sum())
        for begin in range(0, self.docs, 500):
            size = min(500, self.docs - begin)
            block = np.searchsorted(edges, rng.random(size * self.words)).clip(0, self.vocabulary - 1)
            yield from block.reshape(size, self.words)

    def texts(self) -> Iterator[str]:
        """The documents, in sentences of 15 words."""
        terms = np.array(self.terms(), dtype=object)
        for ranks in self.ranks():
            words = terms[ranks]
            yield " ".join(" ".join(words[at : at + 15]) + "." for at in range(0, self.words, 15))

    def questions(self, words: int, count: int = 12) -> list[str]:
        """Questions of different words, half of them words of one document, half of log-uniform rank."""
        rng = np.random.default_rng(SEED + 2 + words)
        terms = self.terms()
        asked = []
        for number, ranks in zip(range(count), self.ranks(), strict=False):
            if number % 2:
                own = list(dict.fromkeys(ranks.tolist()))
                chosen = [own[at] for at in rng.choice(len(own), words, replace=False)]
            else:
                chosen = list(dict.fromkeys((10 ** rng.uniform(1, 4.3, 4 * words)).astype(int).tolist()))[:words]
            asked.append(" ".join(terms[rank] for rank in chosen))
        return asked
