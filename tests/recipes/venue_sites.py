"""Sites of venues, each of another shape, and what a reader of them must say: from, label, rank, season, hours."""

import json
from dataclasses import dataclass, field
from typing import Any


def ld(*records: object) -> str:
    """The JSON-LD of a page."""
    return "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in records)


def record(hours: object = None, **facts: Any) -> dict[str, Any]:
    """A restaurant with hours in the compact form."""
    return {"@type": "Restaurant", "name": "Forno Esempio", **({"openingHours": hours} if hours else {}), **facts}


def spec(days: object, opens: str, closes: str, **facts: str) -> dict[str, Any]:
    """An OpeningHoursSpecification."""
    return {"@type": "OpeningHoursSpecification", "dayOfWeek": days, "opens": opens, "closes": closes, **facts}


def town(street: str) -> dict[str, str]:
    """A street of Berlin."""
    return {"@type": "PostalAddress", "streetAddress": street, "postalCode": "10115", "addressLocality": "Berlin"}


@dataclass(frozen=True)
class Site:
    """`pages` by path, the arguments of the reader, and the readings in their order."""

    pages: dict[str, str]
    readings: list[tuple[str, str | None, int, str | None, str]]
    arguments: dict[str, Any] = field(default_factory=dict)
    disagree: tuple[str, ...] = ()


WEEK = "Mon-Fri 09:00-17:00"
OTHER = "Mon-Fri 10:00-18:00"
TWO = [
    record("Mo-Fr 09:00-17:00", address={"streetAddress": "12 Mill Lane"}, geo={"latitude": 51.5, "longitude": -0.12}),
    record("Mo-Fr 10:00-18:00", address="99 High Street", geo={"latitude": 51.6, "longitude": -0.12}),
]
TWO_TEXT = """<h2>12 Mill Lane</h2><p>Opening hours: Mon-Fri 9am-5pm</p>
<h2>99 High Street</h2><p>Opening hours: Mon-Fri 10am-6pm</p>"""

SITES: dict[str, Site] = {
    "one line of text": Site({"/": "<p>Open Mon-Fri 9am-5pm</p>"}, [("text", None, 1, None, WEEK)]),
    "text with no heading": Site({"/": "<p>Mon-Fri 9am-5pm</p>"}, [("text", None, 3, None, WEEK)]),
    "a table": Site(
        {
            "/": "<h2>Opening hours</h2><table><tr><td>Monday</td><td>9:00 AM - 5:00 PM</td></tr>"
            "<tr><td>Tuesday</td><td>9:00 AM - 5:00 PM</td></tr><tr><td>Sunday</td><td>Closed</td></tr></table>"
        },
        [("text", None, 1, None, "Mon, Tue 09:00-17:00; Sun closed")],
    ),
    "a list of terms": Site(
        {
            "/": "<h3>When we are open</h3><dl><dt>Monday - Friday</dt><dd>9am - 5pm</dd><dt>Saturday</dt>"
            "<dd>10am - 2pm</dd></dl>"
        },
        [("text", None, 1, None, "Mon-Fri 09:00-17:00; Sat 10:00-14:00")],
    ),
    "lines in one paragraph": Site(
        {"/": "<p>Hours<br>Mon-Fri: 9am-5pm<br>Sat: 10am-2pm<br>Sun: closed</p>"},
        [("text", None, 1, None, "Mon-Fri 09:00-17:00; Sat 10:00-14:00; Sun closed")],
    ),
    "a table with a column for each time": Site(
        {
            "/": "<h2>Opening hours</h2><table><tr><th>Day</th><th>Opens</th><th>Closes</th></tr>"
            "<tr><td>Monday</td><td>9:00</td><td>17:00</td></tr><tr><td>Tuesday</td><td>9 am</td><td>5 pm</td></tr>"
            "</table>"
        },
        [("text", None, 1, None, "Mon, Tue 09:00-17:00")],
    ),
    "lunch and dinner": Site(
        {
            "/": "<h2>Hours</h2><div>Lunch</div><div>Tue-Sun 12pm-2.30pm</div><div>Dinner</div>"
            "<div>Tue-Sat 6pm-10pm</div>"
        },
        [("text", None, 1, None, "Tue-Sat 12:00-14:30, 18:00-22:00; Sun 12:00-14:30")],
    ),
    "closed days first": Site(
        {"/": "<p>Closed Mondays. Open Tue-Sun 9am-5pm.</p>"},
        [("text", None, 1, None, "Mon closed; Tue-Sun 09:00-17:00")],
    ),
    "a sentence in a long paragraph": Site(
        {"/": f"<p>{'Two brothers came from the sea to bake bread. ' * 8}Mon-Fri we open from 9am to 5pm.</p>"},
        [("text", None, 1, None, WEEK)],
    ),
    "seasons under headings": Site(
        {
            "/": "<h2>Opening hours</h2><h3>Summer season</h3><p>Mon-Fri 9am-5pm</p><h3>Winter season</h3>"
            "<p>Mon-Fri 10am-6pm</p>"
        },
        [("text", None, 1, "Summer season", WEEK), ("text", None, 1, "Winter season", OTHER)],
    ),
    "seasons of one word under headings": Site(
        {"/": "<h2>Opening hours</h2><h3>Summer</h3><p>Mon-Fri 9am-5pm</p><h3>Winter</h3><p>Mon-Fri 10am-6pm</p>"},
        [("text", None, 1, "Summer", WEEK), ("text", None, 1, "Winter", OTHER)],
    ),
    "hours in prose": Site(
        {"/": "<p>We bake our bread each night. Our shop is open Monday to Friday from 9am to 5pm. Come and see.</p>"},
        [("text", None, 1, None, WEEK)],
    ),
    "a guess": Site({"/": "<p>Hours: Mon-Fri 9-5</p>"}, [("text", None, 1, None, WEEK)]),
    "no hours": Site({"/": "<p>Come in on Monday, we have 5 rooms from $9 to $17.</p>"}, []),
    "an event": Site({"/": "<p>Open day: Sat 3 June 10am-4pm</p>"}, []),
    "site data in the compact form": Site({"/": ld(record("Mo-Fr 09:00-17:00"))}, [("json-ld", None, 0, None, WEEK)]),
    "site data in a graph": Site(
        {"/": ld({"@graph": [{"@type": "WebSite"}, record(["Mo-Fr 09:00-17:00"])]})},
        [("json-ld", None, 0, None, WEEK)],
    ),
    "site data that stands apart": Site(
        {
            "/": ld(
                {
                    "@graph": [
                        {**TWO[1], "address": {"@id": "#two"}},
                        {"@type": "Cafe", "openingHoursSpecification": [{"@id": "#hours"}], "address": {"@id": "#one"}},
                        {"@id": "#one", "@type": "PostalAddress", "streetAddress": "12 Mill Lane"},
                        {"@id": "#two", "@type": "PostalAddress", "streetAddress": "99 High Street"},
                        {"@id": "#hours", **spec("Monday", "09:00", "17:00")},
                    ]
                }
            )
        },
        [("json-ld", None, 0, None, "Mon 09:00-17:00")],
        {"address": "12 Mill Ln"},
    ),
    "site data with a prefix": Site(
        {"/": ld({"@type": "schema:Cafe", "schema:openingHours": "Mo-Fr 09:00-17:00"})},
        [("json-ld", None, 0, None, WEEK)],
    ),
    "microdata": Site(
        {
            "/": '<div itemscope itemtype="https://schema.org/Bakery"><span itemprop="name">Forno</span>'
            '<time itemprop="openingHours" datetime="Mo-Fr 09:00-17:00">weekdays</time></div>'
        },
        [("microdata", None, 0, None, WEEK)],
    ),
    "microdata beside the record of a review service": Site(
        {
            "/": ld({"@type": "Bakery", "name": "Forno", "aggregateRating": {"ratingValue": 5}})
            + '<div itemscope itemtype="https://schema.org/Bakery"><meta itemprop="openingHours" '
            'content="Mo-Fr 09:00-17:00"></div>'
        },
        [("microdata", None, 0, None, WEEK)],
    ),
    "a department": Site(
        {"/": ld(record("Mo-Fr 09:00-17:00", department={"name": "Pharmacy", "openingHours": "Mo-Fr 10:00-18:00"}))},
        [("json-ld", None, 0, None, WEEK), ("json-ld", "Pharmacy", 4, None, OTHER)],
    ),
    "a contact point": Site(
        {"/": ld(record(contactPoint={"@type": "ContactPoint", "hoursAvailable": spec("Monday", "09:00", "17:00")}))},
        [],
    ),
    "the hours of another page": Site(
        {
            "/": '<a href="/about">About</a><a href="/opening-hours">Find out more</a>',
            "/opening-hours": "Mon-Fri 9am-5pm",
        },
        [("text", None, 3, None, WEEK)],
        {"pages": 1},
    ),
    "no other page": Site(
        {"/": '<a href="/hours">Hours</a>', "/hours": "<p>Open Mon-Fri 9am-5pm</p>"}, [], {"pages": 0}
    ),
    "a contradiction": Site(
        {"/": ld(record("Mo-Fr 09:00-17:00")) + "<p>Open Mon-Thu 9am-5pm, Fri 9am-4pm</p>"},
        [
            ("json-ld", None, 0, None, WEEK),
            ("text", None, 1, None, "Mon-Thu 09:00-17:00; Fri 09:00-16:00"),
        ],
        disagree=("fri",),
    ),
    "openstreetmap alone": Site(
        {"/": "<p>Welcome</p>"},
        [("osm", None, 2, None, "Mon-Fri 09:00-17:00; Sat, Sun closed")],
        {"osm": "Mo-Fr 09:00-17:00"},
    ),
    "one of two records, by its address": Site(
        {"/": ld(*TWO)}, [("json-ld", None, 0, None, OTHER)], {"address": "99 High St"}
    ),
    "one of two records, by its point": Site(
        {"/": ld(*TWO)}, [("json-ld", None, 0, None, WEEK)], {"lat": "51.5004", "lon": "-0.1201"}
    ),
    "one of two texts, by its address": Site(
        {"/": TWO_TEXT}, [("text", None, 1, None, OTHER)], {"address": "99 High Street"}
    ),
    "one of two texts, whose house numbers look like times": Site(
        {"/": TWO_TEXT.replace("12 Mill Lane", "Via Roma, 5").replace("99 High Street", "Hauptstr. 12a")},
        [("text", None, 1, None, OTHER)],
        {"address": "Hauptstraße 12a"},
    ),
    "two seasons": Site(
        {"/": "<p>Summer hours: Mon-Fri 9am-5pm</p><p>Winter hours: Mon-Fri 10am-6pm</p>"},
        [("text", None, 1, "Summer hours", WEEK), ("text", None, 1, "Winter hours", OTHER)],
    ),
    "a season of the site data": Site(
        {
            "/": ld(
                record(
                    openingHoursSpecification=[
                        spec("Monday", "09:00", "17:00"),
                        spec("Monday", "00:00", "00:00", validFrom="2026-12-25", validThrough="2026-12-25"),
                    ]
                )
            )
        },
        [("json-ld", None, 0, None, "Mon 09:00-17:00")],
    ),
    "a page that does not name the venue": Site(
        {"/": "<title>Somebody else</title><p>Open Mon-Fri 9am-5pm</p>"},
        [],
        {"name": "Forno Esempio", "require_name": "on"},
    ),
    "a record of another name": Site(
        {"/": ld(record("Mo-Fr 10:00-18:00", name="Parking"), record("Mo-Fr 09:00-17:00"))},
        [("json-ld", None, 0, None, WEEK)],
        {"name": "forno esempio"},
    ),
    "a table with a column for each day": Site(
        {
            "/": "<h2>Opening hours</h2><table><tr><th>Mon-Thu</th><th>Friday</th><th>Sat &amp; Sun</th></tr>"
            "<tr><td>9am-5pm</td><td>9am-4pm</td><td>Closed</td></tr></table>"
        },
        [("text", None, 1, None, "Mon-Thu 09:00-17:00; Fri 09:00-16:00; Sat, Sun closed")],
    ),
    "hours in an image": Site({"/": "<h2>Opening hours</h2><img src='/hours.png' alt='our opening hours'>"}, []),
    "hours in a pdf": Site({"/": "<a href='/opening-hours.pdf'>Opening hours</a>"}, []),
    "hours in a box that is not shown": Site({"/": "<div hidden><p>Open Mon-Fri 9am-5pm</p></div>"}, []),
    "closed for good": Site({"/": "<h1>We have closed our doors for good</h1><p>Thank you for ten years.</p>"}, []),
    "hours of the contact page": Site(
        {"/": "<footer><a href='/find-us.html'>Find us</a></footer>", "/find-us.html": f"<p>Opening times: {WEEK}</p>"},
        [("text", None, 1, None, WEEK)],
    ),
    "two records and no address": Site(
        {"/": ld(*TWO)},
        [("json-ld", None, 0, None, WEEK), ("json-ld", None, 0, None, OTHER)],
        disagree=("mon", "tue", "wed", "thu", "fri"),
    ),
    "two streets of one town": Site(
        {
            "/": ld(
                record("Mo-Fr 09:00-17:00", address=town("Hauptstraße 12")),
                record("Mo-Fr 10:00-18:00", address=town("Nebenstraße 12")),
            )
        },
        [("json-ld", None, 0, None, OTHER)],
        {"address": "Nebenstr. 12, 10115 Berlin"},
    ),
    "two streets in Japanese": Site(
        {
            "/": ld(
                record("Mo-Fr 09:00-17:00", address="東京都渋谷区神南1丁目2-3"),
                record("Mo-Fr 10:00-18:00", address="東京都新宿区西新宿4-5-6"),
            )
        },
        [("json-ld", None, 0, None, WEEK)],
        {"address": "渋谷区神南1-2-3"},
    ),
    "microdata with its times in a content": Site(
        {
            "/": '<div itemscope itemtype="https://schema.org/Bakery"><div itemprop="openingHoursSpecification" '
            'itemscope itemtype="https://schema.org/OpeningHoursSpecification"><link itemprop="dayOfWeek" '
            'href="https://schema.org/Monday"><time itemprop="opens" content="09:00">9</time>'
            '<time itemprop="closes">17:00</time></div></div>'
        },
        [("microdata", None, 0, None, "Mon 09:00-17:00")],
    ),
    "the place of an organization": Site(
        {"/": ld({"@type": "Organization", "location": {"@type": "Place", "openingHours": "Mo-Fr 09:00-17:00"}})},
        [("json-ld", None, 0, None, WEEK)],
    ),
    "the subject of a contact page": Site(
        {"/": ld({"@type": "ContactPage", "mainEntity": record("Mo-Fr 09:00-17:00")})},
        [("json-ld", None, 0, None, WEEK)],
    ),
    "every day": Site(
        {"/": "<p>We're open 7 days a week, 8am - 6pm</p>"}, [("text", None, 1, None, "Mon-Sun 08:00-18:00")]
    ),
    "a kitchen beside the bar": Site(
        {"/": "<h2>Opening hours</h2><p>Mon-Fri 9am-5pm</p><h3>Kitchen</h3><p>Mon-Fri 10am-6pm</p>"},
        [("text", None, 1, None, WEEK), ("text", "kitchen", 4, None, OTHER)],
    ),
}
