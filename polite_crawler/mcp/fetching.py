"""crawl_fetch: pages into the store, and where they can be read."""

from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import Field, StringConstraints

from polite_crawler.errors import BadOption, NotStored
from polite_crawler.mcp.answers import answer, one_line
from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.mcp.envelope import Block
from polite_crawler.mcp.facts import MESSAGES, archived_name, page_facts
from polite_crawler.mcp.host import Host
from polite_crawler.mcp.parameters import Age, ArchiveFallback, Render, listed
from polite_crawler.mcp.reports import report
from polite_crawler.mcp.strict_tool import NETWORK, StrictTool, strict_tool
from polite_crawler.query.store import Store
from polite_crawler.rules.durations import Duration
from polite_crawler.rules.durations import max_age as checked_age
from polite_crawler.rules.rendering import Mode
from polite_crawler.rules.urls import check
from polite_crawler.spiders.results import PageResult

FIRST = 500
"""Characters of the beginning of each page."""

MAX_URLS = 10
_Address = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


def fetch_tool(host: Host) -> StrictTool:
    """The tool that fetches."""

    async def crawl_fetch(
        ctx: Context,
        urls: Annotated[list[_Address] | _Address, Field(max_length=4096, description="1 to 10 http or https URLs")],
        max_age: Age = "24h",
        render: Render = "auto",
        archive_fallback: ArchiveFallback = False,
    ) -> CallToolResult:
        """Fetch pages politely into the store, and give the beginning of each. A stored copy that is young enough
        answers with no request. Read on with crawl_read; search with crawl_find."""
        addresses = list(dict.fromkeys(listed(urls)))
        if not 1 <= len(addresses) <= MAX_URLS:
            raise BadOption(f"urls: give 1 to {MAX_URLS} URLs")
        checked_age(max_age)
        found: dict[str, PageResult | None] = {}
        first: dict[str, str] = {}

        async def one(address: str) -> None:
            page = found[address] = await _fetched(host, address, max_age, host.rendering(render), archive_fallback)
            if page is not None and page.doc is not None and page.chars and not page.held_back:
                first[address] = await host.ask(lambda store: _beginning(store, page))
            await report(ctx, len(found), len(addresses))

        async with anyio.create_task_group() as group:
            for address in addresses:
                group.start_soon(one, address)
        facts = [_facts(address, found[address]) for address in addresses]
        blocks = [_block(page, first.get(address, "")) for address in addresses if (page := found[address]) is not None]
        return answer({"pages": facts}, blocks, structured=host.options.structured)

    return strict_tool(crawl_fetch, title="Fetch pages", annotations=NETWORK)


async def _fetched(host: Host, address: str, age: Duration, render: Mode, archives: bool) -> PageResult | None:
    """The page of a URL; None for one that cannot be fetched at all."""
    try:
        check(address)
    except BadOption:
        return None
    # without the parameter, the option of the operator
    return await host.open_crawler.fetch(address, max_age=age, render=render, archive_fallback=archives or None)


def _beginning(store: Store, page: PageResult) -> str:
    assert page.doc is not None
    try:
        found = store.read(page.doc, length=FIRST, capture=page.capture)
    except NotStored:
        # another page has the same text, or a 304 confirmed it: its capture is not this one
        try:
            found = store.read(page.doc, length=FIRST)
        except NotStored:
            return ""
    return "" if found.held_back else f"text (characters 0 to {found.end} of {found.total}):\n{found.text}"


def _facts(address: str, page: PageResult | None) -> dict[str, Any]:
    if page is not None:
        return page_facts(page)
    return {"url": ascii_url(address), "outcome": "skipped", "note_code": "bad-url", "note": MESSAGES["bad-url"]}


def _block(page: PageResult, first: str) -> Block:
    lines = [f"title: {one_line(page.title)}"] if page.title else []
    if page.note:
        lines.append(f"note: {one_line(page.note)}")
    text = "\n".join([*lines, first] if first else lines)
    return Block(text, page.doc, page.final_url, page.capture, page.fetched_at, archived_name(page.archived))
