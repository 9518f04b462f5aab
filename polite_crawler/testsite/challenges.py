"""Bot checks and firewall pages of the vendors, and ordinary pages that look like them. Minimal renderings of ours."""

from dataclasses import dataclass

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import HTML, Ask, respond
from polite_crawler.testsite.heads import Headers

BOT_CHECKS = Family("Challenges and what looks like one")
_WORDS = "<p>" + "A real article about many things in the town. " * 60 + "</p>"


@dataclass(frozen=True, slots=True)
class Check:
    """An answer of a bot check, or one that only looks like it."""

    does: str
    status: int
    body: str
    headers: Headers = ()
    type: str = HTML

    def answer(self, ask: Ask) -> bytes:
        """The answer on the wire."""
        return respond(ask, self.body, status=self.status, type=self.type, headers=self.headers)


def _page(title: str, body: str = "", head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


CHALLENGES: dict[str, Check] = {
    "cloudflare": Check("Cloudflare, by its header", 403, _page("Just a moment..."), (("cf-mitigated", "challenge"),)),
    "cloudflare-429": Check("Cloudflare with 429", 429, _page(""), (("cf-mitigated", "challenge"),)),
    "cloudflare-503": Check(
        "Cloudflare with 503 and Retry-After", 503, _page(""), (("cf-mitigated", "challenge"), ("Retry-After", "5"))
    ),
    "cloudflare-body": Check(
        "Cloudflare, by its script alone",
        503,
        _page("Just a moment...", "<script>window._cf_chl_opt = {cvId: '3'};</script>"),
    ),
    "cloudflare-title": Check("Cloudflare, by its title and status", 403, _page("Attention Required! | Cloudflare")),
    "aws": Check(
        "AWS WAF challenge",
        202,
        _page("", "<script>window.gokuProps = {};</script>"),
        (("x-amzn-waf-action", "challenge"),),
    ),
    "aws-captcha": Check("AWS WAF captcha", 405, _page("Human Verification"), (("x-amzn-waf-action", "captcha"),)),
    "aws-empty": Check("AWS WAF challenge without a body", 202, "", (("x-amzn-waf-action", "challenge"),)),
    "datadome": Check(
        "DataDome page", 403, _page("site", "<script>var dd={'cid':'A','host':'geo.captcha-delivery.com'}</script>")
    ),
    "datadome-header": Check("DataDome, by its header", 403, "{}", (("x-datadome", "challenge"),), "application/json"),
    "datadome-json": Check(
        "DataDome as JSON",
        403,
        '{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A"}',
        (),
        "application/json",
    ),
    "human": Check(
        "HUMAN (PerimeterX)",
        403,
        _page(
            "Access to this page has been denied.",
            '<div id="px-captcha"></div><script>window._pxAppId = "PXabc";</script>',
        ),
    ),
    "imperva": Check(
        "Imperva with status 200",
        200,
        _page("", '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31"></iframe>'),
    ),
    "imperva-pardon": Check("Imperva's apology", 200, _page("Pardon Our Interruption", "<p>You might be a bot.</p>")),
    "kasada": Check(
        "Kasada with 429",
        429,
        _page("", "<script>window.KPSDK={};KPSDK.now=function(){};</script>"),
        (("x-kpsdk-ct", "abc"),),
    ),
    "vercel": Check("Vercel", 403, _page("Vercel Security Checkpoint"), (("x-vercel-mitigated", "challenge"),)),
    "anubis": Check(
        "Anubis with status 200",
        200,
        _page(
            "Making sure you&#39;re not a bot!",
            '<a href="/honeypot" style="display:none">Do not follow</a>',
            '<script id="anubis_challenge" type="application/json">{"rules":{}}</script>',
        ),
    ),
    "sucuri": Check("Sucuri's cookie script", 307, _page("", "<script>sucuri_cloudproxy_js='';</script>")),
    "ddos-guard": Check("DDoS-Guard", 403, _page("DDoS-Guard", "Checking your browser before accessing")),
    "recaptcha": Check("reCAPTCHA as the page", 429, _page("", '<form><div class="g-recaptcha"></div></form>')),
    "hcaptcha": Check("hCaptcha as the page", 403, _page("", '<h1>One more step</h1><div class="h-captcha"></div>')),
    "turnstile": Check("Turnstile as the page", 403, _page("", '<div class="cf-turnstile"></div>')),
}

BLOCKS: dict[str, Check] = {
    "akamai": Check(
        "Akamai's refusal: blocked, nothing to solve",
        403,
        _page("Access Denied", "You do not have permission. Reference #18.2d351ab8.1557333295.a4e16ab"),
    ),
    "sucuri-block": Check(
        "Sucuri's refusal: blocked",
        403,
        _page("Sucuri WebSite Firewall - Access Denied"),
        (("x-sucuri-block", "EXPVULN"),),
    ),
    "login": Check("401 with a form", 401, _page("Log in", "<form></form>"), (("WWW-Authenticate", "Basic"),)),
    "pay": Check("402", 402, _page("Payment required")),
    "json": Check("403 as JSON", 403, '{"error":"forbidden"}', (), "application/json"),
}

ORDINARY: dict[str, Check] = {
    "turnstile-form": Check(
        "a contact page with a Turnstile widget",
        200,
        _page("Contact", '<h1>Contact</h1><form><div class="cf-turnstile"></div></form>'),
        (("cf-ray", "x"),),
    ),
    "recaptcha-login": Check(
        "a login form with reCAPTCHA", 200, _page("Log in", '<form><div class="g-recaptcha"></div></form>')
    ),
    "beacon": Check(
        "the beacon of Cloudflare on a short page",
        200,
        _page("Hours", "<p>Open 9-17.</p><script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';</script>"),
    ),
    "title": Check(
        "an article with the title of a challenge",
        200,
        _page("Just a moment... with the mayor", "<p>A short interview.</p>"),
    ),
    "code": Check(
        "documentation that shows the mark of Anubis",
        200,
        _page("Anubis", '<pre>&lt;script id="anubis_challenge"&gt; <script id="x"></script></pre>'),
    ),
    "comment": Check(
        "a mark inside a comment", 200, _page("Hello", "<p>Hello there.</p><!-- window._cf_chl_opt = {} -->")
    ),
    "cookies": Check(
        "the cookies of every vendor on a real page",
        200,
        _page("Shop", _WORDS),
        (("Set-Cookie", "datadome=x"), ("Set-Cookie", "_abck=y~-1~"), ("Set-Cookie", "cf_clearance=z")),
    ),
    "sensor": Check(
        "sensor scripts beside real text",
        200,
        _page(
            "Shop",
            _WORDS,
            '<script>window._pxAppId="PXabc";</script><script src="/_Incapsula_Resource?SWJIYLWA=1"></script>',
        ),
    ),
    "script": Check("a script file with the mark", 200, "window._cf_chl_opt={};", (), "application/javascript"),
    "busy": Check("429 without a check", 429, _page("Too many requests"), (("Retry-After", "30"),)),
    "down": Check("503 for maintenance", 503, _page("Down for maintenance"), (("Retry-After", "120"),)),
}

for _path, _checks in (("challenge", CHALLENGES), ("block", BLOCKS), ("ordinary", ORDINARY)):
    for _name, _check in _checks.items():
        BOT_CHECKS.add(f"/{_path}/{_name}", _check.does, _check.answer)


@BOT_CHECKS.route("/honeypot", "what only the hidden link of a challenge page names")
def honeypot(ask: Ask) -> bytes:
    return respond(ask, _page("Caught", "<p>Only a robot that follows hidden links comes here.</p>"))
