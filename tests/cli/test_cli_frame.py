"""The command line: names, exit codes, errors of one line, and the answers of the store commands."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from frame_lab import Run

from polite_crawler import __version__
from polite_crawler.cli import COMMANDS, commands, frame, parser_of
from polite_crawler.cli.commands import command_of
from polite_crawler.cli.options import DEFAULTS, engine_settings, store_dir
from polite_crawler.cli.output import Output
from polite_crawler.errors import BadOption, NotStored, StoreError


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_has_its_module(name: str) -> None:
    module = command_of(name)
    assert callable(module.add_arguments)
    assert callable(module.run)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_every_common_option(name: str) -> None:
    options = {option for action in parser_of(name)._actions for option in action.option_strings}
    assert options >= {f"--{one.replace('_', '-')}" for one in DEFAULTS} | {"--version"}


def test_the_help_of_the_program_names_every_command(run: Run) -> None:
    asked = run("--help")
    assert asked.code == 0
    assert all(f"  {name} " in asked.text and about in asked.text for name, about in COMMANDS.items())


def test_the_version(run: Run) -> None:
    for arguments in (["--version"], ["find", "--version"]):
        assert run(*arguments).text == f"polite-crawler {__version__}\n"


@pytest.mark.parametrize("program", ["pc-find", "/usr/bin/pc-find", "pc-find.exe"])
def test_the_name_of_the_program_is_the_command(run: Run, store: Path, program: str) -> None:
    ran = run("bell", "--dir", store, "--json", program=program)
    assert (ran.code, ran.object["doc"]) == (0, "url:http://x.example/a")


@pytest.mark.parametrize(
    "before", [["--json", "--dir", "{store}"], ["--dir={store}", "--json", "--verbose"], ["--json"]]
)
def test_common_options_stand_before_or_after_the_command(run: Run, store: Path, before: list[str]) -> None:
    arguments = [one.replace("{store}", str(store)) for one in before]
    after = [] if any("{store}" in one for one in before) else ["--dir", store]
    ran = run(*arguments, "find", "bread", *after)
    assert [hit["doc"] for hit in ran.objects] == ["url:http://x.example/b"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "COMMAND"),
        (["fnd", "x"], "did you mean find?"),
        (["watch"], "no command 'watch'"),
        (["find", "x", "--limit", "0"], "from 1 to 1000"),
        (["find", "x", "--limit", "many"], "whole number"),
        (["find", "x", "--offset", "-1"], "whole number"),
        (["find", "x", "--rank", "best"], "exact"),
        (["find", "x", "--at", "tomorrow"], "bad time"),
        (["find", " "], "empty"),
        (["find", "x", "--colour"], "--colour"),
        (["find", "x", "--lim", "3"], "--lim"),
        (["read"], "DOC"),
        (["read", "x", "--start", "1.5"], "whole number"),
        (["read", "x", "--length", "-3"], "whole number"),
        (["read", "x", "--capture", "a", "--at", "2026-01-01"], "not allowed with"),
        (["verify", "x"], "QUOTE"),
        (["verify", "x", " "], "quote"),
        (["verify", "x", "q", "--at", "now"], "bad time"),
        (["versions"], "DOC"),
        (["reindex", "x"], "unrecognized"),
        (["store"], "WHAT"),
        (["store", "shred"], "shred"),
        (["store", "reset"], "--all"),
        (["store", "reset", "h", "--all"], "--all"),
        (["store", "cat", "x", "--body", "--raw"], "not allowed with"),
        (["testsite", "--hosts", "251"], "from 1 to 250"),
        (["testsite", "--port", "65536"], "from 0 to 65535"),
        (["read", "x", "--start", "9" * 19], "at most 18 digits"),
        (["crawl", "http://127.0.0.1/", "--max-pages", "0"], "whole number from 1 "),
        (["read", "x", "--start", "\uff15"], "whole number from 0 "),
        (["read", "x", "--capture", ""], "--capture: it is empty"),
        (["read", "x", "--dir", ""], "--dir: it is empty"),
        (["store", "erase", "x", "--reason", " "], "--reason: it is empty"),
        (["fetch", "example.com/a"], "begin it with https://"),
        (["fetch", "http://x.example/?q=\udce4"], "no UTF-8 text"),
        (["crawl", "http://x.example/\udce4"], "no UTF-8 text"),
        (["discover", "http://x.example/", "--feed", "http://x.example/\udce4"], "no UTF-8 text"),
        (["recipe", "run", "none"], "name a Python file"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_2_and_opens_no_store(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.setenv("POLITE_CRAWLER_DIR", str(tmp_path / "none"))
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
    assert says in ran.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "arguments",
    [["find", "x"], ["read", "x"], ["verify", "x", "y"], ["versions", "x"], ["reindex"], ["store", "stats"],
     ["store", "hosts"], ["store", "reset", "--all"], ["store", "cat", "x"], ["store", "doctor"]],
)  # fmt: skip
def test_no_store_is_one_line_and_1_and_makes_none(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    ran = run(*arguments, "--dir", tmp_path / "none", "--json")
    assert (ran.code, ran.out) == (1, b"")
    assert ran.err.count("\n") == 1
    assert "no store" in ran.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "arguments",
    [["read", "\udcff"], ["read", "http://x.example/a", "--capture", "\udcff"], ["find", "bell", "--kind", "\udcff"],
     ["verify", "\udcff", "q"], ["versions", "url:\udcff"], ["diff", "http://x.example/a", "--from", "\udcff"],
     ["extract", "\udcff", "--field", "a=b"], ["store", "cat", "\udcff"],
     ["store", "erase", "\udcff", "--reason", "\udcff"]],
)  # fmt: skip
def test_octets_that_are_no_utf_8_name_nothing(run: Run, store: Path, arguments: list[str]) -> None:
    ran = run(*arguments, "--dir", store)
    assert (ran.code, ran.out) == (1, b"")
    assert ran.err.count("\n") == 1
    assert "fault of the program" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [["find", "x", "--dir", "~no-such-name/s"], ["check", "~no-such-name/x.wacz"], ["import", "~no-such-name/x.wacz"],
     ["verify", "--check-bundle", "~no-such-name/b"], ["key-directory", "--sign-key", "~no-such-name/k"]],
)  # fmt: skip
def test_the_home_of_nobody_is_a_folder_that_is_not_there(run: Run, store: Path, arguments: list[str]) -> None:
    ran = run(*arguments, *(() if "--dir" in arguments else ("--dir", store)))
    assert (ran.code in (1, 2), ran.out, ran.err.count("\n")) == (True, b"", 1)
    assert "~no-such-name" in ran.err
    assert "fault of the program" not in ran.err


def test_the_help_of_a_command_keeps_the_names_of_formats(run: Run) -> None:
    assert "Say what is wrong with a WARC or WACZ file." in run("check", "--help").text
    assert "(Model Context Protocol)." in run("mcp", "--help").text


@pytest.mark.parametrize("actions", [["recipe", "list"], ["recipe", "run"], ["recipe", "fixture"], ["store", "stats"]])
def test_common_options_stand_behind_an_action_too(run: Run, actions: list[str]) -> None:
    assert all(f"--{one.replace('_', '-')}" in run(*actions, "--help").text for one in DEFAULTS)


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (BadOption("bad contact 'x'"), 2, "bad contact 'x'"),
        (StoreError("disk full"), 1, "disk full"),
        (NotStored("two\nlines \x1b[31m"), 1, "two lines \ufffd[31m"),
        (OSError(13, "Permission denied", "/a/b"), 1, "/a/b: Permission denied"),
        (OSError("odd"), 1, "odd"),
        (KeyboardInterrupt(), 130, "stopped"),
        (RuntimeError("a bug"), 1, "RuntimeError: a bug (a fault of the program; --verbose shows where)"),
    ],
)
def test_an_error_is_one_line_without_a_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, says: str
) -> None:
    class Failing:
        def add_arguments(self, parser: object) -> None:
            pass

        def run(self, args: object, output: object) -> int:
            raise error

    monkeypatch.setattr(frame, "command_of", lambda name: Failing())
    monkeypatch.setattr(commands, "command_of", lambda name: Failing())
    ran = run("find")
    assert (ran.code, ran.out, ran.err) == (code, b"", f"pc find: {says}\n")
    if isinstance(error, RuntimeError):
        with pytest.raises(RuntimeError):
            run("find", "--verbose")


def test_a_reader_that_went_away_is_no_noise(store: Path) -> None:
    command = [sys.executable, "-m", "polite_crawler.cli", "read", "http://x.example/a", "--dir", str(store)]
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
def test_a_standard_stream_that_is_closed_is_no_fault(store: Path, closed: str) -> None:
    number = ("stdin", "stdout", "stderr").index(closed)
    command = [sys.executable, "-m", "polite_crawler.cli", "find", "bell", "--dir", str(store)]
    script = f"import os; os.close({number}); os.execv({sys.executable!r}, {command!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"The bell" in done.stdout) == (closed != "stdout")


def test_ctrl_c_before_the_command_line_is_read_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "command_of", stopped)
    ran = run("find", "bell")
    assert (ran.code, ran.out, ran.err) == (130, b"", "")


def test_reading_a_store_imports_no_scrapy(store: Path) -> None:
    script = (
        "import sys; from polite_crawler.cli import main\n"
        f"assert main(['find', 'bell', '--dir', {str(store)!r}]) == 0\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('scrapy', 'twisted')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stderr == b"[]\n"


def test_the_folder_of_the_store_is_option_then_environment_then_home(monkeypatch: pytest.MonkeyPatch) -> None:
    args = parser_of("reindex").parse_args([], frame.defaults())
    assert store_dir(args, {}) == os.path.expanduser("~/.polite-crawler")
    assert store_dir(args, {"POLITE_CRAWLER_DIR": "~/other"}) == os.path.expanduser("~/other")
    args = parser_of("reindex").parse_args(["--dir", "here"], frame.defaults())
    assert store_dir(args, {"POLITE_CRAWLER_DIR": "~/other"}) == "here"


def test_common_options_become_settings() -> None:
    given = ["--dir", "s", "--contact", "a@b.example", "--allow-private", "--on-behalf-of", "A", "--on-behalf-of", "B"]
    args = parser_of("reindex").parse_args([*given, "--json", "--verbose", "--no-progress"], frame.defaults())
    assert engine_settings(args, {}) == {
        "POLITE_STORE": "s",
        "POLITE_CONTACT": "a@b.example",
        "POLITE_ALLOW_PRIVATE": True,
        "POLITE_ON_BEHALF_OF": ["A", "B"],
        "POLITE_OUTPUT": "json",
        "POLITE_PROGRESS": False,
        "LOG_LEVEL": "INFO",
    }
    plain_args = parser_of("reindex").parse_args([], frame.defaults())
    assert set(engine_settings(plain_args, {})) == {"POLITE_STORE", "POLITE_OUTPUT", "POLITE_PROGRESS", "LOG_LEVEL"}
    assert DEFAULTS["on_behalf_of"] == []


def test_logs_as_json_are_objects_on_stderr(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    real = frame.command_of

    class Logging:
        def run(self, args: Any, output: Output) -> int:
            try:
                raise ValueError("inner")
            except ValueError:
                logging.getLogger("polite").exception("it\nfailed %s", "é")
            logging.getLogger("polite").info("quiet")
            return real("find").run(args, output)

    monkeypatch.setattr(frame, "command_of", lambda name: Logging())
    ran = run("find", "bell", "--dir", store, "--json", "--log-json")
    (entry,) = [json.loads(line) for line in ran.err.splitlines()]
    assert (entry["level"], entry["logger"], entry["message"]) == ("error", "polite", "it\nfailed é")
    assert "ValueError: inner" in entry["traceback"]
    assert entry["time"].endswith("Z")
    assert ran.object["title"] == "The bell"
