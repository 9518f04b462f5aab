"""Spiders and options of a frontier for tests."""

from typing import Any

from scrapy import Spider

from polite_crawler.rules.secretfields import DEFAULT_SECRET_PARAMS

PARAMS = DEFAULT_SECRET_PARAMS


class Pages(Spider):
    name = "pages"

    def got(self, response: Any) -> None: ...

    def failed(self, failure: Any) -> None: ...

    def __private(self, response: Any) -> None: ...


SPIDER = Pages()
OTHER = Pages()
