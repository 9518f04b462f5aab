"""A pytest plugin: each fixture of a recipe is a test. Switch it on by `-p polite_crawler.recipes.pytest_plugin`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polite_crawler.recipes.fixtures import DOCUMENTS, check_fixture, is_fixture


class ChangedAnswer(AssertionError):
    """The extractor says something else than the fixture."""


class FixtureItem(pytest.Item):
    """One fixture."""

    def runtest(self) -> None:
        """Read the body again."""
        faults = check_fixture(self.path.parent)
        if faults:
            raise ChangedAnswer("\n".join(faults))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """What has changed; of an error, where it happened."""
        if isinstance(excinfo.value, ChangedAnswer):
            return str(excinfo.value)
        return str(excinfo.getrepr(style="short"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The folder of the fixture."""
        return self.path.parent, None, f"recipe fixture {self.path.parent.name}"


class FixtureFile(pytest.File):
    """The file of documents in the folder of a fixture."""

    def collect(self) -> Iterator[FixtureItem]:
        """The one test of the folder."""
        yield FixtureItem.from_parent(self, name=self.path.parent.name)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FixtureFile | None:
    """Collect the folders that hold a fixture."""
    if file_path.name == DOCUMENTS and is_fixture(file_path.parent):
        return FixtureFile.from_parent(parent, path=file_path)
    return None
