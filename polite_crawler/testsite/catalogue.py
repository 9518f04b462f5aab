"""How a family of routes is written down: path, what it does, and the function that answers, in one place."""

from collections.abc import Callable
from dataclasses import dataclass

from polite_crawler.testsite.exchange import Handler


@dataclass(frozen=True, slots=True)
class Route:
    """A path and what it does. A pattern that ends in `{name}` takes every path that begins with what stands before;
    what follows a `?` in it names the query parameters that the route reads, with their defaults."""

    pattern: str
    does: str
    answer: Handler

    @property
    def path(self) -> str:
        """The pattern without its query."""
        return self.pattern.partition("?")[0]


class Family:
    """Routes of one kind, in the order of the documentation."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.routes: list[Route] = []

    def route(self, pattern: str, does: str) -> Callable[[Handler], Handler]:
        """Write down the decorated function as the answer to a pattern."""

        def note(answer: Handler) -> Handler:
            self.add(pattern, does, answer)
            return answer

        return note

    def add(self, pattern: str, does: str, answer: Handler) -> None:
        """Write down one route."""
        self.routes.append(Route(pattern, does, answer))
