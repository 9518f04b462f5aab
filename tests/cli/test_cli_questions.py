"""find, read, verify and versions: what they print, and how they end."""

from dataclasses import fields
from pathlib import Path

import pytest
from frame_lab import QUOTE, TEXT, Run
from store_lab import StoreLab

from polite_crawler.cli.output import one_line
from polite_crawler.query.find import Found
from polite_crawler.query.read import ReadResult
from polite_crawler.query.verify import VerifyResult
from polite_crawler.query.versions import Version


def _keys(cls: type) -> list[str]:
    return [field.name for field in fields(cls)]


def test_find_as_json(run: Run, store: Path) -> None:
    ran = run("find", "bell", "fog", "--dir", store, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert list(ran.object) == _keys(Found)
    assert ran.object["kind"] == "page"


def test_find_for_a_person(run: Run, store: Path) -> None:
    ran = run("find", "bread", "--dir", store)
    assert ran.text.startswith("1. Bread ")
    assert "\x1b" not in ran.text
    assert "url:http://x.example/b" in ran.text


def test_nothing_found_is_1(run: Run, store: Path) -> None:
    for arguments in (["zebra"], ["quietly"]):
        ran = run("find", *arguments, "--dir", store)
        assert (ran.code, ran.out, ran.err) == (1, b"", "nothing found\n")
    assert run("find", "zebra", "--dir", store, "--json").out == b""


def test_find_counts_on_from_its_offset(run: Run, store: Path) -> None:
    everything = run("find", "page", "--dir", store, "--json").objects
    assert len(everything) == 2
    second = run("find", "page", "--dir", store, "--offset", 1, "--limit", 1)
    assert second.text.startswith(f"2. {one_line(everything[1]['title'])}")


@pytest.mark.parametrize("doc", ["url:http://x.example/a", "http://x.example/a", "HTTP://X.example:80/a#top"])
def test_read_by_id_or_url(run: Run, store: Path, doc: str) -> None:
    ran = run("read", doc, "--dir", store)
    assert (ran.code, ran.text) == (0, TEXT + " It rings twice.\n")
    answer = run("read", doc, "--dir", store, "--json")
    assert list(answer.object) == _keys(ReadResult)
    assert answer.object["doc"] == "url:http://x.example/a"


def test_what_can_be_done_about_a_page_that_is_held_back(run: Run, store: Path) -> None:
    for arguments in (["read"], ["verify"], ["extract"]):
        more = {"verify": ["quietly"], "extract": ["--field", "a=quietly"]}.get(arguments[0], [])
        ran = run(*arguments, "http://x.example/held", *more, "--dir", store)
        assert ran.code == 1
        assert "--user-provided" in ran.text + ran.err
        assert "quietly" not in ran.text + ran.err


def test_a_document_without_text_says_why(run: Run, store: Path) -> None:
    lab = StoreLab(store)
    lab.body("http://x.example/picture.png", b"\x89PNG\r\n\x1a\n", content_type="image/png")
    lab.close()
    ran = run("read", "http://x.example/picture.png", "--dir", store)
    assert (ran.code, ran.out, ran.err) == (0, b"", "no text: an image\n")


def test_read_a_range_and_a_version(run: Run, store: Path) -> None:
    part = run("read", "http://x.example/a", "--start", 3, "--length", 4, "--dir", store)
    assert part.text == TEXT[3:7] + "\n"
    assert "--start 7" in part.err
    first = run("versions", "http://x.example/a", "--dir", store, "--json").objects[-1]
    old = run("read", "http://x.example/a", "--capture", first["capture"], "--dir", store)
    assert old.text == TEXT + "\n"
    at = run("read", "http://x.example/a", "--at", "2026-03-01T12:30:00Z", "--dir", store)
    assert at.text == TEXT + "\n"


def test_read_before_the_first_capture_is_1(run: Run, store: Path) -> None:
    ran = run("read", "http://x.example/a", "--at", "2020-01-01", "--dir", store)
    assert (ran.code, ran.out) == (1, b"")
    assert "2026-03-01" in ran.err


def test_a_held_back_page_is_1_until_a_person_asks(run: Run, store: Path) -> None:
    ran = run("read", "http://x.example/held", "--dir", store)
    assert (ran.code, ran.out) == (1, b"")
    assert "held back" in ran.err
    lifted = run("read", "http://x.example/held", "--user-provided", "--dir", store)
    assert (lifted.code, lifted.text) == (0, "Nobody may read this quietly.\n")


@pytest.mark.parametrize("command", [["read"], ["versions"], ["verify"]])
def test_an_unknown_document_is_1_with_near_names(run: Run, store: Path, command: list[str]) -> None:
    quote = ["a quote"] if command == ["verify"] else []
    ran = run(*command, "http://x.example/aa", *quote, "--dir", store)
    assert (ran.code, ran.out) == (1, b"")
    assert ran.err.count("\n") == 1
    assert "url:http://x.example/a" in ran.err


def test_verify(run: Run, store: Path) -> None:
    found = run("verify", "http://x.example/a", QUOTE, "--dir", store, "--json")
    assert (found.code, found.object["found"], list(found.object)) == (0, True, _keys(VerifyResult))
    assert TEXT[found.object["start"] : found.object["end"]] == QUOTE
    person = run("verify", "http://x.example/a", QUOTE, "--dir", store)
    assert person.text.startswith("found (exact)\n")
    assert QUOTE in person.text


def test_verify_a_quote_that_is_not_there_is_1(run: Run, store: Path) -> None:
    near = QUOTE.replace("protocol", "protocal")
    ran = run("verify", "http://x.example/a", near, "--dir", store)
    assert ran.code == 1
    assert ran.text.startswith("not found\n  closest (")
    assert run("verify", "http://x.example/held", "Nobody", "--dir", store).code == 1


def test_versions(run: Run, store: Path) -> None:
    ran = run("versions", "http://x.example/a", "--dir", store, "--json")
    assert [list(one) for one in ran.objects] == [_keys(Version)] * 2
    assert [one["current"] for one in ran.objects] == [True, False]
    assert ran.objects[0]["fetched_at"] > ran.objects[1]["fetched_at"]
    person = run("versions", "http://x.example/a", "--dir", store)
    assert [line.split()[0] for line in person.text.splitlines()] == ["fetched", "*", ran.objects[1]["fetched_at"]]
