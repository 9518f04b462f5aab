"""The browser has no network: whatever a page tries, only what our transport allows is reached. Servers listen
behind every door and tell what came."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from render_lab import Pages, Reply, fetch, needs_browser

from polite_crawler.query.store import open_store
from polite_crawler.transport import browser

pytestmark = needs_browser


class Ears:
    """Listens on TCP and UDP of one port of an address, and notes who came."""

    def __init__(self, address: str) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.heard: list[str] = []
        self._tcp = socket.socket(family, socket.SOCK_STREAM)
        self._tcp.bind((address, 0))
        self._tcp.listen()
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(family, socket.SOCK_DGRAM)
        self._udp.bind((address, self.port))
        self.host = f"[{address}]" if ":" in address else address
        for listen in (self._accept, self._receive):
            threading.Thread(target=listen, daemon=True).start()

    def url(self, scheme: str = "http", path: str = "/door") -> str:
        return f"{scheme}://{self.host}:{self.port}{path}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._tcp.accept()
                self.heard.append("tcp")
                connection.close()

    def _receive(self) -> None:
        with contextlib.suppress(OSError):
            while self._udp.recvfrom(2048)[1]:
                self.heard.append("udp")

    def close(self) -> None:
        for listener in (self._tcp, self._udp):
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()


@pytest.fixture(params=["127.0.0.2", "::1"])
def ears(request: pytest.FixtureRequest) -> Iterator[Ears]:
    try:
        listening = Ears(request.param)
    except OSError as error:
        pytest.skip(f"this machine has no {request.param}: {error}")
    yield listening
    listening.close()


TOOLS = """
const ws = to.replace('http', 'ws'), at = new URL(to).host, wait = 1500;
const heard = (one) => new Promise((done) => {
  one.onclose = one.onerror = one.onload = done;
  setTimeout(done, wait);
});
const put = (tag, fields) => {
  const one = Object.assign(document.createElement(tag), fields);
  document.head.append(one);
  return heard(one);
};
const html = (text) => document.body.insertAdjacentHTML('beforeend', text);
const file = (text) => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
const inside = `fetch('${to}').catch(() => 0); new WebSocket('${ws}');`;
"""

DOORS = {
    "fetch": "await fetch(to).catch(() => 0);",
    "no-cors": "await fetch(to, {mode: 'no-cors'}).catch(() => 0);",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', to); x.send(); await heard(x);",
    "redirect": "await fetch('/redir?' + to).catch(() => 0);",
    "script": "await put('script', {src: to});",
    "redirected script": "await put('script', {src: '/redir?script'});",
    "image": "await put('img', {src: to});",
    "redirected image": "await put('img', {src: '/redir?image'});",
    "WebSocket": "await heard(new WebSocket(ws));",
    "beacon": "navigator.sendBeacon(to, 'x');",
    "events": "const e = new EventSource(to); await heard(e); e.close();",
    "frame": "html(`<iframe src='${to}'></iframe><object data='${to}'></object><embed src='${to}'>`);",
    "frame of its own": "html(`<iframe srcdoc=\"<img src='${to}'><script>${inside}<\\/script>\"></iframe>`);",
    "window": "window.open(to); window.open('/page?second');",
    "form": "html(`<form id=form action='${to}' target=_blank></form>`); document.getElementById('form').submit();",
    "hints": (
        "for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'modulepreload', 'prerender'])"
        "  put('link', {rel, href: to, as: 'script'});"
    ),
    "speculation": (
        "const text = JSON.stringify({prerender: [{urls: [to]}], prefetch: [{urls: [to]}]});"
        "put('script', {type: 'speculationrules', text});"
    ),
    "style": (
        "html(`<style>@import '${to}'; @font-face { font-family: f; src: url(${to}) } p { font: 1em f }</style><p>x`);"
    ),
    "worker": "new Worker(file(`${inside} try { importScripts('${to}'); } catch (e) {}`));",
    "shared worker": "if (window.SharedWorker) new SharedWorker(file(inside));",
    "service worker": "navigator.serviceWorker?.register('/worker.js').catch(() => 0);",
    "WebRTC": (
        "if (!window.RTCPeerConnection) return;"
        "const turn = [`turn:${at}?transport=udp`, `turn:${at}?transport=tcp`, `turns:${at}?transport=tcp`];"
        "const pc = new RTCPeerConnection({iceServers: [{urls: 'stun:' + at},"
        "  {urls: turn, username: 'a', credential: 'b'}]});"
        "pc.createDataChannel('x'); await pc.setLocalDescription(await pc.createOffer()); await heard(pc);"
    ),
    "WebTransport": "try { await new WebTransport(to.replace('http:', 'https:')).ready; } catch (e) {}",
    "ping": "html(`<a id=ping href='#x' ping='${to}'>x</a>`); document.getElementById('ping').click();",
    "report": (
        "const content = `img-src 'none'; report-uri ${to}`;"
        "put('meta', {httpEquiv: 'Content-Security-Policy', content}); new Image().src = '/blocked';"
    ),
}


def test_no_door_is_open(pages: Pages, store_dir: Path, ears: Ears) -> None:
    """All doors of a browser but navigation, on one page: only the allowed address is reached."""
    tries = [f"tried('{name}', async () => {{ {script} }});" for name, script in DOORS.items()]
    script = (
        "const tried = (name, go) => go().then(() => app.append(`Tried ${name}. `), (e) => app.append(`${name} ${e}`));"
    )
    url = pages.page(f"const to = '{ears.url()}';{TOOLS}{script}{''.join(tries)}fetch('/slow').catch(() => 0);")
    pages.replies["/redir"] = Reply("", (("Location", ears.url()),), 302)
    pages.replies["/worker.js"] = Reply(f"fetch('{ears.url()}')", (("Content-Type", "text/javascript"),))
    pages.replies["/slow"] = Reply("", seconds=3)
    run = fetch(store_dir, url, POLITE_ALLOW_PRIVATE=False, POLITE_EGRESS_ALLOW=["127.0.0.1"])
    with open_store(store_dir) as store:
        text = store.read(url).text
    assert [name for name in DOORS if f"Tried {name}." not in text] == []
    assert ears.heard == []
    # those that are sub-requests of ours were declined, and the log says so
    refused = [capture for capture in run.captures("subresource") if capture.reason == "egress"]
    assert {capture.url for capture in refused} == {ears.url()}
    assert all("egress policy" in (capture.note or "") for capture in refused)
    assert len(refused) >= 2


def test_a_page_that_goes_to_a_refused_address_stays(pages: Pages, store_dir: Path, ears: Ears) -> None:
    url = pages.page(f"location.href = '{ears.url()}';")
    run = fetch(store_dir, url, POLITE_ALLOW_PRIVATE=False, POLITE_EGRESS_ALLOW=["127.0.0.1"])
    (page,) = run.pages
    assert (page.outcome, ears.heard) == ("skipped", [])
    assert "egress policy" in (page.note or "")


@pytest.mark.parametrize("wall", ["options", "script", "none"])
def test_each_wall_holds_alone(pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch, wall: str) -> None:
    """Without both, the same browser is heard: what is silent above is silent by our doing."""
    if wall != "options":
        monkeypatch.setattr(browser, "NO_NETWORK", ())
    if wall != "script":
        monkeypatch.setattr(browser, "NO_PEERS", "0;")
    listening = Ears("127.0.0.2")
    try:
        script = f"(async () => {{ {DOORS['WebRTC']} }})(); fetch('/slow');"
        url = pages.page(f"const to = '{listening.url()}';{TOOLS}{script}")
        pages.replies["/slow"] = Reply("", seconds=2)
        fetch(store_dir, url)
        assert ("udp" in listening.heard) is (wall == "none")
    finally:
        listening.close()
