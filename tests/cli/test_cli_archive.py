"""pc-export, pc-check, pc-import, the seals of pc-store and the bundles of pc-verify, as commands."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from store_lab import StoreLab

from polite_crawler.cli import main


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def fact(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


@pytest.fixture
def pc(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Callable[..., Ran]:
    """Runs a command on a store with two pages."""
    lab = StoreLab(tmp_path / "store")
    lab.page("http://ex.test/", "the first words", title="one")
    lab.page("http://ex.test/two", "other words", title="two", at=10)
    lab.close()

    def run(name: str, *args: str, store: str = "store") -> Ran:
        try:
            code = main([name, *args, "--dir", str(tmp_path / store)])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capsysbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


def test_export_check_and_import(pc: Callable[..., Ran], tmp_path: Path) -> None:
    out = str(tmp_path / "x.wacz")
    done = pc("export", "--out", out, "--json")
    assert done.code == 0
    assert {name: done.fact[name] for name in ("format", "responses", "revisits", "pages", "skipped")} == {
        "format": "wacz", "responses": 2, "revisits": 0, "pages": 2, "skipped": 0,
    }  # fmt: skip
    assert set(done.fact) >= {"out", "format", "records", "responses", "revisits", "pages", "bytes", "skipped"}
    checked = pc("check", out, "--json")
    assert (checked.code, checked.fact) == (0, {"file": out, "ok": True, "faults": []})
    taken = pc("import", out, "--json", store="other")
    assert taken.code == 0
    facts = {name: taken.fact[name] for name in ("records", "captures", "documents", "skipped", "faults")}
    assert facts == {"records": 5, "captures": 2, "documents": 2, "skipped": 0, "faults": []}
    assert pc("verify", "archive:http://ex.test/", "first words", store="other").code == 0
    again = pc("import", out, store="other")
    assert (again.code, again.out) == (0, "0 captures of 0 documents from 5 records\n  2 were imported before\n")


def test_words_for_a_person(pc: Callable[..., Ran], tmp_path: Path) -> None:
    out = tmp_path / "x.warc.gz"
    done = pc("export", "--out", str(out))
    assert done.out.splitlines()[0] == str(out)
    assert "2 responses, 0 revisits, 2 pages" in done.out
    assert pc("check", str(out)).out == f"{out}: nothing is wrong\n"
    out.write_bytes(out.read_bytes()[:-5])
    broken = pc("check", str(out))
    assert broken.code == 1
    assert "the file ends inside a gzip member" in broken.out
    assert pc("check", str(out), "--json").fact["faults"][0].keys() == {"where", "what"}


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("export",), 2, "--out"),
        (("export", "--out", "x.zip"), 2, "an export ends in .warc.gz or .wacz"),
        (("export", "--out", "x.wacz", "--since", "soon"), 2, "bad time"),
        (("export", "--out", "x.wacz", "--host", "a b"), 2, "bad host"),
        (("export", "--out", "x.wacz", "--wacz-key", "none.pem"), 2, "cannot read the key"),
        (("export", "--out", "x.wacz", "--host", "none.test"), 1, "nothing to export"),
        (("export", "--out", "x.wacz", "--id", "fetch.none"), 1, "no stored capture"),
        (("export", "--out", "/nowhere/x.wacz"), 1, "cannot write"),
        (("check", "none.warc"), 1, "cannot read"),
        (("import", "none.warc"), 1, "No such file"),
        (("check", "/dev/zero"), 1, "it is no regular file"),
        (("import", "/dev/zero"), 1, "it is no regular file"),
        (("import", "store"), 1, "it is no regular file"),
        (("verify",), 2, "--check-bundle"),
        (("verify", "--check-bundle", "none.json"), 1, "cannot read"),
        (("store", "seal", "--origin", "a b"), 2, "bad origin"),
        (("store", "erase", "http://ex.test/"), 2, "--reason"),
        (("store", "erase", "http://none.test/", "--reason", "x"), 1, "no stored document"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    pc: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = pc(*args)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_an_import_that_gives_nothing_makes_no_store(pc: Callable[..., Ran], tmp_path: Path) -> None:
    assert pc("import", str(tmp_path / "none"), store="new").code == 1
    assert not (tmp_path / "new").exists()


def test_a_file_is_replaced_only_when_told(pc: Callable[..., Ran], tmp_path: Path) -> None:
    out = str(tmp_path / "x.wacz")
    assert pc("export", "--out", out).code == 0
    assert "--overwrite replaces it" in pc("export", "--out", out).err
    assert pc("export", "--out", out, "--overwrite").code == 0


def test_seal_bundle_and_check(pc: Callable[..., Ran], tmp_path: Path) -> None:
    sealed = pc("store", "seal", "--json", "--origin", "log.example")
    assert (sealed.code, sealed.fact["size"], sealed.fact["origin"], sealed.fact["new"]) == (0, 2, "log.example", True)
    bundle = str(tmp_path / "b.json")
    found = pc("verify", "http://ex.test/", "first words", "--bundle", bundle, "--origin", "log.example", "--json")
    assert (found.code, found.fact["found"]) == (0, True)
    assert "line of 2 in the log of log.example" in found.err
    process = subprocess.run(
        [sys.executable, "-m", "polite_crawler.cli", "verify", "--check-bundle", bundle, "--json"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    checked = json.loads(process.stdout)
    assert (process.returncode, checked["ok"], checked["quote"]) == (0, True, "first words")
    assert pc("verify", "--check-bundle", bundle, "--key", sealed.fact["key"]).code == 0
    Path(bundle).write_text(Path(bundle).read_text().replace("first words", "worst words"))
    broken = pc("verify", "--check-bundle", bundle)
    assert (broken.code, "matched: the text of the body does not hold it" in broken.out) == (1, True)
    missed = pc("verify", "http://ex.test/", "never said", "--bundle", str(tmp_path / "no.json"))
    assert missed.code == 1
    assert not (tmp_path / "no.json").exists()


def test_erase(pc: Callable[..., Ran]) -> None:
    done = pc("store", "erase", "http://ex.test/two", "--reason", "order 17")
    assert (done.code, done.out) == (0, "1 bodies of 1 captures are gone; 1 documents left\n")
    assert pc("read", "http://ex.test/two").code == 1
    assert pc("read", "http://ex.test/").code == 0
