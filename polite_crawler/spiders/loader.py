"""The spiders of a project, and ours beside them (SPIDER_LOADER_CLASS)."""

from functools import cached_property
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.settings import BaseSettings, Settings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.misc import load_object

from polite_crawler.settings import SPIDER_MODULES

FALLBACK = "POLITE_FALLBACK_SPIDER_LOADER"
"""The setting that holds the loader of the project."""

_Names = list[str]


class Spiders:
    """`scrapy crawl site` works in any project, and a project whose spider has one of our names keeps its own.

    Only the spiders of the project are listed: `scrapy check` makes each that is, and ours need a URL.
    """

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """The loader of a project."""
        return cls(load_object(settings[FALLBACK]).from_settings(settings))

    def load(self, spider_name: str) -> type[Spider]:
        """The spider of a name. Raises KeyError."""
        try:
            found: type[Spider] = self._theirs.load(spider_name)
        except KeyError:
            if spider_name not in self._ours.list():
                raise
            return self._ours.load(spider_name)
        return found

    def list(self) -> _Names:
        """The names of the project's spiders."""
        names: _Names = self._theirs.list()
        return names

    def find_by_request(self, request: Request) -> _Names:
        """The names of the project's spiders that a request is for."""
        names: _Names = self._theirs.find_by_request(request)
        return names

    @cached_property
    def _ours(self) -> SpiderLoader:
        return SpiderLoader.from_settings(Settings({"SPIDER_MODULES": SPIDER_MODULES}))
