"""Challenge pages, refusals, and ordinary answers that look like them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.challenges import LARGEST_INTERSTITIAL, ORDINARY, REFUSING_STATUSES, Verdict, classify
from polite_crawler.rules.interstitial import read_interstitial
from polite_crawler.rules.marks import STRUCTURAL as STRUCTURAL_MARKS

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
    ("SG-Captcha", "challenge", "siteground"),
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
        ("sg-captcha", "passed"),
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
    (
        "imperva",
        _page("<p>As you browsed, something made us think you were a bot.</p>", title="Pardon Our Interruption | S"),
    ),
    (
        "imperva",
        _page(
            "Loading", '<meta name="robots" content="NOINDEX"><script src="/_Incapsula_Resource?SWJIYLWA=1"></script>'
        ),
    ),
    ("imperva", _page("Loading", '<script src="/_Incapsula_Resource?x=1"></script>')),
    (
        "imperva",
        _page("Incapsula incident ID: 1-2" + WORDS[:300] + '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>'),
    ),
    ("anubis", _page('<script type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs?v=1"></script>')),
    ("anubis", _page('<link rel="stylesheet" href="/base/.within.website/x/cmd/anubis/static/xess.css">')),
    ("anubis", _page('<img src="/.within.website/x/cmd/anubis/static/img/reject.webp">', title="Oh noes!")),
    ("anubis", _page(head='<link rel="stylesheet" href="/.within.website/x/xess/xess.min.css">', title="Oh noes!")),
    ("go-away", _page('<script src="/.well-known/.git.gammaspectra.live/git/go-away/cmd/go-away/a.mjs"></script>')),
    (
        "go-away",
        _page(head='<meta http-equiv=refresh content="0; url=/.well-known/.git.gammaspectra.live/git/go-away/c">'),
    ),
    ("akamai", _page('<div id="sec-if-cpt-container"></div>')),
    ("akamai", _page('<div id="sec-cpt-if" provider="crypto"></div>')),
    ("akamai", _page('<script src="/_sec/cp_challenge/sec-cpt-4-6.js"></script>')),
    ("akamai", _page(head="<meta http-equiv=refresh content=\"5; URL='/page?bm-verify=AAQ'\">")),
    ("akamai", _page(_script('x.send(JSON.stringify({"bm-verify": "AAQ"}))'))),
    (
        "fastly",
        _page('<script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js?reload=true"></script>', title="Client Challenge"),
    ),
    ("ddos-guard", _page('<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>')),
    ("qrator", _page('<script src="/__qrator/qauth_utm_v2d.js"></script>', title="HTTP 401")),
    ("f5", _page("<noscript>Your support ID is 1.</noscript>", _script('window["bobcmn"] = "1011";'))),
    ("f5", _page(head='<script src="/TSPD/08abc?type=8"></script>')),
    ("reblaze", _page(_script(';;window.rbzns={bereshit:"1"};winsocks();'))),
    ("stackpath", _page('<iframe src="https://site.example/sbbi/?sbbpg=sbbShell&gprid=a"></iframe>')),
    ("stackpath", _page(_script("f.src=h+'/sbbi/?sbbpg=sbbShell&gprid='+prid"))),
    ("radware", _page("<p>We apologize.</p>", title="Radware Captcha Page")),
    ("siteground", _page(head='<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1">')),
    ("litespeed", _page('<form method="POST" action="/.lsrecap/recaptcha?"></form>')),
    ("imunify360", _page('<form id="wsidchk-form" action="/z0f76a"></form>', title="One moment, please...")),
    ("imunify360", _page(_script("f.set('wsidchk', a + b)"))),
    ("bunny", _page('<script src="/.bunny-shield/assets/shield-challenge.js"></script>')),
    ("alibaba", _page(_script("var arg1='E1F5'; document.cookie='acw_sc__v2='+x"))),
    ("alibaba", _page(_script("url: '//site.example/_____tmd_____/punish?x5secdata=a'"))),
    ("testcookie", _page(_script('document.cookie="__test="+toHex(slowAES.decrypt(c,2,a,b))'))),
    ("yandex", _page('<form method="POST" action="/checkcaptcha?key=a&retpath=b"></form>')),
    ("baidu", _page(title="百度安全验证")),
    ("amazon", _page('<form method="get" action="/errors/validateCaptcha"></form>')),
    ("cloudflare", "\ufeff".encode("utf-16-le") + _page(_script("window._cf_chl_opt={}")).decode().encode("utf-16-le")),
]


@pytest.mark.parametrize(("vendor", "body"), STRUCTURAL)
@pytest.mark.parametrize("status", [200, 401, 403, 429])
def test_the_structure_of_an_interstitial_counts_with_any_status(vendor: str, body: bytes, status: int) -> None:
    found = classify(status, [HTML], body)
    assert (found.kind, found.vendor) == ("challenge", vendor)
    assert classify(status, [], body).kind == "challenge"
    assert classify(status, [("content-type", "application/xhtml+xml")], body).kind == "challenge"


def test_each_structural_mark_is_found_with_a_status_of_success() -> None:
    found = {(verdict.vendor, verdict.mark) for _, body in STRUCTURAL if (verdict := classify(200, [HTML], body))}
    assert found == {(vendor, mark) for vendor, mark, _ in STRUCTURAL_MARKS}


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
    ("fastly", _page(title="Client Challenge")),
    ("datadome", _page(head='<meta http-equiv="refresh" content="0; url=https://geo.captcha-delivery.com/captcha/">')),
    ("datadome", _page(head='<link rel="preconnect" href="https://ct.captcha-delivery.com">')),
    ("perimeterx", _page(head='<meta name="description" content="px-captcha">')),
    ("perimeterx", _page('<div class="px-captcha-container"></div>')),
    ("perimeterx", _page('<script src="https://captcha.px-cloud.net/PX1/captcha.js?a=c"></script>')),
    ("qrator", _page('<script src="/__qrator/qauth.js"></script>' + WORDS[:400])),
    ("generic", _page(title="Checking your browser before accessing site.example")),
    ("generic", _page("Your activity on this site made us think that you are a bot.")),
    ("aws-waf", _page(title="Human Verification")),
    ("captcha", _page('<form id="captcha-form" action="index"><img src="/sorry/image"></form>')),
    ("captcha", _page('<script src="https://turing.captcha.qcloud.com/TCaptcha.js"></script>')),
    ("captcha", _page('<script src="https://smartcaptcha.yandexcloud.net/captcha.js"></script>')),
    ("captcha", _page('<div class="frc-captcha"></div>')),
    ("captcha", _page('<div class="smart-captcha" data-sitekey="k"></div>')),
    ("captcha", _page('<altcha-widget challengeurl="/c"></altcha-widget>')),
    ("captcha", _page('<script src="https://static.geetest.com/v4/gt4.js"></script>')),
    ("captcha", _page(_script("initGeetest4({captchaId: 'a'}, f)"))),
    ("captcha", _page('<script src="https://client-api.arkoselabs.com/v2/K/api.js"></script>')),
    ("captcha", _page(_script("grecaptcha.render('box', {sitekey: 'k'})"))),
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
    ('{"sec-cp-challenge": "true", "provider": "crypto"}', "akamai"),
]


@pytest.mark.parametrize(("body", "vendor"), JSON_BODIES)
def test_json_answers(body: str, vendor: str) -> None:
    assert classify(403, [JSON], body.encode()).vendor == vendor
    assert classify(428, [JSON], body.encode()).vendor == vendor
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
    (
        "an application behind the sensor of Imperva",
        _page('<div id="root"></div><script src="/_Incapsula_Resource?x"></script>'),
    ),
    ("an application with the tag of AWS WAF", _page('<div id="app"></div>' + _script("awsWafCookieDomainList=['a']"))),
    ("an application behind F5", _page('<app-root></app-root><script src="/TSPD/0?type=10"></script>')),
    (
        "the sensor of Imperva on a short page",
        _page('<script src="/_Incapsula_Resource?SWJIYLWA=1"></script><p>Open 9-17.</p>'),
    ),
    ("the script of F5 on a short page", _page('<p>Open 9-17.</p><script src="/TSPD/0?type=10"></script>')),
    ("the frame of StackPath beside text", _page('<iframe src="/sbbi/?sbbpg=sbbShell"></iframe>' + WORDS[:400])),
    (
        "a page in the styles of Anubis",
        _page("<p>Open.</p>", '<link rel="stylesheet" href="/.within.website/x/xess/a.css">'),
    ),
    (
        "an application with the sensor of Qrator",
        _page('<main></main><script src="/__qrator/qauth.js"></script><script src="/assets/shop.js"></script>'),
    ),
    ("the check of DDoS-Guard", _page('<script src="https://check.ddos-guard.net/check.js"></script><p>Open.</p>')),
    ("a captcha form of a shop", _page('<form action="/checkCaptcha"><input name="code"></form>')),
    ("a link to a bot check", _page('<a href="/.well-known/sgcaptcha/">What is this?</a>')),
    ("an address in a query", _page('<form action="/login?next=/errors/validateCaptcha"></form>')),
    ("an icon of SafeLine", _page("<h1>502</h1>", '<link rel="icon" href="/.safeline/static/favicon.png">')),
    ("a title of F5", _page("<p>Our request was turned down by the council.</p>", title="Request Rejected")),
    ("a thread on a message", _page("<p>What does this site made us think you are a bot mean?</p>")),
    (
        "data of an article",
        _page('<script type="application/json">{"md": "window._cf_chl_opt = {"}</script><p>An article.</p>'),
    ),
    (
        "JSON-LD",
        _page('<script type="application/ld+json">{"articleBody": "window.KPSDK = {}"}</script><p>An article.</p>'),
    ),
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
        (
            200, [HTML],
            _page("The requested URL was rejected. Please consult with your administrator.", title="Request Rejected"),
            Verdict("blocked", "f5", "Request Rejected"),
        ),
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


def test_of_tags_that_are_the_same_one_is_looked_at() -> None:
    """A page of 100,000 such tags costs what it costs to read them, and not that for each mark."""
    page = read_interstitial(b"<p id=a>" * 9 + b"<i id=a><p>" + b"<script>x</script>" * 2, most_words=400)
    assert page.tags == (("p", {"id": "a"}), ("i", {"id": "a"}), ("p", {}), ("script", {}))
    assert page.scripts == (b"x", b"x")


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 999),
    st.one_of(st.binary(max_size=100), st.lists(st.sampled_from(HOSTILE), max_size=20).map(b"".join)),
)
def test_any_answer_has_a_verdict(status: int, body: bytes) -> None:
    found = classify(status, [HTML], body)
    assert (found.mark is None) is (found.kind is None)
    assert found.kind is not None or status not in (401, 402, 403)
