"""The folder of a store: its paths, its version, and folders that cannot be used."""

import os
import stat
from pathlib import Path

import pytest

from polite_crawler import open_store
from polite_crawler.errors import StoreError
from polite_crawler.store.folder import STORE_VERSION, StoreFolder


def test_create_makes_a_private_folder_with_its_mark(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path / "deep" / "store")
    assert not folder.exists()
    assert folder.create() == folder
    assert folder.create().check() == folder
    assert (folder.path / "VERSION").read_text() == f"{STORE_VERSION}\n"
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert [folder.log, folder.blobs, folder.index, folder.hosts, folder.frontier] == [
        folder.path / name for name in ("captures/fetch", "blobs", "index", "hosts.sqlite", "frontier")
    ]
    assert (folder.checkpoints, folder.mcp_token) == (folder.path / "checkpoints", folder.path / "mcp-token")


def test_a_path_is_read_as_a_shell_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert StoreFolder("store").path == tmp_path / "store"
    assert StoreFolder("~/store").path == tmp_path / "home" / "store"
    assert StoreFolder("~nobody-has-this-name/store").path == tmp_path / "~nobody-has-this-name" / "store"


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_is_told_in_one_line(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store"
    if kind == "file":
        path.write_text("a file")
    else:
        path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match=r"store is no folder$"):
        StoreFolder(path).create()


@pytest.mark.parametrize("mark", ["2\n", "", "x" * 500, "\xff"])
def test_a_store_of_another_version_is_refused_in_one_line(tmp_path: Path, mark: str) -> None:
    folder = StoreFolder(tmp_path).create()
    (tmp_path / "VERSION").write_text(mark, "latin-1")
    for call in (folder.create, folder.check, lambda: open_store(tmp_path)):
        with pytest.raises(StoreError, match="has version") as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_store_that_is_not_there_is_not_made_by_a_question(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store at"):
        open_store(tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("below", ["", "deeper/store"])
def test_a_file_in_the_way_is_one_clear_line(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot write the store"):
        StoreFolder(tmp_path / "file" / below).create()


def test_a_folder_without_rights_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = StoreFolder(tmp_path).create()
    # root may write each folder, so the answer of the system is given here
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not folder.writable()
    with pytest.raises(StoreError, match="Permission denied"):
        folder.create()
