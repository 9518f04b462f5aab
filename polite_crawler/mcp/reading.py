"""crawl_find and crawl_read: what the store holds, with no request."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from mcp.server.mcpserver import Resolve
from mcp_types import CallToolResult, ResourceLink
from pydantic import Field, StringConstraints

from polite_crawler.mcp.answers import answer, beginning, one_line, room_beside
from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.mcp.cursors import offset_of
from polite_crawler.mcp.envelope import Block
from polite_crawler.mcp.facts import archived_name
from polite_crawler.mcp.host import Host
from polite_crawler.mcp.parameters import At, Capture, Cursor, Doc, Limit, UserProvided
from polite_crawler.mcp.release import Release, hold_words, released, releaser, releasing
from polite_crawler.mcp.strict_tool import LOCAL, StrictTool, strict_tool
from polite_crawler.query.read import ReadResult
from polite_crawler.store.document import FIRST_LINKS
from polite_crawler.store.question import Rank

META_CHARACTERS = 6000
"""Characters of the metadata of a page, as JSON."""

_JSON = json.JSONEncoder(ensure_ascii=False, default=str)
_TAGS = 1500
"""Characters for the tags of one block and the line before it, with a URL of usual length."""


def find_tool(host: Host) -> StrictTool:
    """The tool that searches."""

    async def crawl_find(
        query: Annotated[
            str, StringConstraints(min_length=1, max_length=1000), Field(description='Words, "a phrase", begin*')
        ],
        limit: Limit = 10,
        cursor: Cursor = "",
        kind: Annotated[str, StringConstraints(max_length=40), Field(description="page, pdf, text ...")] = "",
        rank: Annotated[Rank, Field(description="fast leaves out common words")] = "exact",
    ) -> CallToolResult:
        """Search the stored pages. Sends no request. Gives document and capture ids with a passage of each page;
        read on with crawl_read."""
        offset = offset_of(cursor)
        found = await host.ask(
            lambda store: store.find(query, limit=limit + 1, offset=offset, rank=rank, kind=kind or None)
        )
        hits, blocks = [], []
        for hit in found[:limit]:
            doc = ascii_url(hit.doc)
            hits.append(
                {"doc": doc, "capture": hit.capture, "fetched_at": hit.fetched_at, "score": round(hit.score, 3),
                 "start": hit.start, "end": hit.end, "archived": archived_name(hit.archived)}
            )  # fmt: skip
            text = f"title: {one_line(hit.title)}\npassage (characters {hit.start} to {hit.end}):\n{hit.snippet}"
            blocks.append(_block(text, hit))
        facts: dict[str, Any] = {
            "hits": hits,
            "next_cursor": str(offset + limit) if len(found) > limit else None,
            "note": None if hits else "No stored page matches. Fetch pages with crawl_fetch or crawl_site first.",
        }
        return answer(facts, blocks, structured=host.options.structured)

    return strict_tool(crawl_find, title="Search the stored pages", annotations=LOCAL)


def read_tool(host: Host) -> StrictTool:
    """The tool that reads."""
    ask = releaser(host)

    async def crawl_read(
        doc: Doc,
        release: Annotated[Release, Resolve(ask)],
        start: Annotated[int, Field(ge=0, le=2**31, strict=True, description="First character")] = 0,
        length: Annotated[int, Field(ge=1, le=30000, strict=True, description="Characters to read")] = 4000,
        capture: Capture = "",
        at: At = "",
        user_provided: UserProvided = False,
    ) -> CallToolResult:
        """Read a range of a stored page, and on start 0 its metadata. Sends no request. Go on with next_start. Cite
        the capture id with the text."""
        found = await host.read(doc, start=start, length=length, capture=capture, at=at, lift=released(release))
        return _answered(host, found, release)

    return releasing(strict_tool(crawl_read, title="Read a stored page", annotations=LOCAL))


def _answered(host: Host, found: ReadResult, release: Release) -> CallToolResult:
    facts: dict[str, Any] = {
        "doc": ascii_url(found.doc),
        "url": None if found.url is None else ascii_url(found.url),
        "kind": found.kind,
        "capture": found.capture,
        "fetched_at": found.fetched_at,
        "at": found.at,
        "before_first": found.before_first,
        "start": found.start,
        "end": found.end,
        "total": found.total,
        "next_start": found.next_start,
        "held_back": found.held_back,
        "archived": archived_name(found.archived),
        "note": None,
    }
    if found.before_first:
        return answer({**facts, "note": "The first capture is later than this time."})
    if found.held_back:
        allowed = released(release)
        words = "The release could not be logged, so the text stays held back." if allowed else hold_words(release)
        return answer({**facts, "note": words, "note_code": "held-back"}, structured=host.options.structured)
    text = _head(found)
    copies = 2 if host.options.structured else 1
    characters, octets = room_beside(facts, copies=copies)
    beside = _TAGS + 6 * (len(found.doc) + len(found.url or ""))
    octets -= len(text.encode("utf-8", "replace"))
    shown = beginning(found.text, (characters - len(text) - beside, octets - beside))
    end = found.start + len(shown)
    facts |= {"end": end, "next_start": end if end < found.total else None}
    text += f"text (characters {found.start} to {end} of {found.total}):\n{shown}"
    link = ResourceLink(
        type="resource_link", uri=f"polite-crawler://capture/{found.capture}", name=str(found.capture),
        mime_type="text/plain",
    )  # fmt: skip
    return answer(facts, [_block(text, found)], links=[link], structured=host.options.structured)


def _head(found: ReadResult) -> str:
    """What stands before the text: the title, and the metadata before the beginning of the page."""
    head = f"title: {one_line(found.title)}\n"
    if found.start == 0 and found.meta:
        meta = _JSON.encode(_few_links(found.meta))
        cut = f" (cut, {len(meta)} characters)" if len(meta) > META_CHARACTERS else ""
        head += f"metadata{cut}: {meta[:META_CHARACTERS]}\n"
    return head


def _few_links(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata with the first links; crawl_site and crawl_discover tell the others."""
    links = meta.get("links")
    if not isinstance(links, list) or len(links) <= FIRST_LINKS:
        return meta
    return {**meta, "links": links[:FIRST_LINKS], "links_in_all": len(links)}


def _block(text: str, page: Any) -> Block:
    archived = archived_name(page.archived)
    return Block(text, page.doc, page.url, page.capture, page.fetched_at, archived)
