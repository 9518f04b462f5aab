"""The test site as the tests use it: one for each worker, clean for each test, and a client that hides nothing."""

import socket
from collections.abc import Iterator

import pytest

from polite_crawler.testsite import Site, SiteProcess

HOSTS = 9


@pytest.fixture(scope="session")
def running_site() -> Iterator[Site]:
    """The site of this worker. Tests take `site`, which is clean."""
    with Site(hosts=HOSTS) as site:
        yield site


@pytest.fixture
def site(running_site: Site) -> Site:
    """The site with an empty log, no latency, and `site` as the robots.txt of each host."""
    running_site.reset()
    return running_site


@pytest.fixture
def site_process() -> Iterator[SiteProcess]:
    """A site in a process of its own, for tests that measure or kill."""
    with SiteProcess(hosts=HOSTS) as process:
        yield process


def raw_get(
    site: Site | SiteProcess,
    target: str,
    *,
    host: int = 1,
    headers: tuple[str, ...] = (),
    method: str = "GET",
    limit: int = 1 << 24,
    timeout: float = 30.0,
) -> bytes:
    """Every octet that the site sends for one request, until it closes the connection or `limit` octets came."""
    address = (site.hosts[host - 1], site.port)
    lines = (f"{method} {target} HTTP/1.1", f"Host: {address[0]}:{address[1]}", "Connection: close", *headers, "", "")
    with socket.create_connection(address, timeout=timeout) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        received = bytearray()
        while len(received) < limit:
            piece = connection.recv(65_536)
            if not piece:
                break
            received += piece
    return bytes(received)


def body_of(answer: bytes) -> bytes:
    """What stands after the blank line of an answer."""
    return answer.partition(b"\r\n\r\n")[2]
