"""What a server sent does not act on the terminal of the person who looks at it; in a pipe it is what it was."""

import io
from pathlib import Path
from unicodedata import category

import pytest
from store_lab import StoreLab

from polite_crawler.cli.commands import parser_of
from polite_crawler.cli.options import defaults
from polite_crawler.cli.output import Output
from polite_crawler.cli.store import run
from polite_crawler.store.record import Capture, ResponseHead

ESCAPES = "\x1b]0;mine\x07\x1b[31m\x9b2J\x7f\x08"
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd: {ESCAPES}\r\n\r\n"


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def stored(tmp_path: Path) -> Capture:
    lab = StoreLab(tmp_path)
    capture = lab.page("https://site.example/", f"red {ESCAPES} text", response=ResponseHead(HEAD))
    lab.close()
    return capture


def _cat(folder: Path, *arguments: str, kind: type[io.TextIOWrapper]) -> bytes:
    out, err = io.BytesIO(), io.StringIO()
    args = parser_of("store").parse_args(["cat", "--dir", str(folder), *arguments], defaults())
    output = Output(kind(out, encoding="utf-8"), err, json=args.json, environment={"NO_COLOR": "1"})
    assert run(args, output) == 0
    output.flush()
    return out.getvalue()


@pytest.mark.parametrize("options", [(), ("--json",), ("--heads",), ("--body",), ("--raw",)])
def test_stored_octets_do_not_act_on_a_terminal(tmp_path: Path, stored: Capture, options: tuple[str, ...]) -> None:
    shown = _cat(tmp_path, stored.id, *options, kind=_Terminal).decode()
    assert "mine" in shown
    assert [letter for letter in shown if category(letter) == "Cc" and letter not in "\n\t"] == []


def test_a_pipe_gets_the_octets_as_they_are(tmp_path: Path, stored: Capture) -> None:
    assert stored.body is not None
    assert _cat(tmp_path, stored.id, "--heads", kind=io.TextIOWrapper) == HEAD.encode("latin-1")
    assert ESCAPES.encode() in _cat(tmp_path, stored.id, "--body", kind=io.TextIOWrapper)
    assert ESCAPES.encode() in _cat(tmp_path, stored.body.sha256, kind=io.TextIOWrapper)
    assert _cat(tmp_path, stored.id, kind=io.TextIOWrapper) == stored.line()
    assert b"\x1b" not in _cat(tmp_path, stored.body.sha256, kind=_Terminal)
