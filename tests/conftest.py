"""What every test has: the test site, a folder for a store, a home of its own, and no way out of this machine."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import loopback_only
import pytest
from hypothesis import settings
from log_lab import logs_as_before
from sites import running_site, site, site_process

__all__ = ["running_site", "site", "site_process"]

_HOME = pytest.StashKey[str]()

# the same examples in each run, and no time that a busy machine could miss
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    """Settings of the person who runs the tests must not change what they see."""
    loopback_only.install()
    for name in [*os.environ]:
        if name.startswith(("POLITE_", "SCRAPY_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            del os.environ[name]
    config.stash[_HOME] = os.environ["HOME"] = tempfile.mkdtemp(prefix="polite-home-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the home of the tests away."""
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


@pytest.fixture(autouse=True)
def _stays_on_this_machine() -> Iterator[None]:
    yield
    assert loopback_only.refused() == []


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    with logs_as_before():
        yield


@pytest.fixture
def store_dir(tmp_path: Path) -> Path:
    """Where a test puts its store. Nothing is there yet."""
    return tmp_path / "store"


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """A name for octets that is the same in each worker: packed ones hold the time at which they were made."""
    if isinstance(val, (bytes, bytearray)):
        return f"{argname}{len(val)}"
    return argname if isinstance(val, str) and len(val) > 80 else None
