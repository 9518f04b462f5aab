"""A store that captures are written to and indexed in, for the tests of the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_lab import StoreLab


@pytest.fixture
def lab(store_dir: Path) -> Iterator[StoreLab]:
    made = StoreLab(store_dir)
    yield made
    made.close()
