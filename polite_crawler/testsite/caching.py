"""Validators and freshness: what a conditional request gets, and for how long a copy is fresh."""

import time
from email.utils import formatdate

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.heads import Headers
from polite_crawler.testsite.pages import MODIFIED, page

CACHING = Family("Validators and freshness")


def _body(ask: Ask, number: int = 1) -> str:
    return page(f"Cached {ask.path}", f"<p>Version {number} of this page.</p>")


def _conditional(ask: Ask, *, etag: str | None = None, modified: str | None = None, headers: Headers = ()) -> bytes:
    """RFC 9110 section 13.2.2: If-None-Match is looked at first, and If-Modified-Since only without it."""
    validators = ((("ETag", etag),) if etag else ()) + ((("Last-Modified", modified),) if modified else ())
    asked, since = ask.header("if-none-match"), ask.header("if-modified-since")
    if asked is not None:
        same = etag is not None and any(_weak(one) == _weak(etag) for one in asked.split(","))
    else:
        same = since is not None and modified is not None and since == modified
    if same:
        return respond(ask, status=304, type=None, headers=(*validators, *headers))
    return respond(ask, _body(ask), headers=(*validators, *headers))


def _weak(etag: str) -> str:
    return etag.strip().removeprefix("W/")


def _now() -> str:
    return formatdate(time.time(), usegmt=True)


@CACHING.route("/cache/etag", "an ETag; 304 when it is asked for")
def etag(ask: Ask) -> bytes:
    return _conditional(ask, etag='"v1"')


@CACHING.route("/cache/weak", "a weak ETag; 304 when it is asked for")
def weak(ask: Ask) -> bytes:
    return _conditional(ask, etag='W/"v1"')


@CACHING.route("/cache/last-modified", "Last-Modified alone; 304 when it is asked for")
def last_modified(ask: Ask) -> bytes:
    return _conditional(ask, modified=MODIFIED)


@CACHING.route("/cache/both", "ETag and Last-Modified; 304 when either fits")
def both(ask: Ask) -> bytes:
    return _conditional(ask, etag='"v1"', modified=MODIFIED)


@CACHING.route("/cache/etag-moves/{path}", "another ETag each time, the same Last-Modified and the same body")
def etag_moves(ask: Ask) -> bytes:
    return _conditional(ask, etag=f'"edge-{ask.visits("etag-moves")}"', modified=MODIFIED)


@CACHING.route("/cache/both-move/{path}", "another ETag and another Last-Modified each time, the same body")
def both_move(ask: Ask) -> bytes:
    visits = ask.visits("both-move")
    return _conditional(ask, etag=f'"edge-{visits}"', modified=formatdate(1_760_000_000 + visits, usegmt=True))


@CACHING.route("/cache/ignores/{path}", "ETag and Last-Modified, and never a 304")
def ignores(ask: Ask) -> bytes:
    return respond(ask, _body(ask), headers=(("ETag", '"v1"'), ("Last-Modified", MODIFIED)))


@CACHING.route("/cache/changes", "another body and another ETag each time")
def changes(ask: Ask) -> bytes:
    number = ask.visits() + 1
    return respond(ask, _body(ask, number), headers=(("ETag", f'"v{number}"'),))


@CACHING.route("/cache/changes-after/{n}", "the same body and ETag N times, then another")
def changes_after(ask: Ask) -> bytes:
    number = 1 if ask.visits() < ask.rest_number else 2
    if ask.header("if-none-match") == f'"v{number}"':
        return respond(ask, status=304, type=None, headers=(("ETag", f'"v{number}"'),))
    return respond(ask, _body(ask, number), headers=(("ETag", f'"v{number}"'),))


@CACHING.route("/cache/304-updates", "the 304 brings new headers (Cache-Control, Content-Language), and no ETag")
def updates(ask: Ask) -> bytes:
    if ask.header("if-none-match") == '"v1"':
        headers = (("Cache-Control", "max-age=600"), ("Content-Language", "en"))
        return respond(ask, status=304, type=None, headers=headers)
    return respond(ask, _body(ask), headers=(("ETag", '"v1"'), ("Cache-Control", "max-age=0")))


@CACHING.route("/cache/304-always", "304, also to a request without a validator")
def always(ask: Ask) -> bytes:
    return respond(ask, status=304, type=None, headers=(("ETag", '"v1"'),))


@CACHING.route("/cache/odd-etag", "an ETag without quotes and with odd characters")
def odd_etag(ask: Ask) -> bytes:
    return _conditional(ask, etag="a,b c")


@CACHING.route("/cache/bad-date", "a Last-Modified that is no date")
def bad_date(ask: Ask) -> bytes:
    return _conditional(ask, modified="yesterday")


_FRESHNESS: dict[str, tuple[str, Headers]] = {
    "no-store": ("Cache-Control: no-store", (("Cache-Control", "no-store"),)),
    "no-cache": ("Cache-Control: no-cache", (("Cache-Control", "no-cache"),)),
    "max-age": ("max-age of 600 s", (("Cache-Control", "max-age=600"),)),
    "max-age-zero": ("max-age of 0", (("Cache-Control", "max-age=0"),)),
    "max-age-quoted": ("max-age in quotes and capitals", (("Cache-Control", 'MAX-AGE="600"'),)),
    "max-age-bad": ("a max-age that is no number", (("Cache-Control", "max-age=long"),)),
    "s-maxage": ("s-maxage alone, which is for shared caches", (("Cache-Control", "s-maxage=600"),)),
    "private": ("private, max-age of 600 s", (("Cache-Control", "private, max-age=600"),)),
    "age": ("max-age of 600 s and an Age of 590 s", (("Cache-Control", "max-age=600"), ("Age", "590"))),
    "expires-past": ("Expires in the past", (("Expires", "Thu, 01 Jan 2015 00:00:00 GMT"),)),
    "expires-bad": ("Expires: 0", (("Expires", "0"),)),
    "vary-language": ("Vary: Accept-Language", (("Vary", "Accept-Language"), ("Cache-Control", "max-age=600"))),
    "vary-agent": ("Vary: User-Agent, Accept-Encoding", (("Vary", "User-Agent, Accept-Encoding"),)),
    "vary-all": ("Vary: *", (("Vary", "*"), ("Cache-Control", "max-age=600"))),
}  # fmt: skip


def _fresh(name: str) -> None:
    does, headers = _FRESHNESS[name]
    CACHING.add(
        f"/fresh/{name}", does, lambda ask: _conditional(ask, etag='"v1"', headers=(("Date", _now()), *headers))
    )


for _name in _FRESHNESS:
    _fresh(_name)


@CACHING.route("/fresh/expires", "Expires in ten minutes")
def expires(ask: Ask) -> bytes:
    later = formatdate(time.time() + 600, usegmt=True)
    return _conditional(ask, etag='"v1"', headers=(("Date", _now()), ("Expires", later)))


@CACHING.route("/fresh/heuristic", "only Last-Modified, ten days ago: fresh for a day by the 10 % rule")
def heuristic(ask: Ask) -> bytes:
    return _conditional(ask, modified=formatdate(time.time() - 864_000, usegmt=True), headers=(("Date", _now()),))


@CACHING.route("/fresh/clock-wrong", "a Date ten years ago and a max-age of 600 s")
def clock_wrong(ask: Ask) -> bytes:
    headers = (("Date", "Fri, 01 Jan 2016 00:00:00 GMT"), ("Cache-Control", "max-age=600"))
    return _conditional(ask, etag='"v1"', headers=headers)
