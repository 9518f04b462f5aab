"""The examples of docs/library.md run, and docs/api.md names what is there."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import polite_crawler
from polite_crawler import PoliteCrawler, Store, SyncCrawler
from polite_crawler.crawler.runs import Run, SyncRun
from polite_crawler.rules.options import DEFAULTS
from polite_crawler.testsite.site import Site

DOCS = Path(polite_crawler.__file__).parents[1] / "docs"
_BLOCKS = re.compile(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = dict(_BLOCKS.findall((DOCS / "library.md").read_text("utf-8")) if DOCS.is_dir() else ())
PRINTED = {
    "In an asyncio program": ["ok About the almanac fetch.", "url:http://127", " True fetch."],
    "In a script": ["ok About the almanac", "0 ok http://127", "CrawlSummary(stopped='max-pages'"],
    "Crawl a site, list its pages": ["0 seed ok http://127", "1 link ok http://127", "max-pages 5", "done"],
    "In a web application": [],
    "The options": ["menu\n", "2\n"],
}


def test_each_section_with_an_example_is_run() -> None:
    assert set(EXAMPLES) == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs_as_it_stands(site: Site, tmp_path: Path, name: str) -> None:
    example = EXAMPLES[name]
    replaced = {
        "https://example.com/": site.url("/about"),
        "documentation examples": "three people who live",
        "for use in three people who live": "written by three people who live",
    }
    for old, new in replaced.items():
        example = example.replace(old, new)
    environment = {**os.environ, "POLITE_CRAWLER_ALLOW_PRIVATE": "1", "HOME": str(tmp_path)}
    # the examples keep the pace of the default, three seconds; the tests do not wait for it
    example = example.replace('open_crawler("./crawl"', 'open_crawler("./crawl", page_interval=0.01, min_free=0')
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for printed in PRINTED[name]:
        assert printed in done.stdout


def test_every_exported_name_is_stable_and_there() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    first = page.partition("## `polite_crawler`")[2].partition("## Pure functions")[0]
    named = set(re.findall(r"`([A-Za-z_]+)`", re.sub(r"\|[^|\n]*\|$", "", first, flags=re.MULTILINE)))
    exported = set(polite_crawler.__all__) - {"__version__"}
    assert exported - named == set()
    assert all(getattr(polite_crawler, name) is not None for name in exported)
    assert exported <= set(dir(polite_crawler))
    with pytest.raises(AttributeError):
        _ = polite_crawler.no_such_name


def test_every_pure_function_is_there() -> None:
    page = (DOCS / "api.md").read_text("utf-8").partition("## Pure functions")[2]
    names = re.findall(r"`(polite_crawler\.[\w.]+)`", page.partition("## Elsewhere")[0])
    assert len(names) > 10
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), attribute))


CALLS = ["fetch", "crawl", "discover", "run_recipe", "read_venue", "read_product", "reset_hosts", "reindex"]
METHODS: list[tuple[type[Any], list[str]]] = [
    (PoliteCrawler, [*CALLS, "close"]),
    (SyncCrawler, [*CALLS, "close"]),
    (Run, ["summary", "queued", "aclose"]),
    (SyncRun, ["summary", "queued", "close"]),
    (Store, ["find", "rank_within", "read", "versions", "verify", "diff", "extract", "reindex", "capture", "latest"]),
]


@pytest.mark.parametrize(("cls", "names"), METHODS, ids=[row[0].__name__ for row in METHODS])
def test_the_methods_are_named(cls: type[Any], names: list[str]) -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    for name in names:
        assert hasattr(cls, name)
        assert f"`{name}`" in page


def test_both_forms_have_the_same_methods_and_options() -> None:
    from inspect import signature

    for name in CALLS:
        one, other = signature(getattr(PoliteCrawler, name)), signature(getattr(SyncCrawler, name))
        assert list(one.parameters.values()) == list(other.parameters.values())


def test_each_setting_is_an_option() -> None:
    from polite_crawler.crawler.settings import settings_of

    for setting, value in DEFAULTS.items():
        if setting == "POLITE_STORE":
            continue
        option = setting.removeprefix("POLITE_").lower()
        assert settings_of(None, {option: value})[setting] == value
