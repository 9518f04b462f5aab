"""crawl_discover and crawl_site: what a site has, and its pages."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field, StringConstraints

from polite_crawler.crawler.runs import Run
from polite_crawler.errors import BadOption
from polite_crawler.mcp.answers import answer, one_line
from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.mcp.cursors import Listing, Row
from polite_crawler.mcp.envelope import Block
from polite_crawler.mcp.facts import known_word, note_code
from polite_crawler.mcp.host import Host
from polite_crawler.mcp.parameters import Age, Cursor, Hosts, Render, listed
from polite_crawler.mcp.reports import report
from polite_crawler.mcp.strict_tool import NETWORK, StrictTool, strict_tool
from polite_crawler.rules import durations, urls
from polite_crawler.spiders.results import CrawledPage, CrawlSummary, DiscoverySource, DiscoverySummary

URLS_A_PAGE = 100
DOCS_A_PAGE = 50
LIST_CHARACTERS = 16_000
"""Characters of the rows of one answer; then a cursor goes on."""

END = 5.0
"""Seconds that a cancelled run has to end its exchanges in progress."""

LONGEST = 3600.0
"""Seconds of the longest budget."""

_Text = Annotated[str, StringConstraints(max_length=4096)]
_Site = Annotated[_Text, Field(description="A page of the site; empty with a cursor")]
_Budget = Annotated[str | int, Field(description='Longest time: seconds, "10m"; at most 1h')]
_Patterns = list[Annotated[str, StringConstraints(max_length=500)]] | Annotated[str, StringConstraints(max_length=500)]


def discover_tool(host: Host) -> StrictTool:
    """The tool that lists the URLs of a site."""

    async def crawl_discover(
        ctx: Context,
        url: _Site = "",
        max_urls: Annotated[int, Field(ge=1, le=10_000, strict=True)] = 1000,
        feeds: Annotated[list[_Text] | _Text, Field(description="URLs of feeds to read too", max_length=4096)] = "",
        allow_hosts: Hosts = "",
        max_age: Age = "24h",
        cursor: Cursor = "",
    ) -> CallToolResult:
        """List the pages that the sitemaps and feeds of a site name, without fetching them. Runs as a task where the
        client can. next_cursor gives the rest with no request."""
        if cursor:
            return _page(host, *host.cursors.find(cursor, "crawl_discover"), size=URLS_A_PAGE)
        rows: list[Row] = []
        run = host.open_crawler.discover(
            _address(url), max_urls=max_urls, feed=[_address(feed) for feed in listed(feeds)],
            allow_host=_words(listed(allow_hosts)), max_age=max_age,
        )  # fmt: skip
        async with _ended(run):
            async for found in run:
                rows.append(("", " ".join((ascii_url(found.url), *([f"({found.lastmod})"] if found.lastmod else [])))))
                if len(rows) % 50 == 0:
                    await report(ctx, len(rows), max_urls)
        assert run.summary is not None
        listing = Listing("crawl_discover", _discovered(run.summary), rows)
        return _page(host, host.cursors.keep(listing), listing, 0, size=URLS_A_PAGE)

    return strict_tool(crawl_discover, title="List the pages of a site", annotations=NETWORK)


def site_tool(host: Host) -> StrictTool:
    """The tool that crawls a site."""

    async def crawl_site(
        ctx: Context,
        url: _Site = "",
        max_pages: Annotated[int, Field(ge=1, le=500, strict=True)] = 20,
        max_depth: Annotated[int, Field(ge=0, le=20, strict=True, description="Links from the first page")] = 3,
        budget: _Budget = "10m",
        include: Annotated[_Patterns, Field(description="Follow only paths like /docs/*")] = "",
        exclude: Annotated[_Patterns, Field(description="Never follow these paths")] = "",
        allow_hosts: Hosts = "",
        max_age: Age = "24h",
        render: Render = "auto",
        cursor: Cursor = "",
    ) -> CallToolResult:
        """Follow the links of a site politely (about 20 pages a minute) and store each page. Runs as a task where the
        client can; ends at the budget with what there is. Then use crawl_find."""
        if cursor:
            return _page(host, *host.cursors.find(cursor, "crawl_site"), size=DOCS_A_PAGE)
        rows: list[Row] = []
        run = host.open_crawler.crawl(
            _address(url), max_pages=max_pages, max_depth=max_depth, budget=_seconds(budget),
            include=_words(listed(include)), exclude=_words(listed(exclude)), allow_host=_words(listed(allow_hosts)),
            max_age=max_age, render=host.rendering(render),
        )  # fmt: skip
        done = 0
        async with _ended(run):
            async for page in run:
                done += 1
                if (row := _row(page)) is not None:
                    rows.append(row)
                await report(ctx, done, max_pages)
        assert run.summary is not None
        listing = Listing("crawl_site", _crawled(run.summary), rows)
        return _page(host, host.cursors.keep(listing), listing, 0, size=DOCS_A_PAGE)

    return strict_tool(crawl_site, title="Crawl a site", annotations=NETWORK)


@asynccontextmanager
async def _ended(run: Run[Any, Any]) -> AsyncIterator[None]:
    """See a run to its end, also when the call is cancelled in the middle: for END seconds at most."""
    try:
        yield
    finally:
        with anyio.move_on_after(END, shield=True):
            await run.aclose()


def _address(url: str) -> str:
    if not url:
        raise BadOption("url: give a page of the site, or a cursor")
    return urls.without_space(url)


def _words(values: list[str]) -> list[str]:
    if any(any(char.isspace() for char in value) for value in values):
        raise BadOption("hosts and patterns have no white space: give a list")
    return values


def _seconds(budget: str | int) -> float:
    seconds = durations.seconds(budget, "budget")
    if seconds > LONGEST:
        raise BadOption("budget: at most 1h")
    return seconds


def _row(page: CrawledPage) -> Row | None:
    """A page that can be read: its document id, and its line in the envelope."""
    if page.doc is None or page.held_back or page.outcome not in ("ok", "not_modified"):
        return None
    doc = ascii_url(page.doc)
    return doc, f"{doc} {one_line(page.title, 200)}"


def _discovered(summary: DiscoverySummary) -> Mapping[str, Any]:
    return {
        "stopped": summary.stopped,
        "count": summary.count,
        "dropped": summary.dropped,
        "sources": [_source(source) for source in summary.sources[:20]],
        "sources_read": len(summary.sources),
    }


def _source(source: DiscoverySource) -> dict[str, Any]:
    code = note_code(source.note, source.outcome)
    return {"url": ascii_url(source.url, 500), "kind": source.kind, "outcome": source.outcome, "urls": source.urls,
            "note_code": code}  # fmt: skip


def _crawled(summary: CrawlSummary) -> Mapping[str, Any]:
    return {
        "stopped": summary.stopped,
        "reason": known_word(summary.reason),
        "fetched": summary.fetched,
        "from_cache": summary.from_cache,
        "refused": summary.refused,
        "failed": summary.failed,
        "skipped": summary.skipped,
        "skips": {name: count for name, count in summary.skips.items() if known_word(name)},
        "queued": summary.queued,
    }


def _page(host: Host, id: str, listing: Listing, offset: int, *, size: int) -> CallToolResult:
    """One page of a result: as many rows as there is room for."""
    shown: list[Row] = []
    used = 0
    for row in listing.rows[offset : offset + size]:
        used += len(row[0]) + len(row[1].encode("utf-8", "replace"))
        if used > LIST_CHARACTERS and shown:
            break
        shown.append(row)
    end = offset + len(shown)
    facts = dict(listing.facts)
    docs = [doc for doc, _ in shown if doc]
    if listing.tool == "crawl_site":
        facts["docs"] = docs
    facts["next_cursor"] = f"{id}.{end}" if end < len(listing.rows) else None
    lines = "\n".join(text for _, text in shown)
    return answer(facts, [Block(lines)] if lines else [], structured=host.options.structured)
