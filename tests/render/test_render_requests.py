"""The sub-requests of a page in the browser: through our transport, by its rules, and within the limits of a render."""

from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engine_lab import crawl
from render_lab import SCRIPT, Pages, Reply, fetch, needs_browser
from scrapy import Spider
from scrapy.http import Response

from polite_crawler.query.store import open_store
from polite_crawler.rules.rendering import Limits
from polite_crawler.transport import render_handler

pytestmark = needs_browser

WORDS = "Words of a page. " * 20
CORS = (*SCRIPT, ("Access-Control-Allow-Origin", "*"))
SAYS = ".then(r => r.text()).then(t => { app.append(t + ' '); }).catch(e => { app.append('failed '); });"


def text_of(store_dir: Path, url: str) -> str:
    with open_store(store_dir) as store:
        return store.read(url).text


def limit(monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
    monkeypatch.setattr(render_handler, "LIMITS", Limits(**limits))


def test_scripts_and_data_are_asked_for_and_nothing_else(pages: Pages, store_dir: Path) -> None:
    inside = (
        "<link rel=stylesheet href=/style.css><link rel=icon href=/icon.png><link rel=prefetch href=/ahead>"
        "<link rel=manifest href=/manifest><img src=/image.png><video src=/film></video><audio src=/sound></audio>"
        "<iframe src=/frame></iframe><object data=/object></object><script src=/script.js></script>"
        "<style>@font-face { font-family: own; src: url(/font); } body { font-family: own; }</style>"
    )
    script = (
        "navigator.sendBeacon('/beacon'); new EventSource('/events'); new Worker('/worker.js');"
        f"fetch('/data'){SAYS} fetch('/head', {{method: 'HEAD'}});"
        "fetch('/post', {method: 'POST', body: 'x'}).catch(() => 0); const x = new XMLHttpRequest();"
        "x.open('GET', '/xhr'); x.onload = () => app.append(x.responseText); x.send();"
    )
    url = pages.page(script, inside=inside)
    for path in ("/script.js", "/worker.js"):
        pages.replies[path] = Reply("", SCRIPT)
    pages.replies["/data"] = pages.replies["/xhr"] = Reply(WORDS)
    run = fetch(store_dir, url)
    asked = {"/page", "/style.css", "/script.js", "/data", "/head", "/xhr"}
    assert set(pages.paths()) - {"/worker.js"} == asked
    assert {one.method for one in pages.seen} == {"GET", "HEAD"}
    captures = run.captures("subresource")
    assert {capture.referrer for capture in captures} == {url}
    assert {capture.software for capture in captures} == {run.captures("fetch")[0].software}
    assert all(capture.robots and capture.response for capture in captures)
    assert all(one.headers.get("User-Agent") == pages.seen[0].headers["User-Agent"] for one in pages.seen)
    assert not any("Cookie" in one.headers or "Sec-Fetch-Mode" in one.headers for one in pages.seen)


def test_those_to_the_own_host_run_two_at_a_time_with_no_rest(pages: Pages, store_dir: Path) -> None:
    names = [f"/part/{number}.js" for number in range(12)]
    url = pages.page("", inside="".join(f"<script src={name} async></script>" for name in names))
    for name in names:
        pages.replies[name] = Reply("document.getElementById('app').append('Part. ');", SCRIPT, seconds=0.05)
    pages.replies["/next"] = Reply(f"<p>{WORDS}")
    run = fetch(store_dir, url, pages.url("/next"), POLITE_PAGE_INTERVAL=0.6, POLITE_SLOW_FACTOR=2)
    assert text_of(store_dir, url).count("Part.") == 12
    own = [one for one in pages.seen if one.path.startswith("/part")]
    assert max(one.beside for one in own) == 1
    assert own[-1].start - own[0].start < 0.6 * 10
    # the render holds the lane: the next page comes after the rest, or before the render begins
    order = [one for one in pages.seen if one.path != "/robots.txt"]
    for before, after in pairwise(sorted(order, key=lambda one: one.start)):
        if not (before.path.startswith("/part") and after.path.startswith("/part")) and after.path == "/next":
            assert after.start - before.end >= 0.6
    assert len(run.pages) == 2


def test_another_host_rests_and_is_not_waited_for_longer_than_allowed(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, lane_seconds=1.0)
    calls = "".join(f"fetch('{pages.url(f'/data/{number}', 2)}'){SAYS}" for number in range(4))
    url = pages.page(calls)
    for number in range(4):
        pages.replies[f"/data/{number}"] = Reply("Data.", CORS)
    run = fetch(store_dir, url, POLITE_PAGE_INTERVAL=0.7)
    # robots.txt at once, the first after its rest; the next rest would end too late for the others
    assert len(pages.paths(2)) == 1
    assert text_of(store_dir, url).split().count("failed") == 3
    refused = [capture for capture in run.captures("subresource") if capture.outcome == "skipped"]
    assert [(one.reason, one.note) for one in refused] == [("deadline", "deadline reached")] * 3


def test_two_renders_that_want_each_others_hosts_both_end(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, lane_seconds=0.5, seconds=20)
    urls = []
    for own, other in ((1, 2), (2, 1)):
        script = f"fetch('/slow'){SAYS} fetch('{pages.url('/robotless', other)}'){SAYS}"
        pages.page(script, host=f"127.0.0.{own}")
        urls.append(pages.url("/page", own))
    pages.replies["/slow"] = Reply("Slow.", CORS, seconds=2.5)
    pages.replies["/robotless"] = Reply("Other.", CORS)
    run = fetch(store_dir, *urls)
    renders = run.captures("render")
    assert len(renders) == 2
    assert max(render.time.end_ms for render in renders) < 15_000
    assert all("Slow." in text_of(store_dir, url) for url in urls)


def test_robots_txt_is_obeyed(pages: Pages, store_dir: Path) -> None:
    pages.replies["/robots.txt"] = Reply("User-agent: *\nDisallow: /private\n")
    url = pages.page(f"fetch('/private/data'){SAYS} fetch('/data'){SAYS}")
    pages.replies["/private/data"] = pages.replies["/data"] = Reply("Data.")
    run = fetch(store_dir, url)
    assert pages.paths() == ["/page", "/data"]
    (refused,) = [capture for capture in run.captures("subresource") if capture.outcome == "skipped"]
    assert refused.reason == "robots"
    assert "line 2: Disallow: /private" in (refused.note or "")


def test_another_port_of_the_host_is_asked_for_its_own_robots_txt_under_the_same_lease(
    pages: Pages, store_dir: Path
) -> None:
    from render_lab import serving

    with serving(1) as other:
        other.replies["/data"] = Reply("From the other port.", CORS)
        run = fetch(store_dir, pages.page(f"fetch('{other.url('/data')}'){SAYS}"))
        assert [one.path for one in other.seen] == ["/robots.txt", "/data"]
    assert run.pages[0].chars == len("From the other port.")


def test_a_stopped_host_is_not_asked(pages: Pages, store_dir: Path) -> None:
    url = pages.page(f"fetch('/no').then(() => fetch('/after')){SAYS}")
    pages.replies["/no"] = Reply("", status=403)
    run = fetch(store_dir, url, url + "?again")
    assert pages.paths() == ["/page", "/no"]
    stopped = [capture for capture in run.captures() if capture.reason == "stop"]
    assert sorted(capture.kind for capture in stopped) == ["fetch", "subresource"]
    assert sorted(page.outcome for page in run.pages) == ["ok", "skipped"]


def test_a_visitor_who_has_not_logged_in_stops_nothing(pages: Pages, store_dir: Path) -> None:
    url = pages.page(f"fetch('/session').then(() => fetch('/data')){SAYS}")
    pages.replies["/session"] = Reply("", status=401)
    pages.replies["/data"] = Reply("Data.")
    run = fetch(store_dir, url)
    assert pages.paths() == ["/page", "/session", "/data"]
    assert [capture.outcome for capture in run.captures("subresource")] == ["blocked", "ok"]


def test_a_host_that_asks_for_a_rest_gets_it(pages: Pages, store_dir: Path) -> None:
    url = pages.page(f"fetch('/busy').then(() => fetch('/after')){SAYS}")
    pages.replies["/busy"] = Reply("", (("Retry-After", "1"),), 429)
    pages.replies["/next"] = Reply(f"<p>{WORDS}")
    run = fetch(store_dir, url, pages.url("/next"))
    assert "/after" not in pages.paths()
    assert "asked for a rest" in (run.page("/page").note or "")
    busy, after = (next(one for one in pages.seen if one.path == path) for path in ("/busy", "/next"))
    assert after.start < busy.start or after.start - busy.end >= 1


def test_a_browser_applies_its_rules_between_origins(pages: Pages, store_dir: Path) -> None:
    closed, opened = pages.url("/closed", 2), pages.url("/open", 2)
    script = (
        f"fetch('{closed}'){SAYS} fetch('{opened}'){SAYS} fetch('/hop?to=closed'){SAYS}"
        f"fetch('{pages.url('/asks', 2)}', {{headers: {{'X-Wish': '1'}}}}){SAYS}"
        f"fetch('{pages.url('/asks-not', 2)}', {{headers: {{'X-Wish': '1'}}}}){SAYS}"
    )
    url = pages.page(script)
    pages.replies["/closed"] = Reply("SECRET")
    pages.replies["/open"] = Reply("Open.", CORS)
    pages.replies["/hop"] = Reply("", (("Location", f"{closed}?hop"),), 302)
    pages.replies["/asks"] = Reply("Asked.", (*CORS, ("Access-Control-Allow-Headers", "X-Wish")))
    pages.replies["/asks-not"] = Reply("SECRET", CORS)
    run = fetch(store_dir, url)
    text = text_of(store_dir, url)
    assert "SECRET" not in text
    assert {"Open.", "Asked."} <= set(text.split())
    assert text.count("failed") == 3
    # the preflights went out, and the request that was not allowed did not
    methods = [(one.method, one.path) for one in pages.seen if "asks" in one.path]
    assert sorted(methods) == [("GET", "/asks"), ("OPTIONS", "/asks"), ("OPTIONS", "/asks-not")]
    wish = next(one for one in pages.seen if one.method == "GET" and one.path == "/asks")
    assert (wish.headers["X-Wish"], wish.headers["Origin"]) == ("1", pages.url(""))
    hop = next(capture for capture in run.captures("subresource") if capture.outcome == "redirect")
    assert hop.id in [capture.redirect_of for capture in run.captures("subresource")]


def test_at_most_so_many(pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, requests=5)
    url = pages.page("".join(f"fetch('/data/{number}'){SAYS}" for number in range(9)))
    for number in range(9):
        pages.replies[f"/data/{number}"] = Reply("Data.")
    run = fetch(store_dir, url)
    assert len(pages.paths()) == 6
    assert "more than 5 sub-requests" in (run.pages[0].note or "")
    assert len(run.captures("subresource")) == 5


def test_at_most_so_many_octets(pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, octets=50_000)
    calls = "".join(
        f".then(() => fetch('/data/{number}')).then(r => r.text()).then(t => {{ app.append(t.length + ' '); }})"
        for number in range(4)
    )
    url = pages.page(f"Promise.resolve(){calls};")
    for number in range(4):
        pages.replies[f"/data/{number}"] = Reply("x" * 20_000)
    run = fetch(store_dir, url)
    assert pages.paths() == ["/page", "/data/0", "/data/1", "/data/2"]
    assert text_of(store_dir, url).split() == ["20000", "20000"]
    sizes = [capture.body.size for capture in run.captures("subresource") if capture.body]
    assert sum(sizes) <= 50_000 + 65_536


def test_the_time_of_a_render_is_bounded(pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, seconds=7)
    url = pages.page(f"app.append('Early. '); fetch('/slow'){SAYS}")
    pages.replies["/slow"] = Reply("Late.", seconds=20)
    run = fetch(store_dir, url)
    (render,) = run.captures("render")
    assert render.time.end_ms < 15_000
    assert text_of(store_dir, url) == "Early."
    assert "its time was over" in (run.pages[0].note or "")
    (sub,) = run.captures("subresource")
    assert (sub.outcome, sub.note) == ("error", "the render is over")


def test_sub_requests_do_not_count_as_hosts_in_progress(pages: Pages, store_dir: Path) -> None:
    calls = "".join(f"fetch('{pages.url('/data', host)}'){SAYS}" for host in (2, 3, 4))
    url = pages.page(f"fetch('/own'){SAYS}{calls}")
    pages.replies["/own"] = pages.replies["/data"] = Reply("Data.", CORS)
    run = fetch(store_dir, url, CONCURRENT_REQUESTS=1)
    assert text_of(store_dir, url).split() == ["Data."] * 4
    assert len(run.captures("subresource")) == 4


@pytest.mark.parametrize("past_the_queue", [False, True])
def test_the_meta_of_a_render_makes_no_render_of_the_next_page(
    pages: Pages, store_dir: Path, past_the_queue: bool
) -> None:
    class Carries(Spider):
        name = "carries"
        made: ClassVar[list[str]] = []

        async def parse(self, response: Response) -> Any:
            self.made.append(response.css("#app::text").get(""))
            if len(self.made) == 1:
                then = response.follow("/two", meta=response.meta)
                if past_the_queue:
                    assert self.crawler.engine is not None
                    self.made.append((await self.crawler.engine.download_async(then)).css("#app::text").get(""))
                else:
                    yield then

    pages.page("app.textContent = 'two';", "/two")
    settings = {"POLITE_RENDER": "always"}
    run = crawl(Carries, store_dir, start_urls=[pages.page("app.textContent = 'one';", "/one")], settings=settings)
    assert Carries.made == ["one", "two"]
    assert pages.paths() == ["/one", "/two"]
    fetched = run.captures("fetch")
    assert [render.source["of"] for render in run.captures("render") if render.source] == [one.id for one in fetched]
