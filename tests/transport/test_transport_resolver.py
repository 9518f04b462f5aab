"""Names to checked addresses: every answer is judged, and a name server that hangs holds up nobody else."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import pytest

from polite_crawler.rules.addresses import Egress, EgressAllow
from polite_crawler.transport.resolver import Resolver, SockAddr, system_resolve
from polite_crawler.transport.wire import ExchangeError

OPEN = Egress(allow_private=True)
SHUT = Egress()


def told(*ips: str) -> Callable[[str, int], Sequence[SockAddr]]:
    return lambda host, port: [(ip, port, 0, 0) if ":" in ip else (ip, port) for ip in ips]


def addresses(host: str, resolver: Resolver, egress: Egress = OPEN) -> list[str]:
    found = asyncio.run(resolver.addresses(host, 80, egress.refusal))
    return [address.ip for address in found]


def error(host: str, resolver: Resolver, egress: Egress = OPEN) -> ExchangeError:
    with pytest.raises(ExchangeError) as caught:
        addresses(host, resolver, egress)
    return caught.value


def never(host: str, port: int) -> Sequence[SockAddr]:
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize(
    ("host", "ip"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2130706433", "127.0.0.1"), ("192.0.2.1", "192.0.2.1")],
)
def test_a_literal_is_not_looked_up(host: str, ip: str) -> None:
    allow = Egress(True, EgressAllow.parse("192.0.2.0/24"))
    assert addresses(host, Resolver(never), allow) == [ip]


def test_literals_are_judged() -> None:
    assert error("0x7f.1", Resolver(never), SHUT).kind == "egress"


@pytest.mark.parametrize(
    ("answers", "note"),
    [
        (["127.0.0.1"], "127.0.0.1 is a loopback"),
        (["8.8.8.8", "10.0.0.1"], "10.0.0.1 is a private"),
        (["10.0.0.1", "8.8.8.8"], "10.0.0.1 is a private"),
        (["8.8.8.8", "::ffff:169.254.169.254"], "::ffff:169.254.169.254 is a link-local"),
        (["8.8.8.8", "64:ff9b::7f00:1"], "64:ff9b::7f00:1 is a loopback"),
        (["fe80::1%eth0"], "fe80::1 is a link-local"),
    ],
)
def test_one_refused_answer_refuses_the_name(answers: list[str], note: str) -> None:
    refused = error("mixed.example", Resolver(told(*answers)), SHUT)
    assert (refused.kind, refused.sent) == ("egress", False)
    assert str(refused).startswith(f"egress policy: {note}")


def test_all_answers_are_kept_in_their_order() -> None:
    assert addresses("a.example", Resolver(told("8.8.8.8", "2606:4700::1", "1.1.1.1")), SHUT) == [
        "8.8.8.8", "2606:4700::1", "1.1.1.1",
    ]  # fmt: skip


@pytest.mark.parametrize("host", ["router.example", "fe80::1%eth9"])
def test_a_zone_is_kept_for_the_connection(host: str) -> None:
    resolver = Resolver(lambda host, port: [("fe80::1%eth9", port, 0, 9)])
    (address,) = asyncio.run(resolver.addresses(host, 80, OPEN.refusal))
    assert (address.ip, address.host, address.family) == ("fe80::1", "fe80::1%9", socket.AF_INET6)


def test_a_host_that_is_allowed_by_name() -> None:
    allow = Egress(allow=EgressAllow.parse("intra.example"))
    assert addresses("intra.example", Resolver(told("10.0.0.1")), allow) == ["10.0.0.1"]
    assert error("other.example", Resolver(told("10.0.0.1")), allow).kind == "egress"


def raises(failure: Exception) -> Callable[[str, int], Sequence[SockAddr]]:
    def resolve(host: str, port: int) -> Sequence[SockAddr]:
        raise failure

    return resolve


@pytest.mark.parametrize(
    ("resolve", "message"),
    [
        (raises(socket.gaierror(-2, "Name or service not known")), "x.example does not resolve: Name or service"),
        (raises(OSError(5, "broken")), "x.example does not resolve: broken"),
        (raises(UnicodeError("label too long")), "x.example does not resolve: it is no valid host name"),
        (told(), "x.example does not resolve: no address"),
    ],
)
def test_a_name_without_an_address(resolve: Callable[[str, int], Sequence[SockAddr]], message: str) -> None:
    failed = error("x.example", Resolver(resolve))
    assert (failed.kind, failed.sent) == ("dns", False)
    assert str(failed).startswith(message)


def test_an_unexpected_error_reaches_the_caller() -> None:
    with pytest.raises(KeyError):
        addresses("x.example", Resolver(raises(KeyError("bug"))))


@pytest.mark.parametrize("host", ["localhost", "a" * 64 + ".example", "a..example"])
def test_the_system_resolves_or_says_so(host: str) -> None:
    """Names of this machine and names that cannot be: none of them needs a network."""
    try:
        assert "127.0.0.1" in addresses(host, Resolver(system_resolve))
    except ExchangeError as failed:
        assert failed.kind == "dns"  # noqa: PT017
        assert host != "localhost"


class Hanging:
    """A resolver that hangs for some names until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked: list[str] = []
        self.threads: set[int] = set()
        self.at_once = 0
        self._running = 0
        self._lock = threading.Lock()

    def __call__(self, host: str, port: int) -> Sequence[SockAddr]:
        with self._lock:
            self.asked.append(host)
            self.threads.add(threading.get_ident())
            self._running += 1
            self.at_once = max(self.at_once, self._running)
        if host.startswith("dead"):
            self.go.wait(60)
        with self._lock:
            self._running -= 1
        return [("127.0.0.1", port)]


def test_a_name_that_hangs_times_out_and_gives_its_place_away() -> None:
    resolve = Hanging()
    resolver = Resolver(resolve, seconds=0.05, threads=2)

    async def main() -> None:
        for turn in range(3):
            dead = [resolver.addresses(f"dead{turn}{n}.example", 80, OPEN.refusal) for n in range(2)]
            results = await asyncio.gather(*dead, return_exceptions=True)
            assert [str(result) for result in results] == [
                f"dead{turn}{n}.example did not resolve within 0.05 s" for n in range(2)
            ]
        # six threads hang now, and a live name is served by a seventh
        found = await resolver.addresses("alive.example", 80, OPEN.refusal)
        assert found[0].ip == "127.0.0.1"

    try:
        asyncio.run(main())
    finally:
        resolve.go.set()


def test_no_more_threads_than_the_most_even_when_all_hang() -> None:
    resolve = Hanging()
    resolver = Resolver(resolve, seconds=0.05, threads=2, most_threads=3)

    async def main() -> list[ExchangeError | tuple[object, ...]]:
        return await asyncio.gather(
            *(resolver.addresses(f"dead{n}.example", 80, OPEN.refusal) for n in range(9)), return_exceptions=True
        )

    try:
        results = asyncio.run(main())
    finally:
        resolve.go.set()
    assert all(isinstance(result, ExchangeError) and result.kind == "dns" for result in results)
    assert resolve.at_once <= 3


def test_threads_are_bounded_and_used_again() -> None:
    resolve = Hanging()
    resolver = Resolver(resolve, threads=3)

    async def main() -> None:
        for _ in range(5):
            await asyncio.gather(*(resolver.addresses(f"n{n}.example", 80, OPEN.refusal) for n in range(20)))

    asyncio.run(main())
    assert len(resolve.asked) == 100
    assert resolve.at_once <= 3
    assert len(resolve.threads) <= 3


def test_a_look_up_that_is_cancelled_disturbs_no_other_one() -> None:
    resolve = Hanging()
    resolver = Resolver(resolve, threads=1)

    async def main() -> None:
        dead = asyncio.ensure_future(resolver.addresses("dead.example", 80, OPEN.refusal))
        waiting = asyncio.ensure_future(resolver.addresses("waiting.example", 80, OPEN.refusal))
        while not resolve.asked:
            await asyncio.sleep(0)
        waiting.cancel()
        dead.cancel()
        await asyncio.wait([dead, waiting])
        found = await resolver.addresses("alive.example", 80, OPEN.refusal)
        assert found[0].ip == "127.0.0.1"

    try:
        asyncio.run(main())
    finally:
        resolve.go.set()
    assert "waiting.example" not in resolve.asked


def test_a_look_up_that_hangs_does_not_hold_up_the_end_of_the_process() -> None:
    program = """
import asyncio, threading
from polite_crawler.rules.addresses import Egress
from polite_crawler.transport.resolver import Resolver
from polite_crawler.transport.wire import ExchangeError
resolver = Resolver(lambda host, port: threading.Event().wait(), seconds=0.05)
try:
    asyncio.run(resolver.addresses("dead.example", 80, Egress().refusal))
except ExchangeError as error:
    print(error.kind)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("dns\n", "")
