"""The system's Chromium without a network of its own: started when it is needed, closed when it is not.

Playwright starts and drives it. Its own interception of requests is not used (scrapy-playwright stands on it): that
does not see the hops of a redirect, and lets a page read the answers of other origins. `tab` uses the Fetch domain of
the Chrome DevTools Protocol instead.
"""

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.crawler import Crawler

from polite_crawler.errors import RenderRefused
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.render_slots import RenderSlots, slots_of, use_slots
from polite_crawler.transport.leftovers import kill_leftovers, profile_of

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Page, Playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
"""The names of the program, the one that is taken first at the front."""

NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name and no address literal is connected to
    "--no-proxy-server",
    "--disable-quic",
    # WebRTC asks no resolver for an address literal; only the forced policy outlives the preferences of a context
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
NO_PEERS = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete self[name];"
"""Run in each frame before its scripts: a second wall, where a Chromium does not know the options above."""

_QUIET = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)
_STARTS = 3
_START_SECONDS = 30.0
_END_SECONDS = 5.0
_PATIENCE = 10.0
_IDLE_SECONDS = 30.0
_MOST_TABS = 100
_T = TypeVar("_T")

logger = logging.getLogger(__name__)


class BrowserLost(Exception):
    """The browser, or its part that made a page, went away or hangs. It can be started again."""


class Browser:
    """One Chromium for the renders of one event loop.

    It starts with the first tab, ends after some idle seconds, and is begun anew after many tabs. `find` gives its
    program, or raises RenderRefused. After a start that failed, or without a program, every tab is refused at once.
    """

    def __init__(
        self,
        slots: RenderSlots,
        *,
        user_agent: str | None = None,
        find: "Callable[[], str]" = lambda: find_program(),
        idle_seconds: float = _IDLE_SECONDS,
        kept: bool = False,
    ) -> None:
        self.slots = slots
        self._user_agent = user_agent
        self._find = find
        self._idle_seconds = idle_seconds
        self._kept = kept
        self._gate = asyncio.Lock()
        self._program: str | None = None
        self._refused: str | None = None
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._home: str | None = None
        self._profile: str | None = None
        self._open = 0
        self._tabs = 0
        self._idle: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def refused(self) -> str | None:
        """Why nothing is rendered in this run, or None. It looks for the program one time, and says so one time."""
        if self._refused is None and self._program is None:
            try:
                self._program = self._find()
            except RenderRefused as error:
                self._refuse(str(error))
        return self._refused

    @asynccontextmanager
    async def tab(self) -> "AsyncIterator[Page]":
        """A page of a fresh context: nothing of another page is in it, nothing of it stays.

        Raises RenderRefused when there is no browser, BrowserLost when it fails meanwhile.
        """
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._open += 1
        try:
            async with self._page() as page:
                yield page
        finally:
            self._open -= 1
            if not self._open:
                self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._end_idle)

    async def close(self) -> None:
        """A crawler has ended: end the browser, unless it is kept for others."""
        if not self._kept:
            await self.shut()

    async def shut(self) -> None:
        """End the browser."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        async with self._gate:
            await self._end()
        if others := self._ending - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=_END_SECONDS)

    @asynccontextmanager
    async def _page(self) -> "AsyncIterator[Page]":
        from playwright.async_api import Error

        try:
            try:
                chromium, page = await self._opened()
            except (Error, BrowserLost):
                # it went away while nobody looked
                chromium, page = await self._opened()
            network = await self._network(chromium)
            try:
                yield page
            except RenderRefused:
                await self._check_network(chromium, network)
                raise
            else:
                await self._check_network(chromium, network)
            finally:
                # what was made is made: a tab that does not close is no fault of it
                with suppress(Error, BrowserLost):
                    await self._in_time(chromium, page.context.close())
        except (Error, TimeoutError) as error:
            raise BrowserLost(_first_line(error)) from error

    async def _opened(self) -> "tuple[Chromium, Page]":
        """A browser, and a page in a context of its own."""
        from playwright.async_api import Error

        chromium = await self._started()
        try:
            context = await self._in_time(chromium, self._context(chromium))
        except Error:
            # it still seems to be connected when the driver between us is gone
            await self._drop(chromium)
            raise
        await self._in_time(chromium, context.add_init_script(NO_PEERS))
        return chromium, await self._in_time(chromium, context.new_page())

    def _context(self, chromium: "Chromium") -> "Coroutine[Any, Any, BrowserContext]":
        return chromium.new_context(
            user_agent=self._user_agent, service_workers="block", accept_downloads=False, locale="en"
        )

    async def _in_time(self, chromium: "Chromium", work: Coroutine[Any, Any, _T]) -> _T:
        """What a browser that is well does at once. One that hangs is ended."""
        try:
            async with asyncio.timeout(_PATIENCE):
                return await work
        except TimeoutError as error:
            await self._drop(chromium)
            raise BrowserLost("the browser hangs") from error

    async def _check_network(self, chromium: "Chromium", before: int | None) -> None:
        """Raise BrowserLost when the process behind the requests of a page is another one than before: what was under
        way has failed, and the page shows it as if a server had."""
        after = await self._network(chromium)
        if before != after and None not in (before, after):
            raise BrowserLost("the network service of the browser went away")

    async def _network(self, chromium: "Chromium") -> int | None:
        """The number of that process; None for a browser that does not say, or is not there."""
        from playwright.async_api import Error

        with suppress(Error, BrowserLost):
            found = await self._in_time(chromium, self._processes(chromium))
            return next((int(one["id"]) for one in found if "NetworkService" in one["type"]), None)
        return None

    async def _processes(self, chromium: "Chromium") -> list[dict[str, Any]]:
        session = await chromium.new_browser_cdp_session()
        found = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        return list(found["processInfo"])

    async def _started(self) -> "Chromium":
        async with self._gate:
            if self.refused is not None:
                raise RenderRefused("browser", self.refused)
            chromium, is_worn = self._chromium, self._tabs >= _MOST_TABS and self._open == 1
            if chromium is not None and chromium.is_connected() and not is_worn:
                self._tabs += 1
                return chromium
            why = ""
            for _ in range(_STARTS):
                await self._end()
                try:
                    async with asyncio.timeout(_START_SECONDS):
                        self._chromium = await self._start()
                    self._tabs = 1
                    return self._chromium
                except TimeoutError:
                    why = f"it was not there after {_START_SECONDS:g} s"
                    break
                except Exception as error:
                    # whatever playwright raises; a process that was killed as it began says nothing of the next one
                    why = _first_line(error)
            await self._end()
            self._refuse(f"the browser does not start: {why}")
            raise RenderRefused("browser", self._refused or why)

    async def _start(self) -> "Chromium":
        from playwright.async_api import async_playwright

        self._home = tempfile.mkdtemp(prefix="polite-browser-")
        self._playwright = await async_playwright().start()
        chromium = await self._playwright.chromium.launch(
            executable_path=self._program,
            args=[*NO_NETWORK, *_QUIET],
            # Chromium has no sandbox for root; anyone else gets it, or no browser
            chromium_sandbox=os.geteuid() != 0,
            env={
                "HOME": self._home,
                "TMPDIR": self._home,
                "PATH": os.environ.get("PATH", os.defpath),
                "LANG": "C.UTF-8",
            },
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        # a driver that is killed leaves it behind
        self._profile = await asyncio.get_running_loop().run_in_executor(None, profile_of, self._home)
        return chromium

    async def _drop(self, chromium: "Chromium") -> None:
        """End a browser that hangs; who has a tab of it open loses it."""
        async with self._gate:
            if self._chromium is chromium:
                await self._end()

    async def _end(self) -> None:
        playwright, self._playwright, self._chromium = self._playwright, None, None
        home, self._home = self._home, None
        profile, self._profile = self._profile, None
        if playwright is not None:
            # it ends the browser, and its own process; whatever it trips over, the sweep follows
            with suppress(Exception):
                async with asyncio.timeout(_END_SECONDS):
                    await playwright.stop()
        if home is not None:
            await asyncio.get_running_loop().run_in_executor(None, _clear, home, profile)

    def _end_idle(self) -> None:
        self._idle = None
        if not self._open:
            task = asyncio.ensure_future(self.shut())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    def _refuse(self, why: str) -> None:
        self._refused = why
        logger.warning("pages that need JavaScript are read as plain HTML: %s", why)


def find_program() -> str:
    """The path of the system's Chromium. Raises RenderRefused."""
    if find_spec("playwright") is None:
        raise RenderRefused("browser", "playwright is not installed; pip install 'polite-crawler[render]'")
    for name in PROGRAMS:
        if (path := shutil.which(name)) is not None:
            return path
    brought = _playwright_browsers()
    if brought:
        return str(max(brought))
    raise RenderRefused("browser", "there is no Chromium; install it, for example with apt-get install chromium")


_BROWSERS = PerCrawler(lambda crawler: Browser(slots_of(crawler), user_agent=options_of(crawler).identity.user_agent))


def browser_of(crawler: Crawler) -> Browser:
    """The browser of a crawler."""
    return _BROWSERS.of(crawler)


def use_browser(crawler: Crawler, browser: Browser) -> None:
    """Let a crawler share a browser and its places with others, before it starts."""
    _BROWSERS.use(crawler, browser)
    use_slots(crawler, browser.slots)


def _playwright_browsers() -> list[Path]:
    """The browsers that `playwright install` brought."""
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    names = ("chromium_headless_shell-*/*/*headless*shell", "chromium-*/chrome-linux*/chrome")
    return [path for name in names for path in folder.glob(name) if os.access(path, os.X_OK)]


def _clear(home: str, profile: str | None) -> None:
    if killed := kill_leftovers(home):
        logger.debug("%d processes of the browser had to be killed", killed)
    for folder in (home, profile):
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        if "No usable sandbox" in line or "Failed to launch" in line:
            return line
    return lines[0] if lines else type(error).__name__
