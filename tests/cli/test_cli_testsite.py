"""`pc-testsite` as a process: what it announces, and how it ends."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from polite_crawler.testsite import Site


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_announces_one_line_and_ends_on_a_signal(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "polite_crawler.cli", "testsite", "--hosts", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert set(said) == {"base", "hosts"}
        assert said["hosts"] == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
        with urllib.request.urlopen(said["base"] + "/__log", timeout=30) as answer:
            assert json.load(answer) == []
        process.send_signal(number)
        assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == 0


def test_a_port_that_is_taken_is_one_line_and_1(site: Site) -> None:
    command = [sys.executable, "-m", "polite_crawler.cli", "testsite", "--port", str(site.port)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"pc testsite: Address already in use (127.0.0.1:{site.port})\n"
