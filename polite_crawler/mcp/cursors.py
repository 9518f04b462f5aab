"""Cursors: where the rest of a long result is kept for a while."""

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from polite_crawler.errors import BadOption

KEPT: Final = 32
"""How many results are kept; the oldest goes first."""

Row = tuple[str, str]
"""A fact of ours for the JSON, and a text of a page for the envelope."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A finished result: its facts, and its rows in their sequence."""

    tool: str
    facts: Mapping[str, Any]
    rows: Sequence[Row]


class Cursors:
    """The results whose rest can be asked for. A cursor is `ID.OFFSET`, and nobody can guess the id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Listing] = OrderedDict()

    def keep(self, listing: Listing) -> str:
        """Keep a result; gives its id."""
        id = secrets.token_urlsafe(12)
        self._kept[id] = listing
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return id

    def find(self, cursor: str, tool: str) -> tuple[str, Listing, int]:
        """The id, the result and the offset of a cursor. Raises BadOption for one that is not known any more."""
        id, _, offset = cursor.rpartition(".")
        listing = self._kept.get(id)
        if listing is None or listing.tool != tool or not (offset.isascii() and offset.isdecimal() and len(offset) < 8):
            raise BadOption("this cursor is not known, or not any more: call the tool without it")
        self._kept.move_to_end(id)
        return id, listing, int(offset)


def offset_of(cursor: str) -> int:
    """The offset of a cursor that is one. Raises BadOption."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 7):
        raise BadOption("this cursor is not known: use next_cursor of an answer to the same query")
    return int(cursor)
