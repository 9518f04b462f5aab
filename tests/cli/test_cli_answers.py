"""pc-diff, pc-extract and pc-verify --report."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
from store_lab import DAY, StoreLab

from polite_crawler.cli import main
from polite_crawler.query.diff import DiffResult
from polite_crawler.query.extract import ExtractResult

URL = "https://site.example/house"
DOC = "url:" + URL


@dataclass
class Ran:
    code: int
    text: str
    err: str

    @property
    def object(self) -> Any:
        (line,) = self.text.splitlines()
        return json.loads(line)


Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def call(*arguments: object) -> Ran:
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        out, err = capfdbinary.readouterr()
        return Ran(int(code), out.decode(), err.decode())

    return call


@pytest.fixture
def store(tmp_path: Path) -> Path:
    lab = StoreLab(tmp_path / "store")
    lab.page(URL, "open on Sundays, 4 EUR", at=0, title="House")
    lab.page(URL, "open on Mondays, 5 EUR", at=DAY, title="House \x1b[31m")
    lab.page("https://site.example/held", "private", at=0, hold="noai")
    lab.page("https://site.example/held", "private too", at=DAY, hold="noai")
    lab.close()
    return tmp_path / "store"


def names(cls: type) -> list[str]:
    return [field.name.rstrip("_") for field in fields(cls)]


def test_diff_for_a_program(run: Run, store: Path) -> None:
    ran = run("diff", DOC, "--dir", store, "--json")
    assert ran.code == 0
    assert list(ran.object) == names(DiffResult)
    assert list(ran.object["from"]) == ["capture", "fetched_at"]
    (hunk,) = ran.object["hunks"]
    assert (hunk["from_start"], hunk["to_lines"]) == (1, 1)
    assert list(hunk["lines"][0]) == ["op", "text", "from", "to", "words"]
    assert hunk["lines"][0]["words"][1] == {"op": "-", "text": "Sundays"}


def test_diff_for_a_person(run: Run, store: Path) -> None:
    ran = run("diff", URL, "--dir", store)
    assert ran.code == 0
    assert "~open on [-Sundays-]{+Mondays+}, [-4-]{+5+} EUR" in ran.text
    assert "\x1b" not in ran.text
    newest = run("diff", URL, "--dir", store, "--from", "2026-03-03", "--to", "2026-03-03")
    assert (newest.code, newest.text) == (0, "the two versions are the same\n")


def test_diff_writes_a_page(run: Run, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    ran = run("diff", DOC, "--dir", store, "--html", file, "--json")
    assert ran.code == 0
    assert ran.object["same"] is False
    assert "<del>Sundays</del><ins>Mondays</ins>" in file.read_text("utf-8")
    assert str(file) in ran.err
    assert run("diff", DOC, "--dir", store, "--html", tmp_path / "no" / "page.html").code == 1


def test_diff_without_an_answer(run: Run, store: Path) -> None:
    held = run("diff", "https://site.example/held", "--dir", store, "--json")
    assert (held.code, held.object["same"], held.object["hunks"]) == (1, None, [])
    alone = run("diff", DOC, "--dir", store, "--to", "2026-03-01T18:00:00Z")
    assert alone.code == 1
    assert "no earlier version" in alone.text
    assert run("diff", "https://other.example/", "--dir", store).code == 1
    assert run("diff", DOC, "--dir", store, "--to", "fetch.none").code == 1
    assert run("diff", DOC, "--dir", store, "--to", "2026-99").code == 2


def test_extract_for_a_program(run: Run, store: Path) -> None:
    ran = run("extract", DOC, "--dir", store, "--json", "--field", "price=€5:money", "--field", "day=Mondays")
    assert ran.code == 0
    assert list(ran.object) == names(ExtractResult)
    price = ran.object["fields"]["price"]
    assert price == {
        "status": "normalized", "span": {"start": 17, "end": 22, "in": "text"}, "path": None,
        "normalization": "currency-code", "raw": "5 EUR", "capture": ran.object["capture"], "candidates": [],
    }  # fmt: skip
    assert ran.object["summary"] == {"verified": 1, "normalized": 1, "ambiguous": 0, "not-found": 0, "held-back": 0}


def test_extract_for_a_person(run: Run, store: Path) -> None:
    ran = run("extract", DOC, "--dir", store, "--field", "price=€9:money", "--field", "when=03/04/2026:date")
    assert ran.code == 1
    assert "not-found" in ran.text
    assert "ambiguous" in ran.text
    assert "2026-04-03 or 2026-03-04" in ran.text
    old = run("extract", DOC, "--dir", store, "--field", "price=4 EUR:money", "--at", "2026-03-01T18:00:00Z")
    assert old.code == 0
    held = run("extract", "https://site.example/held", "--dir", store, "--field", "a=private")
    assert held.code == 1
    assert "held-back" in held.text


@pytest.mark.parametrize(
    "arguments",
    [[], ["--field", "price"], ["--field", "=x"], ["--field", "a="], ["--field", "a=1", "--field", "a=2"]],
)
def test_extract_of_a_bad_command_line(run: Run, store: Path, arguments: list[str]) -> None:
    ran = run("extract", DOC, "--dir", store, *arguments)
    assert (ran.code, ran.text) == (2, "")
    assert len(ran.err.splitlines()) == 1


def test_a_report(run: Run, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    file.write_text(f"It is “open on Mondays” ({URL}).\n\n> open on Fridays\n\n— <{URL}>\n", "utf-8")
    ran = run("verify", "--report", file, "--dir", store)
    assert ran.code == 1
    assert ran.text.splitlines()[0] == f"{file}:1: ok (exact): 'open on Mondays' in {DOC}"
    assert ran.text.splitlines()[-1] == f"{file}: 2 quotations checked, 1 failed"
    found = run("verify", "--report", file, "--dir", store, "--json").object
    assert (found["ok"], found["checked"], found["failed"]) == (False, 2, 1)
    assert [one["line"] for one in found["quotations"]] == [1, 3]
    file.write_text(f"“open on Mondays” {URL}", "utf-8")
    assert run("verify", "--report", file, "--dir", store).code == 0


def test_a_report_of_a_bad_command_line(run: Run, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    file.write_bytes(b"\xff\xfe\x00")
    assert run("verify", "--report", file, "--dir", store).code == 2
    assert run("verify", DOC, "words", "--report", file, "--dir", store).code == 2
    assert run("verify", "--report", tmp_path / "none.md", "--dir", store).code == 1
