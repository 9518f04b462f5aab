"""Answers of tools. Each one passes `answer` or `failure`: the first block is JSON with facts of ours, the second the
envelope with text of pages, and the whole has an end."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mcp_types import Annotations, CallToolResult, ResourceLink, TextContent

from polite_crawler.mcp.cleaning import clean, clean_json
from polite_crawler.mcp.envelope import Block, wrap

MAX_CHARACTERS: Final = 40_000
"""Characters of a whole answer."""

MAX_OCTETS: Final = 60_000
"""Octets of a whole answer in UTF-8; a token has three of them or more."""

_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_FOR_ASSISTANT: Final = Annotations(audience=["assistant"])
_CUT: Final = "\n[cut: the answer has reached its limit]"
_SPARE: Final = 600
_MESSAGE: Final = 600


def answer(
    facts: Mapping[str, Any],
    blocks: Sequence[Block] = (),
    *,
    links: Sequence[ResourceLink] = (),
    structured: bool = False,
) -> CallToolResult:
    """The result of a tool. What does not fit is cut from the end of the envelope, and `cut` in the facts says so.

    With `structured` the facts and the envelope are in structuredContent too, for clients that show nothing else.
    """
    shown: dict[str, Any] = clean_json(dict(facts))
    text = dumped(shown)
    envelope, whole = fitted(blocks, _room(text, 2 if structured else 1, links))
    if not whole:
        shown["cut"] = True
        text = dumped(shown)
    content: list[Any] = [TextContent(type="text", text=text)]
    if envelope:
        content.append(TextContent(type="text", text=envelope, annotations=_FOR_ASSISTANT))
    content.extend(links)
    field = {**shown, "envelope": envelope or None} if structured else None
    return CallToolResult(content=content, structured_content=field)


def failure(code: str, message: str, *, next: Sequence[str] = (), **more: Any) -> CallToolResult:
    """An error that the caller can correct: a code, words of ours, and the tools that help. No text of a page."""
    error = {"code": code, "message": message[:_MESSAGE], "next": list(next), **more}
    return CallToolResult(
        content=[TextContent(type="text", text=dumped(clean_json({"error": error})))], is_error=True
    )  # fmt: skip


def dumped(facts: Mapping[str, Any]) -> str:
    """The JSON text of facts, each character as itself."""
    return _JSON.encode(facts)


Room = tuple[int, int]
"""How many characters and octets may follow."""


def room_beside(facts: Mapping[str, Any], *, copies: int = 1) -> Room:
    """What is left for the envelope beside facts, when each of them stands in the answer `copies` times."""
    return _room(dumped(facts), copies, ())


def _room(text: str, copies: int, links: Sequence[ResourceLink]) -> Room:
    beside = sum(len(str(link.uri)) + len(link.name) + 100 for link in links)
    characters = (MAX_CHARACTERS - _SPARE - beside) // copies - len(text)
    octets = (MAX_OCTETS - _SPARE - beside) // copies - len(text.encode("utf-8"))
    return max(0, characters), max(0, octets)


def fitted(blocks: Sequence[Block], room: Room) -> tuple[str, bool]:
    """The envelope of the blocks that fit, the last of them cut; and whether all of it fits."""
    kept = list(blocks)
    envelope = wrap(kept)
    while kept and _over(envelope, room):
        last = kept[-1]
        size = len(last.text) - _over(envelope, room) - len(_CUT)
        if size > 0:
            kept[-1] = replace(last, text=last.text[:size].removesuffix(_CUT) + _CUT)
        else:
            kept.pop()
        envelope = wrap(kept)
    return envelope, kept == list(blocks)


def beginning(text: str, room: Room) -> str:
    """The beginning of a stored text that fits into a room. An envelope makes none longer: it has no controls."""
    text = text[: room[0]]
    octets = text.encode("utf-8", "replace")
    return text if len(octets) <= room[1] else octets[: room[1]].decode("utf-8", "ignore")


def one_line(text: str | None, limit: int = 500) -> str:
    """A text of a page for a line of an envelope."""
    return clean(" ".join((text or "")[: 2 * limit].split())[:limit])


def _over(envelope: str, room: Room) -> int:
    """How many characters are too many: at least 1 when one of the limits is passed."""
    octets = len(envelope.encode("utf-8")) - room[1]
    # each character that is cut takes at least one octet and at most four with it
    return max(len(envelope) - room[0], -(-octets // 4) if octets > 0 else 0, 0)
