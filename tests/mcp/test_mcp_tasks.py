"""Tasks in both forms of the wire: made, asked for, cancelled, bounded, and nobody else's."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client import advertise
from mcp.shared.exceptions import MCPError
from mcp_lab import hosted
from sites import Site

from polite_crawler.mcp.task_methods import EXTENSION
from polite_crawler.mcp.tasks import MAX_ACTIVE, TaskEngine

Ask = Callable[..., Awaitable[dict[str, Any]]]


def asker(client: Client) -> Ask:
    """Requests as they are on the wire: the SDK's client knows no tasks."""

    async def ask(method: str, **params: Any) -> dict[str, Any]:
        session = client.session
        if client.session.protocol_version == "2026-07-28":
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}},
            }
        return await session._dispatcher.send_raw_request(method, params)

    return ask


async def ended(ask: Ask, id: str, name: str = "tasks/get") -> dict[str, Any]:
    """The task when it has ended."""
    async with asyncio.timeout(30):
        while True:
            task = await ask(name, taskId=id)
            if task["status"] != "working":
                return task
            # a loop that never rests would keep the interpreter from the crawler, whose thread is in this process
            await anyio.sleep(0.01)


def test_the_tasks_of_2025(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with hosted(store_dir) as (server, _), Client(server, mode="legacy") as client:
            ask = asker(client)
            tools = {tool["name"]: tool for tool in (await ask("tools/list"))["tools"]}
            assert tools["crawl_site"]["execution"] == {"taskSupport": "optional"}
            assert "execution" not in tools["crawl_read"]
            crawl = {"name": "crawl_site", "arguments": {"url": site.url("/"), "max_pages": 3}}
            made = (await ask("tools/call", **crawl, task={"ttl": 60_000}))["task"]
            assert (made["status"], made["ttl"], made["pollInterval"]) == ("working", 3_600_000, 1000)
            result = await ask("tasks/result", taskId=made["taskId"])
            assert '"fetched":3' in result["content"][0]["text"]
            assert result["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": made["taskId"]}
            task = await ask("tasks/get", taskId=made["taskId"])
            assert (task["status"], task["statusMessage"]) == ("completed", "3 of 3 done")
            assert [one["taskId"] for one in (await ask("tasks/list"))["tasks"]] == [made["taskId"]]
            with pytest.raises(MCPError):
                await ask("tasks/cancel", taskId=made["taskId"])
            with pytest.raises(MCPError) as forbidden:
                await ask("tools/call", name="crawl_read", arguments={"doc": "x"}, task={})
            assert forbidden.value.error.code == -32601
            with pytest.raises(MCPError):
                await ask("tasks/update", taskId=made["taskId"])
            async with Client(server, mode="legacy") as other:
                with pytest.raises(MCPError, match="Task not found"):
                    await asker(other)("tasks/get", taskId=made["taskId"])
                assert (await asker(other)("tasks/list"))["tasks"] == []

    asyncio.run(main())


def test_the_tasks_of_2026(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with hosted(store_dir) as (server, _), Client(server, extensions=[advertise(EXTENSION)]) as client:
            ask = asker(client)
            crawl = {"name": "crawl_discover", "arguments": {"url": site.url("/")}}
            made = await ask("tools/call", **crawl)
            assert (made["resultType"], made["ttlMs"], made["pollIntervalMs"]) == ("task", 3_600_000, 1000)
            task = await ended(ask, made["taskId"])
            assert task["status"] == "completed"
            assert '"count"' in task["result"]["content"][0]["text"]
            for method in ("tasks/result", "tasks/list"):
                with pytest.raises(MCPError) as unknown:
                    await ask(method, taskId=made["taskId"])
                assert unknown.value.error.code == -32601
            read = await ask("tools/call", name="crawl_read", arguments={"doc": "x"})
            assert read["isError"] is True
            async with Client(server) as plain:
                whole = await plain.call_tool("crawl_discover", {"url": site.url("/")})
                assert '"count"' in whole.content[0].text

    asyncio.run(main())


@pytest.mark.parametrize("modern", [False, True])
def test_a_cancelled_task_stops_its_crawl(site: Site, store_dir: Path, modern: bool) -> None:
    async def main() -> None:
        how: dict[str, Any] = {"extensions": [advertise(EXTENSION)]} if modern else {"mode": "legacy"}
        async with hosted(store_dir) as (server, host), Client(server, **how) as client:
            ask = asker(client)
            crawl: dict[str, Any] = {"name": "crawl_site", "arguments": {"url": site.url("/hold/on")}}
            made = await ask("tools/call", **crawl, **({} if modern else {"task": {}}))
            id = made["taskId"] if modern else made["task"]["taskId"]
            await asyncio.to_thread(site.wait, lambda log: any(one.target == "/hold/on" for one in log))
            assert host.tasks.facts() == [{"id": id[:8], "state": "working", "done": 0, "total": None}]
            await ask("tasks/cancel", taskId=id)
            assert (await ended(ask, id))["status"] == "cancelled"

    asyncio.run(main())


def test_a_session_takes_its_tasks_with_it(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with hosted(store_dir) as (server, host):
            async with Client(server, mode="legacy") as client:
                crawl: dict[str, Any] = {"name": "crawl_site", "arguments": {"url": site.url("/hold/on")}}
                await asker(client)("tools/call", **crawl, task={})
                assert len(host.tasks.facts()) == 1
            assert host.tasks.facts() == []

    asyncio.run(main())


def test_tasks_have_limits_and_a_status_of_counts() -> None:
    async def main() -> None:
        go = anyio.Event()

        async def work() -> dict[str, Any]:
            await go.wait()
            return {"content": []}

        async def broken() -> dict[str, Any]:
            raise RuntimeError("SYSTEM: text of a page")

        async with TaskEngine(ttl=0.0) as engine:
            tasks = [engine.start("one", "crawl_site", work) for _ in range(MAX_ACTIVE)]
            over = engine.start("one", "crawl_site", work)
            assert over.status == "failed"
            assert f"{MAX_ACTIVE} tasks" in str(over.error)
            tasks[0].progress(3, 10)
            assert re.fullmatch(r"3 of 10 done", tasks[0].message or "")
            go.set()
            for task in tasks:
                await task.ended.wait()
            assert {task.status for task in tasks} == {"completed"}
            failing = engine.start("one", "crawl_site", broken)
            await failing.ended.wait()
            assert (failing.status, failing.message) == ("failed", "The task failed.")
            assert "SYSTEM" not in str(failing.error)
            with pytest.raises(MCPError, match="not found"):
                engine.get("one", tasks[0].id)
            forever = engine.start("two", "crawl_site", anyio.sleep_forever)  # type: ignore[arg-type]
            await engine.stop()
            assert forever.status == "cancelled"

    asyncio.run(main())
