"""`product`: one page, its product with the evidence, walls, holds and pages without one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_lab import captures_of
from recipe_lab import Pages, run_spider, serving

from polite_crawler import open_store
from polite_crawler.cli import product as command
from polite_crawler.cli.commands import parser_of
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.frame import main
from polite_crawler.cli.options import engine_settings
from polite_crawler.recipes.product import product_of, records_of
from polite_crawler.recipes.product_spider import NO_PRODUCT, ProductResult, ProductSpider
from polite_crawler.store.projection import read_body, read_page

PACE = {"POLITE_PAGE_INTERVAL": 0.01, "POLITE_SLOW_FACTOR": 0, "POLITE_MIN_FREE": 0}
NEVER = {"POLITE_RENDER": "never"}
PRODUCT = {
    "@type": "Product",
    "name": "Olio Esempio",
    "brand": {"@type": "Brand", "name": "Esempio"},
    "gtin13": "4006381333931",
    "offers": {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
}


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, with the pace of the tests."""
    monkeypatch.setattr(command, "engine_settings", lambda args: {**engine_settings(args), **PACE})


def page_of(record: object, head: str = "") -> str:
    return f'<html><head>{head}<script type="application/ld+json">{json.dumps(record)}</script></head><body>Olio</body>'


def test_a_product_with_its_evidence(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/p/olio", page_of(PRODUCT))

    (result,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=url)

    assert isinstance(result, ProductResult)
    assert result.price is not None
    assert (result.name, result.brand, result.price.amount, result.price.currency, result.availability) == (
        "Olio Esempio",
        "Esempio",
        "9.90",
        "EUR",
        "InStock",
    )
    assert (result.found, result.wall, result.held_back, result.note) == (True, False, False, None)
    with open_store(tmp_path / "s") as store:
        claims = {"price": {"value": result.price.raw, "kind": "json-ld:Product.offers.price"}}
        assert store.extract(str(result.doc), claims, capture=result.capture).summary["verified"] == 1


def test_an_earlier_version_reads_without_a_request(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/p/olio", page_of(PRODUCT))
    (result,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=url)

    with open_store(tmp_path / "s") as store:
        capture = store.capture(str(result.capture))
        copy = store.latest(url)
        assert copy is not None
        assert capture.body is not None
        again = product_of(records_of(read_page(capture, read_body(capture, copy.body()))), url)
    assert (again.name, again.price) == (result.name, result.price)


def test_a_page_without_a_product(pages: Pages, tmp_path: Path) -> None:
    (result,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=pages.html("/list", "<p>Many products</p>"))

    assert (result.found, result.wall, result.price, result.note) == (False, False, None, NO_PRODUCT)
    assert result.doc


def test_a_page_without_a_product_goes_to_a_browser_once(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/list", "<p>Many products, and a text that is long enough to be a page of its own.</p>")

    results = run_spider(ProductSpider, tmp_path / "s", url=url)

    assert len(results) == 1
    rendered = captures_of(tmp_path / "s", "render")
    # one render, or one refusal to make one where there is no browser
    assert len(rendered) == 1 or "not rendered: " in results[0].note
    assert len([one for one in captures_of(tmp_path / "s", "fetch") if one.url == url]) == 1


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_shop_that_refuses_is_a_wall(pages: Pages, tmp_path: Path, status: int) -> None:
    url = pages.html("/p", page_of(PRODUCT), status=status)

    (result,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=url)

    assert (result.wall, result.found, result.name) == (True, False, None)


def test_robots_are_a_wall_and_a_missing_page_is_none(pages: Pages, tmp_path: Path) -> None:
    pages.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nDisallow: /p")

    (refused,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=pages.base + "/p")
    (gone,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=pages.base + "/gone")

    assert refused.wall
    assert "robots.txt disallows" in refused.note
    assert (gone.wall, gone.found, gone.doc) == (False, False, None)


def test_a_held_page_gives_its_data_to_who_brought_its_url(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/p", page_of(PRODUCT, '<meta name="robots" content="noai">'))

    (held,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=url)
    (lifted,) = run_spider(ProductSpider, tmp_path / "s", NEVER, url=url, user_provided="on")

    assert (held.held_back, held.found, held.name) == (True, False, None)
    assert (lifted.held_back, lifted.name) == (False, "Olio Esempio")
    (override,) = captures_of(tmp_path / "s", "override")
    assert (override.reason, override.source) == ("user-provided", {"of": lifted.capture})


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("path", "code"), [("/p", Exit.DONE), ("/list", Exit.NO_PRODUCT), ("/wall", Exit.WALL), ("/gone", Exit.FAILED)]
)
def test_the_exit_codes_of_the_command(
    pages: Pages, tmp_path: Path, capfd: pytest.CaptureFixture[str], path: str, code: Exit
) -> None:
    pages.html("/p", page_of(PRODUCT))
    pages.html("/list", "<p>Many</p>")
    pages.html("/wall", "no", status=403)
    options = ["--allow-private", "--render", "never", "--dir", str(tmp_path / "s")]

    assert main([pages.base + path, "--json", *options], program="pc-product") == code

    shown = json.loads(capfd.readouterr().out)
    assert set(shown) == {
        "name", "brand", "sku", "gtin", "price", "price_to", "availability", "availabilities", "variant", "seller",
        "image", "doc", "capture", "found", "wall", "held_back", "note",
    }  # fmt: skip
    if path == "/p":
        assert shown["price"] == {"amount": "9.90", "currency": "EUR", "raw": "9.90"}


@pytest.mark.usefixtures("quick")
def test_what_a_person_sees(pages: Pages, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    url = pages.html("/p", page_of(PRODUCT))

    main([url, "--allow-private", "--render", "never", "--dir", str(tmp_path / "s")], program="pc-product")

    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "Olio Esempio"
    assert "price        9.90 EUR" in lines


def test_a_bad_budget_ends_before_a_store_is_opened(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        parser_of("product").parse_args(["http://a.example/", "--budget", "soon"])
    assert ended.value.code == Exit.USAGE
