"""The server as a process on standard input and output: it speaks nothing but the protocol, and ends well."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sites import Site

from polite_crawler.cli import main
from polite_crawler.cli import mcp as cli_mcp
from polite_crawler.mcp.stdio import readable
from polite_crawler.query.store import open_store

OPEN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Process:
    """A server and its pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._next = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self._next += 1
            message["id"] = self._next
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, octets: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(octets)
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def open(self) -> None:
        self.send("initialize", OPEN)
        assert self.answer()["result"]["serverInfo"]["name"] == "polite-crawler"
        self.send("notifications/initialized", notify=True)

    def fetch(self, url: str) -> None:
        self.send("tools/call", {"name": "crawl_fetch", "arguments": {"urls": url}})


@contextmanager
def serving(store: Path, *options: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "polite_crawler.cli", "mcp", "--dir", str(store), "--allow-private", *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield Process(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe
            with suppress(OSError):
                pipe.close()


@pytest.mark.parametrize(("how", "busy"), [("eof", True), ("SIGTERM", True), ("SIGINT", True), ("SIGTERM", False)])
def test_every_end_is_a_good_one(site: Site, store_dir: Path, how: str, busy: bool) -> None:
    with serving(store_dir) as server:
        server.open()
        server.fetch(site.url("/p/1"))
        assert '"outcome":"ok"' in server.answer()["result"]["content"][0]["text"]
        if busy:
            server.fetch(site.url("/hold/on", host=2))
            site.wait(lambda log: any(one.target == "/hold/on" for one in log))
        if how == "eof":
            assert server.process.stdin
            server.process.stdin.close()
        else:
            server.process.send_signal(getattr(signal, how))
        assert server.process.wait(30) == 0
        assert server.process.stdout
        assert server.process.stderr
        rest = server.process.stdout.read().splitlines()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest)
        assert server.process.stderr.read() == b""
    with open_store(store_dir) as store:
        assert store.read(site.url("/p/1")).total > 0
    assert not any(name.endswith("-wal") for name in os.listdir(store_dir))


@pytest.mark.parametrize("source", ["nothing", "file", "closed"])
def test_an_input_that_cannot_be_waited_for_ends_it_too(store_dir: Path, tmp_path: Path, source: str) -> None:
    (tmp_path / "calls").write_bytes(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    command = [sys.executable, "-m", "polite_crawler.cli", "mcp", "--dir", str(store_dir)]
    if source == "closed":
        command = [sys.executable, "-c", f"import os; os.close(0); os.execv({sys.executable!r}, {command!r})"]
    with open(tmp_path / "calls" if source == "file" else os.devnull, "rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_while_it_starts_is_a_good_end(store_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_mcp, "_serve", lambda args, output: signal.raise_signal(getattr(signal, name)))
    assert main(["mcp", "--dir", str(store_dir)]) == 0


def test_half_of_a_surrogate_pair_is_answered(store_dir: Path) -> None:
    with serving(store_dir) as server:
        server.open()
        for arguments in ({"query": "bell \ud83d"}, {"query": "bell", "kind": "\udc00"}):
            server.send("tools/call", {"name": "crawl_find", "arguments": arguments})
            assert '"hits":[]' in server.answer()["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (r'{"a": "\ud83d\ude00"}', '{"a": "\U0001f600"}'),
        (r'{"a": "x\ud83d", "\uDC00": 1}', '{"a": "x\ufffd", "\ufffd": 1}'),
        (r'{"a": "\\ud83d"}', r'{"a": "\\ud83d"}'),
        (r'{"a": "\ud83d', r'{"a": "\ud83d'),
        ('{"a": "plain"}', '{"a": "plain"}'),
    ],
)
def test_what_a_message_with_surrogates_is_read_as(line: str, read: str) -> None:
    assert readable(line) == read


def test_junk_on_the_wire_does_not_end_it(store_dir: Path) -> None:
    with serving(store_dir) as server:
        server.open()
        for junk in (b"\n", b"{\n", b"\xff\xfe\n", b"[]\n", b'{"jsonrpc":"2.0","id":"\\ud800","method":"x"}\n'):
            server.write(junk)
        server.send("tools/call", {"name": "crawl_find", "arguments": {"query": "'\"*("}})
        while "result" not in (answer := server.answer()):
            pass
        assert answer["result"]["content"][0]["type"] == "text"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tools", "crawl_all"), "no tool 'crawl_all'"),
        (("--tools", "crawl_site", "--read-only"), "no tool is left"),
        (("--port", "9"), "belong to --http"),
        (("--http", "--host", "0.0.0.0"), "--allow-remote"),
        (("--http", "--port", "70000"), "65535"),
        (("--structured", "always"), "invalid choice"),
    ],
)
def test_a_wrong_command_line(store_dir: Path, options: tuple[str, ...], words: str) -> None:
    with serving(store_dir, *options) as server:
        _, errors = server.process.communicate(timeout=60)
        assert server.process.returncode == 2
        assert words in errors.decode()
        assert not store_dir.exists()


def test_a_wrong_word_in_the_environment(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLITE_CRAWLER_ALLOW_USER_PROVIDED", "perhaps")
    with serving(store_dir) as server:
        _, errors = server.process.communicate(timeout=60)
        assert server.process.returncode == 2
        assert "POLITE_CRAWLER_ALLOW_USER_PROVIDED" in errors.decode()


def test_a_store_that_is_not_there(store_dir: Path) -> None:
    with serving(store_dir, "--read-only") as server:
        _, errors = server.process.communicate(timeout=60)
        assert server.process.returncode == 1
        assert errors.decode().count("\n") == 1
        assert "pc mcp: " in errors.decode()
