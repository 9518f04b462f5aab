"""One page in a browser: it gets the fetched document, its sub-requests are answered one by one, and its tree is read
when nothing happens any more.

Every request of the page is paused by the Fetch domain of the Chrome DevTools Protocol, the hops of its redirects and
the preflights of CORS too; so the browser applies its own rules between origins to answers that it did not fetch.
"""

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polite_crawler.errors import RenderRefused
from polite_crawler.rules import rendering
from polite_crawler.rules.rendering import Limits
from polite_crawler.transport.browser import BrowserLost
from polite_crawler.transport.subrequests import Asked, Reply

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

_READ_SECONDS = 5.0
"""How much of the time of a render is kept for the reading of its tree."""
_PICTURE_SECONDS = 10.0
_WIDTH = 1280
_TALLEST = 10_000
_NO_BODY = frozenset({204, 205, 304})

_READ = """
(most) => {
  const roots = [];
  const look = (root) => {
    for (const element of root.querySelectorAll('*'))
      if (element.shadowRoot) { roots.push(element.shadowRoot); look(element.shadowRoot); }
  };
  look(document);
  const top = document.documentElement;
  if (!top) return ['', 0];
  const inner = top.getHTML ? top.getHTML({serializableShadowRoots: true, shadowRoots: roots}) : top.innerHTML;
  const shell = top.cloneNode(false).outerHTML;
  const end = shell.lastIndexOf('</');
  const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
  const whole = end < 0 ? type + shell : type + shell.slice(0, end) + inner + shell.slice(end);
  return [whole.slice(0, most), whole.length];
}
"""
"""The tree as HTML, with the open shadow roots as declarative ones, cut at `most` UTF-16 units; and its length."""

logger = logging.getLogger(__name__)

Ask = Callable[[Asked, str], Awaitable[Reply | None]]
"""Answers a sub-request; the text is the same for the hops of one redirect."""


@dataclass(frozen=True, slots=True)
class Document:
    """What the browser gets in the place of a request: the URL, and the fetched answer."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Rendered:
    """The tree of a page as HTML. `cut` is true when it was longer than the limit. `moves_to` is where a script of it
    wanted to go; `picture` is a PNG image."""

    html: str
    cut: bool = False
    moves_to: str | None = None
    picture: bytes | None = None
    notes: tuple[str, ...] = ()


class Tab:
    """Makes one page. `ask` answers its sub-requests."""

    def __init__(self, page: "Page", document: Document, ask: Ask, limits: Limits) -> None:
        self._page = page
        self._document = document
        self._ask = ask
        self._limits = limits
        self._frame = ""
        self._served = False
        self._loaded = False
        self._crashed = False
        self._moves_to: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._pending: set[asyncio.Task[None]] = set()
        self._seen: set[Asked] = set()
        self._changed = asyncio.Event()
        self._notes: dict[str, None] = {}
        self._cdp: CDPSession

    async def render(self, *, most: int, picture: bool = False) -> Rendered:
        """The page when it has loaded and no sub-request is on its way for `quiet_s`, or when its time is over.

        Raises RenderRefused for a page that cannot be read, BrowserLost for one that crashed or does not open,
        TimeoutError for one that does not open in time, and the errors of playwright.
        """
        self._cdp = await self._page.context.new_cdp_session(self._page)
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._open()
            await self._settle()
            html, length = await self._read(most)
            shot = await self._picture() if picture else None
        finally:
            await self._stop()
        return Rendered(html, length > most, self._moves_to, shot, tuple(self._notes))

    async def _open(self) -> None:
        page, cdp = self._page, self._cdp
        page.on("load", lambda _: self._mark("_loaded"))
        page.on("crash", lambda _: self._mark("_crashed"))
        page.on("popup", lambda popup: self._start(popup.close(), waits=False))
        cdp.on("Fetch.requestPaused", self._paused)
        await cdp.send("Page.enable")
        tree = await cdp.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        await cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        went = await cdp.send("Page.navigate", {"url": self._document.url})
        if went.get("errorText"):
            # a part of the browser that went away says the same as a page that it would not show
            raise BrowserLost(f"it does not open: {went['errorText']}")

    async def _settle(self) -> None:
        """Wait until the page has loaded and is quiet, its time is over, or it has crashed."""
        try:
            async with asyncio.timeout(self._limits.seconds - _READ_SECONDS):
                while not self._crashed:
                    self._changed.clear()
                    if not self._loaded or self._pending:
                        await self._changed.wait()
                        continue
                    try:
                        async with asyncio.timeout(self._limits.quiet_s):
                            await self._changed.wait()
                    except TimeoutError:
                        return
        except TimeoutError:
            self._note("the page was read before it was done: its time was over")

    async def _read(self, most: int) -> tuple[str, int]:
        if self._crashed:
            raise BrowserLost("the page crashed")
        try:
            async with asyncio.timeout(_READ_SECONDS / 2):
                return await self._evaluated(most)
        except TimeoutError:
            # a script that never ends keeps everything else of its page waiting
            self._note("a script that did not end was stopped")
        try:
            async with asyncio.timeout(_READ_SECONDS / 2):
                await self._cdp.send("Runtime.terminateExecution")
                return await self._evaluated(most)
        except TimeoutError:
            raise RenderRefused("refused", "the scripts of the page do not end") from None

    async def _evaluated(self, most: int) -> tuple[str, int]:
        # a world of our own: no script of the page has changed what it calls
        world = await self._cdp.send("Page.createIsolatedWorld", {"frameId": self._frame, "worldName": "polite"})
        found = await self._cdp.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": _READ,
                "arguments": [{"value": most}],
                "executionContextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in found:
            raise RenderRefused("refused", "the tree of the page cannot be read")
        html, length = found["result"]["value"]
        return str(html), int(length)

    async def _picture(self) -> bytes | None:
        try:
            height = await self._page.evaluate("document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": _WIDTH, "height": max(1, min(int(height or 1), _TALLEST))}
            return await self._page.screenshot(full_page=True, clip=clip, timeout=_PICTURE_SECONDS * 1000)  # type: ignore[arg-type]
        except Exception as error:
            logger.debug("no picture of %s", self._document.url, exc_info=error)
            self._note("no picture was taken")
            return None

    async def _stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _paused(self, event: Mapping[str, Any]) -> None:
        """One request of the page: answer it, or end it."""
        request, kind, name = event["request"], event["resourceType"], event["requestId"]
        headers: Mapping[str, str] = request["headers"]
        if kind == "Document" and event.get("frameId") == self._frame:
            self._start(self._main(name, request["url"] + request.get("urlFragment", "")))
        elif not rendering.asks_for(kind, request["method"], request["url"], headers):
            self._start(self._fail(name, "BlockedByClient"), waits=False)
        else:
            sent = tuple(rendering.headers_to_send(headers.items()))
            asked = Asked(request["method"], request["url"], sent)
            # what a page asks for again and again (a clock, a counter) does not keep it from being done
            self._start(self._answer(name, asked, event.get("networkId", "")), waits=asked not in self._seen)
            self._seen.add(asked)

    async def _answer(self, name: str, asked: Asked, chain: str) -> None:
        reply = await self._ask(asked, chain)
        if reply is None:
            await self._fail(name, "Failed")
        else:
            await self._fulfill(name, reply.status, rendering.headers_to_show(reply.headers), reply.body)

    async def _main(self, name: str, url: str) -> None:
        document = self._document
        if not self._served:
            self._served = True
            await self._fulfill(name, document.status, rendering.headers_to_show(document.headers), document.body)
            return
        # the page stays where it is: whether another page is asked for is decided as for any link
        if url != document.url and self._moves_to is None:
            self._moves_to = url
        self._loaded = True
        await self._fail(name, "Aborted")

    async def _fulfill(self, name: str, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        answer: dict[str, Any] = {
            "requestId": name,
            "responseCode": status,
            "responseHeaders": [{"name": key, "value": value} for key, value in headers],
        }
        if status not in _NO_BODY:
            answer["body"] = base64.b64encode(body).decode("ascii")
        await self._cdp.send("Fetch.fulfillRequest", answer)

    async def _fail(self, name: str, reason: str) -> None:
        await self._cdp.send("Fetch.failRequest", {"requestId": name, "errorReason": reason})

    def _start(self, work: Coroutine[Any, Any, None], *, waits: bool = True) -> None:
        """Do some work; the page is not done while there is some that it `waits` for."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        if waits:
            self._pending.add(task)
            self._changed.set()
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if task in self._pending:
            self._pending.remove(task)
            self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            # the page went away before its answer came
            logger.debug("a sub-request of %s", self._document.url, exc_info=error)

    def _mark(self, name: str) -> None:
        setattr(self, name, True)
        self._changed.set()

    def _note(self, text: str) -> None:
        self._notes[text] = None
