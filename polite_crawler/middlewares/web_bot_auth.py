"""Order 980, the last before the handler: gives each request its signer, which is asked at the moment of sending."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.rules import outcomes, urls
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.signing import RequestSigner, configured_signer
from polite_crawler.signing.draft import HEADERS
from polite_crawler.signing.inputs import asks_for_signature
from polite_crawler.store.record import Signed
from polite_crawler.transport.exchange import Sign
from polite_crawler.transport.heads import Pairs
from polite_crawler.transport.meta import SIGN
from polite_crawler.transport.trace import Trace, trace_of

_MOST_ORIGINS = 10_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*").fullmatch


class Signing:
    """The signer of a crawler, if it has one, and the origins that asked for signatures."""

    def __init__(self, crawler: Crawler) -> None:
        options, clock = options_of(crawler).signature, lanes_of(crawler).clock
        self.signer: RequestSigner | None = _OWN.of(crawler).signer or configured_signer(options, clock=clock.now)
        self._when = options.when
        self._asked: dict[str, None] = {}

    def sign_of(self, url: str, trace: Trace) -> Sign | None:
        """What signs a request for a URL, or None when it goes out without a signature."""
        signer = self.signer
        if signer is None or self._when == "never":
            return None
        if self._when == "on-request" and urls.origin(url) not in self._asked:
            trace.may_sign = True
            return None
        return _sign(signer, trace)

    def heard(self, url: str, response: Response) -> None:
        """Remember an origin that asks for signatures (RFC 9421 section 5)."""
        fields = response.headers.getlist("Accept-Signature")
        if fields and asks_for_signature(b", ".join(fields).decode("latin-1")):
            self._asked[urls.origin(url)] = None
            if len(self._asked) > _MOST_ORIGINS:
                del self._asked[next(iter(self._asked))]


@dataclass(slots=True)
class _Own:
    """The signer that the program gave."""

    signer: RequestSigner | None = None


_OWN = PerCrawler(lambda crawler: _Own())
_SIGNING = PerCrawler(Signing)


def use_signer(crawler: Crawler, signer: RequestSigner) -> None:
    """Let a signer of the program's own sign, in the place of the one of the settings. To be called before the crawler
    runs: its settings are not complete until then."""
    _OWN.of(crawler).signer = signer


class WebBotAuth:
    """Drops the signature fields of a caller, which would be those of another hop, and gives the request its signer."""

    def __init__(self, crawler: Crawler) -> None:
        self._signing = _SIGNING.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler. Raises BadOption for a key that cannot be used."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Set the signer of this request, whatever a caller set."""
        for name in HEADERS:
            request.headers.pop(name, None)
        sign = self._signing.sign_of(request.url, trace_of(request))
        if sign is None:
            request.meta.pop(SIGN, None)
        else:
            request.meta[SIGN] = sign

    def process_response(self, request: Request, response: Response) -> Response:
        """Listen whether the origin asks for signatures."""
        request.meta.pop(SIGN, None)
        if trace_of(request).wire is not None:
            self._signing.heard(request.url, response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Take the signer back: a request that waits again can be written to a file, and a function cannot."""
        request.meta.pop(SIGN, None)


def _sign(signer: RequestSigner, trace: Trace) -> Sign:
    def sign(method: str, url: str, headers: Pairs) -> Iterable[tuple[bytes, bytes]]:
        try:
            fields = _fields(signer.headers(method, url))
            signed = Signed(signer.keyid, signer.agent)
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise Declined("signer", outcomes.signer_note(reason)) from error
        trace.signed = signed
        return fields

    return sign


def _fields(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    for name, value in headers.items():
        if not (_NAME(name) and value.isascii() and value.isprintable()):
            raise ValueError(f"it gave a header field that cannot be sent: {name!r}")
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
