"""Pages that show almost nothing without JavaScript, and pages whose scripts try the door."""

import json

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, Reply, later, respond

SCRIPTS = Family("Pages that need JavaScript")
_FETCH = (
    "fetch('{path}').then(r => r.json()).then(j => {{document.getElementById('app').textContent = j.text;}})"
    ".catch(e => {{document.getElementById('app').textContent = 'failed: ' + e;}});"
)


def _shell(title: str, script: str, inside: str = "") -> str:
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><div id="app"></div>'
        f"<noscript>You need to enable JavaScript to run this app.</noscript>{inside}"
        f"<script>{script}</script></body></html>"
    )


@SCRIPTS.route("/js/text", "a page whose text is written by its script, with no request")
def text(ask: Ask) -> bytes:
    script = "document.getElementById('app').textContent = 'Text that a script wrote. '.repeat(30);"
    return respond(ask, _shell("Written by script", script))


@SCRIPTS.route("/js/fetch", "a page whose text is fetched from /js/data.json")
def fetched(ask: Ask) -> bytes:
    return respond(ask, _shell("Fetched by script", _FETCH.format(path="/js/data.json")))


@SCRIPTS.route("/js/data.json", "the text of /js/fetch, for scripts of any origin")
def data(ask: Ask) -> bytes:
    body = json.dumps({"text": "Text that a script fetched. " * 30})
    headers = (("Access-Control-Allow-Origin", "*"),)
    return respond(ask, body, type="application/json", headers=headers)


@SCRIPTS.route("/js/slow?s=1", "a page whose script waits for an answer that takes `s` seconds")
def slow(ask: Ask) -> bytes:
    return respond(ask, _shell("Slow script", _FETCH.format(path=f"/js/slow.json?s={ask.number('s', 1)}")))


@SCRIPTS.route("/js/slow.json?s=1", "the answer of /js/slow")
def slow_data(ask: Ask) -> Reply:
    return later(ask.number("s", 1), respond(ask, '{"text": "Late text. "}', type="application/json"))


@SCRIPTS.route("/js/file", "a page with an external script and a style sheet")
def file(ask: Ask) -> bytes:
    inside = '<link rel="stylesheet" href="/js/app.css"><script src="/js/app.js"></script>'
    return respond(ask, _shell("External script", "", inside))


@SCRIPTS.route("/js/app.js", "the script of /js/file")
def app(ask: Ask) -> bytes:
    script = "document.getElementById('app').textContent = 'Text of an external script. '.repeat(30);"
    return respond(ask, script, type="text/javascript")


@SCRIPTS.route("/js/app.css", "the style sheet of /js/file")
def css(ask: Ask) -> bytes:
    return respond(ask, "body { color: #123; }", type="text/css")


@SCRIPTS.route("/js/redirect", "a script that fetches through a redirect to the next host")
def redirect(ask: Ask) -> bytes:
    path = f"/redir?to={ask.other()}/js/data.json"
    return respond(ask, _shell("Redirected script", _FETCH.format(path=path)))


@SCRIPTS.route("/js/reach?to=", "a script that tries `to` by fetch, image, WebSocket, beacon and service worker")
def reach(ask: Ask) -> bytes:
    to = json.dumps(ask.param("to", ask.other() + "/p/1"))
    script = (
        f"const to = {to}; document.getElementById('app').textContent = 'Tried every door. '.repeat(30);"
        "fetch(to).catch(() => 0); new Image().src = to; navigator.sendBeacon(to, 'x');"
        "try { new WebSocket(to.replace('http', 'ws')); } catch (e) {}"
        "if (navigator.serviceWorker) navigator.serviceWorker.register('/js/worker.js?to=' + encodeURIComponent(to))"
        ".catch(() => 0);"
    )
    return respond(ask, _shell("Reach", script))


@SCRIPTS.route("/js/worker.js?to=", "a service worker that fetches `to`")
def worker(ask: Ask) -> bytes:
    script = f"self.addEventListener('install', e => {{ e.waitUntil(fetch({json.dumps(ask.param('to'))})); }});"
    return respond(ask, script, type="text/javascript")


@SCRIPTS.route("/js/many?n=60", "a page with `n` scripts")
def many(ask: Ask) -> bytes:
    inside = "".join(f'<script src="/js/part.js?n={n}"></script>' for n in range(ask.count("n", 60)))
    return respond(ask, _shell("Many scripts", "", inside))


@SCRIPTS.route("/js/part.js?n=0", "one script of /js/many")
def part(ask: Ask) -> bytes:
    script = f"document.getElementById('app').append('Part {ask.count('n', 0)} of many. ');"
    return respond(ask, script, type="text/javascript")


@SCRIPTS.route("/js/endless", "a script that never stops")
def endless(ask: Ask) -> bytes:
    return respond(ask, _shell("Endless script", "while (true) {}"))


@SCRIPTS.route("/js/moves", "a script that goes to another page")
def moves(ask: Ask) -> bytes:
    return respond(ask, _shell("Moves", "location.href = '/notes/1';"))


@SCRIPTS.route("/js/download", "a script that starts a download")
def download(ask: Ask) -> bytes:
    return respond(ask, _shell("Download", "location.href = '/js/file.bin';"))


@SCRIPTS.route("/js/file.bin", "a download")
def binary(ask: Ask) -> bytes:
    headers = (("Content-Disposition", 'attachment; filename="file.bin"'),)
    return respond(ask, bytes(64), type="application/octet-stream", headers=headers)


@SCRIPTS.route("/js/dialog", "a script that opens dialogs and a window")
def dialog(ask: Ask) -> bytes:
    script = "alert('a'); confirm('b'); window.open('/p/1'); document.getElementById('app').textContent = 'After.';"
    return respond(ask, _shell("Dialogs", script))
