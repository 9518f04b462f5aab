"""Crawls into the traps of the test site. No test: a helper."""

from pathlib import Path
from typing import Any

from engine_lab import Run, crawl

from polite_crawler.spiders.site import SiteSpider

FAST: dict[str, Any] = {
    "POLITE_PAGE_INTERVAL": 0.001,
    "POLITE_HOSTS": {"127.0.0.1": {"backoff_min": 0.01, "backoff_max": 0.01}},
}
ONLY = "/trap/* /about$ /redirects* /refresh* /canonical* /retry-after* /p/1$"


def enter(store: Path, url: str, **options: Any) -> Run:
    """A crawl without the limits that would end it anyway, apart from the ordinary pages of the site."""
    options = {"max_pages": 500, "max_depth": 200, "include": ONLY, "exclude": "/trap/calendar/day*", **options}
    return crawl(SiteSpider, store, url=url, settings={**FAST, **options.pop("settings", {})}, **options)


def ends_well(run: Run) -> None:
    assert run.summary.stopped == "done"
    assert run.summary.queued == 0
    assert run.page("/about").outcome == "ok"
    assert len({page.final_url for page in run.pages}) == len(run.pages)
    summary = run.summary
    assert summary.fetched + summary.from_cache + summary.refused + summary.failed == len(run.pages)
