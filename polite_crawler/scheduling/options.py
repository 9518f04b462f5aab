"""The checked options of a crawler, made once from its settings."""

import os

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from polite_crawler.rules.options import Options, scrapy_delay, scrapy_delays
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.version import __version__

_OPTIONS = PerCrawler(lambda crawler: of_settings(crawler.settings))


def options_of(crawler: Crawler) -> Options:
    """The options of a crawler. Raises BadOption for a value that is not valid."""
    return _OPTIONS.of(crawler)


def of_settings(settings: BaseSettings) -> Options:
    """The options of Scrapy settings and of this process's environment."""
    return Options.of(
        settings.get,
        os.environ,
        version=__version__,
        delay=scrapy_delay(settings.get),
        delays=scrapy_delays(settings.getdict("DOWNLOAD_SLOTS")),
    )
