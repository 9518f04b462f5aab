"""Archived copies in every answer: commands, the library, recipes, the MCP server."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from archives_lab import INDEX, SITES, WAYBACK, Archives, archives, authority, json_lines, stop
from envelope_reader import read
from fake_archives import memento
from import_lab import empty_store
from mcp import Client
from scrapy import Request
from sites import Site

from polite_crawler import open_crawler, open_store
from polite_crawler.archive.check import check
from polite_crawler.archive.importing import import_archive
from polite_crawler.cli import main
from polite_crawler.mcp.host import ServerOptions, open_host
from polite_crawler.mcp.server import build_server
from polite_crawler.recipes import Recipe
from polite_crawler.store.record import Capture

__all__ = ["archives", "authority"]

LIVE = f"http://{SITES[0]}"
TIME = "2017-11-24T15:13:15.000000Z"
QUICK: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
LAMP = (
    b'<title>Lamp</title><script type="application/ld+json">{"@type": "Product", "name": "Lamp", "offers":'
    b' {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR"}}</script><p>A lamp.</p>'
)
HOURS = b"<title>Cafe</title><h2>Opening hours</h2><p>Mon-Fri 09:00-17:00</p>"
FACTS = {"source", "timestamp", "url", "original", "record"}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    from polite_crawler.rules.options import DEFAULTS

    for name, value in QUICK.items():
        monkeypatch.setitem(DEFAULTS, f"POLITE_{name.upper()}", value)


def pc(store: Path, *arguments: str) -> int:
    return main([*arguments, "--dir", str(store)])


def test_fetch_ends_with_0_and_marks_the_line(
    site: Site, store_dir: Path, archives: Archives, quick: None, capfd: pytest.CaptureFixture[str]
) -> None:
    assert pc(store_dir, "fetch", f"{LIVE}/status/403") == 1
    assert archives.asked == []
    capfd.readouterr()
    assert pc(store_dir, "fetch", f"{LIVE}/status/403", "--archive-fallback") == 0
    (line,) = capfd.readouterr().out.splitlines()
    assert line.startswith(f"~skipped       -  {LIVE}/status/403  host stopped until ")
    assert line.endswith(f"an archived copy from wayback of {TIME}")
    assert pc(store_dir, "fetch", f"{LIVE}/status/403", "--archive-fallback", "--json") == 0
    (page,) = json_lines(capfd.readouterr().out)
    assert page["archived"].keys() == FACTS
    assert (page["outcome"], page["from_cache"]) == ("skipped", True)
    assert pc(store_dir, "read", page["doc"], "--json") == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["archived"], told["note"]) == (page["archived"], f"an archived copy from wayback of {TIME}")
    assert pc(store_dir, "find", "was", "--json") == 0
    assert json.loads(capfd.readouterr().out)["archived"] == page["archived"]


def test_a_timegate_given_on_the_command_line(
    site: Site, store_dir: Path, archives: Archives, quick: None, capfd: pytest.CaptureFixture[str]
) -> None:
    gate = f"https://{WAYBACK}/web/20171124151315id_/"
    assert pc(store_dir, "fetch", f"{LIVE}/pay", "--archive-fallback", "--archive-timegate", gate, "--json") == 0
    (page,) = json_lines(capfd.readouterr().out)
    assert (page["outcome"], page["archived"]["source"]) == ("paid", WAYBACK)
    assert pc(store_dir, "fetch", f"{LIVE}/pay", "--archive-fallback", "--archive-timegate", "ftp://x/") == 2


def test_a_crawl_gives_the_copy_and_follows_no_link_of_it(
    site: Site, store_dir: Path, archives: Archives, quick: None, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from polite_crawler.rules.options import DEFAULTS

    monkeypatch.setitem(DEFAULTS, "POLITE_ARCHIVE_FALLBACK", True)
    links = b"<title>Old</title><a href=/notes/1>one</a><a href=/notes/2>two</a>"
    archives.answers = {WAYBACK: memento(f"{LIVE}/status/403", body=links)}
    pc(store_dir, "crawl", f"{LIVE}/status/403", "--json")
    page, last = json_lines(capfd.readouterr().out)
    assert (page["outcome"], page["doc"], page["source"]) == ("blocked", f"archive:{LIVE}/status/403", "seed")
    assert page["archived"].keys() == FACTS
    assert (last["summary"]["refused"], last["summary"]["queued"], last["summary"]["skipped"]) == (1, 0, 0)


def test_product_and_venue(
    site: Site, store_dir: Path, archives: Archives, quick: None, capfd: pytest.CaptureFixture[str]
) -> None:
    archives.answers = {WAYBACK: memento(f"{LIVE}/private/lamp", body=LAMP)}
    product = ("product", f"{LIVE}/private/lamp", "--render", "never", "--json", "--archive-fallback")
    assert pc(store_dir, *product) == 4
    capfd.readouterr()
    assert pc(store_dir, *product, "--archive-despite-robots") == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["name"], found["wall"], found["doc"]) == ("Lamp", False, f"archive:{LIVE}/private/lamp")
    assert "an archived copy from wayback" in found["note"]
    archives.answers = {WAYBACK: memento(f"{LIVE}/status/403", body=HOURS)}
    assert pc(store_dir, "venue", f"{LIVE}/status/403", "--pages", "0", "--archive-fallback", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["best"]["hours"] == "Mon-Fri 09:00-17:00"
    assert found["best"]["doc"] == f"archive:{LIVE}/status/403"
    assert any("an archived copy from wayback" in note for note in found["notes"])


def test_the_library_asks_when_it_is_told(site: Site, store_dir: Path, archives: Archives) -> None:
    with open_crawler(store_dir, **QUICK) as crawler:
        assert crawler.fetch(f"{LIVE}/status/403").archived is None
        page = crawler.fetch(f"{LIVE}/status/403", archive_fallback=True)
        assert page.archived is not None
        assert crawler.store.read(str(page.doc)).archived == page.archived
        assert crawler.fetch(f"{LIVE}/private/x", archive_fallback=True).archived is None
        despite = crawler.fetch(f"{LIVE}/private/x", archive_fallback=True, archive_despite_robots=True)
        assert despite.archived is not None
        archives.answers = {WAYBACK: memento(f"{LIVE}/status/403", body=HOURS)}
        venue = crawler.read_venue(f"{LIVE}/visit", pages=0, archive_fallback=True)
        assert venue.best is not None
    with open_crawler(store_dir, **QUICK, archive_fallback=True) as crawler:
        assert crawler.fetch(f"{LIVE}/pay").archived is not None
        assert crawler.fetch(f"{LIVE}/pay", archive_fallback=False).archived is None


def test_many_calls_share_the_archive(site: Site, store_dir: Path, archives: Archives) -> None:
    async def go() -> None:
        async with open_crawler(store_dir, **QUICK, archive_fallback=True) as crawler:
            pages = await asyncio.gather(*(crawler.fetch(f"{LIVE}/status/403?n={n}") for n in range(6)))
            assert all(page.archived for page in pages)

    asyncio.run(asyncio.wait_for(go(), 60))


def test_a_recipe_gets_the_copy_and_no_document_of_it(site: Site, store_dir: Path, archives: Archives) -> None:
    class Old(Recipe):
        name = "old-menu"

        def requests(self, input: str) -> Iterator[Request]:
            yield Request(input)

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> Iterator[dict[str, Any]]:
            raise AssertionError(capture.kind)

    with open_crawler(store_dir, **QUICK, archive_fallback=True) as crawler:
        (result,) = crawler.run_recipe(Old, f"{LIVE}/status/403")
        assert (result.outcome, result.docs, result.error) == ("blocked", (), None)
        assert result.archived is not None
        assert crawler.store.read(str(result.doc)).text == "as it was"
        reindexed = crawler.reindex()
        assert (reindexed.failed, reindexed.kept) == (0, 0)
        assert crawler.store.read(str(result.doc)).text == "as it was"


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_mcp_server(site: Site, store_dir: Path, archives: Archives, era: Any) -> None:
    async def go() -> None:
        async with open_host(store_dir, ServerOptions(), QUICK) as host, Client(build_server(host), mode=era) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert "archive_fallback" in tools["crawl_fetch"].input_schema["properties"]
            assert "despite" not in json.dumps([tool.input_schema for tool in tools.values()])
            url = f"{LIVE}/status/403"
            refused = await client.call_tool("crawl_fetch", {"urls": url})
            assert json.loads(refused.content[0].text)["pages"][0]["archived"] is None
            result = await client.call_tool("crawl_fetch", {"urls": url, "archive_fallback": True})
            (page,) = json.loads(result.content[0].text)["pages"]
            assert (page["archived"], page["note_code"]) == ("wayback 2017-11-24T15:13:15Z", "archived-copy")
            assert page["age_s"] > 8 * 365 * 86_400
            (part,) = read(result.content[1].text)
            assert part.attributes["archived"] == "wayback 2017-11-24T15:13:15Z"
            assert "as it was" in part.text
            told = await client.call_tool("crawl_read", {"doc": page["doc"]})
            assert json.loads(told.content[0].text)["archived"] == "wayback 2017-11-24T15:13:15Z"

    asyncio.run(asyncio.wait_for(go(), 60))


def test_a_copy_never_answers_for_the_page(site: Site, store_dir: Path, archives: Archives) -> None:
    stop(store_dir, LIVE)
    with open_crawler(store_dir, **QUICK, archive_fallback=True) as crawler:
        assert crawler.fetch(f"{LIVE}/notes/1").archived is not None
        stored = crawler.fetch(f"{LIVE}/notes/1", max_age="stored")
        assert (stored.outcome, stored.archived) == ("skipped", None)
        crawler.reset_hosts()
        live = crawler.fetch(f"{LIVE}/notes/1")
        assert (live.outcome, live.from_cache, live.doc) == ("ok", False, f"url:{LIVE}/notes/1")
    with open_store(store_dir) as store:
        assert store.read(f"{LIVE}/notes/1").archived is None
        assert store.read(f"archive:{LIVE}/notes/1").archived is not None


def test_nobody_has_a_copy(
    site: Site, store_dir: Path, archives: Archives, quick: None, capfd: pytest.CaptureFixture[str]
) -> None:
    archives.answers = {WAYBACK: (404, [], b""), INDEX: (404, [], b"")}
    assert pc(store_dir, "fetch", f"{LIVE}/status/403", "--archive-fallback") == 1
    (line,) = capfd.readouterr().out.splitlines()
    assert line.startswith("blocked      403  ")
    assert "no archived copy: the Wayback Machine has no copy" in line


@pytest.mark.parametrize("path", ["/status/403", "/bare-gzip", "/cc"])
def test_copies_leave_and_come_back(site: Site, store_dir: Path, tmp_path: Path, archives: Archives, path: str) -> None:
    if path == "/cc":
        archives.answers = {WAYBACK: (404, [], b"")}
    stop(store_dir, LIVE)
    with open_crawler(store_dir, **QUICK, archive_fallback=True) as crawler:
        page = crawler.fetch(f"{LIVE}{path}")
        text = crawler.store.read(str(page.doc)).text
        crawler.store.export_wacz(tmp_path / "out.wacz")
    assert check(tmp_path / "out.wacz").faults == ()
    with empty_store(tmp_path / "other") as other:
        import_archive(other.index, tmp_path / "out.wacz")
        assert [hit.doc for hit in other.find("was crawl", kind="archived")] == [page.doc]
        read = other.read(str(page.doc))
        assert (read.text, read.kind, read.fetched_at) == (text, "archived", page.fetched_at)
        assert read.archived is not None
        assert page.archived is not None
        assert [read.archived[name] for name in ("timestamp", "original")] == [
            page.archived[name] for name in ("timestamp", "original")
        ]
