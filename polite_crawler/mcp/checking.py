"""crawl_verify, crawl_extract and crawl_diff: whether something stands in a stored page, and what changed."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from mcp.server.mcpserver import Resolve
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polite_crawler.mcp.answers import answer, one_line
from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.mcp.envelope import Block
from polite_crawler.mcp.host import Host
from polite_crawler.mcp.parameters import At, Capture, Doc, UserProvided
from polite_crawler.mcp.release import Release, hold_words, released, releaser, releasing
from polite_crawler.mcp.strict_tool import LOCAL, StrictTool, strict_tool
from polite_crawler.query.diff import DiffResult
from polite_crawler.query.extract import ExtractResult, FieldResult
from polite_crawler.query.store import Store
from polite_crawler.query.unified import unified
from polite_crawler.query.verify import VerifyResult

AROUND = 100
"""Characters of the page before and after a quote."""

_PATH = re.compile(r"[\w@:.\[\]*-]{1,200}", re.ASCII)
_Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Claimed(BaseModel):
    """A proposed value and its kind."""

    model_config = ConfigDict(extra="forbid")

    value: Annotated[str | int | float, Field(description="The proposed value")]
    kind: Annotated[
        str,
        StringConstraints(max_length=200),
        Field(description="text, number, money, date, url, email, phone or json-ld:PATH"),
    ] = "text"


def verify_tool(host: Host) -> StrictTool:
    """The tool that looks a quote up."""
    ask = releaser(host)

    async def crawl_verify(
        doc: Doc,
        quote: Annotated[str, StringConstraints(min_length=1, max_length=2000), Field(description="The words")],
        release: Annotated[Release, Resolve(ask)],
        capture: Capture = "",
        at: At = "",
        user_provided: UserProvided = False,
    ) -> CallToolResult:
        """Check that a stored page holds a quote word for word, and where. Sends no request. Use it for each quote
        before you give it to the user. stale: only an earlier capture holds it."""
        allowed = released(release)

        def look(store: Store) -> tuple[VerifyResult, str]:
            found = store.verify(doc, quote, capture=capture or None, at=at or None, user_provided=allowed)
            return found, _excerpt(store, found, allowed)

        found, excerpt = await host.ask(look)
        return _verified(host, found, excerpt, release)

    return releasing(strict_tool(crawl_verify, title="Check a quote", annotations=LOCAL))


def _excerpt(store: Store, found: VerifyResult, allowed: bool) -> str:
    if found.closest is not None:
        return f"the closest passage:\n{found.closest.matched}"
    if found.start is None or found.end is None:
        return ""
    if allowed:
        # a second look would be a second release
        return f"the quote:\n{found.matched}"
    start = max(0, found.start - AROUND)
    around = store.read(found.doc, start=start, length=found.end + AROUND - start, capture=found.capture)
    return f"characters {start} to {around.end}:\n{around.text}" if not around.held_back else ""


def _verified(host: Host, found: VerifyResult, excerpt: str, release: Release) -> CallToolResult:
    closest = found.closest
    facts = {
        "doc": ascii_url(found.doc),
        "found": found.found,
        "start": found.start,
        "end": found.end,
        "normalization": found.normalization,
        "count": found.count,
        "capture": found.capture,
        "blob": found.blob,
        "fetched_at": found.fetched_at,
        "stale": found.stale,
        "held_back": found.held_back,
        "closest": None
        if closest is None
        else {"start": closest.span.start, "end": closest.span.end, "ratio": round(closest.ratio, 3)},
        "note": hold_words(release) if found.held_back else None,
    }
    blocks = [Block(excerpt, found.doc, None, found.capture, found.fetched_at)] if excerpt else []
    return answer(facts, blocks, structured=host.options.structured)


def extract_tool(host: Host) -> StrictTool:
    """The tool that checks values."""
    ask = releaser(host)

    async def crawl_extract(
        doc: Doc,
        fields: Annotated[dict[_Name, Claimed], Field(min_length=1, max_length=40, description="By name")],
        release: Annotated[Release, Resolve(ask)],
        capture: Capture = "",
        at: At = "",
        user_provided: UserProvided = False,
    ) -> CallToolResult:
        """Check proposed values (a price, a date, a phone number) against a stored page. Sends no request. Each is
        verified, normalized, ambiguous, not-found or held-back, with its place."""
        claims = {name: _claim(claimed) for name, claimed in fields.items()}
        allowed = released(release)
        found = await host.ask(
            lambda store: store.extract(
                doc, claims, capture=capture or None, at=at or None, user_provided=allowed
            )
        )  # fmt: skip
        return _extracted(host, found, release)

    return releasing(strict_tool(crawl_extract, title="Check values", annotations=LOCAL))


def _claim(claimed: Claimed) -> dict[str, Any]:
    number = not isinstance(claimed.value, str) and claimed.kind == "text"
    return {"value": claimed.value, "kind": "number" if number else claimed.kind}


def _extracted(host: Host, found: ExtractResult, release: Release) -> CallToolResult:
    held = any(field.status == "held-back" for field in found.fields.values())
    facts = {
        "doc": ascii_url(found.doc),
        "capture": found.capture,
        "fetched_at": found.fetched_at,
        "fields": {name: _field(field) for name, field in found.fields.items()},
        "summary": dict(found.summary),
        "held_back": held,
        "note": hold_words(release) if held else None,
    }
    text = "\n".join(line for name, field in found.fields.items() for line in _stands(name, field))
    blocks = [Block(text, found.doc, None, found.capture, found.fetched_at)] if text else []
    return answer(facts, blocks, structured=host.options.structured)


def _field(field: FieldResult) -> dict[str, Any]:
    span = field.span
    return {
        "status": field.status,
        "span": None if span is None else {"start": span.start, "end": span.end, "in": span.in_},
        "path": field.path if field.path and _PATH.fullmatch(field.path) else None,
        "normalization": field.normalization,
        "candidates": len(field.candidates),
    }


def _stands(name: str, field: FieldResult) -> Iterator[str]:
    """What the page says, one line for a field and for each candidate."""
    if field.raw is not None:
        yield f"{one_line(name, 100)}: {one_line(str(field.raw))}"
    for candidate in field.candidates[:5]:
        span = candidate.span
        where = f" (characters {span.start} to {span.end})" if span else ""
        meanings = " or ".join(one_line(meaning, 100) for meaning in candidate.meanings[:4])
        yield f"{one_line(name, 100)} may be{where}: {one_line(str(candidate.raw), 200)} = {meanings}"


def diff_tool(host: Host) -> StrictTool:
    """The tool that compares versions."""

    async def crawl_diff(
        doc: Doc,
        from_: Annotated[str, StringConstraints(max_length=80), Field(description="Capture id or time")] = "",
        to: Annotated[str, StringConstraints(max_length=80), Field(description="Capture id or time")] = "",
    ) -> CallToolResult:
        """Tell what changed between two stored versions of a page; without from and to, between the last two. Sends
        no request."""
        found = await host.ask(lambda store: store.diff(doc, from_=from_ or None, to=to or None))
        return _compared(host, found)

    return strict_tool(crawl_diff, title="Compare two versions", annotations=LOCAL)


def _compared(host: Host, found: DiffResult) -> CallToolResult:
    sides = {"from": found.from_, "to": found.to}
    held = found.same is None and found.from_ is not None and found.to is not None
    summary = found.summary
    facts = {
        "doc": ascii_url(found.doc),
        **{
            name: None if side is None else {"capture": side.capture, "fetched_at": side.fetched_at}
            for name, side in sides.items()
        },
        "same": found.same,
        "exact": found.exact,
        "truncated": found.truncated,
        "summary": {
            "lines_added": summary.lines_added,
            "lines_removed": summary.lines_removed,
            "lines_changed": summary.lines_changed,
            "words_added": summary.words_added,
            "words_removed": summary.words_removed,
            "meta_changes": summary.meta_changes,
        },
        "held_back": held,
        "note": _note(found, held),
    }
    changed = found.hunks or found.meta
    blocks = [Block(unified(found), found.doc)] if changed and found.from_ and found.to else []
    return answer(facts, blocks, structured=host.options.structured)


def _note(found: DiffResult, held: bool) -> str | None:
    if held:
        return "A version asked not to be AI input, so only the facts of its form are compared."
    if found.from_ is None or found.to is None:
        return "There is no version to compare with: none is earlier, or none of the same kind."
    return None
