"""When two requests are the same one."""

from hashlib import blake2b

from scrapy import Request

from polite_crawler.rules.urls import normal_or_none


class Fingerprinter:
    """Requests are the same by method, normal form of the URL and body (REQUEST_FINGERPRINTER_CLASS)."""

    def fingerprint(self, request: Request) -> bytes:
        """Sixteen bytes."""
        url = normal_or_none(request.url) or request.url
        parts = (request.method.encode(), url.encode("utf-8", "surrogatepass"), request.body)
        return blake2b(b"\n".join(parts), digest_size=16).digest()
