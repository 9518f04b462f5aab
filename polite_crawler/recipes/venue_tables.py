"""Tables of hours that have a day for each column, as lines that have a day each."""

from collections.abc import Sequence

from polite_crawler.readers.hours.scan import Kind, tokens

_DAY_CELL = frozenset({Kind.DAYS, Kind.RANGE, Kind.AND, Kind.FILLER})
_TIMES = frozenset({Kind.TIME, Kind.CLOSED, Kind.ALL_DAY, Kind.OPEN_END})


def upright(text: str) -> str:
    """A text in which each table with its days in the head is turned: `Mon<tab>Tue` over `9-5<tab>closed` is a line
    for Monday and one for Tuesday. A table with a row of another width, which has lost an empty cell, is left out: of
    which day a cell is, is not known."""
    if "\t" not in text:
        return text
    lines: list[str] = []
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        head = _head(rows[at].split("\t"))
        end = at + 1
        while head and end < len(rows) and _has_times(rows[end]) and "\t" in rows[end]:
            end += 1
        lines.extend(_turned(head, rows[at + 1 : end]) if end > at + 1 else [rows[at]])
        at = end
    return "\n".join(lines)


def _head(cells: Sequence[str]) -> list[str]:
    """The days of a row that has nothing else, but for a name in its first cell; none for another row."""
    days = list(cells) if _is_day(cells[0]) else list(cells[1:])
    known = len(days) > 1 and not _has_times(cells[0]) and all(_is_day(cell) for cell in days)
    return days if known else []


def _turned(head: Sequence[str], rows: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for row in rows:
        cells = row.split("\t")
        if len(cells) == len(head) + 1 and not _has_times(cells[0]):
            lines.append(cells.pop(0))
        if len(cells) != len(head) or (cells[0] and not _has_times(cells[0])):
            return []
        lines.extend(f"{day} {cell}" for day, cell in zip(head, cells, strict=True) if cell.strip())
    return lines


def _is_day(cell: str) -> bool:
    kinds = {token.kind for token in tokens(cell)}
    return Kind.DAYS in kinds and kinds <= _DAY_CELL


def _has_times(cells: str) -> bool:
    return any(token.kind in _TIMES for token in tokens(cells))
