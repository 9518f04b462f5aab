"""What holds the house together: the docs, the scripts and the packaging say what the code does."""

import importlib.util
import logging
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import grimp
import pytest
from log_lab import logs_as_before

from polite_crawler import __version__
from polite_crawler.cli import COMMANDS
from polite_crawler.cli.logs import configure

ROOT = Path(__file__).parents[1]


@pytest.fixture
def pyproject() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_docs_tell_what_the_code_does() -> None:
    assert _load(ROOT / "docs" / "check.py").faults() == []


def test_a_missing_word_in_the_docs_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    check = _load(ROOT / "docs" / "check.py")
    monkeypatch.setattr(check, "MUST_STAND", (("settings.md", lambda: ["POLITE_STORE", "POLITE_NOT_THERE"]),))
    assert check.faults() == ["settings.md: POLITE_NOT_THERE is not explained"]


def test_each_command_has_a_script(pyproject: dict[str, dict[str, object]]) -> None:
    scripts = pyproject["project"]["scripts"]
    assert isinstance(scripts, dict)
    assert set(scripts) == {"pc", *(f"pc-{name}" for name in COMMANDS)}
    assert set(scripts.values()) == {"polite_crawler.cli:main"}


def test_the_version_stands_in_one_place_more(pyproject: dict[str, dict[str, object]]) -> None:
    assert pyproject["project"]["version"] == __version__


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Late imports and those for types count as well. A circle is named by the error."""
    graph = grimp.build_graph("polite_crawler", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 200
    TopologicalSorter(imports).prepare()


@pytest.mark.parametrize("as_json", [False, True])
def test_the_log_of_a_command_ends_with_its_test(as_json: bool) -> None:
    root = logging.getLogger()
    level = root.level
    with logs_as_before():
        configure(verbose=True, as_json=as_json)
        assert root.level == logging.INFO
        assert [type(handler) for handler in root.handlers] == [logging.StreamHandler]
    assert (root.level, root.handlers) == (level, [])


def test_each_engine_rule_names_tests_that_are_there() -> None:
    page = (ROOT / "docs" / "engine.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^\s*(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(named) > 20
    assert named <= written
