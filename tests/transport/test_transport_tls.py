"""TLS: who is believed, and what the record says of a handshake."""

import asyncio
import hashlib
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from transport_site import Authority, Peer, answers, client, ok, run, site

from polite_crawler.transport.exchange import Timeouts
from polite_crawler.transport.resolver import Resolver
from polite_crawler.transport.tls import default_context, iana_name
from polite_crawler.transport.wire import ExchangeError, Wire

HERE = Resolver(lambda host, port: [("127.0.0.1", port)])


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


def fetch(server: ssl.SSLContext, trusted: ssl.SSLContext, host: str) -> tuple[Wire, bytes | None]:
    async def main() -> tuple[Wire, bytes | None]:
        async with site(answers(ok()), tls=server) as here, client(ssl_context=trusted, resolver=HERE) as one:
            wire = await one.exchange("GET", f"https://{host}:{here.port}/", [])
            return wire, one.certificate(wire)

    result: tuple[Wire, bytes | None] = run(main())
    return result


def refused(server: ssl.SSLContext, trusted: ssl.SSLContext, host: str) -> str:
    asked: list[bytes] = []

    async def main() -> ExchangeError:
        async with site(answers(ok()), tls=server) as here, client(ssl_context=trusted, resolver=HERE) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"https://{host}:{here.port}/", [])
            asked.extend(here.requests)
            return caught.value

    error: ExchangeError = run(main())
    assert (error.kind, error.sent, asked) == ("tls", False, [])
    return str(error)


def test_the_record_of_a_handshake(authority: Authority) -> None:
    wire, certificate = fetch(authority.server("site.example"), authority.context(), "site.example")
    assert wire.status == 200
    assert wire.tls is not None
    assert certificate is not None
    assert (wire.tls.version, wire.tls.alpn) == ("TLSv1.3", "http/1.1")
    assert (wire.tls.cipher or "").startswith("TLS_")
    assert wire.tls.cert_sha256 == hashlib.sha256(certificate).hexdigest()
    names = x509.load_der_x509_certificate(certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert names.value.get_values_for_type(x509.DNSName) == ["site.example"]
    assert wire.request_head.split(b"\r\n")[1].startswith(b"Host: site.example:")


def test_tls_12_with_the_iana_name_of_its_suite(authority: Authority) -> None:
    server = authority.server("site.example")
    server.maximum_version = ssl.TLSVersion.TLSv1_2
    server.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
    wire, _ = fetch(server, authority.context(), "site.example")
    assert wire.tls is not None
    assert (wire.tls.version, wire.tls.cipher) == ("TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")


@pytest.mark.parametrize("host", ["a.wild.example", "127.0.0.1", "SITE.example", "site.example."])
def test_names_that_a_certificate_holds(authority: Authority, host: str) -> None:
    server = authority.server("site.example", "*.wild.example", "127.0.0.1")
    assert fetch(server, authority.context(), host)[0].status == 200


@pytest.mark.parametrize("host", ["other.example", "a.site.example", "127.0.0.1", "a.b.wild.example"])
def test_a_wrong_host_name_is_refused(authority: Authority, host: str) -> None:
    message = refused(authority.server("site.example", "*.wild.example", "127.0.0.2"), authority.context(), host)
    assert message.startswith(f"the certificate of {host} is not valid: ")
    assert "mismatch" in message


def test_an_expired_certificate_is_refused(authority: Authority) -> None:
    message = refused(authority.server("site.example", days=-1), authority.context(), "site.example")
    assert message == "the certificate of site.example is not valid: certificate has expired"


def test_an_unknown_authority_is_refused(authority: Authority) -> None:
    message = refused(authority.server("site.example"), default_context(), "site.example")
    assert message.startswith("the certificate of site.example is not valid: ")


def test_an_old_protocol_is_refused(authority: Authority) -> None:
    trusted = authority.context()
    trusted.minimum_version = ssl.TLSVersion.TLSv1_3
    server = authority.server("site.example")
    server.maximum_version = ssl.TLSVersion.TLSv1_2

    async def main() -> ExchangeError:
        async with site(answers(ok()), tls=server) as here, client(ssl_context=trusted, resolver=HERE) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"https://site.example:{here.port}/", [])
            return caught.value

    error = run(main())
    # a server says it by an alert or by a reset
    assert (error.kind in ("tls", "reset"), error.sent) == (True, False)


def test_a_server_without_tls(authority: Authority) -> None:
    async def plain(peer: Peer) -> None:
        await peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await peer.gone()

    async def main() -> ExchangeError:
        async with site(plain) as here, client(ssl_context=authority.context(), resolver=HERE) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"https://site.example:{here.port}/", [])
            return caught.value

    error = run(main())
    assert (error.kind, error.sent) == ("tls", False)


@pytest.mark.parametrize("hold", [True, False])
def test_a_handshake_that_never_ends(authority: Authority, hold: bool) -> None:
    async def mute(peer: Peer) -> None:
        await peer.reader.read(10)
        if hold:
            await peer.gone()

    async def main() -> ExchangeError:
        limits = Timeouts(dns=5, connect=0.1, head=5, body=5)
        async with (
            site(mute) as here,
            client(ssl_context=authority.context(), resolver=HERE, timeouts=limits) as one,
        ):
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"https://site.example:{here.port}/", [])
            assert caught.value.port == here.port
            return caught.value

    error = run(main())
    assert not error.sent
    assert error.kind == "timeout" if hold else error.kind in ("reset", "tls")


def test_a_tls_connection_is_used_again_and_told_so(authority: Authority) -> None:
    async def main() -> None:
        async with (
            site(answers(ok(), ok()), tls=authority.server("site.example")) as here,
            client(ssl_context=authority.context(), resolver=HERE) as one,
        ):
            url = f"https://site.example:{here.port}/"
            first, second = [await one.exchange("GET", url, []) for _ in range(2)]
            assert (first.reused, second.reused, here.connections) == (False, True, 1)
            assert first.tls == second.tls

    run(main())


def test_a_large_body_and_a_cut_over_tls(authority: Authority) -> None:
    body = bytes(range(256)) * 8000

    async def main() -> None:
        async with (
            site(answers(ok(body)), tls=authority.server("site.example")) as here,
            client(ssl_context=authority.context(), resolver=HERE) as one,
        ):
            url = f"https://site.example:{here.port}/"
            whole = await one.exchange("GET", url, [])
            assert (whole.payload, whole.truncated) == (body, None)
            cut = await one.exchange("GET", url, [], max_bytes=1000)
            assert (cut.payload, cut.truncated) == (body[:1000], "length")

    run(main())


def test_the_context_is_made_once_and_checks_everything() -> None:
    context = default_context()
    assert context is default_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_every_suite_that_the_context_offers_has_an_iana_name() -> None:
    names = {cipher["name"] for cipher in default_context().get_ciphers()}
    assert all(iana_name(name).startswith("TLS_") and "-" not in iana_name(name) for name in names)
    assert iana_name("UNKNOWN-SUITE") == "UNKNOWN-SUITE"


def test_certificates_are_der(authority: Authority) -> None:
    _, certificate = fetch(authority.server("site.example"), authority.context(), "site.example")
    assert certificate is not None
    assert x509.load_der_x509_certificate(certificate).public_bytes(Encoding.DER) == certificate


def test_two_sites_in_a_row_do_not_share_a_connection(authority: Authority) -> None:
    async def main() -> None:
        async with (
            site(answers(ok(), ok()), tls=authority.server("a.example", "b.example")) as here,
            client(ssl_context=authority.context(), resolver=HERE) as one,
        ):
            wires = await asyncio.gather(
                *(one.exchange("GET", f"https://{name}.example:{here.port}/", []) for name in "ab")
            )
            assert [wire.reused for wire in wires] == [False, False]
            assert here.connections == 2

    run(main())
