"""Which links a crawl follows, and for each other one the reason why not."""

from collections.abc import Callable
from dataclasses import dataclass

from polite_crawler.readers.page import Page
from polite_crawler.rules.scope import Scope
from polite_crawler.rules.traps import TrapGuard, url_trap, without_session
from polite_crawler.rules.urls import normal_or_none, normalize
from polite_crawler.spiders.known import Known
from polite_crawler.transport.trace import Trace

LINKS_A_PAGE = 100
"""How many links of one page are followed."""

WAITING = 10_000
"""How many URLs wait at one time in a crawl without a frontier file."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of a link: the URL to ask, or None and the reason why it is not followed."""

    url: str | None = None
    reason: str = ""


class LinkRules:
    """The rules of one crawl. `waiting` tells how many URLs wait now."""

    def __init__(
        self, scope: Scope, known: Known, guard: TrapGuard, *, max_depth: int, waiting: Callable[[], int], most: int
    ) -> None:
        self.scope = scope
        self.known = known
        self.guard = guard
        self._max_depth = max_depth
        self._waiting = waiting
        self._most = most

    def enter_seed(self, url: str) -> bool:
        """Enter a seed, which no rule refuses. False for a second spelling of one."""
        normal = normalize(url)
        if self.known.was_asked(normal):
            return False
        self.guard.refusal(normal)
        self.known.ask(normal)
        self.known.ask(without_session(normal))
        return True

    def choose(self, url: str, depth: int, *, closed: str | None = None) -> Choice:
        """Decide a link of a page or an entry of a sitemap, by its depth from the seeds. One that is chosen counts as
        asked. `closed` is the reason when its page has no link more to be followed, and the URL itself shows no better
        one. A session id in a URL is left out: the page has one URL for everybody."""
        normal = normal_or_none(url)
        if normal is None:
            return Choice(reason="scope")
        if (refusal := self.scope.refusal(normal)) is not None:
            return Choice(reason=refusal)
        target = without_session(normal)
        if self.known.was_asked(target):
            return Choice(reason="seen" if target == normal else "trap:session-id")
        if self.known.is_name(target):
            return Choice(reason="canonical")
        if depth > self._max_depth:
            return Choice(reason="depth")
        if closed is not None:
            return Choice(reason=url_trap(target) or closed)
        if self.known.is_full or self._waiting() >= self._most:
            return Choice(reason=url_trap(target) or "queue-full")
        if (trap := self.guard.refusal(target)) is not None:
            return Choice(reason=trap)
        self.known.ask(target)
        return Choice(url=target)


def closed_page(trace: Trace) -> str | None:
    """Why no link of a page is followed, or None."""
    capture = trace.capture
    if capture is None:
        return None
    if capture.hold is not None:
        return "held-back"
    directives = (capture.signals or {}).get("robots_tag", ())
    return "nofollow" if "nofollow" in directives or "none" in directives else None


def link_urls(page: Page) -> dict[str, bool]:
    """The URLs of a page in their sequence, and whether each may be followed. A URL that is linked twice, once with
    `rel=nofollow`, may."""
    found: dict[str, bool] = {}
    for link in page.links:
        found[link.url] = found.get(link.url, False) or "nofollow" not in link.rel
    return found
