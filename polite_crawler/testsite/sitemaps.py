"""Sitemaps of every form, right and wrong."""

from collections.abc import Callable, Iterable
from html import escape

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.encoders import gzip_members, gzipped
from polite_crawler.testsite.exchange import Ask, Reply, respond
from polite_crawler.testsite.prose import NOTES, TONGUES
from polite_crawler.testsite.streams import bomb, steps

SITEMAPS = Family("Sitemaps")
XML = "application/xml"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def urlset(entries: Iterable[str], *, extra: str = "") -> str:
    """A sitemap around `<url>` elements."""
    return f'{_DECLARATION}<urlset xmlns="{NAMESPACE}"{extra}>\n' + "\n".join(entries) + "\n</urlset>\n"


def entry(url: str, inside: str = "") -> str:
    """One `<url>` element."""
    return f"<url><loc>{escape(url)}</loc>{inside}</url>"


def index(sitemaps: Iterable[tuple[str, str]]) -> str:
    """A sitemap index of (URL, lastmod)."""
    rows = (f"<sitemap><loc>{url}</loc><lastmod>{day}</lastmod></sitemap>" for url, day in sitemaps)
    return f'{_DECLARATION}<sitemapindex xmlns="{NAMESPACE}">' + "".join(rows) + "</sitemapindex>"


def _site(ask: Ask) -> str:
    paths = ["/", "/notes/", "/visit", "/about", "/tables"]
    paths += [f"/notes/{n}" for n in range(1, len(NOTES) + 1)] + [f"/languages/{one.code}" for one in TONGUES]
    days = (f"2026-10-{1 + n % 28:02}" for n in range(len(paths)))
    return urlset(
        entry(ask.origin + path, f"<lastmod>{day}</lastmod><changefreq>weekly</changefreq>")
        for path, day in zip(paths, days, strict=True)
    )


@SITEMAPS.route("/sitemap.xml", "every page of the little site, with lastmod and changefreq")
def sitemap(ask: Ask) -> bytes:
    return respond(ask, _site(ask), type=XML)


def _two(ask: Ask) -> list[str]:
    return [entry(f"{ask.origin}/p/{n}") for n in (1, 2)]


Body = Callable[[Ask], str | bytes]


def _index(ask: Ask) -> str:
    days = ("2025-01-01", "2026-10-01", "2026-03-01")
    return index((f"{ask.origin}/sitemaps/part-{n}", day) for n, day in enumerate(days, start=1))


def _part(number: int) -> Body:
    return lambda ask: urlset(entry(f"{ask.origin}/p/{10 * number + n}") for n in range(3))


def _nested(ask: Ask) -> str:
    return index([(f"{ask.origin}/sitemaps/index", "2026-10-01"), (f"{ask.origin}/sitemaps/nested", "2026-10-02")])


def _entities(ask: Ask) -> str:
    doctype = '<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c '
    doctype += '"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY file SYSTEM "file:///etc/passwd">]>'
    entries = [*_two(ask), "<url><loc>&c;&file;</loc></url>"]
    return urlset(entries).replace(_DECLARATION, _DECLARATION + doctype)


def _hreflang(ask: Ask) -> str:
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang="{one.code}" href="{ask.origin}/languages/{one.code}"/>'
        for one in TONGUES
    )
    return urlset(
        [entry(f"{ask.origin}/languages/de", alternates)], extra=' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    )


def _extensions(ask: Ask) -> str:
    inside = (
        "<image:image><image:loc>http://img.example/1.png</image:loc></image:image>"
        "<news:news><news:title>News</news:title><news:publication_date>2026-10-01</news:publication_date></news:news>"
    )
    spaces = (
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
        ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    )
    return urlset([entry(f"{ask.origin}/p/1", inside)], extra=spaces)


_DATES = (
    "2026",
    "2026-10",
    "2026-10-05",
    "2026-10-05T08:00Z",
    "2026-10-05T08:00:00+02:00",
    "2026-10-05 08:00:00",
    "2026-10-05T08:00:00.123Z",
    "05.10.2026",
    "Mon, 05 Oct 2026 08:00:00 GMT",
    "yesterday",
    "2026-13-45",
    "",
)

BODIES: dict[str, tuple[str, Body, str]] = {
    "index": ("an index of three sitemaps, the newest in the middle", _index, XML),
    "part-1": ("a part of the index: /p/10 to /p/12", _part(1), XML),
    "part-2": ("a part of the index: /p/20 to /p/22", _part(2), XML),
    "part-3": ("a part of the index: /p/30 to /p/32", _part(3), XML),
    "nested": ("an index that names an index, and itself", _nested, XML),
    "gzip": (
        "a compressed sitemap without Content-Encoding",
        lambda ask: gzipped(_site(ask).encode()),
        "application/x-gzip",
    ),
    "gzip-members": (
        "two gzip members, cut inside an element",
        lambda ask: gzip_members(_site(ask)[:700].encode(), _site(ask)[700:].encode()),
        "application/gzip",
    ),
    "not-gzip.xml.gz": ("a plain sitemap that is called .gz", _site, "application/gzip"),
    "gzip-text": ("a compressed text sitemap", lambda ask: gzipped(f"{ask.origin}/p/1\n".encode()), "application/gzip"),
    "gzip-cut": (
        "the first half of a compressed sitemap",
        lambda ask: gzipped(_site(ask).encode())[:300],
        "application/gzip",
    ),
    "text": (
        "a text sitemap with a mark, CRLF, blank lines and a bad line",
        lambda ask: f"\ufeff{ask.origin}/p/1\r\n\r\n{ask.origin}/p/2\r\nno url\r\n",
        "text/plain",
    ),
    "cdata": (
        "CDATA and white space around the URLs",
        lambda ask: urlset([f"<url><loc>\n <![CDATA[{ask.origin}/p/1?a=1&b=2]]> \n</loc></url>"]),
        XML,
    ),
    "no-namespace": ("no namespace", lambda ask: urlset(_two(ask)).replace(f' xmlns="{NAMESPACE}"', ""), XML),
    "wrong-namespace": ("another namespace", lambda ask: urlset(_two(ask)).replace("0.9", "0.84"), XML),
    "prefixed": (
        "a prefix on every element",
        lambda ask: f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>{ask.origin}/p/1</s:loc></s:url></s:urlset>',
        XML,
    ),
    "space-first": ("white space before the XML declaration", lambda ask: "\n \n" + urlset(_two(ask)), XML),
    "mark": ("a UTF-8 mark", lambda ask: "\ufeff" + urlset(_two(ask)), XML),
    "utf-16": ("UTF-16", lambda ask: urlset(_two(ask)).replace("UTF-8", "UTF-16").encode("utf-16"), XML),
    "latin-1": (
        "ISO-8859-1 with a letter that is not ASCII",
        lambda ask: urlset([entry(ask.origin + "/caf\u00e9")]).replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        XML,
    ),
    "ampersand": ("bare ampersands", lambda ask: urlset([f"<url><loc>{ask.origin}/p/1?a=1&b=2</loc></url>"]), XML),
    "cut": ("ends in the middle of an element", lambda ask: _site(ask)[:900], XML),
    "html": ("a page in place of a sitemap", lambda ask: "<!doctype html><title>Oops</title>", "text/html"),
    "html-type": ("a sitemap labelled text/html", lambda ask: urlset(_two(ask)), "text/html"),
    "empty": ("nothing", lambda ask: b"", XML),
    "no-entries": ("a sitemap without a URL", lambda ask: urlset([]), XML),
    "entities": ("a document type with entities that multiply and one that reads a file", _entities, XML),
    "deep": (
        "elements 5,000 deep",
        lambda ask: urlset([entry(ask.origin + "/p/1"), "<a>" * 5000 + "</a>" * 5000]),
        XML,
    ),
    "long-value": (
        "a URL of 10,000 characters",
        lambda ask: urlset([entry(ask.origin + "/" + "x" * 10_000), *_two(ask)]),
        XML,
    ),
    "offsite": (
        "URLs of another host, of another scheme and of no host",
        lambda ask: urlset(
            [entry(ask.other() + "/p/1"), entry("ftp://host/x"), entry("/p/2"), entry("http://10.0.0.1/"), *_two(ask)]
        ),
        XML,
    ),
    "twice": (
        "the same URL in many spellings",
        lambda ask: urlset([entry(ask.origin + path) for path in ("/p/1", "/p/1#a", "/p/1?utm_source=x", "/./p/1")]),
        XML,
    ),
    "hreflang": ("alternates in other languages", _hreflang, XML),
    "extensions": ("image and news extensions", _extensions, XML),
    "dates": (
        "lastmod in twelve forms",
        lambda ask: urlset(entry(f"{ask.origin}/p/{n}", f"<lastmod>{day}</lastmod>") for n, day in enumerate(_DATES)),
        XML,
    ),
}


def _add(name: str) -> None:
    does, body, type = BODIES[name]
    SITEMAPS.add(f"/sitemaps/{name}", does, lambda ask: respond(ask, body(ask), type=type))


for _name in BODIES:
    _add(_name)


@SITEMAPS.route("/sitemaps/many?n=50001", "`n` URLs")
def many(ask: Ask) -> bytes:
    count = min(ask.count("n", 50_001), 200_000)
    return respond(ask, urlset(entry(f"{ask.origin}/p/{n}") for n in range(count)), type=XML)


@SITEMAPS.route("/sitemaps/bomb", "1 GiB of the letter a in 1 MB of gzip")
def sitemap_bomb(ask: Ask) -> Reply:
    return steps(bomb("gzip", 1 << 30), XML, "gzip")


@SITEMAPS.route("/sitemaps/broken-parts", "an index whose parts answer 404, 503, and never")
def broken_parts(ask: Ask) -> bytes:
    paths = ("/status/404", "/status/503", "/stall/head", "/sitemaps/part-1")
    return respond(ask, index((ask.origin + path, "2026-10-01") for path in paths), type=XML)
