"""Usage signals: what a page asks of those that read it."""

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.heads import Headers
from polite_crawler.testsite.pages import links, page

SIGNALS = Family("Usage signals")
_TEXT = "<p>The text of a page that says how it may be used.</p>"

KINDS: dict[str, tuple[str, Headers, str]] = {
    "ai-input-no": ("Content-Signal: ai-input=no", (("Content-Signal", "search=yes, ai-input=no"),), ""),
    "ai-input-yes": ("Content-Signal: ai-input=yes", (("Content-Signal", "ai-input=yes"),), ""),
    "ai-input-odd": (
        "Content-Signal with ; and other spelling",
        (("content-signal", "search=yes; AI_Input = NO"),),
        "",
    ),
    "ai-input-twice": (
        "two Content-Signal headers, yes and no",
        (("Content-Signal", "ai-input=yes"), ("Content-Signal", "ai-input=no")),
        "",
    ),
    "ai-train-no": ("Content-Signal: ai-train=no", (("Content-Signal", "ai-train=no"),), ""),
    "use-immediate": ("Content-Signal: use=immediate", (("Content-Signal", "use=immediate"),), ""),
    "use-reference": ("Content-Signal: use=reference", (("Content-Signal", "use=reference"),), ""),
    "content-usage": ("Content-Usage: train-ai=n", (("Content-Usage", "train-ai=n"),), ""),
    "noai-header": ("X-Robots-Tag: noai", (("X-Robots-Tag", "noai, noimageai"),), ""),
    "noai-meta": ("meta robots noai", (), '<meta name="robots" content="noai">'),
    "noai-other-bot": ("X-Robots-Tag: noai for another bot", (("X-Robots-Tag", "OtherBot: noai"),), ""),
    "noai-us": ("X-Robots-Tag: noai for PoliteCrawler", (("X-Robots-Tag", "PoliteCrawler: noai"),), ""),
    "noindex": ("meta robots noindex, noarchive", (), '<meta name="robots" content="noindex,noarchive">'),
    "nofollow": ("meta robots nofollow", (), '<meta name="robots" content="nofollow">'),
    "nofollow-header": ("X-Robots-Tag: nofollow", (("X-Robots-Tag", "nofollow"),), ""),
    "rsl": (
        "an RSL license by Link header",
        (("Link", '</license.xml>; rel="license"; type="application/rsl+xml"'),),
        "",
    ),
    "tdm": (
        "tdm-reservation and tdm-policy",
        (("tdm-reservation", "1"), ("tdm-policy", "https://rights.example/tdm.json")),
        "",
    ),
    "tdm-meta": ("tdm-reservation in a meta element", (), '<meta name="tdm-reservation" content="1">'),
}


def _add(name: str) -> None:
    does, headers, inside = KINDS[name]

    def answer(ask: Ask) -> bytes:
        body = _TEXT + links([(f"/signals/linked/{name}", "A page behind it")])
        return respond(ask, page(f"Signal {name}", body, head=inside), headers=headers)

    SIGNALS.add(f"/signals/{name}", does + "; links to /signals/linked/" + name, answer)


for _name in KINDS:
    _add(_name)


@SIGNALS.route("/signals/linked/{name}", "an ordinary page that only the page with this signal links to")
def linked(ask: Ask) -> bytes:
    return respond(ask, page(f"Behind {ask.rest}", "<p>Linked.</p>"))


@SIGNALS.route("/signals-turn/{n}", "ai-input=no in the first N answers, then no signal")
def turn(ask: Ask) -> bytes:
    before = ask.visits()
    headers: Headers = (("Content-Signal", "ai-input=no"),) if before < ask.rest_number else ()
    return respond(ask, page("A page that changes its mind", f"<p>Answer {before + 1}.</p>"), headers=headers)


@SIGNALS.route("/.well-known/tdmrep.json", "a TDMRep file that reserves /signals/")
def tdmrep(ask: Ask) -> bytes:
    return respond(ask, '[{"location": "/signals/*", "tdm-reservation": 1}]', type="application/json")
