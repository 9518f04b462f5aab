"""Recipes in files: the command, fixtures, the plugin that checks them, and reindex."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from recipe_lab import Pages, serving

from polite_crawler import BadOption, open_store
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.frame import main
from polite_crawler.recipes import Recipe, known
from polite_crawler.recipes.fixtures import check_fixture, is_fixture
from polite_crawler.recipes.known import known_recipes, recipes_in

RECIPE = '''
from scrapy import Request
from polite_crawler.recipes import Recipe, read_json


class Menu(Recipe):
    """The menu of a bakery."""

    name = "forno-menu"
    mode = "api"
    custom_settings = {"POLITE_MIN_FREE": 0}

    def requests(self, input):
        yield Request(input)

    @classmethod
    def extract(cls, body, capture):
        return [
            {"doc": f"menu:{item['id']}", "kind": "item", "title": item["name"], "text": item["price"],
             "url": capture.url, "meta": {}}
            for item in read_json(body, capture)["items"]
        ]
'''
ITEMS = json.dumps({"items": [{"id": "focaccia", "name": "Focaccia", "price": "3.50"}]})


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "menu.py"
    path.write_text(RECIPE)
    return path


def pc_recipe(*arguments: object) -> int:
    return main([str(one) for one in arguments], program="pc-recipe")


def stored(pages: Pages, file: Path, tmp_path: Path) -> str:
    url = pages.json("/menu", ITEMS)
    assert pc_recipe("--allow-private", "--dir", tmp_path / "s", "run", file, url) == Exit.DONE
    return url


def test_run_prints_the_documents(pages: Pages, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    url = pages.json("/menu", ITEMS)

    assert pc_recipe("--json", "--allow-private", "--dir", tmp_path / "s", "run", file, url) == Exit.DONE

    (line,) = capfd.readouterr().out.splitlines()
    assert [one["doc"] for one in json.loads(line)["docs"]] == ["menu:focaccia"]


def test_a_run_whose_extractor_fails_is_not_done(
    pages: Pages, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    url = pages.html("/menu", "<p>down</p>")

    assert pc_recipe("--allow-private", "--dir", tmp_path / "s", "run", file, url) == Exit.FAILED
    assert "is not JSON" in capfd.readouterr().err


def test_list(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert pc_recipe("list", "--recipe", file) == Exit.DONE
    assert capfd.readouterr().out == "forno-menu  api  The menu of a bakery.\n"
    assert pc_recipe("list") == Exit.FAILED


def test_a_fixture_fails_when_the_extractor_changes_its_answer(
    pages: Pages, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    url = stored(pages, file, tmp_path)
    capfd.readouterr()
    out = tmp_path / "fixtures"

    assert pc_recipe("--dir", tmp_path / "s", "fixture", url, "--recipe", file, "--out", out) == Exit.DONE
    folder = Path(capfd.readouterr().out.strip())
    assert is_fixture(folder)
    assert check_fixture(folder) == []
    assert _pytest(tmp_path).returncode == 0

    file.write_text(RECIPE.replace('item["price"]', 'item["price"] + " EUR"'))
    assert check_fixture(folder) == ["menu:focaccia: text was '3.50' and is '3.50 EUR'"]
    done = _pytest(tmp_path)
    assert done.returncode == 1
    assert b"text was '3.50' and is '3.50 EUR'" in done.stdout


def _pytest(folder: Path) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "pytest", "-q", "-p", "polite_crawler.recipes.pytest_plugin", "fixtures"]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60)


def test_documents_that_come_and_go_are_named(pages: Pages, file: Path, tmp_path: Path) -> None:
    url = stored(pages, file, tmp_path)
    pc_recipe("--dir", tmp_path / "s", "fixture", url, "--recipe", file, "--out", tmp_path / "f")
    (folder,) = (tmp_path / "f").iterdir()

    file.write_text(RECIPE.replace('f"menu:', 'f"food:'))

    assert check_fixture(folder) == [
        "menu:focaccia: the extractor does not give it any more",
        "food:focaccia: the fixture does not have it",
    ]


def test_a_fixture_of_what_no_recipe_fetched(pages: Pages, file: Path, tmp_path: Path) -> None:
    url = stored(pages, file, tmp_path)

    assert pc_recipe("--dir", tmp_path / "s", "fixture", url) == Exit.USAGE
    assert pc_recipe("--dir", tmp_path / "s", "fixture", url + "x", "--recipe", file) == Exit.FAILED


def test_reindex_reads_the_recipes_of_a_file(
    pages: Pages, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stored(pages, file, tmp_path)
    file.write_text(RECIPE.replace('"title": item["name"]', '"title": item["name"].upper()'))

    assert main(["--dir", str(tmp_path / "s"), "--recipe", str(file)], program="pc-reindex") == Exit.DONE

    with open_store(tmp_path / "s") as store:
        assert store.read("menu:focaccia").title == "FOCACCIA"


@pytest.mark.parametrize("source", ["", "raise ValueError('no')", "x = ", "from polite_crawler.recipes import Recipe"])
def test_files_without_a_recipe(tmp_path: Path, source: str) -> None:
    (tmp_path / "bad.py").write_text(source)

    with pytest.raises(BadOption):
        recipes_in(tmp_path / "bad.py")


def test_no_file_and_no_name(tmp_path: Path) -> None:
    with pytest.raises(BadOption):
        recipes_in(tmp_path / "none.py")
    assert pc_recipe("--dir", tmp_path / "s", "run", "nobody") == Exit.USAGE


class Packaged(Recipe):
    """A recipe as a package brings it."""

    name = "packaged"


def test_recipes_of_packages(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    points = EntryPoints(
        [
            EntryPoint("packaged", f"{__name__}:Packaged", known.GROUP),
            EntryPoint("broken", "not_there:Recipe", known.GROUP),
        ]
    )
    monkeypatch.setattr(known, "entry_points", lambda group: points.select(group=group))

    assert set(known_recipes()) == {"packaged"}
    assert "the recipe broken cannot be loaded" in caplog.text
