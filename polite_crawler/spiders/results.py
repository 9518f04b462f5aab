"""What a crawl or a discovery gives, and its summary: the frozen facts behind the JSON of `fetch`, `crawl` and
`discover`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from polite_crawler.rules.outcomes import Outcome

Source = Literal["seed", "sitemap", "link"]
Stopped = Literal["done", "max-pages", "budget", "cancelled", "closed", "error"]

_FETCHED = frozenset({"ok", "not_modified", "redirect"})
_REFUSED = frozenset({"blocked", "paid", "challenge", "refused"})
_REFUSED_SKIPS = frozenset({"robots", "stop", "egress"})


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page of a fetch or a crawl. `age_s` is the age of a stored copy in seconds, 0 for a fresh answer. `archived`
    says which archive gave a copy in the place of the page, and of which date; outcome and status stay those of the
    site. `chars` counts the code points of the text. A held-back page shows no title."""

    url: str
    final_url: str
    doc: str | None
    outcome: str
    status: int | None
    title: str | None
    capture: str | None
    fetched_at: str | None
    from_cache: bool
    age_s: int
    chars: int
    truncated: bool
    held_back: bool
    archived: Mapping[str, Any] | None
    note: str | None


@dataclass(frozen=True, slots=True)
class CrawledPage(PageResult):
    """A page of a crawl: how far from its seed it is, and what led to it."""

    depth: int = 0
    source: Source = "seed"


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """How a crawl ended. fetched + from_cache + refused + failed is the number of pages streamed; `skipped` counts
    the links that were not followed, by reason in `skips`; `queued` counts the URLs that waited at the stop."""

    stopped: Stopped
    reason: str | None
    fetched: int
    from_cache: int
    refused: int
    failed: int
    skipped: int
    skips: Mapping[str, int]
    queued: int


Via = Literal["sitemap", "feed"]
DiscoveryStopped = Literal["done", "max-urls", "max-files", "budget", "cancelled", "closed", "error"]


@dataclass(frozen=True, slots=True)
class DiscoveredUrl:
    """A page that a sitemap or a feed names. `lastmod` is RFC 3339 or its date part; `source` is the file."""

    url: str
    lastmod: str | None
    changefreq: str | None
    via: Via
    source: str


@dataclass(frozen=True, slots=True)
class DiscoverySource:
    """What discovery did with one file: the page that links feeds, a robots.txt, a sitemap or a feed. `urls` counts
    what the file names: pages, the sitemaps of an index, the feeds of a page."""

    url: str
    kind: Literal["page", "robots", "sitemap", "feed"]
    outcome: Outcome
    urls: int
    note: str | None


@dataclass(frozen=True, slots=True)
class DiscoverySummary:
    """How a discovery ended. `count` URLs were kept; `dropped` counts those that were not: of another site, disallowed
    by robots.txt, or over the limit."""

    stopped: DiscoveryStopped
    count: int
    dropped: int
    sources: tuple[DiscoverySource, ...]


@dataclass(slots=True)
class Tally:
    """The running counts of a crawl."""

    fetched: int = 0
    from_cache: int = 0
    refused: int = 0
    failed: int = 0
    skips: Counter[str] = field(default_factory=Counter)

    @property
    def pages(self) -> int:
        """The pages streamed so far."""
        return self.fetched + self.from_cache + self.refused + self.failed

    def add(self, page: PageResult, reason: str | None) -> None:
        """Count a page. `reason` is the reason of its capture, which tells the kinds of a skip apart."""
        # a page whose site refused it was refused, also when the copy of an archive was stored already
        if page.from_cache and page.archived is None:
            self.from_cache += 1
        elif page.outcome in _FETCHED:
            self.fetched += 1
        elif page.outcome in _REFUSED or (page.outcome == "skipped" and reason in _REFUSED_SKIPS):
            self.refused += 1
        else:
            self.failed += 1

    def summary(self, stopped: Stopped, *, reason: str | None, queued: int) -> CrawlSummary:
        """The summary at the end."""
        return CrawlSummary(
            stopped=stopped,
            reason=reason,
            fetched=self.fetched,
            from_cache=self.from_cache,
            refused=self.refused,
            failed=self.failed,
            skipped=self.skips.total(),
            skips=dict(sorted(self.skips.items())),
            queued=queued,
        )
