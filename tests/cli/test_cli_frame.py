"""The command line: names, exit codes, errors of one line, and the answers of the store commands."""

import json
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
from store_lab import StoreLab

from polite_crawler import __version__
from polite_crawler.cli import COMMANDS, commands, frame, main, parser_of
from polite_crawler.cli.commands import command_of
from polite_crawler.cli.options import DEFAULTS, engine_settings, store_dir
from polite_crawler.cli.output import Output, many_lines, one_line, plain, width
from polite_crawler.errors import BadOption, NotStored, StoreError
from polite_crawler.query.find import Found
from polite_crawler.query.read import ReadResult
from polite_crawler.query.verify import VerifyResult
from polite_crawler.query.versions import Version
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts_sqlite import open_hosts

QUOTE = "robots exclusion is a protocol"
TEXT = f"On this page {QUOTE}, and a bell rings in the fog."


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def object(self) -> Any:
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run `pc` with these arguments in this process."""

    def call(*arguments: object, program: str | None = None) -> Ran:
        try:
            code = main([str(one) for one in arguments], program=program)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        out, err = capfdbinary.readouterr()
        return Ran(int(code), out, err.decode())

    return call


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two versions of a page, a held-back page and an ordinary one."""
    path = tmp_path / "store"
    lab = StoreLab(path)
    lab.page("http://x.example/a", TEXT, title="The bell")
    lab.page("http://x.example/a", TEXT + " It rings twice.", title="The bell", at=3600)
    lab.page("http://x.example/b", "A page about bread and salt.", title="Bread \x1b[31m")
    lab.page("http://x.example/held", "Nobody may read this quietly.", title="Held", hold="ai-input=no")
    lab.close()
    return path


def _keys(cls: type) -> list[str]:
    return [field.name for field in fields(cls)]


# --- the program and its names ---


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


def test_reading_a_store_imports_no_scrapy(store: Path) -> None:
    script = (
        "import sys; from polite_crawler.cli import main\n"
        f"assert main(['find', 'bell', '--dir', {str(store)!r}]) == 0\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('scrapy', 'twisted')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stderr == b"[]\n"


# --- the store and the engine of the common options ---


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


# --- answers ---


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


def test_reindex(run: Run, store: Path) -> None:
    ran = run("reindex", "--dir", store, "--json")
    assert ran.object == {
        "documents": 3, "captures": 4, "skipped_lines": 0, "skipped_bodies": 0, "failed": 0, "kept": 0,
    }  # fmt: skip
    assert run("reindex", "--dir", store).text == "3 documents from 4 captures\n"
    assert run("find", "bell", "--dir", store).code == 0


def test_reindex_tells_what_it_left_out(run: Run, store: Path) -> None:
    log = next((store / "captures").rglob("*.ndjson"))
    log.write_bytes(log.read_bytes() + b'{"torn": \n')
    next((store / "blobs").rglob("*.gz")).unlink()
    ran = run("reindex", "--dir", store)
    assert "left out: 1 damaged lines" in ran.text
    assert "left out: 1 missing" in ran.text


def test_store_stats(run: Run, store: Path) -> None:
    facts = run("store", "stats", "--dir", store, "--json").object
    assert (facts["documents"], facts["versions"], facts["held_back"], facts["blobs"]) == (3, 4, 1, 4)
    assert facts["log_bytes"] > 0
    assert "documents" in run("store", "stats", "--dir", store).text


def test_store_hosts_and_reset(run: Run, store: Path) -> None:
    assert run("store", "hosts", "--dir", store, "--json").object == {"hosts": []}
    hosts = open_hosts(StoreFolder(store).hosts)
    hosts.stop("a.example", until=4e9, reason="blocked (403)")
    hosts.rest("b.example", until=4e9)
    hosts.close()
    first, second = run("store", "hosts", "--dir", store, "--json").object["hosts"]
    assert (first["host"], first["reason"], first["stopped_until"][:4]) == ("a.example", "blocked (403)", "2096")
    assert (second["host"], second["reason"], second["ready_at"][:4]) == ("b.example", None, "2096")
    assert "blocked (403)" in run("store", "hosts", "--dir", store).text
    reset = run("store", "reset", "http://A.example/x", "--dir", store)
    assert (reset.code, reset.text) == (0, "1 host may be asked again\n")
    assert run("store", "hosts", "--dir", store, "--json").object["hosts"][0]["stopped_until"] is None
    unknown = run("store", "reset", "c.example", "--dir", store)
    assert (unknown.code, unknown.err) == (1, "c.example: never asked\n")
    assert run("store", "reset", "--all", "--dir", store, "--json").object == {"reset": 2, "unknown": []}


def test_store_doctor(run: Run, store: Path) -> None:
    well = run("store", "doctor", "--dir", store, "--json")
    assert (well.code, well.object) == (0, {"ok": True, "faults": [], "texts": 3, "bodies": 4, "lines": 4})
    assert run("store", "doctor", "--dir", store).text.startswith("nothing is wrong with 3 texts")
    body = next((store / "blobs").rglob("*.gz"))
    body.write_bytes(body.read_bytes()[:-9] + bytes(9))
    ill = run("store", "doctor", "--dir", store)
    assert ill.code == 1
    assert body.name[:16] in ill.text


def test_store_doctor_repairs_the_index(run: Run, store: Path) -> None:
    assert run("find", "bell", "--dir", store).code == 0
    (database,) = (store / "index").rglob("index.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE ent SET len = len + 1")
        connection.commit()
    assert run("store", "doctor", "--dir", store).code == 1
    repaired = run("store", "doctor", "--repair", "--dir", store, "--json")
    assert (repaired.code, repaired.object["ok"]) == (0, True)
    assert "words" in repaired.err
    assert run("store", "doctor", "--dir", store).code == 0


def test_store_cat(run: Run, store: Path) -> None:
    capture = run("versions", "http://x.example/b", "--dir", store, "--json").objects[0]["capture"]
    line = run("store", "cat", capture, "--dir", store)
    assert line.object["id"] == capture
    body = run("store", "cat", capture, "--body", "--dir", store).out
    assert body.startswith(b"<!doctype html><title>Bread")
    assert run("store", "cat", capture, "--raw", "--dir", store).out == body
    assert run("store", "cat", line.object["body"]["sha256"], "--dir", store).out == body
    assert run("store", "cat", capture, "--heads", "--dir", store).out.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("name", ["fetch.none", "0" * 64])
def test_store_cat_of_nothing_is_1(run: Run, store: Path, name: str) -> None:
    ran = run("store", "cat", name, "--dir", store)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, b"", 1)


# --- printing ---


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
