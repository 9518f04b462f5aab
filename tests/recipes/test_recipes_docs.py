"""docs/recipes.md: its tutorial is done as it stands, from an empty folder to `find`."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_lab import captures_of
from recipe_lab import Pages, runspider, serving

from polite_crawler import open_crawler
from polite_crawler.recipes.known import recipes_in
from polite_crawler.testsite import Site

PAGE = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text("utf-8")
API = "https://api.forno.example"


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


def part(name: str) -> str:
    """The code of a part of the tutorial."""
    found = re.search(rf"<!-- tutorial: {re.escape(name)} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def run(line: str, folder: Path) -> str:
    """Run a line of the tutorial in a folder, with the store beside it; what it printed."""
    program, *arguments = shlex.split(line)
    options = []
    if program.startswith("pc-"):
        options = ["--dir", "store"] + (["--allow-private"] if program == "pc-recipe" else [])
        command = [sys.executable, "-m", "polite_crawler.cli", *options, program.removeprefix("pc-"), *arguments]
    else:
        command = [sys.executable, "-m", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


def test_the_tutorial(pages: Pages, tmp_path: Path) -> None:
    items = [{"id": "focaccia", "name": "Focaccia", "price": "3.50"}, {"id": "pane", "name": "Pane", "price": "2.10"}]
    pages.json("/menu.json", json.dumps({"items": items}))
    (tmp_path / "menu.py").write_text(part("menu.py"))

    def lines(name: str) -> list[str]:
        return part(name).replace(API, pages.base).splitlines()

    ran, found, read, versions = (run(line, tmp_path) for line in lines("commands"))
    assert "/menu.json" in ran
    assert "menu:forno/focaccia" in found
    assert read.strip() == "Focaccia: 3.50"
    assert "fetch." in versions

    (tmp_path / "menu.py").write_text(part("menu.py").replace("{item['price']}\"", "{item['price']} EUR\""))
    for line in lines("again"):
        run(line, tmp_path)
    assert run(lines("commands")[2], tmp_path).strip() == "Focaccia: 3.50 EUR"

    save, check = lines("fixture")
    run(save, tmp_path)
    assert "1 passed" in run(check, tmp_path)
    assert pages.asked_for("/menu.json") == 1


PAGE_RECIPE = """
from polite_crawler.recipes import Recipe, RecipeDocument


class Shelf(Recipe):
    name = "shelf"

    @classmethod
    def extract(cls, body, capture):
        yield RecipeDocument("shelf:1", "shelf", None, body.decode(), capture.url)
"""
BROKEN = "KeyError: 'dishes'"
RECIPES: dict[str, tuple[str, str, list[str], str | None]] = {
    "the one of the tutorial, of an API": (part("menu.py"), "", ["menu:forno/focaccia"], None),
    "one of pages": (PAGE_RECIPE, "/menu.json", ["shelf:1"], None),
    "a broken one": (part("menu.py").replace('["items"]', '["dishes"]'), "", [], BROKEN),
}
QUICK: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "min_free": 0}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_run_by_scrapy_and_by_the_library(pages: Pages, tmp_path: Path, name: str) -> None:
    source, path, docs, error = RECIPES[name]
    pages.json("/menu.json", json.dumps({"items": [{"id": "focaccia", "name": "Focaccia", "price": "3.50"}]}))
    (tmp_path / "menu.py").write_text(source)

    (by_scrapy,) = runspider(tmp_path / "menu.py", pages.base + path)
    with open_crawler(tmp_path / "library", **QUICK) as crawler:
        (recipe,) = recipes_in(tmp_path / "menu.py")
        (by_library,) = crawler.run_recipe(recipe, pages.base + path)

    assert ([one["doc"] for one in by_scrapy["docs"]], by_scrapy["error"]) == (docs, error)
    assert ([one.doc for one in by_library.docs], by_library.error) == (docs, error)
    assert [one.recipe for one in captures_of(tmp_path / "s", "fetch")] == [recipe.name]
    assert (pages.asked_for("/menu.json"), pages.asked_for("/robots.txt")) == (2, 0 if recipe.mode == "api" else 2)


def test_the_page_object(pages: Pages, tmp_path: Path) -> None:
    pages.html("/dune", "<h1>Dune</h1><p class=author>Frank Herbert</p>")
    (tmp_path / "books.py").write_text(part("books.py"))
    lines = part("books").replace("https://books.example", pages.base).splitlines()

    _, found, _, _, checked = (run(line, tmp_path) for line in lines)

    assert f"books:{pages.base}/dune" in found
    assert "1 passed" in checked
    assert pages.asked_for("/dune") == 1


def test_the_venue(site: Site, tmp_path: Path) -> None:
    line = part("venue").strip().replace("http://127.0.0.1:8471", site.base)

    assert part("hours").strip() in run(line, tmp_path).splitlines()
    assert next(seen.path for seen in site.log(path="/venue")) == "/venue/"
