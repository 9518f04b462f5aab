"""Which spider a name means in a project of a user."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader, get_spider_loader

from polite_crawler.addon import Addon
from polite_crawler.recipes.product_spider import ProductSpider
from polite_crawler.spiders.discover import DiscoverSpider

_THEIRS = """
import scrapy

class Mine(scrapy.Spider):
    name = "product"
    allowed_domains = ["shop.example"]

class Other(scrapy.Spider):
    name = "other"
"""


class Counted(SpiderLoader):
    """A loader of the project's own."""

    def list(self) -> Any:
        return [*super().list(), "counted"]


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with the spiders of a project."""
    (tmp_path / "spiders_of_a_project.py").write_text(_THEIRS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "spiders_of_a_project"
    sys.modules.pop("spiders_of_a_project", None)


def loader(**settings: Any) -> Any:
    made = Settings(settings)
    Addon.update_pre_crawler_settings(made)
    # a runner that is given the settings of another one
    Addon.update_pre_crawler_settings(made)
    return get_spider_loader(made)


def test_a_spider_of_the_project_keeps_its_name(theirs: str, recwarn: pytest.WarningsRecorder) -> None:
    spiders = loader(SPIDER_MODULES=[theirs])
    assert spiders.load("product").__module__ == theirs
    assert spiders.load("discover") is DiscoverSpider
    # `scrapy check` and `scrapy list` are about the project
    assert sorted(spiders.list()) == ["other", "product"]
    assert spiders.find_by_request(Request("http://shop.example/")) == ["product"]
    with pytest.raises(KeyError, match="nobody"):
        spiders.load("nobody")
    assert [str(warning.message) for warning in recwarn] == []


def test_ours_are_there_without_a_project() -> None:
    spiders = loader()
    assert spiders.load("product") is ProductSpider
    assert spiders.list() == []


def test_a_loader_of_the_project_is_asked_first(theirs: str) -> None:
    spiders = loader(SPIDER_MODULES=[theirs], SPIDER_LOADER_CLASS=Counted)
    assert sorted(spiders.list()) == ["counted", "other", "product"]
