"""Challenge and refusal pages: which bot protection answered in place of the content.

In this order: (a) a header that a vendor sets on every challenge, with any status; (b) the structure of an
interstitial in a short page, with any status; (c) weak marks, only with a status that refuses; (d) a plain refusal.
A page about a vendor, a sensor script beside real text and a widget on a form are ordinary answers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polite_crawler.rules.interstitial import Interstitial, read_interstitial

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`challenge`: a bot check that we never try to solve. `blocked`: the site refuses (401, 403, and 402, which
    asks for money). None: an ordinary answer or an ordinary failure. `mark` says what told it."""

    kind: Literal["challenge", "blocked"] | None = None
    vendor: str | None = None
    mark: str | None = None


ORDINARY = Verdict()

REFUSING_STATUSES = frozenset({401, 403, 405, 406, 418, 429, 498, 503, 999})
"""With these a weak mark counts."""

LARGEST_INTERSTITIAL = 256 * 1024
"""Octets. A longer body is content, whatever script runs beside it."""

MOST_WORDS = 400
"""A page that shows as many words is content."""

NEAR_EMPTY = 30
"""Marks that ordinary pages carry too count only in a page with fewer visible words."""

WIDGET_WORDS = 150
"""A captcha widget is the page itself only beside fewer visible words."""

_DECISIVE: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("cf-mitigated", "cloudflare", lambda value: value == "challenge"),
    ("x-amzn-waf-action", "aws-waf", lambda value: value in ("challenge", "captcha")),
    ("x-vercel-mitigated", "vercel", lambda value: value == "challenge"),
    ("x-datadome", "datadome", lambda value: value not in ("", "protected")),
    ("x-dd-b", "datadome", lambda value: value not in ("", "0")),
    ("x-datadome-cid", "datadome", bool),
    ("x-kasada-challenge", "kasada", bool),
)

_Mark = tuple[str, str, Callable[[Interstitial], bool]]


def _script(pattern: bytes) -> Callable[[Interstitial], bool]:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: any(found(script) for script in page.scripts)


def _title(pattern: str) -> Callable[[Interstitial], bool]:
    found = re.compile(pattern, re.IGNORECASE).fullmatch
    return lambda page: bool(found(page.title))


def _text(pattern: bytes) -> Callable[[Interstitial], bool]:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: bool(found(page.text))


def _tag(name: str, **wanted: str) -> Callable[[Interstitial], bool]:
    """An element whose attributes match; the name is a pattern, `klass` one class of several."""
    named = re.compile(name).fullmatch
    patterns = {("class" if key == "klass" else key): re.compile(value, re.IGNORECASE) for key, value in wanted.items()}

    def has(attributes: Mapping[str, str], key: str, pattern: re.Pattern[str]) -> bool:
        value = attributes.get(key, "")
        return any(map(pattern.fullmatch, value.split())) if key == "class" else bool(pattern.match(value))

    return lambda page: any(
        named(tag) and all(has(attributes, key, pattern) for key, pattern in patterns.items())
        for tag, attributes in page.tags
    )


def _both(*checks: Callable[[Interstitial], bool]) -> Callable[[Interstitial], bool]:
    return lambda page: all(check(page) for check in checks)


def _near_empty(page: Interstitial) -> bool:
    return page.words < NEAR_EMPTY


_PX_ELEMENT = _tag(".*", id=r"px-captcha\Z")
_INCAPSULA = r"(?:https?://[^/]+)?/_Incapsula_Resource\b"

_STRUCTURAL: tuple[_Mark, ...] = (
    ("cloudflare", "window._cf_chl_opt", _script(rb"\b_cf_chl_opt\s*=(?!=)")),
    ("cloudflare", "challenge-platform orchestrate", _script(rb"/challenge-platform/[^\"'\s]{0,80}orchestrate/")),
    (
        "cloudflare", "challenge-platform orchestrate",
        _tag("script", src=r"[^?#]*/challenge-platform/[^?#]{0,80}orchestrate/"),
    ),
    ("cloudflare", "challenge-error-text", _tag(".*", id=r"challenge-error-text\Z")),
    ("anubis", "anubis_challenge", _tag("script", id=r"anubis_challenge\Z", type=r"application/json")),
    ("imperva", "Pardon Our Interruption", _title(r"Pardon Our Interruption[.…]*")),
    ("imperva", "_Incapsula_Resource frame", _tag("iframe", src=_INCAPSULA)),
    ("imperva", "_Incapsula_Resource script", _both(_near_empty, _tag("script", src=_INCAPSULA))),
    (
        "datadome", "geo.captcha-delivery.com",
        _script(rb"\bdd\s*=\s*\{[^{}]{0,2000}[\"']host[\"']\s*:\s*[\"']geo\.captcha-delivery\.com"),
    ),
    ("perimeterx", "_pxAppId and px-captcha", _both(_script(rb"\b_pxAppId\s*=(?!=)"), _PX_ELEMENT)),
    ("kasada", "KPSDK", _script(rb"\bwindow\.KPSDK\s*=(?!=)|\bKPSDK\.scriptStart\s*=(?!=)")),
    ("aws-waf", "gokuProps", _script(rb"\bgokuProps\s*=(?!=)")),
    (
        "aws-waf", "awsWafCookieDomainList",
        _both(_near_empty, _script(rb"\bawsWafCookieDomainList\s*=(?!=)")),
    ),
    ("sucuri", "sucuri_cloudproxy_js", _script(rb"sucuri_cloudproxy_js\s*=(?!=)")),
    ("ddos-guard", "title DDoS-Guard", _title("DDoS-Guard")),
)  # fmt: skip

# each structural mark holds one of these words as it stands, so an ordinary page is not taken apart
_WORDS_OF_MARKS = re.compile(
    rb"_cf_chl_opt|challenge-platform|challenge-error-text|anubis_challenge|Interruption|_Incapsula_Resource"
    rb"|captcha-delivery|_pxAppId|KPSDK|gokuProps|awsWafCookieDomainList|sucuri_cloudproxy_js|DDoS-Guard|\0",
    re.IGNORECASE,
)

_WIDGET = _tag(".*", klass=r"g-recaptcha|h-captcha|cf-turnstile")
_PASSWORD_FIELD = _tag("input", type=r"password\Z")


def _captcha_page(page: Interstitial) -> bool:
    """A widget as the page itself: beside more text or on a form with a password it only guards a form."""
    return page.words < WIDGET_WORDS and _WIDGET(page) and not _PASSWORD_FIELD(page)


_WEAK: tuple[_Mark, ...] = (
    ("cloudflare", "title Just a moment", _title(r"Just a moment(?:\.{3}|…)?")),
    ("cloudflare", "title Attention Required", _title(r"Attention Required! \| Cloudflare")),
    ("vercel", "title Vercel Security Checkpoint", _title(r"Vercel Security Checkpoint")),
    ("anubis", "title Making sure you're not a bot", _title(r"Making sure you(?:&#39;|&#x27;|'|’)re not a bot!?")),
    ("datadome", "captcha-delivery.com", _tag("script|iframe|link", src=r"(?:https?:)?//[^/]*captcha-delivery\.com")),
    ("datadome", "captcha-delivery.com", _script(rb"\bcaptcha-delivery\.com")),
    ("perimeterx", "px-captcha", _PX_ELEMENT),
    ("perimeterx", "px-captcha", _script(rb"px-captcha|perimeterx\.(?:com|net)/whywasiblocked")),
    ("perimeterx", "whywasiblocked", _tag("a", href=r"(?:https?:)?//[^/]*perimeterx\.(?:com|net)/whywasiblocked")),
    ("imperva", "_Incapsula_Resource", _tag("script|iframe", src=_INCAPSULA)),
    ("imperva", "Incapsula incident", _text(rb"Incapsula incident ID")),
    ("generic", "Checking your browser", _text(rb"Checking your browser before accessing")),
    ("captcha", "captcha widget", _captcha_page),
)  # fmt: skip
_JSON_MARKS = (
    ("datadome", "geo.captcha-delivery.com", rb'"url"\s*:\s*"https?:\\?/\\?/[a-z.-]*captcha-delivery\.com'),
    ("perimeterx", "appId", rb'"appId"\s*:\s*"PX'),
    ("perimeterx", "blockScript", rb'"blockScript"\s*:'),
)
_JSON = tuple((vendor, mark, re.compile(pattern, re.IGNORECASE)) for vendor, mark, pattern in _JSON_MARKS)

_BLOCKERS = (
    ("sucuri", "x-sucuri-block", lambda headers, body: "x-sucuri-block" in headers),
    ("akamai", "Reference #", lambda headers, body: b"Reference #" in body or b"Reference&#32;&#35;" in body),
    ("cloudflare", "error 1020", lambda headers, body: re.search(rb"error code: 1020|Error 1020|>1020<", body)),
)


def classify(status: int, headers: Headers, body: bytes) -> Verdict:
    """The verdict on one answer. `body` has its content coding removed. The time is linear in the body, of which at
    most 256 KiB are read."""
    fields: dict[str, str] = {}
    for name, value in headers:
        key = name.strip().lower()
        fields[key] = f"{fields[key]}, {value.strip()}" if key in fields else value.strip()
    for name, vendor, decides in _DECISIVE:
        if any(decides(value.strip().lower()) for value in fields.get(name, "").split(",")):
            return Verdict("challenge", vendor, f"{name}: {fields[name][:80]}")
    found = _challenge_body(status, fields.get("content-type", "").lower(), body)
    if found is not None:
        return Verdict("challenge", *found)
    if status in (401, 402, 403):
        head = body[:LARGEST_INTERSTITIAL]
        blocker = next(((vendor, mark) for vendor, mark, is_it in _BLOCKERS if is_it(fields, head)), None)
        return Verdict("blocked", *(blocker or (None, f"status {status}")))
    return ORDINARY


def _challenge_body(status: int, content_type: str, body: bytes) -> tuple[str, str] | None:
    if not body or len(body) > LARGEST_INTERSTITIAL:
        return None
    refuses = status in REFUSING_STATUSES
    if "json" in content_type:
        marks = ((vendor, mark) for vendor, mark, pattern in _JSON if refuses and pattern.search(body))
        return next(marks, None)
    if content_type and not content_type.startswith(("text/html", "application/xhtml")):
        return None
    if not refuses and not _WORDS_OF_MARKS.search(body):
        return None
    page = read_interstitial(body, most_words=MOST_WORDS)
    if page.words >= MOST_WORDS:
        return None
    rows = (*_STRUCTURAL, *_WEAK) if refuses else _STRUCTURAL
    return next(((vendor, mark) for vendor, mark, shows in rows if shows(page)), None)
