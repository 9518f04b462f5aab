"""Refuses addresses by the URL alone, before anything is sent. The handler repeats the check on each address that the
name resolves to."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.rules.options import Options
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import host_of


class Egress:
    """Declines IP literals, in every form that a resolver reads as one, and names that always mean this machine."""

    def __init__(self, options: Options) -> None:
        self._egress = options.egress

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(options_of(crawler))

    def process_request(self, request: Request) -> None:
        """Raise Declined for a refused address."""
        note = self._egress.of_host(host_of(request))
        if note is not None:
            raise Declined("egress", note)
