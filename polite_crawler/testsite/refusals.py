"""Statuses, requests to wait, slow answers and answers that never end."""

import time
from email.utils import formatdate

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, Ending, Hold, Reply, head, later, respond
from polite_crawler.testsite.heads import Headers
from polite_crawler.testsite.pages import page, paragraphs
from polite_crawler.testsite.streams import drip, endless, in_pieces

STATUSES = Family("Statuses and requests to wait")
SLOW = Family("Slow, endless and held answers")


def _page(ask: Ask, status: int, headers: Headers = ()) -> bytes:
    return respond(
        ask, page(f"Status {status}", f"<p>The answer of the site is {status}.</p>"), status=status, headers=headers
    )


@STATUSES.route("/status/{code}?retry_after=", "a page with this status, and Retry-After as given")
def status(ask: Ask) -> bytes:
    code = ask.rest_number if 200 <= ask.rest_number <= 999 else 404
    headers: Headers = ()
    if code == 401:
        headers = (("WWW-Authenticate", 'Basic realm="site"'),)
    if ask.param("retry_after"):
        headers = (*headers, ("Retry-After", ask.param("retry_after")))
    return _page(ask, code, headers)


@STATUSES.route("/retry-after/{value}?status=429&times=-1",
                "429 or 503 with Retry-After: a number, `date` (in 2 s), `past`, `huge` (400 days), `bad` or `none`; "
                "with `times`, only so often, then a page")  # fmt: skip
def retry_after(ask: Ask) -> bytes:
    times = int(ask.number("times", -1))
    if 0 <= times <= ask.visits():
        return respond(ask, page("Welcome back", "<p>Now the page is here.</p>"))
    values = {
        "date": formatdate(time.time() + 2, usegmt=True),
        "past": "Wed, 21 Oct 2015 07:28:00 GMT",
        "huge": str(400 * 86_400),
        "bad": "soon",
    }
    value = values.get(ask.rest, ask.rest)
    headers = () if value == "none" else (("Retry-After", value),)
    return _page(ask, ask.count("status", 429), headers)


@STATUSES.route("/flaky/{times}?status=500", "the status, so many times; then a page")
def flaky(ask: Ask) -> bytes:
    if ask.visits() < ask.rest_number:
        return _page(ask, ask.count("status", 500))
    return respond(ask, page("Here after all", "<p>The page is here now.</p>"))


@STATUSES.route("/gone-later/{times}", "a page, so many times; then 404")
def gone_later(ask: Ask) -> bytes:
    if ask.visits() < ask.rest_number:
        return respond(ask, page("Still here", "<p>For how long?</p>"))
    return _page(ask, 404)


@STATUSES.route("/pay", "402 with a price in a header")
def pay(ask: Ask) -> bytes:
    return _page(ask, 402, (("crawler-price", "USD 0.01"),))


@SLOW.route("/slow/head?s=1", "the whole answer after `s` seconds")
def slow_head(ask: Ask) -> Reply:
    return later(ask.number("s", 1), respond(ask, page("Slow", "<p>Good things take time.</p>")))


@SLOW.route("/slow/body?s=0.05&n=10", "a page in `n` pieces with `s` seconds after each")
def slow_body(ask: Ask) -> Reply:
    octets = respond(ask, page("Slow body", paragraphs(f"Piece {n}" for n in range(40))))
    return in_pieces(octets, len(octets) // max(1, ask.count("n", 10)) + 1, ask.number("s", 0.05))


@SLOW.route("/slow/head-octets?s=0.01", "the head in single octets with `s` seconds after each")
def slow_octets(ask: Ask) -> Reply:
    return in_pieces(respond(ask, "<title>Octets</title>"), 1, ask.number("s", 0.01))


@SLOW.route("/drip?s=0.05", "some octets each `s` seconds, for ever")
def endless_drip(ask: Ask) -> Reply:
    return drip(max(0.001, ask.number("s", 0.05)), start=b"<title>Drip</title><p>firstdrop</p>\n")


@SLOW.route("/endless", "a body that never ends, as fast as the client reads")
def endless_body(ask: Ask) -> Reply:
    return endless()


@SLOW.route("/stall/{where}", "`head`: no answer, ever; `body`: a head, the first octets, and no more")
def stall(ask: Ask) -> Reply:
    if ask.rest == "body":
        start = head("Content-Type: text/html", "Content-Length: 100000") + b"<title>Stall</title><p>firstpart</p>"
        return iter((start, Ending.STALL))
    return iter((Ending.STALL,))


@SLOW.route("/hold/{name}", "a page as soon as the test released the name (Site.release, /__release)")
def hold(ask: Ask) -> Reply:
    return iter((Hold(ask.rest), respond(ask, page(f"Held {ask.rest}", "<p>Released.</p>"))))


@SLOW.route("/hold-body/{name}", "a head and the first octets at once, the rest when the name is released")
def hold_body(ask: Ask) -> Reply:
    octets = respond(ask, page(f"Held {ask.rest}", "<p>Released.</p>"))
    cut = octets.find(b"<main>")
    return iter((octets[:cut], Hold(ask.rest), octets[cut:]))
