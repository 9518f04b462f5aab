"""What a person sees of a crawl: a line for each page, a progress line on a terminal, a summary at the end."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from typing import Any, Literal, Self, TextIO

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from polite_crawler.rules.controls import json_for_terminal
from polite_crawler.rules.urls import without_fragment
from polite_crawler.scheduling.closing import close
from polite_crawler.spiders.results import CrawlSummary, DiscoveredUrl, DiscoverySummary, PageResult

Output = Literal["text", "json", "none"]

_MARKS = {True: "=", False: "+"}
_CONTROL = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233, *range(8234, 8239), *range(8294, 8298)), "�")


class Console:
    """An extension: results on standard output, progress on standard error. POLITE_OUTPUT is text, json or none."""

    def __init__(self, crawler: Crawler, output: Output, *, progress: bool) -> None:
        self._crawler = crawler
        self._output = output
        self._gone = False
        self._status = StatusLine(sys.stderr) if progress and sys.stderr.isatty() else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The console of a crawler."""
        output = crawler.settings.get("POLITE_OUTPUT", "none")
        if output not in ("text", "json"):
            raise NotConfigured
        console = cls(crawler, output, progress=crawler.settings.getbool("POLITE_PROGRESS", True))
        crawler.signals.connect(console._page, signals.item_scraped)
        crawler.signals.connect(console._closed, signals.spider_closed)
        return console

    def _page(self, item: Any) -> None:
        if not isinstance(item, PageResult):
            return
        if self._status is not None:
            self._status.clear()
        self._print(to_json(item) if self._output == "json" else page_line(item))
        if self._status is not None:
            self._status.show(_progress(self._crawler))

    def _closed(self, spider: Any) -> None:
        if self._status is not None:
            self._status.clear()
        summary = getattr(spider, "summary", None)
        if isinstance(summary, DiscoverySummary):
            # the newest comes first, so nothing is printed before everything is known
            for row in spider.found:
                self._print(to_json(row) if self._output == "json" else discovered_line(row))
        if isinstance(summary, CrawlSummary | DiscoverySummary):
            text = summary_text(summary) if isinstance(summary, CrawlSummary) else discovery_text(summary)
            self._print(to_json({"summary": asdict(summary)}) if self._output == "json" else text)

    def _print(self, text: str) -> None:
        if self._gone:
            return
        try:
            _write_line(text, utf8=self._output == "json")
        except BrokenPipeError:
            # nobody reads on (`pc crawl ... | head`): there is no reason to ask a site for more
            self._gone = True
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            close(self._crawler, "cancelled")


def _write_line(text: str, *, utf8: bool) -> None:
    """Write to standard output: a person has the letters that the terminal knows, JSON is UTF-8 wherever it goes."""
    octets = getattr(sys.stdout, "buffer", None)
    if octets is None:
        # one that a program has put there, or Scrapy with LOG_STDOUT
        sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
        sys.stdout.flush()
        return
    encoding = "utf-8" if utf8 else (sys.stdout.encoding or "utf-8")
    sys.stdout.flush()
    octets.write((text + "\n").encode(encoding, "replace"))
    octets.flush()


class StatusLine:
    """One line of a terminal that is written again and again."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False

    def show(self, text: str) -> None:
        """Write the line."""
        self._stream.write(f"\r\x1b[K{text[:110]}")
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def to_json(result: Any) -> str:
    """A result as one line of JSON, all keys present."""
    value = asdict(result) if is_dataclass(result) else result  # type: ignore[arg-type]
    return json_for_terminal(json.dumps(value, ensure_ascii=False))


def page_line(page: PageResult) -> str:
    """A page as a person reads it: what became of it, its status, its URL, its title or what was in the way. The line
    of an archived copy begins with `~`."""
    what = f"~{page.outcome}" if page.archived else "stored" if page.from_cache else page.outcome
    status = str(page.status) if page.status is not None else "-"
    rest = "held back" if page.held_back else (page.title or page.note or "")
    if page.outcome not in ("ok", "not_modified") and page.note:
        rest = page.note
    where = page.url if without_fragment(page.url) == page.final_url else f"{page.url} -> {page.final_url}"
    return printable(f"{what:<12} {status:>3}  {where}" + (f"  {rest}" if rest else ""))


def summary_text(summary: CrawlSummary) -> str:
    """The summary as a person reads it."""
    reason = f" ({summary.reason})" if summary.reason else ""
    skips = ", ".join(f"{name} {number}" for name, number in summary.skips.items())
    lines = [
        f"stopped: {summary.stopped}{reason}",
        f"pages: {summary.fetched} fetched, {summary.from_cache} from the store,"
        f" {summary.refused} refused, {summary.failed} failed",
        f"links not followed: {summary.skipped}"
        + (f" ({skips})" if skips else "")
        + f"; still queued: {summary.queued}",
    ]
    return printable("\n".join(lines))


def discovered_line(row: DiscoveredUrl) -> str:
    """A page that was discovered, as a person reads it."""
    return printable(f"{row.lastmod or '-':<20}  {row.url}")


def discovery_text(summary: DiscoverySummary) -> str:
    """The summary of a discovery as a person reads it."""
    lines = [f"stopped: {summary.stopped}; {summary.count} URLs, {summary.dropped} left out"]
    lines += [
        f"  {source.kind:<8}{source.outcome:<13}{source.urls:>6}  {source.url}"
        + (f"  {source.note}" if source.note else "")
        for source in summary.sources
    ]
    return printable("\n".join(lines))


def printable(text: str) -> str:
    """The text without control characters, which a page could use to write over a terminal."""
    return "\n".join(line.translate(_CONTROL) for line in text.split("\n"))


def _progress(crawler: Crawler) -> str:
    tally = getattr(crawler.spider, "tally", None)
    pages = tally.pages if tally is not None else 0
    scheduler = crawler.engine.scheduler if crawler.engine is not None else None
    queued = len(scheduler) if scheduler is not None and hasattr(scheduler, "__len__") else 0
    return f"{pages} pages, {queued} waiting"
