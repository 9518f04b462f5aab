"""Hosts as traps: names that do not resolve, odd names, hosts that are busy for ever."""

import socket
from pathlib import Path
from typing import Any

import pytest
from page_lab import links, serving
from trap_lab import ends_well, enter

from polite_crawler.query.store import open_store
from polite_crawler.testsite.site import Site
from polite_crawler.transport.exchange import Client
from polite_crawler.transport.handler import PoliteDownloadHandler
from polite_crawler.transport.resolver import Resolver, SockAddr


class Names:
    """A resolver of a few names, which counts what it is asked."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[SockAddr]:
        self.asked.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(self.names[host], port)]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    found = Names({})
    make = PoliteDownloadHandler.make_client

    def with_names(self: PoliteDownloadHandler, crawler: Any) -> Client:
        client = make(self, crawler)
        client._resolver = Resolver(found)
        return client

    monkeypatch.setattr(PoliteDownloadHandler, "make_client", with_names)
    return found


def test_a_storm_of_names_that_do_not_resolve(site: Site, store_dir: Path, names: Names) -> None:
    settings = {"POLITE_RETRIES": 0, "POLITE_ALLOW_PRIVATE": True}
    run = enter(
        store_dir, site.url("/trap/storm?n=50"), include="", allow_host="*.invalid", max_depth=1, settings=settings
    )
    lost = [page for page in run.pages if ".invalid" in page.url]
    assert len(lost) == 50
    # robots.txt cannot be reached, so no page is asked for, and each name is looked up once
    assert {page.outcome for page in lost} == {"skipped"}
    assert all(page.note and page.note.startswith("robots.txt is unreachable (dns)") for page in lost)
    assert sorted(names.asked) == sorted(f"host-{n}.invalid" for n in range(50))
    ends_well(run)


def test_odd_host_names_have_one_outcome_each(site: Site, store_dir: Path, names: Names) -> None:
    for name in (
        "under_score.invalid",
        "hg--69.invalid",
        "-a.invalid",
        "xn--bcher-kva.invalid",
        "upper.invalid",
        "dot.invalid",
    ):
        names.names[name] = site.hosts[1]
    names.names["xn--n3h.invalid"] = site.hosts[1]
    hosts = {
        "http://under_score.invalid:{}/about", "http://hg--69.invalid:{}/about", "http://-a.invalid:{}/about",
        "http://b\u00fccher.invalid:{}/about", "http://\u2603.invalid:{}/about", "http://UPPER.invalid:{}/about",
        "http://dot.invalid.:{}/about",
    }  # fmt: skip
    seeds = " ".join(host.format(site.port) for host in sorted(hosts))
    run = enter(store_dir, seeds, include="/nothing", settings={"POLITE_ALLOW_PRIVATE": True})
    assert [page.outcome for page in run.pages] == ["ok"] * len(hosts)
    assert {page.doc for page in run.pages} == {f"url:http://{name}:{site.port}/about" for name in names.names}
    found = enter(
        store_dir,
        site.url("/trap/hosts"),
        include="",
        max_depth=1,
        allow_host="*.invalid",
        settings={"POLITE_RETRIES": 0},
    )
    assert all(page.outcome in ("ok", "skipped") for page in found.pages)
    ends_well(found)


def test_a_host_that_answers_429_is_waited_for(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/busy?n=3"))
    ends_well(run)
    assert [page.outcome for page in run.pages if "busy" not in page.url] == ["ok"] * 4
    busy, *rest = site.log(path="/retry-after/1")
    assert (busy.status, [seen.status for seen in rest]) == (429, [200] * 3)
    assert busy.end is not None
    assert rest[0].start - busy.end >= 1
    outcomes = [capture.outcome for capture in run.captures("fetch") if "/retry-after/" in capture.url]
    assert outcomes == ["busy"] + ["ok"] * 3
    with open_store(store_dir) as store:
        # the page of the 429 is no version of the document, and none in an index that is made anew
        for _ in range(2):
            assert len(store.versions(f"url:{site.url('/retry-after/1?times=1&n=0')}")) == 1
            store.reindex()


def test_a_page_of_a_host_that_is_busy_has_no_links(store_dir: Path) -> None:
    busy = (429, {"Retry-After": "0"}, links("/more", text="try again later"))
    with serving({"/": links("/busy", "/about"), "/busy": busy, "/about": "<p>here"}) as pages:
        run = enter(store_dir, pages.url(), include="", settings={"POLITE_RETRIES": 0})
        assert set(pages.asked()) == {"/", "/busy", "/about"}
    page = run.page("/busy")
    assert (page.outcome, page.title, page.doc) == ("busy", None, None)


def test_a_host_that_is_always_busy_ends_the_crawl_in_time(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, " ".join(site.url(path) for path in ("/status/429", "/status/503", "/about")))
    assert [page.outcome for page in run.pages].count("busy") == 2
    assert len(site.log(path="/status/")) == 6
    ends_well(run)


# what a body does, what is kept of it
