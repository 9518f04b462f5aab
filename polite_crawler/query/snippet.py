"""The passage of a text that answers a question best. It is a range of the stored text, so it can be quoted."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice, pairwise
from typing import NamedTuple

from polite_crawler.store.folding import Atom, fold_words

WIDTH = 200
"""The length of a passage in code points, about: it begins and ends between words."""

_MOST = 20_000
_GAP = 20
_LONG = 40
_WORD = re.compile(r"\S+")


class _Mark(NamedTuple):
    start: int
    end: int
    number: int


def snippet_of(text: str, atoms: Sequence[Atom], main: Sequence[tuple[int, int]] = ()) -> tuple[int, int]:
    """Start and end of the passage with the most different words and phrases of the question; of equal ones one in
    the main text, then the one with more of them, then the first. A text that holds none (the title answered) gives
    its beginning."""
    marks = _atom_marks(text, atoms)
    if not marks:
        return _widened(text, 0, 0, 0)
    inside: Counter[int] = Counter()
    best, chosen, first = (0, False, 0), (marks[0].start, marks[0].end), 0
    for last, mark in enumerate(marks):
        inside[mark.number] += 1
        while mark.end - marks[first].start > WIDTH and first < last:
            inside[marks[first].number] -= 1
            inside += Counter()  # drops what is at zero
            first += 1
        start = marks[first].start
        value = (len(inside), any(low <= start < high for low, high in main), last - first)
        if value > best:
            best, chosen = value, (start, mark.end)
    # what stands before the main text (menus, breadcrumbs) says nothing about it
    floor = next((low for low, high in main if low <= chosen[0] < high), 0)
    return _widened(text, *chosen, floor)


def _atom_marks(text: str, atoms: Sequence[Atom]) -> list[_Mark]:
    """Where the atoms stand: a phrase where its words follow each other, or its words where they never do."""
    numbers = {token: at for at, token in enumerate(dict.fromkeys(t for atom in atoms for t in atom.tokens))}
    prefixes = tuple(atom.tokens[-1] for atom in atoms if atom.prefix)
    words = sorted(islice(_token_marks(text, numbers, prefixes), _MOST))
    found: list[_Mark] = []
    for number, atom in enumerate(atoms):
        wanted = [numbers[token] for token in atom.tokens]
        if len(wanted) == 1:
            found += [mark._replace(number=number) for mark in words if mark.number == wanted[0]]
            continue
        chains = list(_chains(text, words, wanted, number))
        found += chains or [mark._replace(number=number) for mark in words if mark.number in wanted]
    return sorted(found)


def _chains(text: str, words: Sequence[_Mark], wanted: Sequence[int], number: int) -> Iterator[_Mark]:
    for at, mark in enumerate(words[: len(words) - len(wanted) + 1]):
        chain = words[at : at + len(wanted)]
        if [one.number for one in chain] != list(wanted):
            continue
        gaps = (text[one.end : two.start] for one, two in pairwise(chain))
        if all(len(gap) <= _GAP and not any(map(str.isalnum, gap)) for gap in gaps):
            yield _Mark(mark.start, chain[-1].end, number)


def _token_marks(text: str, numbers: dict[str, int], prefixes: Sequence[str]) -> Iterator[_Mark]:
    if text.isascii():
        yield from _ascii_marks(text, numbers, prefixes)
        return
    known: dict[str, list[int]] = {}
    forms = list(numbers)
    for match in _WORD.finditer(text):
        word = match.group()
        if word not in known:
            known[word] = _numbers(word, numbers, prefixes)
        for number in known[word]:
            yield from _within(match, number, forms[number])


def _within(match: "re.Match[str]", number: int, form: str) -> Iterator[_Mark]:
    """Where a token stands in a word: at its own places in a run without spaces, else the word is the place."""
    word, start = match.group(), match.start()
    places = [(at.start(), at.end()) for at in re.finditer(re.escape(form), word)]
    if not places and len(word) > _LONG:
        places = _folded_places(word, form)
    for low, high in places or [(0, len(word))]:
        yield _Mark(start + low, start + high, number)


def _folded_places(word: str, form: str) -> list[tuple[int, int]]:
    """The pairs of grapheme clusters that fold to a token: the text has another form of it, as half-width kana."""
    regex = import_module("regex")
    clusters = [found.span() for found in regex.finditer(r"\X", word)]
    ends = [*(span[1] for span in clusters[1:]), len(word)]
    known: dict[str, bool] = {}
    places = []
    for (low, _), high in zip(clusters, ends, strict=True):
        piece = word[low:high]
        if piece not in known:
            known[piece] = form in fold_words(piece)
        if known[piece]:
            places.append((low, high))
    return places


def _ascii_marks(text: str, numbers: dict[str, int], prefixes: Sequence[str]) -> Iterator[_Mark]:
    # longer forms first, since the first alternative that matches wins
    forms = sorted((token for token in numbers if token.isascii()), key=len, reverse=True)
    if not forms:
        return
    parts = [re.escape(form) + ("[a-z0-9]*" if form in prefixes else "") for form in forms]
    pattern = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(parts)})(?![a-z0-9])")
    for match in pattern.finditer(text.lower()):
        for number in _numbers(match.group(), numbers, prefixes):
            yield _Mark(match.start(), match.end(), number)


def _numbers(word: str, numbers: dict[str, int], prefixes: Sequence[str]) -> list[int]:
    """The numbers of the tokens of the question that a word holds or continues."""
    found = []
    for token in dict.fromkeys(fold_words(word)):
        if token in numbers:
            found.append(numbers[token])
        found += [numbers[prefix] for prefix in prefixes if token != prefix and token.startswith(prefix)]
    return list(dict.fromkeys(found))


def _widened(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """About WIDTH code points around a passage, from `floor` on, cut between words where there are any."""
    room = max(WIDTH - (end - start), 0)
    low = max(start - room // 3, floor)
    high = min(low + max(WIDTH, end - start), len(text), low + 2 * WIDTH)
    if low > floor and text[low - 1 : low + 1].strip() == text[low - 1 : low + 1]:
        space = re.search(r"\s", text[low:start])
        low = low + space.end() if space else low
    if high < len(text) and not text[high].isspace():
        cut = max(text.rfind(char, max(min(end, high), low), high) for char in " \n\t")
        high = cut if cut > low else high
    while low < high and text[low].isspace():
        low += 1
    while high > low and text[high - 1].isspace():
        high -= 1
    return low, high
