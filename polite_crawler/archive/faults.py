"""Faults of an archive file: where, and what is wrong, one line each."""

from collections.abc import Iterator
from dataclasses import dataclass

KEPT = 1000
"""So many faults are kept; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. `where` is a part of the file, with the offset of a record or the number of a line."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class Faults:
    """Collects faults in a bounded space."""

    def __init__(self) -> None:
        self._kept: list[Fault] = []
        self.count = 0

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, where: str, what: str) -> None:
        """Note a fault."""
        self.count += 1
        if len(self._kept) < KEPT:
            self._kept.append(Fault(where, what))

    def __iter__(self) -> Iterator[Fault]:
        yield from self._kept
        if self.count > len(self._kept):
            yield Fault("", f"and {self.count - len(self._kept)} more faults")
