"""The crawler inside other programs: a web application, a notebook, a program with a Twisted reactor of its own."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from library_lab import held, opened, run

from polite_crawler.testsite.site import Site

OPEN = "open_crawler(sys.argv[2], allow_private=True, page_interval=0, slow_factor=0, min_free=0)"

SELECT_REACTOR = f"""
import sys
from twisted.internet import selectreactor
selectreactor.install()
from twisted.internet import reactor, threads
from polite_crawler import open_crawler

def work():
    with {OPEN} as crawler:
        return [crawler.fetch(sys.argv[1]).outcome, *(page.outcome for page in crawler.crawl(sys.argv[1], max_pages=2))]

def ended(result):
    print(result, type(reactor).__name__)
    reactor.stop()

reactor.callWhenRunning(lambda: threads.deferToThread(work).addBoth(ended))
reactor.run()
"""

ASYNCIO_REACTOR = f"""
import asyncio, sys
from scrapy.utils.reactor import install_reactor
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import reactor
from twisted.internet.defer import Deferred
import scrapy
from scrapy.crawler import CrawlerRunner
from polite_crawler import open_crawler

class Stock(scrapy.Spider):
    name = "stock"
    custom_settings = dict(REMOTE_CONTROL_ENABLED=False, TELNETCONSOLE_ENABLED=False, ROBOTSTXT_OBEY=False)
    seen = []
    async def start(self):
        yield scrapy.Request(sys.argv[1])
    def parse(self, response):
        self.seen.append(response.status)

async def main():
    async with {OPEN} as crawler:
        stock = CrawlerRunner().crawl(Stock)
        page = await crawler.fetch(sys.argv[1], max_age=0)
        pages = [one.outcome async for one in crawler.crawl(sys.argv[1], max_pages=2, max_age=0)]
        await stock.asFuture(asyncio.get_running_loop())
        print([page.outcome, *pages], Stock.seen, type(reactor).__name__)

def go():
    Deferred.fromFuture(asyncio.ensure_future(main())).addErrback(lambda f: f.printTraceback()).addBoth(
        lambda _: reactor.stop()
    )

reactor.callWhenRunning(go)
reactor.run()
"""

LATE_REACTOR = f"""
import sys
from polite_crawler import open_crawler
with {OPEN} as crawler:
    first = crawler.fetch(sys.argv[1]).outcome
    assert "twisted.internet.reactor" not in sys.modules
    from twisted.internet import reactor
    second = crawler.fetch(sys.argv[1], max_age=0).outcome
    pages = [page.outcome for page in crawler.crawl(sys.argv[1], max_pages=2, max_age=0)]
print([first, second, *pages], type(reactor).__name__)
"""

NO_REACTOR = f"""
import sys
from polite_crawler import open_crawler
with {OPEN} as crawler:
    print([crawler.fetch(sys.argv[1]).outcome], "twisted.internet.reactor" in sys.modules)
"""

PROGRAMS = {
    "a select reactor in the main thread": (SELECT_REACTOR, "['ok', 'ok', 'ok'] SelectReactor"),
    "an asyncio reactor with a crawl of its own": (
        ASYNCIO_REACTOR,
        "['ok', 'ok', 'ok'] [200] AsyncioSelectorReactor",
    ),
    "a reactor that comes later": (LATE_REACTOR, "['ok', 'ok', 'ok', 'ok'] EPollReactor"),
    "no reactor": (NO_REACTOR, "['ok'] False"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_beside_a_reactor(site: Site, store_dir: Path, name: str) -> None:
    program, told = PROGRAMS[name]
    done = subprocess.run(
        [sys.executable, "-c", program, site.url("/"), str(store_dir)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == told, done.stderr
    # the stock crawl of the second program logs nothing either: nobody has configured logging
    assert (done.returncode, done.stderr) == (0, "")


def test_in_a_web_application(site: Site, store_dir: Path) -> None:
    starlette = pytest.importorskip("starlette.applications")
    uvicorn = pytest.importorskip("uvicorn")
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
        async with opened(store_dir) as crawler:
            yield {"crawler": crawler}

    async def fetch(request: Request) -> JSONResponse:
        return JSONResponse(asdict(await request.state.crawler.fetch(request.query_params["url"])))

    async def crawl(request: Request) -> JSONResponse:
        found = request.state.crawler.crawl(request.query_params["url"], max_pages=3)
        return JSONResponse({"urls": [page.url async for page in found], "summary": asdict(found.summary)})

    app = starlette.Starlette(routes=[Route("/fetch", fetch), Route("/crawl", crawl)], lifespan=lifespan)

    async def main() -> None:
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="on"))
        serving = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        urls = [site.url(f"/p/{number}", host=1 + number % 9) for number in range(18)]
        answers = await asyncio.gather(*(ask(port, f"/fetch?url={url}") for url in urls))
        assert [answer["url"] for answer in answers] == urls
        assert {answer["outcome"] for answer in answers} == {"ok"}
        crawled = await ask(port, f"/crawl?url={site.url('/', host=3)}")
        assert (len(crawled["urls"]), crawled["summary"]["stopped"]) == (3, "max-pages")
        server.should_exit = True
        await serving

    run(main())


async def ask(port: int, target: str) -> Any:
    """The JSON that an application answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def test_in_a_loop_that_runs_already(site: Site, store_dir: Path) -> None:
    """As in a notebook: the loop runs all the time, and each cell is a task of its own."""
    loop = asyncio.new_event_loop()
    kernel = threading.Thread(target=loop.run_forever, daemon=True)
    kernel.start()
    before = held()
    names: dict[str, Any] = {}

    def cell(source: str) -> Any:
        async def execute() -> None:
            body = "\n".join(f"    {line}" for line in source.splitlines())
            exec(f"async def cell(names):\n{body}", names)
            await names["cell"](names)

        return asyncio.run_coroutine_threadsafe(execute(), loop).result(60)

    names.update(opened=opened, store=store_dir, site=site)
    cell("names['crawler'] = await opened(store)")
    cell("names['page'] = await crawler.fetch(site.url('/about'))")
    cell("names['run'] = crawler.crawl(site.url('/'), max_pages=3)")
    cell("names['pages'] = [page async for page in run]")
    # the plain form works there too, since the engine needs no loop of the program
    cell("with opened(store) as plain:\n    names['plain'] = plain.fetch(site.url('/visit'))")
    cell("await crawler.close()")
    assert (names["page"].outcome, len(names["pages"]), names["plain"].outcome) == ("ok", 3, "ok")
    assert held() == before
    loop.call_soon_threadsafe(loop.stop)
    kernel.join()
    loop.close()
