"""The running site: its log is true, it can be set and held, and it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import ExitStack

import pytest
from sites import body_of, raw_get

from polite_crawler.testsite import Site, SiteProcess
from polite_crawler.testsite.robots import MAX_OCTETS, VARIANTS
from polite_crawler.testsite.site import addresses
from polite_crawler.testsite.state import BadReset


def _connect(site: Site, host: int = 1) -> socket.socket:
    return socket.create_connection((site.hosts[host - 1], site.port), timeout=30)


def _ask(connection: socket.socket, target: str) -> None:
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def _answer(connection: socket.socket) -> bytes:
    """One answer with a Content-Length."""
    received = bytearray()
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65_536)
        if not piece:
            return bytes(received)
        received += piece
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    length = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))[15:])
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def test_the_log_tells_what_was_asked(site: Site) -> None:
    raw_get(site, "/notes/2?a=1", host=3, headers=("X-Odd: Caf\xe9", "x-odd: two"))
    (seen,) = site.log()
    assert (seen.host, seen.method, seen.target, seen.path) == ("127.0.0.3", "GET", "/notes/2?a=1", "/notes/2")
    assert seen.headers[-2:] == (("X-Odd", "Caf\xe9"), ("x-odd", "two"))
    assert seen.header("HOST") == f"127.0.0.3:{site.port}"
    assert (seen.status, seen.parallel, seen.nth, seen.cut) == (200, 1, 1, False)
    assert seen.end is not None
    assert seen.start <= seen.end


def test_the_log_can_be_narrowed(site: Site) -> None:
    for host, target in ((1, "/p/1"), (2, "/p/2"), (1, "/about")):
        raw_get(site, target, host=host)
    assert [seen.target for seen in site.log(host=1)] == ["/p/1", "/about"]
    assert [seen.target for seen in site.log(path="/p/")] == ["/p/1", "/p/2"]


def test_the_log_as_json_holds_the_same(site: Site) -> None:
    raw_get(site, "/p/1")
    entries = json.loads(body_of(raw_get(site, "/__log")))
    assert [(entry["target"], entry["path"], entry["status"]) for entry in entries] == [("/p/1", "/p/1", 200)]
    assert set(entries[0]) >= {"start", "end", "host", "method", "headers", "parallel", "connection"}


def test_kept_connections_are_numbered(site: Site) -> None:
    with _connect(site) as one, _connect(site) as two:
        for connection, target in ((one, "/p/1"), (two, "/p/2"), (one, "/p/3")):
            _ask(connection, target)
            assert _answer(connection).startswith(b"HTTP/1.1 200 ")
    log = site.log()
    assert [seen.nth for seen in log] == [1, 1, 2]
    assert log[0].connection == log[2].connection != log[1].connection


def test_requests_that_come_together_are_answered_in_order(site: Site) -> None:
    count = 3000
    with _connect(site) as connection:
        connection.sendall(b"".join(b"GET /status/404?%d HTTP/1.1\r\nHost: x\r\n\r\n" % n for n in range(count)))
        answers = bytearray()
        while answers.count(b"</html>") < count:
            answers += connection.recv(65_536)
    assert [seen.target for seen in site.log()] == [f"/status/404?{n}" for n in range(count)]
    assert {seen.parallel for seen in site.log()} == {1}


def test_held_answers_count_as_parallel_and_go_on_together(site: Site) -> None:
    with ExitStack() as stack:
        connections = [stack.enter_context(_connect(site, host)) for host in (1, 1, 2, 1)]
        for connection in connections:
            before = len(site.log())
            _ask(connection, "/hold/gate")
            site.wait(lambda log, before=before: len(log) > before)
        assert [(seen.host, seen.parallel, seen.end) for seen in site.log()] == [
            ("127.0.0.1", 1, None),
            ("127.0.0.1", 2, None),
            ("127.0.0.2", 1, None),
            ("127.0.0.1", 3, None),
        ]
        site.release("gate")
        assert all(b"Released" in _answer(connection) for connection in connections)
    assert all(seen.end is not None for seen in site.log())


def test_a_name_can_be_released_before_it_is_asked(site: Site) -> None:
    site.release("early")
    assert b"Released" in raw_get(site, "/hold/early")


def test_a_client_that_goes_away_is_a_cut_answer(site: Site) -> None:
    with _connect(site) as connection:
        _ask(connection, "/hold-body/never")
        assert connection.recv(65_536)
    (seen,) = site.wait(lambda log: bool(log) and log[0].end is not None)
    assert seen.cut
    assert seen.sent > 0


def test_waiting_for_what_does_not_come_says_what_came(site: Site) -> None:
    raw_get(site, "/p/1")
    with pytest.raises(TimeoutError, match="/p/1"):
        site.wait(lambda log: len(log) > 1, timeout=0.01)


def test_the_rest_of_a_host_is_seen_from_the_log(site: Site) -> None:
    site.set(2, latency=0.05)
    for host in (1, 2):
        raw_get(site, "/p/1", host=host)
    quick, slow = site.log()
    assert slow.end is not None
    assert slow.end - slow.start >= 0.05
    assert quick.status == slow.status == 200


def test_options_of_one_host_and_of_all(site: Site) -> None:
    site.reset(robots="deny")
    site.set(2, robots="allow")
    site.set(3, robots_text="User-agent: x\n")
    bodies = [body_of(raw_get(site, "/robots.txt", host=host)) for host in (1, 2, 3)]
    assert bodies == [b"User-agent: *\nDisallow: /\n", b"User-agent: *\nAllow: /\n", b"User-agent: x\n"]
    site.reset()
    assert b"Sitemap: " in raw_get(site, "/robots.txt", host=2)


def test_options_over_http(site: Site) -> None:
    assert json.loads(body_of(raw_get(site, "/__reset?robots=503&host=127.0.0.2"))) == {"ok": True}
    assert b" 503 " in raw_get(site, "/robots.txt", host=2)[:14]
    assert b" 200 " in raw_get(site, "/robots.txt", host=1)[:14]


@pytest.mark.parametrize("query", ["robots=none", "host=127.0.1.1&robots=deny", "colour=red", "latency=soon"])
def test_a_bad_option_is_refused(site: Site, query: str) -> None:
    answer = raw_get(site, f"/__reset?{query}")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body_of(answer))["ok"] is False


def test_a_bad_variant_is_refused_in_the_library() -> None:
    with Site(hosts=1) as own, pytest.raises(BadReset, match="no robots"):
        own.set(1, robots="nothing of the kind")


@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in ("stall", "reset", "held")])
def test_every_variant_of_robots_txt_answers(site: Site, name: str) -> None:
    site.reset(robots=name)
    answer = raw_get(site, "/robots.txt", limit=4_000)
    assert answer or name == "close"
    if name.isdigit():
        assert answer.startswith(f"HTTP/1.1 {name} ".encode())


def test_the_cut_variant_cuts_where_it_says(site: Site) -> None:
    site.reset(robots="cut")
    body = body_of(raw_get(site, "/robots.txt"))
    assert body[:MAX_OCTETS].endswith(b"\nAllow: /p/")
    assert body[MAX_OCTETS:] == b"secret\n"


def test_a_variant_that_counts_starts_anew_after_a_reset(site: Site) -> None:
    for _ in range(2):
        site.reset(robots="503-once")
        assert [raw_get(site, "/robots.txt")[9:12] for _ in range(2)] == [b"503", b"200"]


def test_a_kept_connection_can_end_without_a_word(site: Site) -> None:
    with _connect(site) as connection:
        _ask(connection, "/framing/idle-close")
        assert b"Framed" in _answer(connection)
        assert connection.recv(1) == b""
    with _connect(site) as connection:
        _ask(connection, "/framing/idle-drop")
        assert b"Framed" in _answer(connection)
        _ask(connection, "/p/1")
        assert connection.recv(1) == b""
    assert [(seen.target, seen.status) for seen in site.log()][-1] == ("/p/1", None)


def test_bad_requests_do_not_hurt_the_site(site: Site) -> None:
    for octets in (b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 70_000 + b"\r\n\r\n", b"GET / HTTP/1.1 x\r\n\r\n"):
        with _connect(site) as connection:
            connection.sendall(octets)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
    assert raw_get(site, "/p/1").startswith(b"HTTP/1.1 200 ")


def test_a_body_of_a_request_is_skipped(site: Site) -> None:
    with _connect(site) as connection:
        connection.sendall(b"POST /p/1 HTTP/1.1\r\nContent-Length: 40\r\n\r\n" + b"GET /p/2 HTTP/1.1\r\n\r\n".ljust(40))
        _answer(connection)
        _ask(connection, "/p/3")
        assert b"<title>p3</title>" in _answer(connection)
    assert [seen.target for seen in site.log()] == ["/p/1", "/p/3"]


@pytest.mark.parametrize("hosts", [0, 251])
def test_a_site_has_1_to_250_hosts(hosts: int) -> None:
    with pytest.raises(ValueError, match="1 to 250"):
        addresses(hosts)


def test_a_port_that_is_taken_is_an_error(site: Site) -> None:
    with pytest.raises(OSError, match="Address already in use"), Site(hosts=1, port=site.port):
        raise AssertionError("two sites on one port")


def test_the_process_says_where_it_listens_and_answers() -> None:
    with SiteProcess(hosts=20) as process:
        assert process.hosts == addresses(20)
        process.reset(robots="deny")
        process.set(20, robots="allow")
        with urllib.request.urlopen(process.url("/robots.txt", host=20), timeout=30) as answer:
            assert answer.read() == b"User-agent: *\nAllow: /\n"
        (seen,) = process.log(host=20, path="/robots")
        assert (seen.host, seen.status) == ("127.0.0.20", 200)
        with pytest.raises(ValueError, match="no robots"):
            process.reset(robots="none")
        process.journal(False)
        process.release("x")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_with_zero(number: int) -> None:
    command = [sys.executable, "-m", "polite_crawler.testsite"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["hosts"] == list(addresses(9))
        process.send_signal(number)
        assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == 0


def test_the_process_ends_with_its_parent() -> None:
    """The site holds the write end of the pipe, so the end of the pipe is the end of the site."""
    script = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, '-m', 'polite_crawler.testsite'], stdout=subprocess.PIPE)\n"
        "child.stdout.readline(); os._exit(0)\n"
    )
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as pipe:
        subprocess.run([sys.executable, "-c", script], stderr=write_end, check=True)
        os.close(write_end)
        assert pipe.read() == b""
