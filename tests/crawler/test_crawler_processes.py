"""A crawler in a process that is told to stop, that forgets to close, or that forks."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from library_lab import captures_of

from polite_crawler import open_store
from polite_crawler.testsite import Site

TOLD_TO_STOP = """
import asyncio, signal, sys
from polite_crawler import PoliteError, open_crawler

async def main():
    task = asyncio.current_task()
    if sys.argv[3] == "TERM":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    options = dict(allow_private=True, page_interval=0, slow_factor=0, min_free=0)
    async with open_crawler(sys.argv[2], **options) as crawler:
        async def fetch(path):
            try:
                return (await crawler.fetch(sys.argv[1] + path)).outcome
            except (PoliteError, asyncio.CancelledError) as error:
                return type(error).__name__
        calls = [asyncio.ensure_future(fetch(path)) for path in ["about", "stall/head", *(f"p/{n}" for n in range(30))]]
        for call in calls:
            call.add_done_callback(lambda done: print("ended", done.result(), flush=True))
        async for page in crawler.crawl(sys.argv[1].replace("127.0.0.1", "127.0.0.2")):
            print("page", flush=True)
            if crawler.store is None:
                break
        await asyncio.gather(*calls)

try:
    asyncio.run(main())
except (KeyboardInterrupt, asyncio.CancelledError):
    print("stopped", flush=True)
"""


IN_A_SCRIPT = """
import sys
from polite_crawler import open_crawler
options = dict(allow_private=True, page_interval=0, slow_factor=0, min_free=0)
try:
    with open_crawler(sys.argv[2], **options) as crawler:
        if sys.argv[3] == "fetch":
            crawler.fetch(sys.argv[1] + "stall/head")
        else:
            for page in crawler.crawl(sys.argv[1] + "stall/head"):
                pass
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def stalled(site: Site, *arguments: str) -> "subprocess.Popen[str]":
    """A running script that waits for an answer which does not come."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    site.wait(lambda log: any(seen.path == "/stall/head" for seen in log))
    return process


@pytest.mark.parametrize("what", ["fetch", "crawl"])
def test_ctrl_c_ends_a_script(site: Site, store_dir: Path, what: str) -> None:
    process = stalled(site, IN_A_SCRIPT, site.url("/"), str(store_dir), what)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("stopped\n", "")
    assert process.returncode == 0
    assert captures_of(store_dir)[-1].reason == "cancelled"


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_every_call_ends_when_the_process_is_told_to_stop(site: Site, store_dir: Path, name: str) -> None:
    process = stalled(site, TOLD_TO_STOP, site.url("/"), str(store_dir), name)
    process.send_signal(getattr(signal, f"SIG{name}"))
    out, err = process.communicate(timeout=30)
    lines = out.splitlines()
    assert lines[-1] == "stopped", err
    assert len([line for line in lines if line.startswith("ended")]) == 32
    assert (process.returncode, err) == (0, "")
    # nothing is half written: the log reads to its end, and the index needs nothing more
    with open_store(store_dir) as store:
        counts = store.index.reading(lambda catalog: catalog.counts())
    assert counts["captures"] == sum(len(captures_of(store_dir, kind)) for kind in ("fetch", "robots"))


def test_a_program_that_forgets_to_close_ends_all_the_same(site: Site, store_dir: Path) -> None:
    program = (
        "import sys; from polite_crawler import open_crawler;"
        "crawler = open_crawler(sys.argv[2], allow_private=True, min_free=0).__enter__();"
        "print(crawler.fetch(sys.argv[1]).outcome)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, site.url("/about"), str(store_dir)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    with open_store(store_dir) as store:
        assert store.find("almanac")


FORKED = """
import os, sys
from polite_crawler import PoliteError, open_crawler
with open_crawler(sys.argv[2], allow_private=True, page_interval=0, min_free=0) as crawler:
    crawler.fetch(sys.argv[1])
    child = os.fork()
    if not child:
        for ask in (lambda: crawler.fetch(sys.argv[1]), lambda: list(crawler.crawl(sys.argv[1]))):
            try:
                ask()
            except PoliteError as error:
                print(error, flush=True)
        crawler.close()
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    print(crawler.fetch(sys.argv[1], max_age=0).outcome, flush=True)
"""


def test_a_forked_process_is_told_to_open_its_own(site: Site, store_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, site.url("/about"), str(store_dir)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    told = "the crawler was opened before this process was forked; open one in this process"
    assert (done.returncode, done.stdout.splitlines()) == (0, [told, told, "7", "ok"]), done.stderr
