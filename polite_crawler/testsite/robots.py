"""Variants of /robots.txt. Each host serves `site` until a reset or a set names another one."""

import gzip
from collections.abc import Iterator

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.challenges import CHALLENGES
from polite_crawler.testsite.exchange import Ask, Ending, Handler, Hold, Reply, Step, head, later, respond
from polite_crawler.testsite.streams import bomb, steps

ROBOTS = Family("robots.txt")
PLAIN = "text/plain; charset=utf-8"
MAX_OCTETS = 512_000

SITE = "User-agent: *\nDisallow: /private/\n\nSitemap: {origin}/sitemap.xml\n"
ALLOW = "User-agent: *\nAllow: /\n"
DENY_P = "User-agent: *\nDisallow: /p/\n"
DENY_ALL = "User-agent: *\nDisallow: /\n"

VARIANTS: dict[str, tuple[str, Handler]] = {}
"""What a reset can choose by name: what it is, and how it answers."""


def _variant(name: str, does: str, answer: Handler) -> None:
    VARIANTS[name] = (does, answer)


def _text(name: str, does: str, body: str | bytes, *, status: int = 200, type: str | None = PLAIN) -> None:
    def answer(ask: Ask) -> bytes:
        text = body.replace("{origin}", ask.origin) if isinstance(body, str) else body
        return respond(ask, text, status=status, type=type)

    _variant(name, does, answer)


@ROBOTS.route("/robots.txt", "the variant of this host; the table of variants tells what there is")
def robots(ask: Ask) -> Reply:
    options = ask.state.options(ask.host)
    if options.robots_text is not None:
        return respond(ask, options.robots_text, type=PLAIN)
    return VARIANTS[options.robots][1](ask)


def _status(status: int, *, retry_after: str | None = None, body: str = DENY_P) -> Handler:
    headers = () if retry_after is None else (("Retry-After", retry_after),)
    return lambda ask: respond(ask, body, status=status, type=PLAIN, headers=headers)


def _first(times: int, answer: Handler, then: Handler) -> Handler:
    return lambda ask: answer(ask) if ask.visits("robots") < times else then(ask)


def _allow(ask: Ask) -> bytes:
    return respond(ask, ALLOW, type=PLAIN)


def _hops(count: int) -> Handler:
    return lambda ask: respond(ask, status=302, headers=(("Location", f"/robots-hop/{count - 1}"),))


@ROBOTS.route("/robots-hop/{n}", "the hops of the variants redirect-N: N more of them, then the rules of deny-p")
def hop(ask: Ask) -> bytes:
    if ask.rest_number == 0:
        return respond(ask, DENY_P, type=PLAIN)
    return respond(ask, status=301, headers=(("Location", f"/robots-hop/{ask.rest_number - 1}"),))


@ROBOTS.route("/robots-loop/{side}", "the hops of the variant redirect-loop")
def loop(ask: Ask) -> bytes:
    other = "b" if ask.rest == "a" else "a"
    return respond(ask, status=302, headers=(("Location", f"/robots-loop/{other}"),))


def _to(location: str | None) -> Handler:
    def answer(ask: Ask) -> bytes:
        headers = () if location is None else (("Location", location.replace("{other}", ask.other())),)
        return respond(ask, status=301, headers=headers)

    return answer


def _padded(size: int, tail: str) -> str:
    line = "# " + "x" * 77 + "\n"
    top = "User-agent: *\nDisallow: /early/\n"
    return top + line * ((size - len(top)) // len(line)) + tail


def _cut() -> str:
    kept = "Allow: /p/"
    return DENY_P + "#" * (MAX_OCTETS - len(DENY_P) - len(kept) - 1) + "\n" + kept + "secret\n"


def _script(*script: Step) -> Handler:
    return lambda ask: iter(script)


def _gzip(body: bytes) -> Handler:
    return lambda ask: respond(ask, body, type=PLAIN, headers=(("Content-Encoding", "gzip"),))


def _bomb(ask: Ask) -> Iterator[Step]:
    return steps(bomb("gzip", 1 << 30), PLAIN, "gzip")


def _stale(ask: Ask) -> bytes:
    headers = (("ETag", '"r1"'), ("Cache-Control", "max-age=0"))
    if ask.header("if-none-match") == '"r1"':
        return respond(ask, status=304, headers=headers)
    return respond(ask, DENY_P, type=PLAIN, headers=headers)


_text("site", "disallows /private/ and names the sitemap (the default)", SITE)
_text("allow", "allows everything", ALLOW)
_text("deny", "disallows everything", DENY_ALL)
_text("deny-p", "disallows /p/", DENY_P)
_text(
    "deny-us",
    "a group for PoliteCrawler that disallows everything",
    f"User-agent: PoliteCrawler\nDisallow: /\n\n{ALLOW}",
)
_text(
    "deny-claude",
    "a group for Claude-User that disallows everything",
    f"User-agent: Claude-User\nDisallow: /\n\n{ALLOW}",
)
_text("deny-others", "everybody but PoliteCrawler is shut out", f"{DENY_ALL}\nUser-agent: PoliteCrawler\nAllow: /\n")
_text("crawl-delay", "Crawl-delay of 5 s", "User-agent: *\nCrawl-delay: 5\nAllow: /\n")
_text("crawl-delay-day", "Crawl-delay of 24 h", "User-agent: *\nCrawl-delay: 86400\nAllow: /\n")
_text("request-rate", "Request-rate of 1 request in 7 s", "User-agent: *\nRequest-rate: 1/7\nAllow: /\n")
_text("sitemaps", "names an index, a compressed and a text sitemap", ALLOW + "".join(
    f"Sitemap: {{origin}}/sitemaps/{name}\n" for name in ("index", "gzip", "text")))  # fmt: skip
_text("empty", "an empty file", "")
_text("no-content", "204", "", status=204, type=None)
_text("bom", "the rules of deny-p after a UTF-8 byte order mark", b"\xef\xbb\xbf" + DENY_P.encode())
_text("utf-16", "the rules of deny-p in UTF-16 with its mark", DENY_P.encode("utf-16"))
_text("cr-only", "the rules of deny-p with bare CR at line ends", DENY_P.replace("\n", "\r"))
_text(
    "html",
    "a page in place of a file, with status 200",
    "<!doctype html><title>Home</title><p>Disallow: nothing",
    type="text/html",
)
_text("html-rules", "the rules of deny-p labelled text/html", DENY_P, type="text/html")
_text("no-type", "the rules of deny-p without Content-Type", DENY_P, type=None)
_text("bytes", "octets that are no text, then the rules of deny-p", bytes(range(128, 256)) + b"\n" + DENY_P.encode())
_text("huge", "700 kB; /early/ is disallowed at the top, /p/ after 600,000 octets", _padded(600_000, "Disallow: /p/\n"))
_text("cut", "disallows /p/; the limit of 512,000 octets cuts `Allow: /p/secret` down to `Allow: /p/`", _cut())
_text(
    "content-signal",
    "Content-Signal: ai-input=no",
    "User-agent: *\nContent-Signal: search=yes, ai-input=no\nAllow: /\n",
)
_text("use-immediate", "Content-Signal: use=immediate", "User-agent: *\nContent-Signal: use=immediate\nAllow: /\n")
_text("managed", "the signals that Cloudflare writes by default",
      "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n")  # fmt: skip
_text("content-usage", "Content-Usage: train-ai=n", "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n")
_text("license", "an RSL License line", "License: https://rights.example/license.xml\n" + ALLOW)
for _code in (400, 401, 402, 403, 404, 410, 418, 451, 408, 425, 500, 502, 503, 504):
    _variant(str(_code), f"status {_code}; its body holds the rules of deny-p", _status(_code))
_variant("429", "status 429, Retry-After 120", _status(429, retry_after="120"))
_variant("503-retry", "status 503, Retry-After 120", _status(503, retry_after="120"))
_variant("503-once", "status 503 the first time, then allow", _first(1, _status(503), _allow))
_variant("503-later", "the rules of deny-p the first time, then status 503", _first(1, _status(200), _status(503)))
_variant("redirect-1", "one redirect to the rules of deny-p", _hops(1))
_variant("redirect-5", "five redirects to the rules of deny-p", _hops(5))
_variant("redirect-6", "six redirects: one too many", _hops(6))
_variant("redirect-loop", "a redirect loop", _to("/robots-loop/a"))
_variant("redirect-self", "a redirect to itself", _to("/robots.txt"))
_variant("redirect-host", "a redirect to the rules of deny-p on the next host", _to("{other}/robots-hop/0"))
_variant("redirect-private", "a redirect to a private address", _to("http://10.0.0.1/robots.txt"))
_variant("redirect-nowhere", "a redirect without Location", _to(None))
_variant("redirect-file", "a redirect to a file: URL", _to("file:///etc/passwd"))
_variant("slow", "allow, after half a second", lambda ask: later(0.5, _allow(ask)))
_variant("held", "allow, after the test released the name `robots`", lambda ask: iter((Hold("robots"), _allow(ask))))
_variant("stall", "no answer, ever", _script(Ending.STALL))
_variant("reset", "a reset connection", _script(Ending.RESET))
_variant("close", "a closed connection", _script(Ending.CLOSE))
_variant("garbage", "octets that are no HTTP", _script(b"\x00\x01\x02garbage\r\n\r\n", Ending.CLOSE))
_variant("short", "less than Content-Length says, then closed",
         _script(head("Content-Type: text/plain", "Content-Length: 1000") + DENY_P.encode(), Ending.CLOSE))  # fmt: skip
_variant("gzip", "the rules of deny-p, compressed", _gzip(gzip.compress(DENY_P.encode(), mtime=0)))
_variant("bad-gzip", "labelled gzip, and it is none", _gzip(DENY_P.encode()))
_variant("bomb", "1 GiB of NUL in 1 MB of gzip", _bomb)
_variant("challenge", "a challenge with status 403", CHALLENGES["cloudflare"].answer)
_variant("challenge-200", "a challenge with status 200", CHALLENGES["anubis"].answer)
_variant("etag", "the rules of deny-p, with an ETag and max-age=0", _stale)
