"""The tools of others on the export of a store with every kind of capture: validators, and replay of every answer."""

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest
from evidence_lab import EvidenceLab, edge_captures, other_captures
from replay_lab import environment, get, replay

from polite_crawler.archive.cdx import timestamp
from polite_crawler.archive.export import export
from polite_crawler.archive.records import uri_of
from polite_crawler.archive.surt import surt
from polite_crawler.store.record import Capture

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


class Exported:
    """The export, and the captures in it."""

    def __init__(self, folder: Path) -> None:
        lab = EvidenceLab(folder / "store")
        other_captures(lab, edge_captures(lab))
        self.captures = [one for one in lab.captures if one.response is not None and one.kind != "render"]
        self.warc, self.wacz = folder / "x.warc.gz", folder / "x.wacz"
        with lab.store() as store:
            export(store.index, self.warc)
            export(store.index, self.wacz)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return Exported(tmp_path_factory.mktemp("exported"))


@pytest.fixture(scope="module")
def validators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("validators") / "env", "wacz", "cdxj-indexer", "surt")


@pytest.fixture(scope="module")
def pywb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("pywb") / "env", "setuptools<81", "wheel", "pywb")


def ran(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*command], capture_output=True, text=True, check=False)


def test_gzip_tests_it(exported: Exported) -> None:
    assert ran("gzip", "-t", exported.warc).returncode == 0


def test_wacz_validates_it(exported: Exported, validators: Path) -> None:
    done = ran(validators / "wacz", "validate", "-f", exported.wacz)
    assert (done.returncode, "Validation succeeded" in done.stdout) == (0, True), done.stdout


def test_the_index_has_the_keys_and_the_order_of_cdxj_indexer(exported: Exported, validators: Path) -> None:
    done = ran(validators / "cdxj-indexer", "-s", exported.warc)
    with zipfile.ZipFile(exported.wacz) as package:
        ours = package.read("indexes/index.cdx").decode().splitlines()
    assert [line.split(" ")[:2] for line in ours] == [line.split(" ")[:2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "url",
    [
        "http://www3.Example.com:80/A/../B//c/?b=2&a&a=1#x", "https://user@xn--bcher-kva.test/%C3%A9?x=%E2%9C%93",
        "http://127.0.0.1:8080/x", "http://e.com/a%2520b", "http://e.com/?", "http://e.com/x?sid=" + "0a" * 16,
    ],
)  # fmt: skip
def test_keys_are_those_of_surt(validators: Path, url: str) -> None:
    code = "import surt, sys; print(surt.surt(sys.argv[1]))"
    assert surt(url) == ran(validators / "python", "-c", code, url).stdout.strip()


def replayed(capture: Capture) -> set[str | None]:
    """The SHA-256 that a replay of a capture may have: as received, decoded, or of nothing."""
    if capture.body is None:
        return {hashlib.sha256(b"").hexdigest()}
    return {capture.body.sha256, capture.body.decoded.sha256 if capture.body.decoded else None}


def test_pywb_replays_every_answer_octet_for_octet(exported: Exported, pywb: Path, tmp_path: Path) -> None:
    originals = {capture.id: capture for capture in exported.captures}
    with replay(pywb, tmp_path, exported.wacz) as base:
        for capture in exported.captures:
            of = capture.validators.of if capture.validators else None
            shown = originals[of] if of else capture
            status, octets = get(f"{base}/{timestamp(capture.time.start)}id_/{uri_of(capture.url)}")
            assert status == shown.status, capture.url
            assert hashlib.sha256(octets).hexdigest() in replayed(shown), capture.url
