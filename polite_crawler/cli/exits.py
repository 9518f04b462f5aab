"""What the exit code of a command says."""

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes. 3 and 4 belong to `product`."""

    DONE = 0
    """It did its work."""
    FAILED = 1
    """It did not: nothing found, not fetched, not stored, held back, or an error."""
    USAGE = 2
    """The command line is wrong. Nothing was sent, and no store was opened."""
    NO_PRODUCT = 3
    WALL = 4
    INTERRUPTED = 130
    """Stopped by Ctrl+C. What was fetched is kept."""
