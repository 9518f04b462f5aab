"""The little site: what a crawl of `/` finds. Linked, deterministic, and polite to read."""

import json
from collections.abc import Iterable
from html import escape

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.documents import pdf, png
from polite_crawler.testsite.exchange import Ask, Reply, later, respond
from polite_crawler.testsite.prose import NOTES, TONGUES

PAGES = Family("The little site")
MODIFIED = "Mon, 05 Oct 2026 08:00:00 GMT"
_NAV = (("/", "Home"), ("/notes/", "Notes"), ("/languages/", "Languages"), ("/visit", "Visit"), ("/about", "About"))
_FILL = b"lorem ipsum dolor sit amet " * 70


def page(title: str, body: str, *, head: str = "", lang: str = "en", direction: str = "ltr") -> str:
    """A whole HTML page with the navigation of the site."""
    nav = " ".join(f'<a href="{path}">{name}</a>' for path, name in _NAV)
    return (
        f'<!doctype html>\n<html lang="{lang}" dir="{direction}">\n<head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>{head}</head>\n<body>\n<nav>{nav}</nav>\n<main>\n<h1>{escape(title)}</h1>\n"
        f"{body}\n</main>\n<footer><p>Harbour Almanac, a site that does not exist.</p></footer>\n</body>\n</html>\n"
    )


def paragraphs(texts: Iterable[str]) -> str:
    """Paragraphs of plain text."""
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def links(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of links (href, text)."""
    return (
        "<ul>\n"
        + "\n".join(f'<li><a href="{escape(href)}">{escape(text)}</a></li>' for href, text in pairs)
        + "\n</ul>"
    )


def json_ld(value: object) -> str:
    """A block of linked data."""
    return f'<script type="application/ld+json">{json.dumps(value, ensure_ascii=False)}</script>'


def canonical(href: str) -> str:
    """The link element that names the canonical URL."""
    return f'<link rel="canonical" href="{escape(href)}">'


def html(ask: Ask, text: str) -> bytes:
    """A page that says when it was changed."""
    return respond(ask, text, headers=(("Last-Modified", MODIFIED),))


@PAGES.route("/", "home: links with nofollow, tracking parameters, fragments, a disallowed path, a picture and a PDF")
def home(ask: Ask) -> bytes:
    body = (
        "<p>The Harbour Almanac collects what is known about a small harbour: its tides, its bells and its bread.</p>"
        + links(
            (
                ("/notes/", "All notes"),
                ("/notes/1?utm_source=home&utm_medium=list", "The lighthouse on the north rock"),
                ("/notes/3#bell", "Bells in fog"),
                ("/languages/", "The almanac in other languages"),
                ("/visit", "Visit the library"),
                ("/shop/lamp", "A lamp to buy"),
                ("/tables", "Tide table"),
                ("/hidden", "What a reader does not see"),
                ("/almanac.pdf", "The almanac as PDF"),
                ("/private/diary", "The diary of the harbour master"),
            )
        )
        + '<p><a rel="nofollow" href="/nofollow/draft">A draft that nobody should follow</a></p>'
        '<p><a href="/about"><img src="/picture.png" alt="About the almanac"></a></p>'
    )
    site = {"@context": "https://schema.org", "@type": "WebSite", "name": "Harbour Almanac", "url": ask.origin + "/"}
    feed = '<link rel="alternate" type="application/rss+xml" title="Notes" href="/feeds/rss">'
    return html(ask, page("Harbour Almanac", body, head=canonical("/") + feed + json_ld(site)))


@PAGES.route("/notes/", "the list of the notes")
def notes(ask: Ask) -> bytes:
    pairs = [(f"/notes/{number}", note.title) for number, note in enumerate(NOTES, start=1)]
    return html(ask, page("Notes", links(pairs), head=canonical("/notes/")))


@PAGES.route("/notes/{n}", f"note 1 to {len(NOTES)}: prose, canonical, JSON-LD Article, links to its neighbours")
def note(ask: Ask) -> bytes:
    number = ask.rest_number
    if not 1 <= number <= len(NOTES):
        return respond(ask, page("No such note", "<p>The almanac has no note with this number.</p>"), status=404)
    found = NOTES[number - 1]
    article = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": found.title,
        "datePublished": f"2026-0{1 + number % 9}-1{number % 9}",
        "author": {"@type": "Person", "name": "The harbour master"},
    }
    around = [(f"/notes/{n}", NOTES[n - 1].title) for n in (number - 1, number + 1) if 1 <= n <= len(NOTES)]
    head = canonical(f"/notes/{number}") + f'<meta name="description" content="{escape(found.title)}">'
    return html(ask, page(found.title, paragraphs(found.paragraphs) + links(around), head=head + json_ld(article)))


@PAGES.route("/languages/", "the list of the pages in other scripts")
def languages(ask: Ask) -> bytes:
    pairs = [(f"/languages/{tongue.code}", tongue.name) for tongue in TONGUES]
    return html(ask, page("Languages", links(pairs), head=canonical("/languages/")))


@PAGES.route("/languages/{code}", "a page in " + ", ".join(tongue.code for tongue in TONGUES))
def language(ask: Ask) -> bytes:
    found = next((tongue for tongue in TONGUES if tongue.code == ask.rest), None)
    if found is None:
        return respond(ask, page("No such language", "<p>Not spoken here.</p>"), status=404)
    alternates = "".join(
        f'<link rel="alternate" hreflang="{one.code}" href="/languages/{one.code}">' for one in TONGUES
    )
    text = page(found.title, paragraphs(found.paragraphs), head=alternates, lang=found.code, direction=found.direction)
    return html(ask, text)


@PAGES.route("/about", "a short page with a link that has a fragment and an address to write to")
def about(ask: Ask) -> bytes:
    body = (
        "<p>The almanac is written by three people who live within sight of the water.</p>"
        '<p>Write to <a href="mailto:almanac@harbour.example">almanac@harbour.example</a> '
        'or call <a href="tel:+15550100">+1 555 0100</a>.</p><p><a href="/about#who">Who we are</a></p>'
        '<h2 id="who">Who we are</h2><p>A keeper, a teacher and a baker.</p>'
    )
    return html(ask, page("About the almanac", body, head=canonical("/about")))


@PAGES.route("/visit", "opening hours as a table and as JSON-LD")
def visit(ask: Ask) -> bytes:
    rows = (("Monday", "closed"), ("Tuesday to Friday", "10:00 to 18:00"), ("Saturday", "10:00 to 14:00"))
    table = "".join(f"<tr><th>{day}</th><td>{hours}</td></tr>" for day, hours in rows)
    place = {
        "@context": "https://schema.org",
        "@type": "Library",
        "name": "Harbour Library",
        "telephone": "+1 555 0100",
        "address": {"@type": "PostalAddress", "streetAddress": "3 Salt Store Quay", "addressLocality": "Harbour"},
        "openingHours": ["Tu-Fr 10:00-18:00", "Sa 10:00-14:00"],
    }
    body = f"<p>The library stands at 3 Salt Store Quay.</p><table>{table}</table>"
    return html(ask, page("Visit the library", body, head=canonical("/visit") + json_ld(place)))


@PAGES.route("/shop/lamp", "a product with price and availability in JSON-LD")
def lamp(ask: Ask) -> bytes:
    product = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": "Storm lamp",
        "sku": "LAMP-4",
        "brand": {"@type": "Brand", "name": "Harbour Works"},
        "offers": {
            "@type": "Offer",
            "price": "39.90",
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
        },
    }
    body = "<p>A storm lamp of brass. 39.90 EUR, in stock.</p>"
    return html(ask, page("Storm lamp", body, head=canonical("/shop/lamp") + json_ld(product)))


@PAGES.route("/tables", "a table with header cells, and one inside another")
def tables(ask: Ask) -> bytes:
    rows = "".join(
        f"<tr><td>{day} October</td><td>{2 + day % 9}:{10 + day:02}</td><td>{3 + day % 3}.{day % 10} m</td></tr>"
        for day in range(1, 32)
    )
    body = (
        f"<table><caption>High water</caption><tr><th>Day</th><th>Time</th><th>Height</th></tr>{rows}</table>"
        "<table><tr><td>outer</td><td><table><tr><td>inner</td></tr></table></td></tr></table>"
    )
    return html(ask, page("Tide table for October", body, head=canonical("/tables")))


@PAGES.route("/hidden", "text that is hidden in every way, each with a word that begins with `hidden` or `shown`")
def hidden(ask: Ask) -> bytes:
    body = (
        '<p>shownplain</p><p style="display:none">hiddendisplay</p><p hidden>hiddenattribute</p>'
        '<div style="display: none"><p>hiddenparent</p></div><p aria-hidden="true">hiddenaria</p>'
        '<p style="font-size:0">hiddenzero <span style="font-size:16px">shownspan</span></p>'
        "<!-- hiddencomment --><script>var a = 'hiddenscript';</script><style>.a::before{content:'hiddenstyle'}</style>"
        "<template><p>hiddentemplate</p></template><noscript><p>hiddennoscript</p></noscript>"
        '<dialog><p>hiddendialog</p></dialog><p style="visibility:hidden">shownvisibility</p>'
        '<p style="position:absolute;left:-9999px">shownoffscreen</p><p hidden="until-found">shownuntilfound</p>'
        "<details><summary>shownsummary</summary><p>showndetails</p></details><textarea>showntextarea</textarea>"
        '<p><ruby>図書館<rt>hiddenruby</rt></ruby></p><input value="hiddenvalue"><p>shown&shy;soft</p>'
    )
    return html(ask, page("What a reader does not see", body, head=canonical("/hidden")))


@PAGES.route("/private/{path}", "pages that robots.txt of the site disallows")
def private(ask: Ask) -> bytes:
    return html(ask, page("The diary of the harbour master", "<p>Nobody should have read this.</p>"))


@PAGES.route("/nofollow/{path}", "pages that only a link with rel=nofollow names")
def nofollow(ask: Ask) -> bytes:
    return html(ask, page("A draft", "<p>Not finished.</p>"))


@PAGES.route("/picture.png", "a picture (PNG)")
def picture(ask: Ask) -> bytes:
    return respond(ask, png(), type="image/png")


@PAGES.route("/almanac.pdf", "a PDF of two pages")
def almanac(ask: Ask) -> bytes:
    lines = (
        ("The Harbour Almanac", "This almanac is printed once a year and corrected every day."),
        ("Tides", "High water comes every twelve hours and twenty-five minutes."),
    )
    return respond(ask, pdf(lines, "The Harbour Almanac"), type="application/pdf")


@PAGES.route("/p/{n}?d=0", "page N of an endless chain: 2 KB, a link to N + 1, an answer after `d` seconds")
def chain(ask: Ask) -> Reply:
    number = ask.rest_number
    body = b'<html><head><title>p%d</title></head><body><a href="/p/%d">n</a><p>%s</p></body></html>'
    return later(ask.number("d", 0), respond(ask, body % (number, number + 1, _FILL)))


@PAGES.route("/tree/{n}?size=40", "page N of a tree of `size` pages: links to the pages 3N + 1 to 3N + 3")
def tree(ask: Ask) -> bytes:
    number, size = ask.rest_number, ask.count("size", 40)
    below = [n for n in range(3 * number + 1, 3 * number + 4) if n < size]
    pairs = [(f"/tree/{n}?size={size}", f"Leaf {n}") for n in below]
    return respond(ask, page(f"Tree {number}", f"<p>This is page {number} of the tree.</p>" + links(pairs)))


@PAGES.route("/fan/{n}", "a page with N links to /p/1 ... /p/N")
def fan(ask: Ask) -> bytes:
    pairs = [(f"/p/{n}", f"Page {n}") for n in range(1, min(ask.rest_number, 100_000) + 1)]
    return respond(ask, page("Fan", links(pairs)))
