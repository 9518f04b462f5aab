"""Printing: results as JSON, and text that a page made on a terminal."""

from dataclasses import dataclass
from typing import Any

import pytest
from frame_lab import Run

from polite_crawler.cli import frame
from polite_crawler.cli.output import Output, many_lines, one_line, plain, width


@dataclass(frozen=True)
class _Inner:
    start: int


@dataclass(frozen=True)
class _Fact:
    from_: _Inner | None
    names: tuple[str, ...]
    more: dict[str, Any]


def test_a_result_as_json_has_every_key() -> None:
    fact = _Fact(None, (), {"a": (_Inner(1),)})
    assert plain(fact) == {"from": None, "names": [], "more": {"a": [{"start": 1}]}}


def test_json_is_utf_8_and_survives_a_lone_surrogate(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def run(self, args: Any, output: Output) -> int:
            output.fact({"text": "é\ud83d\x1b\n"})
            return 0

    monkeypatch.setattr(frame, "command_of", lambda name: Odd())
    ran = run("find", "x", "--json")
    assert b"\xc3\xa9\\ud83d" in ran.out
    assert ran.object == {"text": "é\ud83d\x1b\n"}


@pytest.mark.parametrize("code", [*range(32), *range(127, 160)])
def test_no_control_character_of_a_page_reaches_a_terminal(code: int) -> None:
    assert chr(code) not in one_line(f"a{chr(code)}b")
    assert (chr(code) in many_lines(f"a{chr(code)}b")) == (code in (9, 10))


def test_one_line_takes_changes_of_direction_away() -> None:
    assert one_line("a\u202eb\u2066c\u2028d") == "a\ufffdb\ufffdc\ufffdd"


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("", 0)])
def test_the_width_of_a_text(text: str, columns: int) -> None:
    assert width(text) == columns
