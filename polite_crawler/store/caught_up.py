"""What a catch-up and a rebuild of the index did."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class CaughtUp:
    """What a catch-up or a rebuild did: captures that were new to the index, lines and bodies left out as damaged,
    captures that a reader failed on, and documents kept from the index before."""

    captures: int = 0
    skipped_lines: int = 0
    skipped_bodies: int = 0
    failed: int = 0
    kept: int = 0
    errors: list[str] = field(default_factory=list)

    def fail(self, capture: str, error: str) -> None:
        """Count a capture that a reader failed on."""
        self.failed += 1
        self.errors.append(f"{capture}: {error}")


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a rebuild gave: documents and captures of the new index, lines and bodies left out as damaged, captures
    that a reader failed on, and documents kept from the index before because nothing here can read their recipe."""

    documents: int
    captures: int
    skipped_lines: int
    skipped_bodies: int
    failed: int
    kept: int
