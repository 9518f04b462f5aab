"""The passage of a text that answers a question best."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from polite_crawler.store.folding import Atom, fold, tokens

WIDTH = 200
"""The length of a passage in code points, about: it begins and ends between words."""

_WORD = re.compile(r"\S+")


def snippet_of(text: str, atoms: Sequence[Atom], main: Sequence[tuple[int, int]] = ()) -> tuple[int, int]:
    """Start and end of the passage with the most different words of the question; of equal ones one in the main
    text, then the first. A text that holds none (the title answered) gives its beginning."""
    marks = _marks(text, atoms)
    if not marks:
        return _widened(text, 0, 0)
    best: tuple[int, int, int] | None = None
    chosen = marks[0]
    starts = [mark[0] for mark in marks]
    for at, mark in enumerate(marks):
        inside = marks[at : bisect_left(starts, mark[0] + WIDTH)]
        in_main = any(start <= mark[0] < end for start, end in main)
        value = (len({number for _, _, number in inside}), int(in_main), len(inside))
        if best is None or value > best:
            best, chosen = value, (mark[0], max(end for _, end, _ in inside), mark[2])
    return _widened(text, chosen[0], chosen[1])


def _marks(text: str, atoms: Sequence[Atom]) -> list[tuple[int, int, int]]:
    """(start, end, number of the token) of each word of the text that a token of the question begins or is."""
    wanted = [
        (token, atom.prefix and at == len(atom.tokens) - 1) for atom in atoms for at, token in enumerate(atom.tokens)
    ]
    whole = {token: number for number, (token, open_) in enumerate(wanted) if not open_}
    open_ = [(token, number) for number, (token, is_open) in enumerate(wanted) if is_open]
    found = []
    for match in _WORD.finditer(text):
        for token in tokens(fold(match.group())):
            number = whole.get(token)
            if number is None:
                number = next((one for prefix, one in open_ if token.startswith(prefix)), None)
            if number is not None:
                found.append((match.start(), match.end(), number))
                break
    return found


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """About WIDTH code points around a passage, cut between words where there are any."""
    room = max(WIDTH - (end - start), 0)
    low = max(start - room // 3, 0)
    high = min(low + max(WIDTH, end - start), len(text))
    if high - low > 2 * WIDTH:
        high = low + 2 * WIDTH
    if low > 0:
        space = re.search(r"\s+", text[low:start])
        low = low + space.end() if space else low
    if high < len(text):
        cut = max(text.rfind(char, max(end, low), high) for char in " \n\t")
        high = cut if cut > low else high
    while low < high and text[low].isspace():
        low += 1
    while high > low and text[high - 1].isspace():
        high -= 1
    return low, high
