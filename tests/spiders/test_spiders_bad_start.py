"""A run that cannot begin says why in one line, and sends nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polite_crawler.testsite.site import Site

_SCRAPY = Path(sys.executable).with_name("scrapy")


def _run(site: Site, store_dir: Path, *settings: str) -> "subprocess.CompletedProcess[str]":
    options = [part for setting in ("POLITE_ALLOW_PRIVATE=1", f"POLITE_STORE={store_dir}", *settings)
               for part in ("-s", setting)]  # fmt: skip
    return subprocess.run(
        [_SCRAPY, "crawl", "page", "-a", f"url={site.url('/about')}", *options],
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "polite_crawler.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    "setting", ["CONCURRENT_REQUESTS=x", "CLOSESPIDER_TIMEOUT=soon", 'POLITE_SCOPE_RANK={"a": "x"}']
)
def test_a_number_that_is_none_ends_the_run_with_one_line(site: Site, store_dir: Path, setting: str) -> None:
    ended = _run(site, store_dir, setting)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (2, "", 1)
    assert ended.stderr.startswith("polite-crawler: " + setting.partition("=")[0])
    assert site.log() == []


def test_a_damaged_file_of_the_hosts_ends_the_run_with_one_line(site: Site, store_dir: Path) -> None:
    store_dir.mkdir(exist_ok=True)
    (store_dir / "hosts.sqlite").write_bytes(b"no database " * 50)
    ended = _run(site, store_dir)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
    assert "hosts.sqlite cannot be used" in ended.stderr
    assert site.log() == []
