"""A spider of Scrapy stays what it was under the add-on: its errbacks, its meta keys, its settings."""

import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Run, crawl
from scrapy import Request, Spider, exceptions
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.request import RequestFingerprinter
from test_engine_endings import host_limits
from twisted.python.failure import Failure

from polite_crawler.addon import Addon
from polite_crawler.testsite.site import Site

KINDS = (
    HttpError, exceptions.CannotResolveHostError, exceptions.DownloadConnectionRefusedError,
    exceptions.DownloadTimeoutError, exceptions.DownloadFailedError, exceptions.IgnoreRequest,
)  # fmt: skip


class Plain(Spider):
    """A spider that knows nothing of us. An ending is a status, or the first of KINDS that its failure is."""

    name = "plain"

    def __init__(self, requests: Sequence[tuple[str, dict[str, Any]]] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.requests = requests
        self.endings: list[tuple[str, int | type[Exception] | None]] = []

    async def start(self) -> AsyncIterator[Request]:
        for url, options in self.requests:
            yield Request(url, errback=self.failed, **options)

    def parse(self, response: Response) -> Any:
        self.endings.append((response.url, response.status))

    def failed(self, failure: Failure) -> None:
        assert isinstance(failure.value, Exception)
        kind = next((one for one in KINDS if failure.check(one)), None)
        self.endings.append((failure.request.url, kind))  # type: ignore[attr-defined]


def run_plain(store: Path, *requests: tuple[str, dict[str, Any]], spider: type[Spider] = Plain, **settings: Any) -> Run:
    return crawl(spider, store, requests=requests, settings={**host_limits(failures=100), **settings})


def endings(run: Run) -> list[Any]:
    return [ending for _, ending in run.spider.endings]  # type: ignore[attr-defined]


# the path (or a URL) of a request past robots.txt, and what Scrapy calls its failure
FAILURES: list[tuple[str, type[Exception]]] = [
    ("/status/404", HttpError),
    ("/redirects/loop/a", HttpError),
    ("/framing/reset", exceptions.DownloadFailedError),
    ("/framing/garbage", exceptions.DownloadFailedError),
    ("/coding/not-gzip", exceptions.DownloadFailedError),
    ("/stall/head", exceptions.DownloadTimeoutError),
    ("/private/diary", exceptions.IgnoreRequest),
    ("http://10.1.2.3/", exceptions.IgnoreRequest),
]


@pytest.mark.parametrize(("where", "kind"), FAILURES)
def test_an_errback_tells_failures_apart(site: Site, store_dir: Path, where: str, kind: type[Exception]) -> None:
    url = where if "://" in where else site.url(where)
    egress = {"POLITE_ALLOW_PRIVATE": False, "POLITE_EGRESS_ALLOW": ["127.0.0.0/8"]}
    # robots.txt has all the time that it needs
    meta = {"download_timeout": 0.3} if where == "/stall/head" else {}
    assert endings(run_plain(store_dir, (url, {"meta": meta}), POLITE_RETRIES=0, **egress)) == [kind]


def _does_not_resolve(*args: Any, **kwargs: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def test_a_host_that_is_down_fails_as_its_robots_txt_did(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        assert endings(run_plain(store_dir, (nobody, {}))) == [exceptions.DownloadConnectionRefusedError]
        # the file is not asked for again yet, and the reason is remembered
        assert endings(run_plain(store_dir, (nobody, {}))) == [exceptions.DownloadConnectionRefusedError]
    monkeypatch.setattr(socket, "getaddrinfo", _does_not_resolve)
    gone = run_plain(store_dir, ("http://gone.example/", {}))
    assert endings(gone) == [exceptions.CannotResolveHostError]
    # no rule has forbidden it
    assert gone.crawler.stats.get_value("robotstxt/forbidden") is None


# the meta of a request for a redirect of status 302, the spider's handle_httpstatus_list, what its callback gets
WANTED: list[tuple[dict[str, Any], list[int], int]] = [
    ({}, [], 200),
    ({}, [302], 302),
    ({}, [301], 200),
    ({"handle_httpstatus_list": [302]}, [], 302),
    ({"handle_httpstatus_list": [404]}, [], 200),
    ({"handle_httpstatus_all": True}, [], 302),
    ({"dont_redirect": True, "handle_httpstatus_list": [302]}, [], 302),
]


@pytest.mark.parametrize(("meta", "statuses", "status"), WANTED)
def test_a_redirect_that_the_spider_wants_is_not_followed(
    site: Site, store_dir: Path, meta: dict[str, Any], statuses: list[int], status: int
) -> None:
    wanting = type("Wanting", (Plain,), {"handle_httpstatus_list": statuses})
    run = run_plain(store_dir, (site.url("/redir?to=/about"), {"meta": meta}), spider=wanting)
    assert endings(run) == [status]
    assert len(site.log(path="/about")) == (status == 200)


# the meta, the settings, how often a page that is busy twice is asked
TRIES: list[tuple[dict[str, Any], dict[str, Any], int]] = [
    ({}, {}, 3),
    ({"dont_retry": True}, {}, 1),
    ({"max_retry_times": 1}, {}, 2),
    ({"max_retry_times": 9}, {"POLITE_RETRIES": 1}, 2),
    ({}, {"RETRY_ENABLED": False}, 1),
    ({}, {"RETRY_TIMES": 1}, 2),
    ({}, {"RETRY_TIMES": -1}, 1),
    ({}, {"RETRY_TIMES": 0, "POLITE_RETRIES": 2}, 3),
    ({}, {"RETRY_TIMES": 9}, 3),
]


@pytest.mark.parametrize(("meta", "settings", "tries"), TRIES)
def test_fewer_tries_in_the_words_of_scrapy(
    site: Site, store_dir: Path, meta: dict[str, Any], settings: dict[str, Any], tries: int
) -> None:
    run = run_plain(store_dir, (site.url("/flaky/2?status=503"), {"meta": meta}), **settings)
    assert len(site.log(path="/flaky/")) == tries
    assert run.crawler.stats.get_value("retry/count", 0) == tries - 1
    assert endings(run) == [200 if tries == 3 else HttpError]


def test_a_page_that_takes_the_place_of_a_failure_is_not_asked_again(site: Site, store_dir: Path) -> None:
    class Saves:
        """A middleware of the user that fails, and has an answer for it."""

        def process_request(self, request: Request) -> None:
            raise LookupError

        def process_exception(self, request: Request, exception: Exception) -> Response:
            return HtmlResponse(request.url, body=b"<title>saved</title>", encoding="utf-8")

    run = run_plain(store_dir, (site.url("/about"), {}), DOWNLOADER_MIDDLEWARES={Saves: 543})
    assert endings(run) == [200]
    assert len(run.captures("fetch")) == 1


@pytest.mark.parametrize("order", [490, 543, 949, 985, 5000])
def test_nobody_else_says_who_asks(site: Site, store_dir: Path, order: int) -> None:
    class Fakes:
        """A middleware of the user that wants to be a browser."""

        def process_request(self, request: Request) -> None:
            request.headers["User-Agent"] = "Mozilla/5.0"
            request.headers["From"] = "somebody@example.org"

    run_plain(store_dir, (site.url("/about"), {}), DOWNLOADER_MIDDLEWARES={Fakes: order}, POLITE_USER_AGENT="Us/1")
    run_plain(store_dir, (site.url("/visit"), {}), DOWNLOADER_MIDDLEWARES={Fakes: order}, POLITE_CONTACT="a@b.example")
    first, second = site.log(path="/about")[0], site.log(path="/visit")[0]
    assert (first.header("User-Agent"), first.header("From")) == ("Us/1", None)
    assert (second.header("User-Agent") or "").startswith("PoliteCrawler/")
    assert second.header("From") == "a@b.example"


@pytest.mark.parametrize(("settings", "meta"), [({"DOWNLOAD_TIMEOUT": 0.3}, {}), ({}, {"download_timeout": 0.3})])
def test_a_shorter_time_out_of_scrapy_counts(
    site: Site, store_dir: Path, settings: dict[str, Any], meta: dict[str, Any]
) -> None:
    run = run_plain(store_dir, (site.url("/stall/head"), {"meta": meta}), POLITE_RETRIES=0, **settings)
    assert endings(run) == [exceptions.DownloadTimeoutError]


def test_a_longer_time_out_of_ours_is_not_cut_by_a_default(site: Site, store_dir: Path) -> None:
    run = run_plain(store_dir, (site.url("/about"), {}), POLITE_TIMEOUTS={"body": 120})
    assert run.crawler.settings.getfloat("DOWNLOAD_TIMEOUT") == 120


@pytest.mark.parametrize(("settings", "meta"), [({"DOWNLOAD_MAXSIZE": 100}, {}), ({}, {"download_maxsize": 100})])
def test_of_a_body_over_the_limit_of_scrapy_the_first_part_is_kept(
    site: Site, store_dir: Path, settings: dict[str, Any], meta: dict[str, Any]
) -> None:
    run = run_plain(store_dir, (site.url("/bytes/5000"), {"meta": meta}), **settings)
    (capture,) = run.captures("fetch")
    assert capture.body is not None
    assert (endings(run), capture.body.size, capture.body.truncated) == ([200], 100, "length")


@pytest.mark.parametrize("size", [0, -1, None])
def test_no_limit_in_the_words_of_scrapy_is_that_of_ours(site: Site, store_dir: Path, size: int | None) -> None:
    run = run_plain(store_dir, (site.url("/bytes/5000"), {"meta": {"download_maxsize": size}}))
    (capture,) = run.captures("fetch")
    assert capture.body is not None
    assert (endings(run), capture.body.size, capture.body.truncated) == ([200], 5000, None)


def test_a_delay_of_a_slot_is_the_rest_of_its_host(site: Site, store_dir: Path) -> None:
    requests = [(site.url(f"/p/{number}"), {}) for number in (1, 2)]
    run_plain(store_dir, *requests, DOWNLOAD_SLOTS={site.hosts[0]: {"delay": 0.3, "concurrency": 8}})
    _, first, second = site.log()
    assert second.start - (first.end or 0) >= 0.3


@pytest.mark.parametrize(("hops", "most", "followed"), [(3, 2, 2), (3, 20, 3), (12, 20, 10)])
def test_fewer_hops_in_the_words_of_scrapy(site: Site, store_dir: Path, hops: int, most: int, followed: int) -> None:
    run_plain(store_dir, (site.url(f"/redirects/chain/{hops}"), {}), REDIRECT_MAX_TIMES=most)
    assert len(site.log(path="/redirects/")) == 1 + followed


class Inline(Plain):
    """Asks the engine from its callback."""

    name = "inline"
    custom_settings = {"POLITE_PAGE_INTERVAL": 0.1}  # noqa: RUF012

    async def parse(self, response: Response) -> Any:  # type: ignore[override]
        engine = self.crawler.engine
        assert engine is not None
        again = await engine.download_async(Request(response.urljoin("/redir?to=/about"), meta=response.meta))
        flaky = await engine.download_async(Request(response.urljoin("/flaky/1?status=503"), meta=response.meta))
        self.endings += [(again.url, again.status), (flaky.url, flaky.status)]


def test_what_is_asked_from_a_callback_is_no_part_of_the_queue(site: Site, store_dir: Path) -> None:
    about = site.url("/about")
    run = run_plain(store_dir, (about, {}), spider=Inline, POLITE_MAX_AGE=0)
    # the page was asked already, and its meta tells of another request
    assert run.spider.endings == [(about, 200), (site.url("/flaky/1?status=503"), 200)]  # type: ignore[attr-defined]
    fetched = run.captures("fetch")
    assert [capture.outcome for capture in fetched] == ["ok", "redirect", "ok", "busy", "ok"]
    assert len(site.log()) == 1 + len(fetched)
    # one that went back from there would come again at once, and again
    assert run.crawler.stats.get_value("polite/given_back", 0) < 10


def test_a_project_keeps_its_own_fingerprints(site: Site, store_dir: Path) -> None:
    class ByHeader(RequestFingerprinter):
        def fingerprint(self, request: Request) -> bytes:
            return super().fingerprint(request) + bytes(request.headers.get("X-Page") or b"")

    requests = [(site.url("/about"), {"headers": {"X-Page": page}}) for page in "122"]
    run = run_plain(store_dir, *requests, REQUEST_FINGERPRINTER_CLASS=ByHeader)
    assert endings(run) == [200, 200]


Said = Callable[[str], list[str]]


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Said:
    """The lines of the log that hold a text."""
    caplog.set_level(logging.DEBUG)
    return lambda text: [
        f"{record.levelname} {record.getMessage()}" for record in caplog.records if text in record.getMessage()
    ]


def test_a_request_that_is_not_sent_is_a_line_and_a_number(site: Site, store_dir: Path, said: Said) -> None:
    url = site.url("/private/diary")
    requests = [(url, {}), ("data:text/plain,hello", {}), ("http://10.1.2.3/", {})]
    egress = {"POLITE_ALLOW_PRIVATE": False, "POLITE_EGRESS_ALLOW": ["127.0.0.0/8"]}
    stats = run_plain(store_dir, *requests, **egress).crawler.stats
    (line,) = said(f"{url}: ")
    assert line == f"INFO {url}: robots.txt disallows this URL for PoliteCrawler (line 2: Disallow: /private/)"
    assert len(said("only http and https URLs")) == 1
    assert len(said("set POLITE_ALLOW_PRIVATE")) == 1
    for name in ("robots", "url", "egress"):
        assert stats.get_value(f"polite/skipped/{name}") == 1
    assert stats.get_value("robotstxt/forbidden") == 1
    assert stats.get_value("robotstxt/request_count") == stats.get_value("robotstxt/response_status_count/200") == 1
    assert said("Traceback") == said("Error caught") == []


def test_settings_that_do_not_count_are_named_once(site: Site, store_dir: Path, said: Said) -> None:
    settings = {"ROBOTSTXT_OBEY": False, "USER_AGENT": "Mozilla/5.0", "COOKIES_ENABLED": True, "RETRY_ENABLED": True,
                "HTTPCACHE_ENABLED": False, "SCHEDULER": "scrapy.core.scheduler.Scheduler"}  # fmt: skip
    run_plain(store_dir, (site.url("/about"), {"cookies": {"a": "1"}}), (site.url("/visit"), {}), **settings)
    (line,) = said("have no effect")
    assert line.endswith(": SCHEDULER, COOKIES_ENABLED, ROBOTSTXT_OBEY, USER_AGENT")
    assert [line[:7] for line in said("cookies are off")] == ["WARNING"]


def test_settings_that_are_ours_already_stay_as_they_are(store_dir: Path, said: Said) -> None:
    settings = Settings({"POLITE_STORE": str(store_dir), "RETRY_TIMES": 1, "REDIRECT_MAX_TIMES": 3})
    made = []
    for _ in range(2):
        Addon.update_pre_crawler_settings(settings)
        Addon().update_settings(settings)
        made.append(settings.copy_to_dict())
    assert made[0] == made[1]
    assert (made[0]["POLITE_RETRIES"], made[0]["REDIRECT_MAX_TIMES"]) == (1, 3)
    assert said("have no effect") == []


def test_a_subdomain_that_scrapy_would_let_in_is_named_once(site: Site, store_dir: Path, said: Said) -> None:
    class Scoped(Plain):
        allowed_domains = ("shop.example",)

    hosts = ("a.eu.shop.example", "else.example")
    requests = [(f"http://{host}/{page}", {}) for host in hosts for page in "ab"]
    run = run_plain(store_dir, *requests, spider=Scoped)
    assert endings(run) == []
    named = (
        "WARNING a.eu.shop.example is out of scope: an allowed host means itself and its www. form here;"
        " add '*.shop.example' for the rest"
    )
    assert said("add '*.") == [named]
    # and where redirects lead there
    allowed = type("Hops", (Scoped,), {"allowed_domains": ("shop.example", site.hosts[0])})
    hops = [(site.url(f"/redir?to=http://a.eu.shop.example/{page}"), {}) for page in "ab"]
    assert endings(run_plain(store_dir, *hops, spider=allowed)) == [HttpError, HttpError]
    assert said("add '*.") == [named, named]


def test_failures_that_nobody_handles_are_errors_of_one_line(site: Site, store_dir: Path, said: Said) -> None:
    class Careless(Plain):
        async def start(self) -> AsyncIterator[Request]:
            yield Request(site.url("/framing/garbage"))
            yield Request(site.url("/about"), callback=self.drops, priority=-1)

        def drops(self, response: Response) -> Any:
            yield {"name": "one"}

    class Drops:
        def process_item(self, item: Any) -> Any:
            raise exceptions.DropItem("no price", log_level="ERROR")

    run_plain(store_dir, spider=Careless, POLITE_RETRIES=0, ITEM_PIPELINES={Drops: 1})
    (line,) = said(f"{site.url('/framing/garbage')}: ")
    assert line.startswith("ERROR ")
    (line,) = said("no price")
    assert line.splitlines() == ["ERROR Dropped: no price", "{'name': 'one'}"]


def test_the_url_of_a_response_has_no_fragment(site: Site, store_dir: Path) -> None:
    for _ in range(2):
        run = run_plain(store_dir, (site.url("/about#top"), {}))
        assert run.spider.endings == [(site.url("/about"), 200)]  # type: ignore[attr-defined]
    assert len(site.log(path="/about")) == 1
