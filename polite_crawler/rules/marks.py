"""The marks of bot checks in a page: structures that only an interstitial has, and weak ones that need a refusal.

A mark is an element, an address of a vendor on the site itself, a title or a name that a script sets. Words of the
vendors, their cookies and their sensors are on ordinary pages too and are no marks.
"""

import re
from collections.abc import Callable, Mapping

from polite_crawler.rules.interstitial import Interstitial

NEAR_EMPTY = 30
"""Marks that ordinary pages carry too count only in a page with fewer visible words."""

WIDGET_WORDS = 150
"""A captcha widget is the page itself only beside fewer visible words."""

Check = Callable[[Interstitial], bool]
Mark = tuple[str, str, Check]
"""Vendor, mark, and whether a page shows it."""

_ADDRESSES = ("src", "href", "action", "content")


def _script(pattern: bytes) -> Check:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: any(found(script) for script in page.scripts)


def _title(pattern: str) -> Check:
    found = re.compile(pattern, re.IGNORECASE).fullmatch
    return lambda page: bool(found(page.title))


def _text(pattern: bytes) -> Check:
    """Words of the page or its title."""
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: bool(found(page.text) or found(page.title.encode()))


def _tag(element: str, /, **wanted: str) -> Check:
    """An element whose attributes match; `element` is a pattern, `klass` one class of several."""
    named = re.compile(element).fullmatch
    patterns = {("class" if key == "klass" else key): re.compile(value, re.IGNORECASE) for key, value in wanted.items()}

    def has(attributes: Mapping[str, str], key: str, pattern: re.Pattern[str]) -> bool:
        value = attributes.get(key, "")
        return any(map(pattern.fullmatch, value.split())) if key == "class" else bool(pattern.match(value))

    return lambda page: any(
        named(tag) and all(has(attributes, key, pattern) for key, pattern in patterns.items())
        for tag, attributes in page.tags
    )


def _address(path: str, elements: str = "script|iframe|form|link|meta") -> Check:
    """An element that loads, sends or turns to an address with this in front of its query."""
    named = re.compile(elements).fullmatch
    found = re.compile(f"[^?#]*{path}", re.IGNORECASE).match
    return lambda page: any(
        named(tag) and any(found(attributes[key]) for key in _ADDRESSES if key in attributes)
        for tag, attributes in page.tags
    )


def _both(*checks: Check) -> Check:
    return lambda page: all(check(page) for check in checks)


def _either(*checks: Check) -> Check:
    return lambda page: any(check(page) for check in checks)


_APPLICATION = _either(
    _tag(".*", id=r"(?:root|app|__next|__nuxt|___gatsby|q-app|app-root|react-root|application|main-app|svelte)\Z"),
    _tag("app-root|ion-app"),
)


def _alone(*checks: Check) -> Check:
    """One of the marks, in a page that shows almost nothing and is no empty application that scripts would fill."""
    found = _either(*checks)
    return lambda page: page.words < NEAR_EMPTY and found(page) and not _APPLICATION(page)


def _loads_only(src: str) -> Check:
    """No script of another address."""
    found = re.compile(f"[^?#]*{src}", re.IGNORECASE).match
    return lambda page: all(found(tag["src"]) for name, tag in page.tags if name == "script" and "src" in tag)


def _wordless(page: Interstitial) -> bool:
    return not page.text.strip()


_PX_ELEMENT = _tag(".*", id=r"px-captcha\Z")
_INCAPSULA = r"(?:https?://[^/]+)?/_Incapsula_Resource\b"
_INCAPSULA_SCRIPT = _tag("script", src=_INCAPSULA)
_INCAPSULA_ALONE = _both(_alone(_INCAPSULA_SCRIPT), _loads_only(r"/_Incapsula_Resource\b"))
_INCAPSULA_INCIDENT = _text(rb"Incapsula incident ID")
_SENSOR = r"\?SWJIYLWA="
"""The parameter of the script that Imperva puts into ordinary pages as well."""

_UNLISTED = _tag("meta", name=r"robots\Z", content=r"noindex")
_BOBCMN = _script(rb"[\"']bobcmn[\"']\]?\s*=(?!=)")
_THOUGHT_A_BOT = _text(rb"made us think (?:that )?you (?:are|were|might be|may be) a (?:ro)?bot\b")

STRUCTURAL: tuple[Mark, ...] = (
    ("cloudflare", "window._cf_chl_opt", _script(rb"\b_cf_chl_opt\s*=(?!=)")),
    ("cloudflare", "challenge-platform orchestrate", _script(rb"/challenge-platform/[^\"'\s]{0,80}orchestrate/")),
    ("cloudflare", "challenge-platform orchestrate", _address("/challenge-platform/[^?#]{0,80}orchestrate/", "script")),
    ("cloudflare", "challenge-error-text", _tag(".*", id=r"challenge-error-text\Z")),
    ("anubis", "anubis_challenge", _tag("script", id=r"anubis_challenge\Z", type=r"application/json")),
    ("anubis", "/.within.website/x/", _address(r"/\.within\.website/x/cmd/anubis/")),
    ("anubis", "/.within.website/x/", _both(_title("Oh noes!"), _address(r"/\.within\.website/x/xess/"))),
    ("anubis", "/.within.website/x/", _tag("img", src=r"/(?!/)[^?#]{0,200}\.within\.website/x/cmd/anubis/")),
    ("go-away", "/git/go-away/", _address(r"/\.well-known/\.git\.gammaspectra\.live/git/go-away/")),
    ("imperva", "Pardon Our Interruption", _title(r"Pardon Our Interruption[.…]*")),
    ("imperva", "Pardon Our Interruption", _both(_title(r"Pardon Our Interruption\b.*"), _THOUGHT_A_BOT)),
    ("imperva", "_Incapsula_Resource frame", _tag("iframe", src=_INCAPSULA)),
    ("imperva", "_Incapsula_Resource script", _alone(_tag("script", src=f"{_INCAPSULA}(?!{_SENSOR})"))),
    ("imperva", "_Incapsula_Resource script", _both(_either(_wordless, _UNLISTED), _INCAPSULA_ALONE)),
    ("imperva", "_Incapsula_Resource script", _both(_INCAPSULA_INCIDENT, _INCAPSULA_SCRIPT)),
    (
        "datadome", "geo.captcha-delivery.com",
        _script(rb"\bdd\s*=\s*\{[^{}]{0,2000}[\"']host[\"']\s*:\s*[\"']geo\.captcha-delivery\.com"),
    ),
    ("perimeterx", "_pxAppId and px-captcha", _both(_script(rb"\b_pxAppId\s*=(?!=)"), _PX_ELEMENT)),
    ("kasada", "KPSDK", _script(rb"\bwindow\.KPSDK\s*=(?!=)|\bKPSDK\.scriptStart\s*=(?!=)")),
    ("aws-waf", "gokuProps", _script(rb"\bgokuProps\s*=(?!=)")),
    ("aws-waf", "awsWafCookieDomainList", _alone(_script(rb"\bawsWafCookieDomainList\s*=(?!=)"))),
    ("akamai", "sec-if-cpt-container", _tag(".*", id=r"sec-if-cpt-container\Z|sec-cpt-if\Z")),
    ("akamai", "/_sec/cp_challenge/", _address("/_sec/cp_challenge/")),
    ("akamai", "bm-verify", _alone(_script(rb"\bbm-verify\b"), _tag("meta", content=r".*[?&]bm-verify="))),
    ("fastly", "/_fs-ch-", _address(r"/_fs-ch-[\w-]*/")),
    ("sucuri", "sucuri_cloudproxy_js", _script(rb"sucuri_cloudproxy_js\s*=(?!=)")),
    ("ddos-guard", "title DDoS-Guard", _title("DDoS-Guard")),
    ("ddos-guard", "js-challenge", _address(r"/\.well-known/ddos-guard/(?:js-challenge|ddg-captcha-page)/")),
    ("qrator", "/__qrator/qauth", _both(_alone(_address("/__qrator/qauth", "script")), _loads_only("/__qrator/"))),
    ("f5", "TSPD", _both(_wordless, _alone(_BOBCMN, _address("/TSPD/", "script")), _loads_only("/TSPD/"))),
    ("reblaze", "rbzns", _alone(_script(rb"\brbzns\s*=(?!=)"))),
    ("stackpath", "sbbShell", _alone(_script(rb"\bsbbpg=sbbShell\b"), _tag("iframe", src=r".*\?sbbpg=sbbShell\b"))),
    ("radware", "title Radware Captcha Page", _title("Radware Captcha Page")),
    ("siteground", "sgcaptcha", _address(r"/\.well-known/(?:sg)?captcha/", "meta")),
    ("litespeed", "/.lsrecap/recaptcha", _address(r"/\.lsrecap/recaptcha", "form")),
    ("imunify360", "wsidchk", _either(_alone(_script(rb"\bwsidchk\b")), _tag("form", id=r"wsidchk-form\Z"))),
    ("bunny", "/.bunny-shield/", _address(r"/\.bunny-shield/[^?#]{0,80}challenge", "script")),
    ("alibaba", "acw_sc__v2", _alone(_script(rb"\bacw_sc__v2\b"))),
    ("alibaba", "punish", _alone(_script(rb"/_____tmd_____/punish\b"), _address("/_____tmd_____/punish"))),
    ("testcookie", "slowAES", _alone(_script(rb"\bslowAES\.decrypt\("))),
    ("yandex", "checkcaptcha", _tag("form", action=r"[^?#]*/checkcaptcha(?:\?key=|fast\?)")),
    ("baidu", "title", _title("百度安全验证")),
    ("amazon", "validateCaptcha", _address("/errors/validateCaptcha", "form")),
)  # fmt: skip
"""Each counts with any status in a page with few words."""

_WORDS_OF_MARKS = (
    b"_cf_chl_opt", b"challenge-platform", b"challenge-error-text", b"anubis", b"gammaspectra", b"interruption",
    b"_incapsula_resource", b"captcha-delivery", b"_pxappid", b"kpsdk", b"gokuprops", b"awswafcookiedomainlist",
    b"sec-if-cpt", b"sec-cpt-if", b"cp_challenge", b"bm-verify", b"_fs-ch-", b"sucuri_cloudproxy_js", b"ddos-guard",
    b"__qrator", b"tspd", b"bobcmn", b"rbzns", b"sbbshell", b"radware", b"/sgcaptcha", b"known/captcha", b"lsrecap",
    b"wsidchk", b"bunny-shield", b"acw_sc__v2", b"_____tmd_____", b"slowaes", b"checkcaptcha", b"validatecaptcha",
    b"within.website", b"request rejected", "百度安全".encode(), b"\0",
)  # fmt: skip


def may_hold_marks(body: bytes) -> bool:
    """Whether an octet string holds a word of any mark that counts with any status, so that an ordinary page is not
    taken apart. A page with NULs can be UTF-16."""
    lower = body.lower()
    return any(word in lower for word in _WORDS_OF_MARKS)


_WIDGET = _either(
    _tag(".*", klass=r"g-recaptcha|h-captcha|cf-turnstile|frc-captcha|smart-captcha|procaptcha|mtcaptcha"),
    _tag("altcha-widget|cap-widget"),
    _tag("form", id=r"captcha-form\Z"),
    _address(r"//[^/]*\b(?:geetest|arkoselabs|funcaptcha)\.com/", "script|iframe"),
    _address(r"//[^/]*\bcaptcha\.(?:awswaf|qcloud|qq|gtimg)\.com/", "script|iframe"),
    _address(r"//[^/]*\bsmartcaptcha\.(?:yandexcloud\.net|cloud\.yandex\.\w+)/", "script|iframe"),
    _script(rb"\b(?:grecaptcha(?:\.enterprise)?|hcaptcha|turnstile|smartCaptcha)\.render\(|\binitGeetest4?\("),
)
_PASSWORD_FIELD = _tag("input", type=r"password\Z")


def _captcha_page(page: Interstitial) -> bool:
    """A widget as the page itself: beside more text or on a form with a password it only guards a form."""
    return page.words < WIDGET_WORDS and _WIDGET(page) and not _PASSWORD_FIELD(page)


WEAK: tuple[Mark, ...] = (
    ("cloudflare", "title Just a moment", _title(r"Just a moment(?:\.{3}|…)?")),
    ("cloudflare", "title Attention Required", _title(r"Attention Required! \| Cloudflare")),
    ("vercel", "title Vercel Security Checkpoint", _title(r"Vercel Security Checkpoint")),
    ("aws-waf", "title Human Verification", _title(r"Human Verification")),
    ("fastly", "title Client Challenge", _title(r"Client Challenge")),
    ("anubis", "title Making sure you're not a bot", _title(r"Making sure you(?:&#39;|&#x27;|'|’)re not a bot!?")),
    ("datadome", "captcha-delivery.com", _address(r"//[^/?#]*\bcaptcha-delivery\.com")),
    ("datadome", "captcha-delivery.com", _script(rb"\bcaptcha-delivery\.com")),
    ("perimeterx", "px-captcha", _either(_PX_ELEMENT, _tag("meta", content=r"px-captcha\Z"))),
    ("perimeterx", "px-captcha", _tag(".*", klass=r"px-captcha[\w-]*")),
    ("perimeterx", "px-captcha", _script(rb"px-captcha|perimeterx\.(?:com|net)/whywasiblocked")),
    ("perimeterx", "captcha.js", _address(r"//captcha\.px-(?:cdn|cloud)\.net/", "script")),
    ("perimeterx", "whywasiblocked", _tag("a", href=r"(?:https?:)?//[^/]*perimeterx\.(?:com|net)/whywasiblocked")),
    ("imperva", "_Incapsula_Resource", _tag("script|iframe", src=_INCAPSULA)),
    ("imperva", "Incapsula incident", _INCAPSULA_INCIDENT),
    ("qrator", "/__qrator/qauth", _address(r"/__qrator/qauth", "script")),
    ("generic", "Checking your browser", _text(rb"Checking your browser before accessing")),
    ("generic", "made us think you are a bot", _THOUGHT_A_BOT),
    ("captcha", "captcha widget", _captcha_page),
)  # fmt: skip
"""Each counts only with a status that refuses."""

_REJECTED = rb"The requested URL was rejected\. Please consult with your administrator"

REFUSALS: tuple[Mark, ...] = (("f5", "Request Rejected", _both(_title("Request Rejected"), _text(_REJECTED))),)
"""Pages of firewalls that refuse with any status: nothing is there to solve."""

_JSON_MARKS = (
    ("datadome", "geo.captcha-delivery.com", rb'"url"\s*:\s*"https?:\\?/\\?/[a-z.-]*captcha-delivery\.com'),
    ("perimeterx", "appId", rb'"appId"\s*:\s*"PX'),
    ("perimeterx", "blockScript", rb'"blockScript"\s*:'),
    ("akamai", "sec-cp-challenge", rb'"sec-cp-challenge"\s*:\s*"?true'),
)
JSON_MARKS = tuple((vendor, mark, re.compile(pattern, re.IGNORECASE)) for vendor, mark, pattern in _JSON_MARKS)
"""What a refusal in JSON holds."""
