"""Redirects of every kind, meta refreshes and canonical links, the loops among them."""

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, Reply, head, respond
from polite_crawler.testsite.heads import Headers
from polite_crawler.testsite.pages import canonical, links, page, paragraphs

REDIRECTS = Family("Redirects, refreshes and canonical links")


def move(ask: Ask, location: str, status: int = 302, headers: Headers = ()) -> bytes:
    """A redirect with a short page."""
    return respond(ask, f'<a href="{location}">moved</a>', status=status, headers=(("Location", location), *headers))


@REDIRECTS.route("/redir?to=/p/1&code=302", "a redirect to `to`, which may be any URL, with the status `code`")
def redir(ask: Ask) -> bytes:
    return move(ask, ask.param("to", "/p/1"), ask.count("code", 302))


@REDIRECTS.route("/redirects/chain/{n}", "N redirects, then a page")
def chain(ask: Ask) -> bytes:
    if ask.rest_number:
        return move(ask, f"/redirects/chain/{ask.rest_number - 1}", 301)
    return respond(ask, page("The end of the chain", "<p>After every hop there is a page.</p>"))


@REDIRECTS.route("/redirects/loop/{side}", "a and b redirect to each other")
def loop(ask: Ask) -> bytes:
    return move(ask, "/redirects/loop/" + ("b" if ask.rest == "a" else "a"))


@REDIRECTS.route("/redirects/self", "a redirect to itself, always")
def to_itself(ask: Ask) -> bytes:
    return move(ask, "/redirects/self")


@REDIRECTS.route("/redirects/cookie", "a redirect to itself that sets a cookie; with the cookie it is a page")
def cookie(ask: Ask) -> bytes:
    if ask.cookie("seen"):
        return respond(ask, page("Thank you for the cookie", ""))
    return move(ask, "/redirects/cookie", headers=(("Set-Cookie", "seen=1; Path=/"),))


@REDIRECTS.route("/redirects/growing?n=0", "a redirect to a URL that was never seen, always")
def growing(ask: Ask) -> bytes:
    return move(ask, f"/redirects/growing?n={ask.count('n', 0) + 1}")


@REDIRECTS.route("/redirects/slash", "a redirect to the same path with a slash, which is a page")
def slash(ask: Ask) -> bytes:
    return move(ask, "/redirects/slash/", 301)


@REDIRECTS.route("/redirects/slash/", "the page behind /redirects/slash")
def slashed(ask: Ask) -> bytes:
    return respond(ask, page("With a slash", ""))


@REDIRECTS.route("/redirects/to/{kind}", "a redirect to an odd place: see the kinds in the page of an unknown one")
def odd_target(ask: Ask) -> Reply:
    targets = {
        "host": f"{ask.other()}/p/1",
        "host-twice": f"{ask.other()}/redir?to={ask.other(2)}/p/1",
        "disallowed": "/private/diary",
        "other-disallowed": f"{ask.other()}/private/diary",
        "private": "http://10.0.0.1/",
        "metadata": "http://169.254.169.254/latest/meta-data/",
        "mapped": f"http://[::ffff:127.0.0.2]:{ask.port}/p/1",
        "nat64": "http://[64:ff9b::7f00:2]/",
        "decimal": f"http://2130706434:{ask.port}/p/1",
        "file": "file:///etc/passwd",
        "ftp": "ftp://127.0.0.1/x",
        "javascript": "javascript:alert(1)",
        "relative": "../../p/1",
        "query": "?to=query",
        "schemeless": f"//{ask.host}:{ask.port}/p/1",
        "fragment": "/p/1#part",
        "space": "/p/1 and more",
        "utf8": "/languages/de?x=\u00e9".encode().decode("latin-1"),
        "userinfo": f"http://user:pass@{ask.host}:{ask.port}/p/1",
        "backslash": "/\\p/1",
        "empty": "",
        "bad": "http://[bad/",
        "port": f"http://{ask.host}:99999/",
        "refused": f"http://{ask.host}:9/",
        "unknown-host": "http://nowhere.invalid/",
        "long": "/p/1?" + "x" * 9000,
    }
    if ask.rest == "none":
        return respond(ask, "no Location", status=302)
    if ask.rest == "two":
        return head("Location: /p/1", "Location: /p/2", "Content-Length: 0", status="302 Found")
    if ask.rest in targets:
        return move(ask, targets[ask.rest])
    return respond(ask, page("Kinds", paragraphs(["none", "two", *targets])), status=404)


def _refresh(seconds: int, target: str) -> str:
    return f'<meta http-equiv="refresh" content="{seconds}; url={target}">'


@REDIRECTS.route("/refresh/loop/{side}", "a and b name each other in a meta refresh of 0 seconds")
def refresh_loop(ask: Ask) -> bytes:
    other = "b" if ask.rest == "a" else "a"
    return respond(ask, page(f"Refresh {ask.rest}", "", head=_refresh(0, f"/refresh/loop/{other}")))


@REDIRECTS.route("/refresh/self", "a meta refresh to itself")
def refresh_self(ask: Ask) -> bytes:
    return respond(ask, page("Refresh", "<p>Live scores.</p>", head=_refresh(5, "/refresh/self")))


@REDIRECTS.route("/refresh/once", "a meta refresh of 0 seconds to a page")
def refresh_once(ask: Ask) -> bytes:
    return respond(ask, page("Moved", "", head=_refresh(0, "/notes/1")))


@REDIRECTS.route("/refresh/slow", "a meta refresh of 30 seconds: a page that is read, no redirect")
def refresh_slow(ask: Ask) -> bytes:
    return respond(ask, page("Still here", "<p>Read me for half a minute.</p>", head=_refresh(30, "/notes/1")))


@REDIRECTS.route("/refresh/header", "a Refresh header of 0 seconds")
def refresh_header(ask: Ask) -> bytes:
    return respond(ask, page("Moved by a header", ""), headers=(("Refresh", "0; url=/notes/1"),))


@REDIRECTS.route("/refresh/header-self", "a Refresh header to itself")
def refresh_header_self(ask: Ask) -> bytes:
    return respond(ask, page("Live by a header", ""), headers=(("Refresh", "5; url=/refresh/header-self"),))


@REDIRECTS.route("/canonical/loop/{side}", "a and b each name the other as the canonical URL")
def canonical_loop(ask: Ask) -> bytes:
    other = "b" if ask.rest == "a" else "a"
    body = links([(f"/canonical/loop/{other}", "the other")])
    return respond(ask, page(f"Canonical {ask.rest}", body, head=canonical(f"/canonical/loop/{other}")))


@REDIRECTS.route("/canonical/chain/{n}", "page N names page N - 1 as the canonical URL and links to it")
def canonical_chain(ask: Ask) -> bytes:
    below = f"/canonical/chain/{max(0, ask.rest_number - 1)}"
    return respond(ask, page(f"Chain {ask.rest_number}", links([(below, "below")]), head=canonical(below)))


@REDIRECTS.route("/canonical/{kind}", "self, offsite, two, missing, relative, fragment, or empty: odd canonical links")
def odd_canonical(ask: Ask) -> bytes:
    kinds = {
        "self": canonical("/canonical/self"),
        "offsite": canonical(f"{ask.other()}/canonical/self"),
        "two": canonical("/p/1") + canonical("/p/2"),
        "missing": canonical("/nowhere"),
        "relative": canonical("self"),
        "fragment": canonical("/canonical/self#top"),
        "empty": canonical(""),
    }
    if ask.rest not in kinds:
        return respond(ask, page("Kinds", paragraphs(kinds)), status=404)
    return respond(ask, page(f"Canonical: {ask.rest}", "<p>A page.</p>", head=kinds[ask.rest]))
