"""Held-back pages: who can release them, and what is told when nobody does."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_lab import ERAS, call, facts, hosted, overrides, parts
from mcp_types import ElicitResult
from store_lab import StoreLab

both = pytest.mark.parametrize("era", ERAS)
DOC = "url:https://held.example/a%0Ab"
SECRET = "the hidden words of this page"


@pytest.fixture
def held(store_dir: Path) -> Path:
    """A store with a held-back page."""
    lab = StoreLab(store_dir)
    lab.page("https://held.example/a%0Ab", SECRET, title="A hidden title", hold="ai-input=no")
    lab.close()
    return store_dir


def answering(action: str, content: dict[str, Any] | None, asked: list[str]) -> Callable[..., Any]:
    async def answer(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content=content)

    return answer


CALLS: dict[str, dict[str, Any]] = {
    "crawl_read": {"doc": DOC},
    "crawl_verify": {"doc": DOC, "quote": SECRET},
    "crawl_extract": {"doc": DOC, "fields": {"words": {"value": SECRET}}},
}


def gives(result: Any) -> bool:
    """Whether a result gives what is hidden. What it says must fit."""
    told = facts(result)
    text = "".join(block.text for block in result.content if block.type == "text")
    given = (
        SECRET in text or told.get("found") is True or "verified" in result.content[0].text.replace('verified":0', "")
    )
    assert told["held_back"] is not given
    assert given or ("hidden" not in text and told["note"])
    return given


@both
@pytest.mark.parametrize("tool", CALLS)
def test_without_the_wish_of_a_person_it_stays_held(held: Path, era: str, tool: str) -> None:
    async def main() -> None:
        asked: list[str] = []
        answer = answering("accept", {"confirm": True}, asked)
        async with (
            hosted(held, read_only=True, allow_user_provided=True) as (server, _),
            Client(server, mode=era, elicitation_callback=answer) as client,
        ):
            assert not gives(await client.call_tool(tool, CALLS[tool]))
        assert not asked

    asyncio.run(main())
    assert overrides(held) == 0


@both
@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    ("action", "content", "released"),
    [
        ("accept", {"confirm": True}, True),
        ("accept", {"confirm": False}, False),
        ("decline", None, False),
        ("cancel", None, False),
    ],
)
def test_a_person_decides(
    held: Path, era: str, tool: str, action: str, content: dict[str, Any] | None, released: bool
) -> None:
    async def main() -> None:
        asked: list[str] = []
        answer = answering(action, content, asked)
        # the operator's opt-in does not answer for a person who can be asked
        async with (
            hosted(held, read_only=True, allow_user_provided=True) as (server, _),
            Client(server, mode=era, elicitation_callback=answer) as client,
        ):
            result = await client.call_tool(tool, {**CALLS[tool], "user_provided": True})
            assert gives(result) == released
            if not released:
                assert "--allow-user-provided" in facts(result)["note"]
        assert len(asked) == 1
        assert "URL: https://held.example/a%0Ab\n" in asked[0]
        assert "hidden" not in asked[0]

    asyncio.run(main())
    assert overrides(held) == int(released)


@both
def test_a_bare_accept_is_no_yes(held: Path, era: str) -> None:
    async def main() -> None:
        answer = answering("accept", {}, [])
        async with (
            hosted(held, read_only=True) as (server, _),
            Client(server, mode=era, elicitation_callback=answer) as client,
        ):
            result = await client.call_tool("crawl_read", {"doc": DOC, "user_provided": True})
            assert SECRET not in "".join(getattr(block, "text", "") for block in result.content)

    asyncio.run(main())
    assert overrides(held) == 0


@both
@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize("permitted", [False, True])
def test_where_nobody_can_be_asked_the_operator_decides(held: Path, era: str, tool: str, permitted: bool) -> None:
    async def main() -> None:
        async with (
            hosted(held, read_only=True, allow_user_provided=permitted) as (server, _),
            Client(server, mode=era) as client,
        ):
            result = await client.call_tool(tool, {**CALLS[tool], "user_provided": True})
            assert gives(result) == permitted
            if not permitted:
                assert "--allow-user-provided" in facts(result)["note"]

    asyncio.run(main())
    assert overrides(held) == int(permitted)


def test_a_held_page_is_nowhere_else(held: Path) -> None:
    async def main() -> None:
        async with hosted(held, read_only=True) as (server, host), Client(server) as client:
            assert (await call(client, "crawl_find", query="hidden"))["hits"] == []
            capture = host.store.versions(DOC)[0].capture
            with pytest.raises(Exception, match="no such capture"):
                await client.read_resource(f"polite-crawler://capture/{capture}")
            assert "held.example" not in (await client.read_resource("polite-crawler://docs")).contents[0].text
            diff = await client.call_tool("crawl_diff", {"doc": DOC})
            assert "hidden" not in str(diff)
            assert parts(await client.call_tool("crawl_read", {"doc": DOC})) == []

    asyncio.run(main())
