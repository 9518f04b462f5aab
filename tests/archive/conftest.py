"""A store with every kind of capture, for the tests of exports, seals, bundles and removals."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from evidence_lab import EvidenceLab, edge_captures, other_captures
from export_lab import Edges

from polite_crawler.query.store import Store


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edges]:
    made = Edges(tmp_path_factory.mktemp("edges"))
    yield made
    made.store.close()


@pytest.fixture
def lab(tmp_path: Path) -> EvidenceLab:
    made = EvidenceLab(tmp_path / "store")
    other_captures(made, edge_captures(made))
    return made


@pytest.fixture
def store(lab: EvidenceLab) -> Iterator[Store]:
    with lab.store() as made:
        yield made
