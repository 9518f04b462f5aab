"""Counts the work of the readers of values, so that a test can see that it is linear on any computer."""


class Steps:
    """A count of characters looked at and of places tried."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def add(self, steps: int) -> None:
        """Count some more."""
        self.count += steps
