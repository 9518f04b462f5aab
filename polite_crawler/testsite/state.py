"""What a test can set on the running site: latency, robots.txt, counters, holds."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypedDict

from polite_crawler.testsite.gate import Gate
from polite_crawler.testsite.journal import Journal, Seen


class Given(TypedDict, total=False):
    """The options that a test gives; one that is None or not there stays as it is."""

    latency: float | None
    robots: str | None
    robots_text: str | None


class BadReset(ValueError):
    """An option of a reset that the site does not know."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a host behaves. `latency` is seconds before each answer, `robots` a variant of robots.txt by name,
    `robots_text` a whole robots.txt that wins over the variant."""

    latency: float = 0.0
    robots: str = "site"
    robots_text: str | None = None


@dataclass(slots=True)
class State:
    """The site while it runs. Only the thread of its loop touches it."""

    hosts: tuple[str, ...]
    port: int
    scheme: str = "http"
    robots_variants: frozenset[str] = frozenset()
    gate: Gate | None = None
    """Lets in signed requests alone, on each host; None for a site that asks for no signature."""
    journal: Journal = field(default_factory=Journal)
    _default: Options = Options()
    _by_host: dict[str, Options] = field(default_factory=dict)
    _visits: dict[tuple[str, str], int] = field(default_factory=dict)
    _held: dict[str, list[Callable[[], None]]] = field(default_factory=dict)
    _released: set[str] = field(default_factory=set)
    _watchers: list[Callable[[], bool]] = field(default_factory=list)

    def options(self, host: str) -> Options:
        """How this host behaves now."""
        return self._by_host.get(host, self._default)

    def set(
        self,
        *,
        host: str | None = None,
        latency: float | None = None,
        robots: str | None = None,
        robots_text: str | None = None,
    ) -> None:
        """Set options of one host, or of all. What is None stays."""
        if robots is not None and robots not in self.robots_variants:
            raise BadReset(f"no robots.txt variant {robots!r}; there are: {', '.join(sorted(self.robots_variants))}")
        if host is not None and host not in self.hosts:
            raise BadReset(f"the site does not listen on {host!r}")
        old = self._default if host is None else self.options(host)
        new = replace(
            old,
            latency=old.latency if latency is None else latency,
            robots=old.robots if robots is None else robots,
            robots_text=robots_text if robots_text is not None or robots is not None else old.robots_text,
        )
        if host is None:
            self._default, self._by_host = new, {}
        else:
            self._by_host[host] = new

    def reset(self) -> None:
        """Forget the log, the counters and the options, and let every held answer go on."""
        self.journal.clear()
        self.journal.on = True
        self._default, self._by_host = Options(), {}
        self.gate = None
        self._visits.clear()
        for name in list(self._held):
            self.release(name)
        self._released.clear()
        self._watchers.clear()

    def count_visit(self, host: str, key: str) -> int:
        """Count one more visit; the answer is how many came before."""
        before = self._visits.get((host, key), 0)
        self._visits[host, key] = before + 1
        return before

    def hold(self, name: str, go_on: Callable[[], None]) -> None:
        """Call `go_on` when the name is released; at once when it already was."""
        if name in self._released:
            go_on()
        else:
            self._held.setdefault(name, []).append(go_on)

    def release(self, name: str) -> None:
        """Let the answers that wait for this name go on, and those that will."""
        self._released.add(name)
        for go_on in self._held.pop(name, []):
            go_on()

    def watch(self, done: Callable[[list[Seen]], bool], call: Callable[[], None]) -> None:
        """Call once, as soon as the log is as `done` wants it: asked now and after each arrival and each end."""

        def look() -> bool:
            if not done(self.journal.seen()):
                return False
            call()
            return True

        if not look():
            self._watchers.append(look)

    def changed(self) -> None:
        """Ask the watchers again."""
        if self._watchers:
            self._watchers = [look for look in self._watchers if not look()]
