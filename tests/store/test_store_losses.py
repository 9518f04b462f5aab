"""What can be made again may be taken away: the store opens and answers."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from store_lab import StoreLab

from polite_crawler.query.store import open_store
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index

URL = "https://site.example/house"


def _whole(folder: StoreFolder) -> None:
    shutil.rmtree(folder.index)


def _inside(folder: StoreFolder) -> None:
    for path in folder.index.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _generations(folder: StoreFolder) -> None:
    for path in folder.index.glob("0*"):
        shutil.rmtree(path)


@pytest.mark.parametrize("lose", [_whole, _inside, _generations])
def test_a_lost_index_is_built_again(tmp_path: Path, lose: Callable[[StoreFolder], None]) -> None:
    lab = StoreLab(tmp_path)
    lab.page(URL, "The house stands on the hill.")
    lab.close()
    with open_store(tmp_path) as store:
        assert [hit.url for hit in store.find("hill")] == [URL]
    lose(lab.folder)
    with open_store(tmp_path) as store:
        assert [hit.url for hit in store.find("hill")] == [URL]


def test_an_index_that_goes_while_it_is_open(tmp_path: Path) -> None:
    lab = StoreLab(tmp_path)
    lab.page(URL, "The house stands on the hill.")
    with Index(lab.folder) as index:
        _whole(lab.folder)
        lab.page(URL + "/2", "The mill stands by the river.")
        with open_store(tmp_path) as store:
            assert [hit.url for hit in store.find("river")] == [URL + "/2"]
        # who had it open is told by the log
        index.catch_up()
        assert index.catalog.doc(URL + "/2").doc == f"url:{URL}/2"
    lab.close()
