"""Tools of others in environments of their own: they are no dependency, and some of their licences forbid it."""

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from urllib.error import HTTPError

import pytest


def environment(folder: Path, *packages: str) -> Path:
    """The bin folder of a new virtual environment with these packages; skips the test when they cannot be had."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    installed = subprocess.run(
        [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if installed.returncode:
        pytest.skip(f"cannot install {', '.join(packages)}: {installed.stderr.strip().splitlines()[-1]}")
    return folder / "bin"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Shows the redirect itself."""

    def redirect_request(self, *args: object, **more: object) -> None:
        return None


def get(url: str) -> tuple[int, bytes]:
    """Status and octets of an answer, with no content coding undone."""
    opener = urllib.request.build_opener(NoRedirect)
    opener.addheaders = [("Accept-Encoding", "gzip, deflate, br")]
    try:
        with opener.open(url, timeout=30) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


@contextmanager
def replay(tools: Path, folder: Path, package: Path) -> Iterator[str]:
    """pywb on loopback with one package; gives the URL of its collection."""
    for command in (["init", "x"], ["add", "x", "--unpack-wacz", str(package)]):
        subprocess.run([tools / "wb-manager", *command], cwd=folder, check=True, capture_output=True)
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = (folder / "wayback.log").open("wb")
    server = subprocess.Popen(
        [tools / "wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=log, stderr=log
    )
    try:
        base = f"http://127.0.0.1:{port}/x"
        _wait_for(base, server)
        yield base
    finally:
        server.terminate()
        server.wait(30)
        log.close()


def _wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        try:
            get(url)
        except OSError:
            assert server.poll() is None, "the replay server has ended"
            time.sleep(0.1)  # a process of others gives no event
        else:
            return
    raise AssertionError("the replay server does not answer")
