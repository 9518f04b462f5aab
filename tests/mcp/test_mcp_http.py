"""The server over HTTP: who may come in, what it tells of itself, and its end."""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_lab import call
from sites import Site
from starlette.types import Receive, Scope, Send

from polite_crawler.errors import BadOption
from polite_crawler.mcp.guard import Guard, host_names
from polite_crawler.mcp.http import MAX_BODY, Address
from polite_crawler.mcp.token import new_token, read_token
from polite_crawler.store.folder import StoreFolder

TOKEN = "a-token-of-a-test-0123456789"


def asked(guard: Guard, *headers: tuple[str, str], path: str = "/mcp") -> int:
    """The status that a request gets; 204 when it is let in."""
    got: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            got.append(message["status"])

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"",
             "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers]}  # fmt: skip
    asyncio.run(guard(scope, receive, send))
    return got[0]


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """What the guard keeps."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


HOST, BEARER = ("host", "127.0.0.1:9307"), ("authorization", f"Bearer {TOKEN}")


@pytest.mark.parametrize("path", ["/mcp", "/status", "/elsewhere"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((HOST, BEARER), 204),
        ((HOST, ("authorization", f"bearer  {TOKEN} ")), 204),
        ((("host", "LocalHost:9307"), BEARER), 204),
        ((("host", "[::1]:9307"), BEARER, ("origin", "http://[::1]:9307")), 204),
        ((HOST, BEARER, ("origin", "http://127.0.0.1:9307")), 204),
        ((HOST,), 401),
        ((HOST, ("authorization", TOKEN)), 401),
        ((HOST, ("authorization", f"Basic {TOKEN}")), 401),
        ((HOST, ("authorization", f"Bearer {TOKEN}x")), 401),
        ((HOST, ("authorization", "Bearer ")), 401),
        ((HOST, ("authorization", "Bearer \xff")), 401),
        ((BEARER,), 421),
        ((("host", "127.0.0.1"), BEARER), 421),
        ((("host", "127.0.0.1:9308"), BEARER), 421),
        ((("host", "evil.example:9307"), BEARER), 421),
        ((("host", "127.0.0.1:9307.evil.example"), BEARER), 421),
        ((HOST, BEARER, ("origin", "null")), 403),
        ((HOST, BEARER, ("origin", "http://127.0.0.1:8080")), 403),
        ((HOST, BEARER, ("origin", "http://localhost:9307")), 403),
        ((HOST, BEARER, ("origin", "https://127.0.0.1:9307")), 403),
        ((HOST, BEARER, ("origin", "")), 403),
        ((HOST, HOST, BEARER), 400),
        ((HOST, BEARER, ("authorization", "Bearer x")), 400),
    ],
)
def test_the_guard(headers: tuple[tuple[str, str], ...], status: int, path: str) -> None:
    guard = Guard(inside, token=TOKEN, hosts=host_names(9307))
    assert asked(guard, *headers, path=path) == status


def test_a_server_for_others_asks_for_the_token_all_the_same() -> None:
    guard = Guard(inside, token=TOKEN, hosts=None)
    there = ("host", "crawler.example")
    assert asked(guard, there, BEARER) == 204
    assert asked(guard, there) == 401
    assert asked(guard, there, BEARER, ("origin", "http://evil.example")) == 403


@pytest.mark.parametrize(
    ("host", "fine"),
    [("127.0.0.1", True), ("127.0.0.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.0.1", False), ("example.org", False)],
)  # fmt: skip
def test_an_address_that_others_reach_has_to_be_meant(host: str, fine: bool) -> None:
    Address(host, remote=True).check()
    if fine:
        Address(host).check()
    else:
        with pytest.raises(BadOption, match="--allow-remote"):
            Address(host).check()


def test_the_token_is_for_its_owner(tmp_path: Path) -> None:
    folder = StoreFolder(tmp_path / "store")
    first, second = new_token(folder), new_token(folder)
    path = folder.mcp_token
    assert first != second
    assert len(second) >= 43
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(folder.path) == ["mcp-token"]
    assert read_token(path) == (second, None)
    path.chmod(0o644)
    token, warning = read_token(path)
    assert token == second
    assert "other users" in (warning or "")
    path.write_text("short")
    with pytest.raises(BadOption):
        read_token(path)


@contextmanager
def serving(store: Path, *options: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    command = [sys.executable, "-m", "polite_crawler.cli", "mcp", "--http", "--port", "0", "--dir", str(store)]
    process = subprocess.Popen([*command, "--allow-private", *options], stderr=subprocess.PIPE)
    try:
        assert process.stderr
        line = process.stderr.readline().decode()
        assert line.startswith("serving http://127.0.0.1:"), line
        yield process, line.split()[1].rstrip(";")
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        process.stderr.close()


def test_a_session_status_and_the_end(site: Site, store_dir: Path) -> None:
    with serving(store_dir) as (process, url):
        token = StoreFolder(store_dir).mcp_token.read_text("ascii").strip()
        address = url.removeprefix("http://").removesuffix("/mcp")

        def get(path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
            connection = HTTPConnection(address, timeout=30)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            found = answer.status, answer.read()
            connection.close()
            return found

        assert get("/status")[0] == get("/mcp")[0] == get("/nothing")[0] == 401
        bearer = {"Authorization": f"Bearer {token}"}
        assert get("/status", Host="evil.example", **bearer)[0] == 421
        assert get("/mcp", "POST", b"x" * (MAX_BODY + 1), **bearer)[0] == 413

        async def main() -> None:
            async with httpx.AsyncClient(headers=bearer) as http:
                for mode in ("legacy", "auto"):
                    async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                        page = (await call(client, "crawl_fetch", urls=site.url("/p/1")))["pages"][0]
                        assert page["outcome"] == "ok"
                        status = json.loads(get("/status", **bearer)[1])
                        assert set(status) == {"version", "pid", "started", "sessions", "tasks", "hosts"}
                        assert (status["pid"], status["sessions"]) == (process.pid, int(mode == "legacy"))

        asyncio.run(main())
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_an_end_in_the_middle_of_a_task(site: Site, store_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "token").chmod(0o600)
    with serving(store_dir, "--token-file", str(tmp_path / "token")) as (process, url):
        bearer = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream",
                  "Content-Type": "application/json"}  # fmt: skip
        connection = HTTPConnection(url.removeprefix("http://").removesuffix("/mcp"), timeout=30)

        def post(message: dict[str, Any], **more: str) -> Any:
            connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}), {**bearer, **more})
            answer = connection.getresponse()
            assert answer.status in (200, 202)
            return answer.headers, answer.read()

        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        headers, _ = post({"id": 1, "method": "initialize", "params": about})
        session = {"Mcp-Session-Id": headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        post({"method": "notifications/initialized"}, **session)
        crawl = {"name": "crawl_site", "arguments": {"url": site.url("/hold/on")}, "task": {}}
        assert b'"working"' in post({"id": 2, "method": "tools/call", "params": crawl}, **session)[1]
        site.wait(lambda log: any(one.target == "/hold/on" for one in log))
        connection.request("GET", "/status", headers=bearer)
        status = json.loads(connection.getresponse().read())
        assert [task["state"] for task in status["tasks"]] == ["working"]
        assert status["hosts"] == ["127.0.0.1"]
        connection.close()
        assert not StoreFolder(store_dir).mcp_token.exists()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_a_port_that_is_taken(store_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "-m", "polite_crawler.cli", "mcp", "--http", "--dir", str(store_dir)]
        done = subprocess.run(
            [*command, "--port", str(taken.getsockname()[1])], capture_output=True, text=True, timeout=60, check=False
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "in use" in done.stderr
