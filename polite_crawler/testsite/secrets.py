"""Pages with secrets in them: what must not reach a log, a store or an export."""

from html import escape

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.pages import links, page

SECRETS = Family("Secrets")
CANARY = "canary-4f1c9a"
"""The secret that the site itself makes up."""


@SECRETS.route("/secrets/cookie", "two Set-Cookie headers with a secret")
def cookie(ask: Ask) -> bytes:
    headers = (("Set-Cookie", f"session={CANARY}; Path=/; HttpOnly"), ("Set-Cookie", f"id={CANARY}; Secure"))
    return respond(ask, page("Cookies", "<p>Two cookies were set.</p>"), headers=headers)


@SECRETS.route("/secrets/echo?token=", "the query and the Authorization header as they came, in the body")
def echo(ask: Ask) -> bytes:
    token, auth = ask.param("token"), ask.header("authorization") or ""
    body = (
        f"<p>Your token is {escape(token)}.</p><p>{escape(ask.query)}</p><p>{escape(auth)}</p>"
        f'<script>var query = "{ask.query}";</script>'
    )
    return respond(ask, page(f"Token {escape(token)}", body))


@SECRETS.route("/secrets/redirect?token=", "a redirect whose Location repeats the token")
def redirect(ask: Ask) -> bytes:
    location = f"/secrets/echo?token={ask.param('token', CANARY)}"
    return respond(ask, status=302, headers=(("Location", location),))


@SECRETS.route("/secrets/headers?token=", "the token in Link, Refresh and Content-Location")
def headers(ask: Ask) -> bytes:
    url = f"/secrets/echo?token={ask.param('token', CANARY)}"
    given = (("Link", f'<{url}>; rel="next"'), ("Refresh", f"30; url={url}"), ("Content-Location", url))
    return respond(ask, page("Headers", "<p>Look at the headers.</p>"), headers=given)


@SECRETS.route("/secrets/links", "links with a token, a password, a session and a user name")
def secret_links(ask: Ask) -> bytes:
    authority = ask.origin.partition("://")[2]
    hrefs = (
        f"/secrets/echo?token={CANARY}",
        f"/secrets/echo?a=1&password={CANARY}&b=2",
        f"/secrets/echo?api_key={CANARY}",
        f"{ask.state.scheme}://user:{CANARY}@{authority}/secrets/plain",
    )
    return respond(ask, page("Secret links", links((href, "a link") for href in hrefs)))


@SECRETS.route("/secrets/plain", "a page without a secret")
def plain(ask: Ask) -> bytes:
    return respond(ask, page("No secret", "<p>Nothing to hide.</p>"))
