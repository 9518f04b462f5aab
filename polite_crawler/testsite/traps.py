"""What makes a crawler run for ever, or fetch one page a hundred times."""

import hashlib

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.pages import canonical, links, page, paragraphs
from polite_crawler.testsite.prose import NOTES

TRAPS = Family("Traps")


def _token(*parts: object) -> str:
    """A text that looks random and is the same in each run."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24].upper()


@TRAPS.route("/trap/calendar?y=2026&m=1", "a month with links to the month before and after, for ever")
def calendar(ask: Ask) -> bytes:
    month = ask.count("y", 2026) * 12 + ask.count("m", 1) - 1
    near = [(divmod(month + step, 12), name) for step, name in ((-1, "before"), (1, "after"))]
    pairs = [(f"/trap/calendar?y={year}&m={number + 1}", name) for (year, number), name in near]
    days = [(f"/trap/calendar/day?y={month // 12}&m={month % 12 + 1}&d={day}", str(day)) for day in range(1, 29)]
    return respond(ask, page(f"{month % 12 + 1}/{month // 12}", links(pairs + days)))


@TRAPS.route("/trap/calendar/day", "a day of the calendar, without events")
def day(ask: Ask) -> bytes:
    return respond(ask, page(f"Day {ask.query}", "<p>No events.</p>"))


@TRAPS.route("/trap/calendar-path/{y/m/d}", "the same with dates in the path")
def calendar_path(ask: Ask) -> bytes:
    numbers = [int(part) for part in ask.rest.split("/") if part.isdecimal()]
    month = (numbers[0] * 12 + numbers[1] - 1) if len(numbers) > 1 else 2026 * 12
    pairs = [
        (f"/trap/calendar-path/{(month + step) // 12}/{(month + step) % 12 + 1:02}", name)
        for step, name in ((-1, "before"), (1, "after"))
    ]
    return respond(ask, page(f"Month {month}", links(pairs)))


@TRAPS.route("/trap/query", "a link to itself with one more parameter, for ever")
def query(ask: Ask) -> bytes:
    grown = f"{ask.query}&p={ask.query.count('p=') + 1}" if ask.query else "p=1"
    return respond(ask, page("Growing query", links([(f"/trap/query?{grown}", "more")])))


@TRAPS.route("/trap/query-order?a=1&b=2", "the same parameters in another order, and facets that multiply")
def facets(ask: Ask) -> bytes:
    names = ("size", "colour", "price", "brand", "sort", "view")
    given = [pair for pair in ask.query.split("&") if pair]
    more = [f"/trap/query-order?{'&'.join([*given, f'{name}={n}'])}" for name in names for n in range(3)
            if not any(pair.startswith(name) for pair in given)]  # fmt: skip
    back = f"/trap/query-order?{'&'.join(reversed(given))}"
    return respond(ask, page("Facets", links((href, href) for href in [back, *more])))


@TRAPS.route("/trap/repeat/{path}", "a relative link that repeats its path, for ever")
def repeat(ask: Ask) -> bytes:
    return respond(ask, page("Repeat", links([("shop/lamps/", "lamps"), ("shop/", "shop")])))


@TRAPS.route("/trap/deep/{path}", "a link one directory deeper, each with a new name")
def deep(ask: Ask) -> bytes:
    depth = ask.rest.count("/")
    return respond(ask, page(f"Depth {depth}", links([(f"{_token('deep', depth)[:6].lower()}/", "deeper")])))


@TRAPS.route("/trap/session/{path}", "links with a new ;jsessionid in the path each time")
def session_path(ask: Ask) -> bytes:
    token = _token("path", ask.visits("session"))
    name = ask.rest.partition(";")[0] or "home"
    pairs = [(f"/trap/session/{one};jsessionid={token}", one) for one in ("home", "list", "item")]
    return respond(ask, page(f"Session page {name}", f"<p>This is {name}.</p>" + links(pairs)))


@TRAPS.route("/trap/session-query/{name}", "links with a new PHPSESSID in the query each time")
def session_query(ask: Ask) -> bytes:
    token = _token("query", ask.visits("session-query")).lower()
    pairs = [(f"/trap/session-query/{one}?PHPSESSID={token}", one) for one in ("home", "list", "item")]
    return respond(ask, page(f"Session page {ask.rest}", f"<p>This is {ask.rest}.</p>" + links(pairs)))


@TRAPS.route("/trap/soft-404/{path}", "200 and the same page for every path, with relative links")
def soft_404(ask: Ask) -> bytes:
    body = "<p>Sorry, this page does not exist.</p>" + links([("products/", "products"), ("news/", "news")])
    return respond(ask, page("Page not found", body))


@TRAPS.route("/trap/near/{n}", "the same text on every page, but for one number; links to N + 1 and N + 2")
def near(ask: Ask) -> bytes:
    number = ask.rest_number
    texts = [text for note in NOTES[:6] for text in note.paragraphs]
    pairs = [(f"/trap/near/{number + step}", f"Copy {number + step}") for step in (1, 2)]
    return respond(ask, page("A near duplicate", paragraphs([*texts, f"Copy number {number}."]) + links(pairs)))


@TRAPS.route("/trap/same/{path}", "octet for octet the same page under every path")
def same(ask: Ask) -> bytes:
    pairs = [(f"/trap/same/{name}", "the same") for name in ("a", "b", "c", "d?x=1")]
    return respond(ask, page("The same page", paragraphs(NOTES[0].paragraphs) + links(pairs)))


@TRAPS.route("/trap/spellings", "one page under many spellings of its URL")
def spellings(ask: Ask) -> bytes:
    scheme, _, authority = ask.origin.partition("://")
    host, _, port = authority.partition(":")
    hrefs = (
        "/notes/1", "/notes/1#top", "/notes/1?", "/./notes/1", "/notes/../notes/1", "/%6Eotes/1",
        "/notes/1?utm_source=a", "/notes/1?gclid=b", f"//{authority}/notes/1", f"{scheme.upper()}://{authority}/notes/1",
        f"{scheme}://{host}.:{port}/notes/1", f"{scheme}://{host}:0{port}/notes/1", "\n /notes/1\t", "\\notes\\1",
    )  # fmt: skip
    return respond(ask, page("Spellings", links((href, f"spelling {n}") for n, href in enumerate(hrefs))))


@TRAPS.route("/trap/schemes", "links that are no pages")
def schemes(ask: Ask) -> bytes:
    hrefs = (
        "javascript:void(0)", "mailto:a@harbour.example", "tel:+15550100", "data:text/html,<p>x</p>", "ftp://host/x",
        "file:///etc/passwd", "about:blank", "blob:x", "http://", "http:///x", "http://[::1", "https://", "//", "#", "",
        "?", "http://127.0.0.1:99999/", "http://a b/", "http://user@/", "ws://host/",
    )  # fmt: skip
    return respond(ask, page("Schemes", links((href, f"scheme {n}") for n, href in enumerate(hrefs))))


@TRAPS.route("/trap/hosts", "links to odd host names that do not resolve or should not be asked")
def hosts(ask: Ask) -> bytes:
    names = (
        "under_score.invalid", "hg--69.invalid", "-a.invalid", "xn--bcher-kva.invalid", "bücher.invalid", "☃.invalid",
        "xn--.invalid", "a..invalid", "a" * 64 + ".invalid", "UPPER.invalid", "dot.invalid.", "1.2.3", "0x7f.1",
        "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "１２７.0.0.1", "localhost", "%31%32%37.0.0.1",
    )  # fmt: skip
    return respond(ask, page("Hosts", links((f"http://{name}/", name) for name in names)))


@TRAPS.route("/trap/storm?n=50", "links to `n` hosts that do not resolve")
def storm(ask: Ask) -> bytes:
    pairs = [(f"http://host-{n}.invalid/", f"Host {n}") for n in range(ask.count("n", 50))]
    return respond(ask, page("Storm", links(pairs)))


@TRAPS.route("/trap/busy?n=20", "links to `n` pages that answer 429 with Retry-After 1, each once")
def busy(ask: Ask) -> bytes:
    pairs = [(f"/retry-after/1?times=1&n={n}", f"Busy {n}") for n in range(ask.count("n", 20))]
    return respond(ask, page("Busy pages", links(pairs)))


@TRAPS.route("/trap/canonical/{n}", "ten pages that all name /trap/canonical/0 as the canonical URL")
def same_canonical(ask: Ask) -> bytes:
    pairs = [(f"/trap/canonical/{n}", f"Copy {n}") for n in range(10)]
    return respond(ask, page("One page", links(pairs), head=canonical("/trap/canonical/0")))


@TRAPS.route("/traps", "a page with a link to every trap")
def index(ask: Ask) -> bytes:
    starts = (
        "/trap/calendar", "/trap/calendar-path/2026/01", "/trap/query", "/trap/query-order?a=1&b=2", "/trap/repeat/",
        "/trap/deep/", "/trap/session/home", "/trap/session-query/home", "/trap/soft-404/", "/trap/near/1",
        "/trap/same/a",
        "/trap/spellings", "/trap/schemes", "/trap/hosts", "/trap/busy", "/trap/canonical/1", "/redirects/loop/a",
        "/redirects/self", "/redirects/cookie", "/redirects/growing", "/refresh/loop/a", "/refresh/self",
        "/canonical/loop/a", "/canonical/chain/5", "/canonical/two", "/drip", "/endless", "/bomb/gzip",
    )  # fmt: skip
    return respond(ask, page("Every trap", links((start, start) for start in starts)))
