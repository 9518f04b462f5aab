"""From a name to a connection: which addresses are tried, and which are never reached."""

import socket

import pytest
from transport_site import answers, client, ok, only, run, site

from polite_crawler.transport.resolver import Resolver, SockAddr
from polite_crawler.transport.wire import ExchangeError, Wire


def listed(*ips: str) -> Resolver:
    """A resolver that gives each answer once, then the last one again."""
    left = list(ips)

    def resolve(host: str, port: int) -> list[SockAddr]:
        ip = left.pop(0) if len(left) > 1 else left[0]
        return [(one, port) for one in ip.split()]

    return Resolver(resolve)


def test_a_name_that_is_bound_anew_never_reaches_the_refused_address() -> None:
    """The first answer is good, the second is loopback of another kind: one look-up a connection, each one judged."""

    async def main() -> None:
        async with site(answers(ok(), ok())) as here:
            url = f"http://rebound.example:{here.port}/"
            async with client(egress=only("127.0.0.1"), resolver=listed("127.0.0.1", "127.0.0.2")) as one:
                wire = await one.exchange("GET", url, [])
                assert wire.ip == "127.0.0.1"
                assert wire.request_head.split(b"\r\n")[1] == b"Host: rebound.example:%d" % here.port
                assert (await one.exchange("GET", url, [])).reused  # no second look-up
            async with client(egress=only("127.0.0.1"), resolver=listed("127.0.0.2")) as one:
                with pytest.raises(ExchangeError) as caught:
                    await one.exchange("GET", url, [])
                assert (caught.value.kind, caught.value.sent) == ("egress", False)
                assert str(caught.value) == (
                    "egress policy: 127.0.0.2 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"
                )
            assert here.connections == 1

    run(main())


def test_every_address_of_a_name_is_tried() -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client(resolver=listed("127.0.0.2 127.0.0.3 127.0.0.1")) as one:
            wire = await one.exchange("GET", f"http://three.example:{here.port}/", [])
            assert wire.ip == "127.0.0.1"

    run(main())


def test_a_port_that_refuses() -> None:
    async def main() -> None:
        async with site(answers()) as here:
            pass
        async with client(resolver=listed("127.0.0.2 127.0.0.1")) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"http://down.example:{here.port}/", [])
        error = caught.value
        assert (error.kind, error.sent, error.ip, error.request_head) == ("refused", False, "127.0.0.1", None)
        assert str(error) == f"127.0.0.1 port {here.port} does not connect: connection refused"

    run(main())


def test_a_name_that_does_not_resolve() -> None:
    def resolve(host: str, port: int) -> list[SockAddr]:
        raise OSError(-2, "Name or service not known")

    async def main() -> None:
        async with client(resolver=Resolver(resolve)) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", "http://gone.example/", [])
            assert (caught.value.kind, caught.value.sent) == ("dns", False)

    run(main())


def test_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")

    async def main() -> Wire:
        async with site(answers(ok()), host="::1") as here, client() as one:
            wire = await one.exchange("GET", f"http://[::1]:{here.port}/", [])
            assert wire.request_head.split(b"\r\n")[1] == b"Host: [::1]:%d" % here.port
            return wire

    assert run(main()).ip == "::1"
