"""What the tools of one server share: the store, the crawler, the options of the operator, what goes on now."""

import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio.to_thread

from polite_crawler.crawler.library import PoliteCrawler, open_crawler
from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.mcp.cursors import Cursors
from polite_crawler.mcp.tasks import TaskEngine
from polite_crawler.mcp.turns import short_turns
from polite_crawler.query.read import ReadResult, read_small
from polite_crawler.query.store import Store, open_store
from polite_crawler.rules.rendering import Mode
from polite_crawler.spiders.events import Event

STORE_TOOLS: Final = ("crawl_find", "crawl_read", "crawl_verify", "crawl_extract", "crawl_diff")
NETWORK_TOOLS: Final = ("crawl_fetch", "crawl_discover", "crawl_site")
TOOLS: Final = ("crawl_fetch", "crawl_find", "crawl_read", "crawl_verify", "crawl_extract", "crawl_discover",
                "crawl_site", "crawl_diff")  # fmt: skip
"""The tools in the sequence in which they are listed."""

ON_BEHALF_OF: Final = "Claude-User"
"""The product token whose robots.txt rules always apply too: an assistant asks for the pages (RFC 9309)."""

HOSTS: Final = 32
"""Hosts in progress at most: an assistant asks for many sites at once, and each host keeps its own pace."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of the operator. `tools` names the tools that are offered; `read_only` offers none that sends
    requests; `allow_user_provided` releases held-back pages where nobody can be asked; `structured` puts the answer
    into structuredContent too; `no_browser` renders nothing."""

    tools: tuple[str, ...] = TOOLS
    read_only: bool = False
    allow_user_provided: bool = False
    structured: bool = False
    no_browser: bool = False

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of the tools that are offered. Raises BadOption for an unknown name, and for none."""
        for name in self.tools:
            if name not in TOOLS:
                raise BadOption(f"there is no tool {name!r}; there are: {', '.join(TOOLS)}")
        names = [name for name in TOOLS if name in self.tools and not (self.read_only and name in NETWORK_TOOLS)]
        if not names:
            raise BadOption("no tool is left to offer")
        return tuple(names)

    @property
    def sends(self) -> bool:
        """Whether one of the offered tools sends requests."""
        return any(name in NETWORK_TOOLS for name in self.offered)


class Activity:
    """Which hosts are asked now."""

    def __init__(self) -> None:
        self._hosts: Counter[str] = Counter()

    def saw(self, event: Event) -> None:
        """Count an event of the crawler."""
        if event.type == "request":
            self._hosts[event.host] += 1
        elif event.type in ("response", "skip") and self._hosts[event.host] > 0:
            self._hosts[event.host] -= 1

    @property
    def hosts(self) -> list[str]:
        """The hosts with a request in progress."""
        return sorted(host for host, count in self._hosts.items() if count > 0)


@dataclass(slots=True)
class Host:
    """The world of the tools. `crawler` is None when no tool sends requests."""

    store: Store
    crawler: PoliteCrawler | None
    options: ServerOptions
    tasks: TaskEngine
    activity: Activity = field(default_factory=Activity)
    cursors: Cursors = field(default_factory=Cursors)

    @property
    def open_crawler(self) -> PoliteCrawler:
        """The crawler. Raises PoliteError when there is none."""
        if self.crawler is None:
            raise PoliteError("this server sends no requests")
        return self.crawler

    def rendering(self, asked: Mode) -> Mode:
        """Which pages a call may have rendered: none, when the operator wishes no browser."""
        return "never" if self.options.no_browser else asked

    async def read(self, doc: str, *, start: int, length: int, capture: str, at: str, lift: bool) -> ReadResult:
        """A range of a stored text: at once where that takes no time, else in a thread. `lift`: a held-back page may
        be given."""
        found = None
        if not lift:
            # a hop to a thread and back costs more than the answer
            found = read_small(self.store.index, doc, start=start, length=length, capture=capture or None, at=at)
        if found is not None:
            return found
        return await self.ask(
            lambda store: store.read(
                doc, start=start, length=length, capture=capture or None, at=at or None, user_provided=lift
            )
        )

    async def ask(self, question: Callable[[Store], _T]) -> _T:
        """Ask the store in a thread: a long text must not hold up other calls."""
        return await anyio.to_thread.run_sync(question, self.store, abandon_on_cancel=True)


@asynccontextmanager
async def open_host(
    dir: str | os.PathLike[str], options: ServerOptions, settings: Mapping[str, Any] | None = None
) -> AsyncIterator[Host]:
    """Open the store, and the crawler when a tool needs it; all is closed at the end.

    `settings` are those of `open_crawler`. Raises BadOption and StoreError.
    """
    activity = Activity()
    if not options.sends:
        with open_store(dir) as store:
            async with TaskEngine() as tasks:
                yield Host(store, None, options, tasks, activity)
        return
    opening = open_crawler(dir, on_event=activity.saw, **_crawler_settings(options, settings or {}))
    # tasks use the crawler, so they end before it
    with short_turns():
        async with opening as crawler, TaskEngine() as tasks:
            yield Host(crawler.store, crawler, options, tasks, activity)


def _crawler_settings(options: ServerOptions, settings: Mapping[str, Any]) -> dict[str, Any]:
    others = [token for token in settings.get("on_behalf_of", ()) if token != ON_BEHALF_OF]
    found = {**settings, "on_behalf_of": [ON_BEHALF_OF, *others], "scrapy": {"CONCURRENT_REQUESTS": HOSTS}}
    return {**found, "render": "never"} if options.no_browser else found
