"""A venue that says its hours in many ways: site data of two locations, a text that does not agree with it, a season,
a brunch and a kitchen. What a reader must make of it stands in tests/recipes/venue/expected.json."""

from html import escape

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.documents import pdf
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.pages import json_ld

VENUE = Family("A venue")
_NAME = "Forno Esempio"
_LINKS = (
    ("/venue/contact", "Contact"),
    ("/venue/menu", "Our menu"),
    ("/venue/hours", "Opening hours"),
    ("https://www.tripadvisor.example/menu", "Menu on Tripadvisor"),
    ("/venue/files/menu.pdf", "Menu (PDF)"),
    ("/venue/blog", "Blog"),
)


def _hours(days: object, opens: str, closes: str) -> dict[str, object]:
    return {"@type": "OpeningHoursSpecification", "dayOfWeek": days, "opens": opens, "closes": closes}


_PLACES = (
    {
        "@type": "Restaurant",
        "name": _NAME,
        "telephone": "+39 06 555 0100",
        "address": {"streetAddress": "12 Mill Lane"},
        "openingHoursSpecification": [
            _hours("Monday", "00:00", "00:00"),
            _hours(["Tuesday", "Wednesday", "Thursday"], "11:00", "22:00"),
            _hours(["Friday", "Saturday"], "11:00", "23:00"),
            _hours("https://schema.org/Sunday", "12:00", "21:00"),
        ],
    },
    {
        "@type": "Restaurant",
        "name": _NAME,
        "address": {"streetAddress": "99 High Street"},
        "openingHours": "Mo-Su 08:00-09:00",
    },
)


def _page(ask: Ask, title: str, body: str, head: str = "") -> bytes:
    """A page without the navigation of the almanac: the venue is a site of its own."""
    text = f"<h1>{escape(title)}</h1>\n{body}\n"
    return respond(
        ask,
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title>{head}</head>\n'
        f"<body>\n{text}</body>\n</html>\n",
    )


@VENUE.route("/venue/", "home of a venue: JSON-LD of two locations, and links to what follows")
def home(ask: Ask) -> bytes:
    links = "".join(f'<a href="{escape(href)}">{escape(text)}</a>' for href, text in _LINKS)
    return _page(ask, _NAME, f"<nav>{links}</nav>", "".join(json_ld(place) for place in _PLACES))


@VENUE.route("/venue/hours", "hours that contradict the JSON-LD on two days, a brunch and a seasonal note")
def hours(ask: Ask) -> bytes:
    week = "Mon closed<br>Tue-Thu 11am-10pm<br>Fri &amp; Sat 11am-midnight<br>\nSun 12pm-9pm"
    return _page(
        ask,
        "Opening hours",
        f"<p>{week}</p><p>Brunch Sat-Sun 10am-1pm</p><p>Christmas week: Mon-Wed 10am-2pm</p>",
    )


@VENUE.route("/venue/contact", "an address and a telephone number with its days, which are no opening hours")
def contact(ask: Ask) -> bytes:
    return _page(ask, "Contact", "<p>12 Mill Lane. Call +39 06 555 0100, Mon-Fri.</p>")


@VENUE.route("/venue/menu", "a menu and the hours of the kitchen")
def menu(ask: Ask) -> bytes:
    return _page(ask, "Menu", "<p>Focaccia 3.50</p><p>Kitchen open Tue-Sun 12pm-9pm</p>")


@VENUE.route("/venue/files/menu.pdf", "the menu as PDF")
def menu_file(ask: Ask) -> bytes:
    return respond(ask, pdf((("Menu", "Focaccia 3.50"),), "Menu"), type="application/pdf")


@VENUE.route("/venue/blog", "a page that says nothing of hours")
def blog(ask: Ask) -> bytes:
    return _page(ask, "Blog", "<p>The new oven is here.</p>")
