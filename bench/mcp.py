"""mcp: what a call of a tool costs, and how long another tool waits while a page is being read.

The floor is an empty tool of the same SDK on the same connection. The stall is one second of CPU in a callback of the
crawler, as a page makes that is slow to read.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from harness import Bar, Options, Report, main

# this file has the name of the SDK, and its folder comes first
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from mcp import Client  # noqa: E402
from mcp.server.mcpserver import MCPServer  # noqa: E402

from polite_crawler.mcp.host import Host, ServerOptions, open_host  # noqa: E402
from polite_crawler.mcp.server import build_server  # noqa: E402
from polite_crawler.testsite import SiteProcess  # noqa: E402

PAGES = 40
HOSTS = 20
LINKS = 200
"""Links of the page that is read, as a page of the web has them."""

SETTINGS: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}


def measure(options: Options) -> Report:
    """The bars of the bench."""
    with SiteProcess(hosts=HOSTS) as site, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measured(options, site, folder))


async def _measured(options: Options, site: SiteProcess, folder: str) -> Report:
    calls = 40 if options.quick else 100
    async with open_host(Path(folder) / "store", ServerOptions(), SETTINGS) as host:
        server = build_server(host, more=_empty)
        async with Client(server, mode="legacy") as client:
            urls = [site.url(f"/p/{number}") for number in range(1, PAGES + 1)]
            for start in range(0, PAGES, 10):
                await client.call_tool("crawl_fetch", {"urls": urls[start : start + 10]})
            fan = site.url(f"/fan/{LINKS}")
            await client.call_tool("crawl_fetch", {"urls": fan})
            doc = f"url:{fan}"
            # many short rounds: what else the machine does meets all three works alike
            costs = await _costs(host, client, doc, 7 * options.rounds, calls)
            idle, stalled = await _stall(host, client, site, options.rounds)
            hosts, slowest = await _hosts(client, site)
    read = (costs["read"] - costs["empty"]) / costs["library"]
    return Report(
        (
            Bar("a stored read <= an empty call + 1.5x the library call", read, "<=", 1.5),
            Bar(
                "another tool's worst wait beside a burning callback <= 15x idle (wall time)",
                stalled / idle,
                "<=",
                15,
            ),
            Bar("a fetch from each of 20 hosts at once <= 1.5x the slowest (wall time)", hosts / slowest, "<=", 1.5),
        ),
        rows=(
            ("an empty call, ms", round(costs["empty"] * 1000, 2)),
            ("a stored read, ms", round(costs["read"] * 1000, 2)),
            ("the library call in a thread, ms", round(costs["library"] * 1000, 2)),
            ("an idle find, ms", round(idle * 1000, 2)),
            ("the worst find beside the burning callback, ms", round(stalled * 1000, 2)),
        ),
    )


def _empty(server: MCPServer[Any]) -> dict[str, str]:
    @server.tool()
    async def empty() -> str:
        """Nothing."""
        return ""

    return {}


async def _costs(host: Host, client: Client, doc: str, rounds: int, calls: int) -> dict[str, float]:
    async def library() -> None:
        await host.ask(lambda store: store.read(doc, length=4000))

    works: dict[str, Callable[[], Awaitable[object]]] = {
        "empty": lambda: client.call_tool("empty", {}),
        "read": lambda: client.call_tool("crawl_read", {"doc": doc}),
        "library": library,
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            for _ in range(calls):
                await work()
            times[name].append((time.process_time() - start) / calls)
    return {name: median(found) for name, found in times.items()}


async def _stall(host: Host, client: Client, site: SiteProcess, rounds: int) -> tuple[float, float]:
    """The median of an idle find, and the median over the rounds of the worst one beside a burning callback. Each round
    measures both, so that what else the machine does meets them alike."""

    async def find() -> float:
        start = time.perf_counter()
        await client.call_tool("crawl_find", {"query": "lorem"})
        return time.perf_counter() - start

    idle, worst = [], []
    for _ in range(rounds):
        idle += [await find() for _ in range(50)]
        burning = asyncio.ensure_future(asyncio.wrap_future(host.open_crawler._thread.call(_burn)))
        waits = []
        while not burning.done():
            waits.append(await find())
        worst.append(max(waits))
    return median(idle), median(worst)


async def _burn(_: object) -> None:
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:
        sum(range(1000))


async def _hosts(client: Client, site: SiteProcess) -> tuple[float, float]:
    """All hosts at once, and the slowest of them alone. Each answer takes a quarter of a second."""
    site.reset(latency=0.25)

    async def fetch(host: int) -> float:
        start = time.perf_counter()
        await client.call_tool("crawl_fetch", {"urls": site.url("/p/1", host=host), "max_age": 0})
        return time.perf_counter() - start

    alone = [await fetch(host) for host in range(1, HOSTS + 1)]
    start = time.perf_counter()
    await asyncio.gather(*(fetch(host) for host in range(1, HOSTS + 1)))
    return time.perf_counter() - start, max(alone)


if __name__ == "__main__":
    main("mcp", measure, versions=("mcp", "scrapy"))
