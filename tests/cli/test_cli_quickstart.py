"""`make crawl`: the bundled site is crawled into ./store, and what it says to try next works."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from polite_crawler.cli import quickstart

QUICK = ("-s", "POLITE_ALLOW_PRIVATE=1", "-s", "POLITE_PAGE_INTERVAL=0.01", "-a", "max_pages=4")


def test_without_a_url_the_bundled_site_is_crawled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(quickstart, "_BUNDLED", QUICK)
    assert quickstart.main([]) == 0
    said = capfd.readouterr().out
    assert "bundled test site" in said
    assert "Harbour Almanac" in said
    assert "pages: 4 fetched" in said
    commands = [shlex.split(line) for line in said.splitlines() if "/pc-" in line]
    assert [Path(command[0]).name for command in commands] == ["pc-find", "pc-read", "pc-verify"]
    for name, *arguments in commands:
        call = [sys.executable, "-m", "polite_crawler.cli", Path(name).name.removeprefix("pc-"), *arguments]
        assert subprocess.run(call, stdout=subprocess.PIPE, check=False).returncode == 0, call


def test_a_url_that_does_not_answer_is_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert quickstart.main(["http://127.0.0.1:9/"]) == 1
    assert "http://127.0.0.1:9/ is not in ./store" in capfd.readouterr().out


def test_more_than_one_url_is_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert quickstart.main(["a", "b"]) == 2
    assert "at most one URL" in capfd.readouterr().err
