"""product: prices, currencies and availability of shop pages, against extruct in the same run, and the CPU it takes.

The pages and their annotations are those of the shared samples (scrapinghub/product-extraction-benchmark); without
them pages of the same shape are made, and only the CPU is a claim. The peer reads all JSON-LD and microdata with
extruct and takes the first product with a price, as that benchmark's baseline does.

The annotations count as they are, also the three that took the separator of thousands for a decimal point (24.99 of a
page that says 24.990 CLP).
"""

import gzip
import json
import logging
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from harness import Bar, Options, Report, main, medians, peer

from polite_crawler.readers.html import read_page
from polite_crawler.readers.values.currencies import CURRENCY_SYMBOLS
from polite_crawler.recipes.offers import as_list, availability, name_of
from polite_crawler.recipes.product import Product, product_of, records_of


@dataclass(frozen=True, slots=True)
class Page:
    """A page and what people found on it."""

    url: str
    body: bytes
    truth: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Guess:
    """What a reader says of a page."""

    price: Decimal | None = None
    currency: str | None = None
    availability: str | None = None


@dataclass(slots=True)
class Score:
    """Counts of one attribute."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, guess: object, truth: object, right: bool) -> None:
        """Count a page. A wrong value is a miss too, when there was one to find."""
        if guess is None:
            self.missed += bool(truth)
        elif right:
            self.right += 1
        else:
            self.wrong += 1
            self.missed += bool(truth)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)

    def __str__(self) -> str:
        return f"{self.f1:.3f} (P {self.precision:.3f}, R {self.recall:.3f})"


@dataclass(slots=True)
class Scores:
    """The scores of a reader."""

    price: Score = field(default_factory=Score)
    currency: Score = field(default_factory=Score)
    availability: Score = field(default_factory=Score)


def measure(options: Options) -> Report:
    """The bars of the bench."""
    logging.disable(logging.CRITICAL)
    extruct = peer("extruct")
    pages, real = _pages(options)

    def theirs(page: Page) -> Guess:
        return _baseline(extruct, page)

    read = [records_of(_read(page)) for page in pages]
    times = medians(
        1 if options.quick else 3,
        picked=lambda: [product_of(records, page.url) for records, page in zip(read, pages, strict=True)],
        extruct=lambda: [theirs(page) for page in pages],
    )
    share = times["picked"] / times["extruct"]
    bars = [Bar("the product of a page that is read <= .25 of the CPU of extruct", share, "<=", 0.25)]
    each = 1000 / len(pages)
    rows: list[tuple[str, object]] = [
        ("pages", len(pages)),
        ("the product of a page that is read, ms", round(times["picked"] * each, 3)),
        ("extruct, ms", round(times["extruct"] * each, 1)),
    ]
    if real:
        ours, baseline = _scores(pages, _ours), _scores(pages, theirs)
        bars += [
            Bar("price F1 >= .75", ours.price.f1, ">=", 0.75),
            Bar("price precision >= .92", ours.price.precision, ">=", 0.92),
            Bar("price F1 over that of extruct", ours.price.f1 / max(baseline.price.f1, 1e-9), ">=", 1),
            Bar("availability precision >= .9", ours.availability.precision, ">=", 0.9),
            Bar("currency precision >= .95", ours.currency.precision, ">=", 0.95),
        ]
        for name in ("price", "currency", "availability"):
            rows += [(f"{name} F1", str(getattr(ours, name))), (f"{name} F1, extruct", str(getattr(baseline, name)))]
    return Report(tuple(bars), data="real" if real else "synthetic", rows=tuple(rows))


def _ours(page: Page) -> Guess:
    found = product_of(records_of(_read(page)), page.url)
    return Guess(
        price=found.price.value if found.price else None,
        currency=found.price.currency if found.price else None,
        availability=_in_stock(found),
    )


def _read(page: Page) -> Any:
    return read_page(page.body, url=page.url, content_type="text/html; charset=utf-8")


def _in_stock(found: Product) -> str | None:
    """InStock or OutOfStock, the two names of the annotations: what can be bought is in stock."""
    if found.availability in ("OnlineOnly", "LimitedAvailability", "InStoreOnly"):
        return "InStock"
    if found.availability in ("SoldOut", "Discontinued"):
        return "OutOfStock"
    return found.availability


def _baseline(extruct: Any, page: Page) -> Guess:
    html = page.body.decode("utf-8", "replace")
    data = extruct.extract(html, base_url=page.url, syntaxes=["json-ld", "microdata"], uniform=True, errors="ignore")
    for record in [*data.get("json-ld", []), *data.get("microdata", [])]:
        if not isinstance(record, dict) or "Product" not in as_list(record.get("@type")):
            continue
        for offer in as_list(record.get("offers")):
            if not isinstance(offer, dict):
                continue
            price = _decimal(name_of(offer.get("price")) or name_of(offer.get("lowPrice")))
            if price is not None:
                return Guess(price, name_of(offer.get("priceCurrency")), availability(offer.get("availability")))
    return Guess()


def _scores(pages: list[Page], read: Callable[[Page], Guess]) -> Scores:
    scores = Scores()
    for page in pages:
        guess = read(page)
        prices, codes, stock = (as_list(page.truth.get(key)) for key in ("price", "currency", "availability"))
        scores.price.add(guess.price, prices, any(_same(guess.price, text) for text in prices))
        if codes:
            scores.currency.add(guess.currency, codes, any(_names(guess.currency, str(code)) for code in codes))
        scores.availability.add(guess.availability, stock, guess.availability in stock)
    return scores


def _same(price: Decimal | None, annotated: object) -> bool:
    value = _decimal(str(annotated))
    return price is not None and price == value


def _names(code: str | None, annotated: str) -> bool:
    return code is not None and (
        code == annotated.upper() or code in CURRENCY_SYMBOLS.get(annotated, _words(annotated))
    )


def _words(annotated: str) -> tuple[str, ...]:
    """The currencies of words that are no symbol of the package, as the annotators wrote them."""
    return {"тг.": ("KZT",), "kn": ("HRK",), "kč": ("CZK",), "rp.": ("IDR",), "원~": ("KRW",)}.get(
        annotated.lower(), ()
    )


def _decimal(text: str | None) -> Decimal | None:
    try:
        value = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() and value > 0 else None


def _pages(options: Options) -> tuple[list[Page], bool]:
    folder = options.data / "pages" / "product" if options.data else None
    if folder is None or not (folder / "ground-truth.json").is_file():
        return list(_made(options.seed, 40)), False
    truth = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    found = [(folder / f"{name}.html.gz", facts) for name, facts in truth.items()]
    return [
        Page(facts["url"], gzip.decompress(path.read_bytes()), facts) for path, facts in found if path.is_file()
    ], True


def _made(seed: int, count: int) -> Iterator[Page]:
    """Pages of a shop: a product, its related ones, and some text."""
    choice = random.Random(seed)
    for number in range(count):
        url = f"https://shop.example/p/{number}"
        price = f"{choice.randint(1, 99)}.{choice.randint(10, 99)}"
        offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
        related = [{"@type": "Product", "name": f"Other {i}", "offers": offer} for i in range(choice.randint(0, 5))]
        record = {"@type": "Product", "name": f"Product {number}", "url": url, "offers": offer, "isRelatedTo": related}
        words = [choice.choice(("a", "good", "product", "of", "the", "shop")) for _ in range(2000)]
        # the pages of shops are long lists of links, with little text
        items = "".join(f'<li class="item"><a href="/p/{word}"><span>{word}</span></a></li>' for word in words)
        body = f'<html><script type="application/ld+json">{json.dumps(record)}</script><ul>{items}</ul></html>'
        yield Page(url, body.encode(), {"price": [price], "currency": ["€"], "availability": ["InStock"]})


if __name__ == "__main__":
    main("product", measure, versions=("extruct", "lxml"))
