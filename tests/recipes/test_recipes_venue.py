"""`venue`: sites of many shapes, the ranks and what readings say together, and the evidence of each."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import pytest
from recipe_lab import Pages, run_spider, serving
from venue_sites import SITES

from polite_crawler import open_store
from polite_crawler.cli import venue as command
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.frame import main
from polite_crawler.cli.options import engine_settings
from polite_crawler.errors import BadOption
from polite_crawler.readers.page import Link
from polite_crawler.recipes.places import metres, names
from polite_crawler.recipes.plain import plain
from polite_crawler.recipes.venue import phone_of, readings_of
from polite_crawler.recipes.venue_links import menu_links, rank_hours_links
from polite_crawler.recipes.venue_spider import VenueResult, VenueSpider
from polite_crawler.testsite import Site

NEVER = {"POLITE_RENDER": "never"}
EXPECTED = json.loads((Path(__file__).parent / "venue" / "expected.json").read_text("utf-8"))


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


def venue(served: Pages, site: dict[str, str], store: Path, **arguments: Any) -> VenueResult:
    for path, body in site.items():
        served.html(path, f"<html>{body}</html>")
    (result,) = run_spider(VenueSpider, store, NEVER, url=served.base + "/", **arguments)
    assert isinstance(result, VenueResult)
    return result


def test_a_venue_gives_what_was_written_down_before(site: Site, tmp_path: Path) -> None:
    osm = "Tu-Th 11:00-22:00; Fr,Sa 11:00-23:00; Su 12:00-21:00"
    asked = {"url": site.url("/venue/"), "name": "Forno Esempio", "address": "12 Mill Ln", "osm": osm}
    (found,) = run_spider(VenueSpider, tmp_path / "s", NEVER, **asked)

    def path(url: str | None) -> str | None:
        return None if url is None else url.removeprefix(site.url("/venue"))

    assert found.best is not None
    assert found.from_site is not None
    best = {key: value for key, value in plain(found.best).items() if key in EXPECTED["best"]}
    shown = {
        "best": {**best, "page": path(found.best.url)},
        "from_site": found.from_site.from_,
        "readings": [[one.from_, one.label, one.rank, one.season, one.hours, path(one.url)] for one in found.readings],
        "disagree": list(found.disagree),
        "menus": [path(url) for url in found.menus],
        "phone": found.phone,
        "moved": found.moved,
        "pages": [path(url) for url in found.pages],
        "held_back": found.held_back,
        "notes": list(found.notes),
    }
    assert shown == EXPECTED
    assert len(found.captures) == 4
    assert [seen.path for seen in site.log(path="/venue")] == [f"/venue{one}" for one in EXPECTED["pages"]]


@pytest.mark.parametrize("name", SITES)
def test_sites(pages: Pages, tmp_path: Path, name: str) -> None:
    site = SITES[name]
    found = venue(pages, site.pages, tmp_path / "s", **site.arguments)

    assert [(one.from_, one.label, one.rank, one.season, one.hours) for one in found.readings] == site.readings
    assert found.disagree == site.disagree
    with open_store(tmp_path / "s") as store:
        for one in found.readings:
            if one.from_ == "text":
                assert store.verify(str(one.doc), one.raw, capture=one.capture).found
            if one.from_ != "osm":
                stored = store.read(str(one.doc), capture=one.capture)
                again = readings_of(stored, location=_location(site.arguments), name=site.arguments.get("name"))
                assert (one.hours, one.rank) in [(other.hours, other.rank) for other in again]


def _location(arguments: dict[str, Any]) -> dict[str, Any] | None:
    if "lat" in arguments:
        return {"lat": float(arguments["lat"]), "lon": float(arguments["lon"])}
    return {"address": arguments["address"]} if "address" in arguments else None


def test_there_are_enough_shapes() -> None:
    assert len(SITES) >= 20


def test_a_guess_is_no_reading_to_compare_with(pages: Pages, tmp_path: Path) -> None:
    found = venue(pages, SITES["a guess"].pages, tmp_path / "s")

    assert found.best is not None
    assert found.best.inferred
    assert found.from_site is None


def test_a_home_page_that_moved(pages: Pages, tmp_path: Path) -> None:
    with serving() as other:
        target = other.base.replace("127.0.0.1", "localhost") + "/"
        other.html("/", "<p>Open Mon-Fri 9am-5pm</p>")
        pages.answers["/"] = (301, "text/html", target)
        (found,) = run_spider(VenueSpider, tmp_path / "s", NEVER, url=pages.base + "/")

    assert found.moved == target
    assert found.best.hours == "Mon-Fri 09:00-17:00"


def test_a_page_that_asked_not_to_be_ai_input_gives_no_reading(pages: Pages, tmp_path: Path) -> None:
    page = {"/": '<meta name="robots" content="noai"><p>Open Mon-Fri 9am-5pm</p>'}

    held = venue(pages, page, tmp_path / "s")
    lifted = venue(pages, page, tmp_path / "s", user_provided="on")

    assert (held.held_back, held.readings, held.best) == (True, (), None)
    assert (lifted.held_back, len(lifted.readings)) == (False, 1)


def test_a_page_that_is_not_there_is_a_note(pages: Pages, tmp_path: Path) -> None:
    found = venue(pages, {"/": '<a href="/hours">Hours</a><p>Open Mon-Fri 9am-5pm</p>'}, tmp_path / "s")

    assert len(found.readings) == 1
    assert any(note.startswith(f"{pages.base}/hours: ") for note in found.notes)


def test_a_page_that_may_not_be_asked_for_is_a_note_and_the_next_one_is_read(pages: Pages, tmp_path: Path) -> None:
    pages.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nDisallow: /hours")
    links = '<a href="/hours">Hours</a><a href="/contact">Contact</a>'
    site = {"/": links, "/hours": "<p>Open Mon-Fri 8am-6pm</p>", "/contact": "<p>Open Mon-Fri 9am-5pm</p>"}

    found = venue(pages, site, tmp_path / "s")

    assert [one.hours for one in found.readings] == ["Mon-Fri 09:00-17:00"]
    assert found.notes == (
        f"{pages.base}/hours: robots.txt disallows this URL for PoliteCrawler (line 2: Disallow: /hours)",
    )
    assert pages.asked_for("/hours") == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"pages": 9},
        {"pages": -1},
        {"lat": 1.0},
        {"lat": "x", "lon": "y"},
        {"lat": 91, "lon": 0},
        {"require_name": "on"},
        {"colour": "red"},
        {"url": ""},
    ],
)
def test_arguments_that_are_none(arguments: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        VenueSpider(**{"url": "http://a.example/", **arguments})


@pytest.mark.parametrize(
    "link",
    [
        Link("https://forno.example/a", "Öppettider"),
        Link("https://forno.example/a", "Åbningstider"),
        Link("https://forno.example/a", "Openingsuren"),
        Link("https://forno.example/a", "Otevírací doba"),
        Link("https://forno.example/a", "Часы работы"),
        Link("https://forno.example/a", "営業時間のご案内"),
        Link("https://forno.example/%C3%B6ffnungszeiten", "Mehr"),
        Link("https://forno.example/a", "Dove siamo"),
        Link("https://forno.example/a", "Contactez-nous"),
    ],
)
def test_a_page_of_hours_by_its_words(link: Link) -> None:
    links = [Link("https://forno.example/menu", "Menu"), link, Link("https://forno.example/about", "About")]

    assert rank_hours_links(links, "https://forno.example/", 1) == (link.url,)


def test_the_pages_that_most_likely_hold_hours() -> None:
    home = "https://forno.example/"
    links = [
        Link("https://forno.example/about", "About us"),
        Link("https://forno.example/orari", "Orari"),
        Link("https://www.forno.example/visit", "Plan your visit"),
        Link("https://other.example/hours", "Hours"),
        Link("https://forno.example/hours.pdf", "Hours"),
        Link("https://forno.example/", "Opening hours"),
        Link("https://forno.example/blog", "Blog"),
        Link("https://forno.example/menu", "Menu", ("nofollow",)),
    ]

    assert rank_hours_links(links, home, 2) == ("https://forno.example/orari", "https://www.forno.example/visit")
    assert menu_links(links) == ("https://forno.example/menu",)


@pytest.mark.parametrize(
    ("url", "text", "is_menu"),
    [
        ("/menu.pdf", "See what we cook", True),
        ("/files/spring.pdf", "Menu", True),
        ("/speisekarte", "Essen", True),
        ("/x", "Getränkekarte", True),
        ("/x", "Speisen & Getränke", True),
        ("/x", "La carta", True),
        ("/x", "Menú del día", True),
        ("/x", "Wine list", True),
        ("/x", "Меню", True),
        ("/x", "グランドメニュー", True),
        ("/documents", "Documents", False),
        ("https://www.tripadvisor.com/forno", "Menu", False),
        ("https://m.facebook.com/forno/menu", "Menu", False),
        ("https://www.yelp.co.uk/menu/forno", "Menu", False),
    ],
)
def test_menus(url: str, text: str, is_menu: bool) -> None:
    assert bool(menu_links([Link(urljoin("https://forno.example/", url), text)])) is is_menu


@pytest.mark.parametrize(
    ("facts", "phone"),
    [
        ({"telephone": "+1 (617) 555-0100"}, "+1 (617) 555-0100"),
        ({"telephone": " tel:+16175550100"}, "+16175550100"),
        ({"telephone": "[+1-877-555-0100]"}, "+1-877-555-0100"),
        ({"telephone": ["+39 06 555 0100", "+39 06 555 0101"]}, "+39 06 555 0100"),
        ({"telephone": "+44&nbsp;20 7946 0000"}, "+44 20 7946 0000"),
        ({"telephone": "٠٢ ٥٥٥٥"}, "٠٢ ٥٥٥٥"),
        ({"contactPoint": [{"@type": "ContactPoint", "telephone": "2"}]}, "2"),
        ({"telephone": "1", "contactPoint": {"telephone": "2"}}, "1"),
        ({"department": {"@type": "Pharmacy", "telephone": "2", "openingHours": "Mo 09:00-17:00"}}, "2"),
        (
            {"telephone": "1", "department": {"@type": "Pharmacy", "telephone": "2", "openingHours": "Mo 09:00-17:00"}},
            "1",
        ),
        ({"telephone": ""}, None),
        ({}, None),
    ],
)
def test_the_phone_of_the_site_data(facts: dict[str, Any], phone: str | None) -> None:
    meta = {"jsonld": [{"@type": "Cafe", **facts}]}
    document = SimpleNamespace(doc="url:x", url="https://x.example/", text="", meta=meta)

    assert phone_of(document) == phone


def test_places() -> None:
    assert metres(51.5, -0.12, 51.5, -0.12) == 0
    assert 110 < metres(51.5, 0, 51.501, 0) < 112
    assert names("The Forno", "Welcome to FORNO esempio")
    assert not names("Forno Due", "Forno Esempio")
    assert names("Joes Café", "JOE’S CAFE & Bar")
    assert names("鮨 さいとう", "東京の鮨さいとう")
    assert not names("鮨 さいとう", "東京の鮨たなか")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = {"POLITE_PAGE_INTERVAL": 0.01, "POLITE_SLOW_FACTOR": 0, "POLITE_MIN_FREE": 0}
    monkeypatch.setattr(command, "engine_settings", lambda args: {**engine_settings(args), **pace})


@pytest.mark.usefixtures("quick")
def test_the_command(pages: Pages, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pages.html("/", "<p>Open Mon-Thu 9am-5pm, Sat 10am-2pm</p>")
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps({"mon": [["9:00", "17:00"]], "sat": [["08:00", "13:00"]]}))
    options = ["--allow-private", "--render", "never", "--dir", str(tmp_path / "s"), "--compare", str(kept)]

    assert main([pages.base + "/", "--json", *options], program="pc-venue") == Exit.DONE
    shown = json.loads(capfd.readouterr().out)
    assert shown["best"]["hours"] == "Mon-Thu 09:00-17:00; Sat 10:00-14:00"
    assert shown["change"]["days"] == ["sat"]
    assert set(shown["readings"][0]) == {
        "from", "label", "week", "hours", "rank", "inferred", "partial", "season", "raw", "url", "doc", "capture",
        "path",
    }  # fmt: skip

    assert main([pages.base + "/", *options], program="pc-venue") == Exit.DONE
    assert "compared: changed sat" in capfd.readouterr().out
    assert main([pages.base + "/none", "--allow-private", "--dir", str(tmp_path / "s")], program="pc-venue") == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"monday": []}', '{"mon": 3}'])
def test_a_file_with_no_week(tmp_path: Path, text: str) -> None:
    (tmp_path / "kept.json").write_text(text)

    assert main(["http://a.example/", "--compare", str(tmp_path / "kept.json")], program="pc-venue") == Exit.USAGE
