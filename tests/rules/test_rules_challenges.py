"""Challenge pages, refusals, and ordinary answers that look like them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.challenges import LARGEST_INTERSTITIAL, ORDINARY, REFUSING_STATUSES, Verdict, classify

HTML = ("Content-Type", "text/html; charset=utf-8")
JSON = ("Content-Type", "application/json")
WORDS = "<p>" + "Words of an article about the harbour of a town. " * 60 + "</p>"


def _page(body: str = "", head: str = "", title: str = "Page") -> bytes:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def _script(text: str) -> str:
    return f"<script>{text}</script>"


HEADERS = [
    ("cf-mitigated", "challenge", "cloudflare"), ("CF-Mitigated", " Challenge ", "cloudflare"),
    ("x-amzn-waf-action", "challenge", "aws-waf"), ("X-Amzn-Waf-Action", "captcha", "aws-waf"),
    ("x-vercel-mitigated", "challenge", "vercel"), ("x-datadome", "captcha", "datadome"), ("x-dd-b", "2", "datadome"),
    ("X-DataDome-CID", "AHrlqAAAA", "datadome"), ("x-kasada-challenge", "1", "kasada"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "vendor"), HEADERS)
@pytest.mark.parametrize("status", [200, 202, 403, 405, 429, 503])
def test_a_decisive_header_counts_with_any_status(name: str, value: str, vendor: str, status: int) -> None:
    found = classify(status, [("Server", "x"), (name, value)], b"")
    assert (found.kind, found.vendor) == ("challenge", vendor)
    assert found.mark == f"{name.lower()}: {value.strip()}"
    assert classify(status, [("content-type", "application/json"), (name, value)], b"{}").kind == "challenge"


def test_of_two_fields_one_is_enough() -> None:
    assert classify(200, [("cf-mitigated", "x"), ("Cf-Mitigated", "challenge")], b"").kind == "challenge"


@pytest.mark.parametrize(
    "header",
    [
        ("cf-mitigated", "block"), ("cf-ray", "x"), ("x-amzn-waf-action", "count"), ("x-vercel-mitigated", "deny"),
        ("x-datadome", "protected"), ("x-datadome", ""), ("x-datadome-cid", ""), ("x-dd-b", ""), ("x-dd-b", "0"),
        ("x-kasada-challenge", ""), ("x-iinfo", "9-1"), ("x-cdn", "Imperva"), ("akamai-grn", "0.1"),
        ("set-cookie", "datadome=x"), ("set-cookie", "cf_clearance=x"), ("x-sucuri-block", "x"),
    ],
)  # fmt: skip
def test_other_headers_are_ordinary(header: tuple[str, str]) -> None:
    assert classify(200, [HTML, header], _page("<p>Open daily.</p>")) == ORDINARY


STRUCTURAL = [
    ("cloudflare", _page(_script("window._cf_chl_opt={cvId:'3'};"))),
    ("cloudflare", _page(_script("(function(){window._cf_chl_opt = {}})()"), title="Just a moment...")),
    ("cloudflare", _page(_script("a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1'"))),
    ("cloudflare", _page('<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1"></script>')),
    ("cloudflare", _page('<span id="challenge-error-text">Enable JavaScript</span>')),
    ("anubis", _page(head='<script type="application/json" id=anubis_challenge>{}</script>')),
    ("imperva", _page(title="Pardon Our Interruption...")),
    ("imperva", _page('<iframe src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful.</iframe>')),
    ("imperva", _page(head='<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>')),
    ("imperva", _page('<IFRAME SRC="https://site.example/_Incapsula_Resource?x"></IFRAME>')),
    ("datadome", _page(_script("var dd={'rt':'i','cid':'A','host':'geo.captcha-delivery.com'}"))),
    ("datadome", _page(_script('var dd = {"host": "geo.captcha-delivery.com"}'))),
    ("perimeterx", _page('<div id="px-captcha"></div>' + _script('window._pxAppId = "PXabc";'))),
    ("perimeterx", _page(_script("window._pxAppId='PXabc'") + "<section id=px-captcha></section>")),
    ("kasada", _page(_script("window.KPSDK={};KPSDK.start=1"))),
    ("kasada", _page(_script("KPSDK.scriptStart=KPSDK.now()"))),
    ("aws-waf", _page(_script('window.gokuProps = {"key":"k"};'))),
    ("aws-waf", _page(_script("window.awsWafCookieDomainList = [];"))),
    ("sucuri", _page(_script("document.cookie='sucuri_cloudproxy_js='; sucuri_cloudproxy_js = 'x'"))),
    ("ddos-guard", _page(title=" DDoS-Guard\n")),
    ("cloudflare", "\ufeff".encode("utf-16-le") + _page(_script("window._cf_chl_opt={}")).decode().encode("utf-16-le")),
]


@pytest.mark.parametrize(("vendor", "body"), STRUCTURAL)
@pytest.mark.parametrize("status", [200, 401, 403, 429])
def test_the_structure_of_an_interstitial_counts_with_any_status(vendor: str, body: bytes, status: int) -> None:
    found = classify(status, [HTML], body)
    assert (found.kind, found.vendor) == ("challenge", vendor)
    assert classify(status, [], body).kind == "challenge"
    assert classify(status, [("content-type", "application/xhtml+xml")], body).kind == "challenge"


WEAK = [
    ("cloudflare", _page(title="Just a moment...")),
    ("cloudflare", _page(title="Attention Required! | Cloudflare")),
    ("vercel", _page(title="Vercel Security Checkpoint")),
    ("anubis", _page(title="Making sure you&#39;re not a bot!")),
    ("datadome", _page('<script src="https://ct.captcha-delivery.com/c.js"></script>')),
    ("datadome", _page('<iframe src="//geo.captcha-delivery.com/captcha/?x"></iframe>')),
    ("perimeterx", _page('<div id="px-captcha"></div>')),
    ("perimeterx", _page('<a href="https://www.perimeterx.com/whywasiblocked">Why?</a>')),
    ("imperva", _page("Request unsuccessful. Incapsula incident ID: 1-2")),
    ("generic", _page("<h1>Checking your browser before accessing site.example.</h1>")),
    ("captcha", _page('<form><div class="x g-recaptcha"></div></form>')),
    ("captcha", _page("<div class='h-captcha'></div>")),
    ("captcha", _page('<div class="cf-turnstile" data-sitekey="k"></div>')),
]


@pytest.mark.parametrize(("vendor", "body"), WEAK)
@pytest.mark.parametrize("status", sorted(REFUSING_STATUSES))
def test_a_weak_mark_counts_with_a_refusing_status(vendor: str, body: bytes, status: int) -> None:
    found = classify(status, [HTML], body)
    assert (found.kind, found.vendor) == ("challenge", vendor)


@pytest.mark.parametrize(("vendor", "body"), WEAK)
@pytest.mark.parametrize("status", [200, 404, 500])
def test_and_with_no_other(vendor: str, body: bytes, status: int) -> None:
    assert classify(status, [HTML], body) == ORDINARY, vendor


JSON_BODIES = [
    ('{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A"}', "datadome"),
    ('{"url" : "https:\\/\\/geo.captcha-delivery.com\\/captcha"}', "datadome"),
    ('{"appId":"PXabc","x":1}', "perimeterx"),
    ('{"blockScript":"/a/captcha.js"}', "perimeterx"),
]


@pytest.mark.parametrize(("body", "vendor"), JSON_BODIES)
def test_json_answers(body: str, vendor: str) -> None:
    assert classify(403, [JSON], body.encode()).vendor == vendor
    assert classify(200, [JSON], body.encode()) == ORDINARY
    assert classify(404, [JSON], body.encode()) == ORDINARY


ORDINARY_PAGES = [
    ("a Turnstile on a form", _page('<form><div class="cf-turnstile"></div></form>')),
    (
        "the Cloudflare beacon",
        _page(_script("a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'") + "<p>Open 9-17.</p>"),
    ),
    ("e-mail protection", _page('<a href="/cdn-cgi/l/email-protection">mail</a>')),
    ("a title that begins so", _page("<p>An interview.</p>", title="Just a moment... with the mayor")),
    ("a title about it", _page("<p>Short.</p>", title="Pardon Our Interruption: a record")),
    ("a title with the vendor", _page("<p>Short.</p>", title="DDoS-Guard, a review")),
    ("code in pre", _page("<pre><script>window._cf_chl_opt = {}</script></pre>")),
    ("code in code", _page('<code><script id="anubis_challenge" type="application/json"></code>')),
    ("code in a text area", _page("<textarea><script>window.KPSDK={}</script></textarea>")),
    ("code in a template", _page('<template><iframe src="/_Incapsula_Resource?x"></iframe></template>')),
    ("escaped code", _page("<p>&lt;script&gt;window._cf_chl_opt = {}&lt;/script&gt;</p>")),
    ("code as text", _page("<p>Set window._cf_chl_opt = {} and window.gokuProps = {}.</p>")),
    ("a comment", _page("<p>Hello.</p><!-- <script>window._cf_chl_opt = {}</script> -->")),
    ("an open comment", _page("<p>Hello.</p><!-- <script>window._cf_chl_opt = {}</script>")),
    ("no script", _page('<noscript><div id="challenge-error-text"></div></noscript>')),
    ("a comparison", _page(_script("if (window._cf_chl_opt == null) {}"))),
    ("the sensor of PerimeterX", _page(_script('window._pxAppId = "PXabc"') + "<p>Open daily.</p>")),
    ("a px-captcha without it", _page('<div id="px-captcha"></div>')),
    (
        "the tag of DataDome",
        _page('<script src="https://js.datadome.co/tags.js"></script>' + _script("window.ddjskey='x'")),
    ),
    ("another dd", _page(_script("var dd={'host':'example.com'}"))),
    ("the sensor of Imperva beside text", _page('<script src="/_Incapsula_Resource?x"></script>' + WORDS[:400])),
    ("a link to the resource", _page('<a href="/_Incapsula_Resource?x">x</a>')),
    ("the sensor of AWS WAF beside text", _page(_script("window.awsWafCookieDomainList=['a']") + WORDS[:400])),
    ("an article with all marks", _page(_script("window._cf_chl_opt={};window.gokuProps={}") + WORDS)),
    ("nothing", b""),
    ("a page without words", _page()),
]


@pytest.mark.parametrize("body", [row[1] for row in ORDINARY_PAGES], ids=[row[0] for row in ORDINARY_PAGES])
def test_ordinary_pages(body: bytes) -> None:
    assert classify(200, [HTML], body) == ORDINARY


@pytest.mark.parametrize("media", ["image/png", "application/javascript", "text/plain", "text/css", "application/pdf"])
def test_what_is_no_html_is_ordinary(media: str) -> None:
    body = _page(_script("window._cf_chl_opt={}"))
    assert classify(200, [("content-type", media)], body) == ORDINARY
    assert classify(403, [("content-type", media)], body).kind == "blocked"


def test_a_large_body_is_content() -> None:
    body = _page(_script("window._cf_chl_opt={}"))
    padding = b"<!--" + b"x" * LARGEST_INTERSTITIAL + b"-->"
    assert classify(200, [HTML], body + padding[: LARGEST_INTERSTITIAL - len(body)]).kind == "challenge"
    assert classify(200, [HTML], body + padding) == ORDINARY


def test_a_log_in_with_a_captcha_is_a_refusal() -> None:
    form = '<form><input type="PASSWORD"><div class="g-recaptcha"></div></form>'
    assert classify(403, [HTML], _page(form)).kind == "blocked"
    assert classify(429, [HTML], _page(form)) == ORDINARY
    assert classify(403, [HTML], _page('<div class="g-recaptcha"></div>' + WORDS[:1500])).kind == "blocked"


@pytest.mark.parametrize(
    ("status", "headers", "body", "verdict"),
    [
        (401, [HTML], b"<h1>Unauthorized</h1>", Verdict("blocked", None, "status 401")),
        (402, [HTML], b"", Verdict("blocked", None, "status 402")),
        (403, [JSON], b'{"error":"forbidden"}', Verdict("blocked", None, "status 403")),
        (403, [], b"no HTML", Verdict("blocked", None, "status 403")),
        (403, [HTML, ("X-Sucuri-Block", "EXPVULN")], b"", Verdict("blocked", "sucuri", "x-sucuri-block")),
        (403, [HTML], b"Access Denied. Reference #18.2d35", Verdict("blocked", "akamai", "Reference #")),
        (403, [HTML], b"<p>error code: 1020</p>", Verdict("blocked", "cloudflare", "error 1020")),
        (404, [HTML], b"Reference #18.2d35", ORDINARY), (429, [HTML], b"<h1>Too many</h1>", ORDINARY),
        (503, [HTML], b"<h1>Maintenance</h1>", ORDINARY), (500, [HTML], b"", ORDINARY), (200, [], b"x", ORDINARY),
    ],
)  # fmt: skip
def test_refusals(status: int, headers: list[tuple[str, str]], body: bytes, verdict: Verdict) -> None:
    assert classify(status, headers, body) == verdict


HOSTILE = [
    b"<", b"<a", b'<a "', b"<a b", b"<a b=", b'<a b="c', b"<!--", b"<!", b"<script", b"<script>", b"<title>", b"<pre>",
     b"</pre>",
    b"<script>dd={</script>", b"var dd={", b"_pxAppId=", b"/challenge-platform/", b"<iframe src=/_Incapsula",
     b"\xff\xfe<", b"=",
]  # fmt: skip


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("start", [b"", b"<script>", b"<a ", b"<a b='"])
def test_hostile_bodies_take_linear_time(part: bytes, start: bytes) -> None:
    """A quadratic rule would take many minutes here."""
    body = start + part * ((LARGEST_INTERSTITIAL - len(start)) // len(part))
    assert classify(403, [HTML], body).kind is not None
    assert classify(200, [HTML], body * 20).kind is None


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 999),
    st.one_of(st.binary(max_size=100), st.lists(st.sampled_from(HOSTILE), max_size=20).map(b"".join)),
)
def test_any_answer_has_a_verdict(status: int, body: bytes) -> None:
    found = classify(status, [HTML], body)
    assert (found.mark is None) is (found.kind is None)
    assert found.kind is not None or status not in (401, 402, 403)
