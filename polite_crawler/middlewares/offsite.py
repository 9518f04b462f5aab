"""Scope: the allowed hosts and their www. forms, and nothing below them."""

import logging
import re

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.statscollectors import StatsCollector

from polite_crawler.scheduling.requests import host_of
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND

logger = logging.getLogger(__name__)


class Offsite(OffsiteMiddleware):
    """Stock Offsite lets every subdomain of an allowed domain in; here `*.example.org` has to be written out.

    robots.txt, archives and the other requests of the engine itself (`allow_offsite`) are not in its scope.
    """

    def __init__(self, stats: StatsCollector) -> None:
        super().__init__(stats)
        self._named: set[str] = set()

    def should_follow(self, request: Request, spider: Spider) -> bool:
        """True when the host of the request is allowed."""
        if request.meta.get(KIND) in ARCHIVE_KINDS:
            return True
        self._update_host_regex(spider)
        host = host_of(request)
        allowed = bool(self.host_regex.fullmatch(host))
        if not allowed and host not in self._named and (domain := _domain_above(host, spider)) is not None:
            # a hop comes here without being counted in `domains_seen`
            self._named.add(host)
            logger.warning(
                "%s is out of scope: an allowed host means itself and its www. form here; add '*.%s' for the rest",
                host,
                domain,
            )
        return allowed

    def get_host_regex(self, spider: Spider) -> re.Pattern[str]:
        """The hosts of `allowed_domains`, each with and without `www.`."""
        domains = [domain.lower() for domain in getattr(spider, "allowed_domains", None) or () if domain]
        if not domains:
            return re.compile(".*", re.DOTALL)
        forms = []
        for domain in domains:
            if domain.startswith("*."):
                forms.append(rf".+\.{re.escape(domain[2:])}")
            else:
                forms.append(rf"(?:www\.)?{re.escape(domain.removeprefix('www.'))}")
        return re.compile("|".join(forms))


def _domain_above(host: str, spider: Spider) -> str | None:
    """The allowed domain for whose sake stock Offsite would let the host in."""
    domains = (domain.lower() for domain in getattr(spider, "allowed_domains", None) or () if domain)
    return next((domain for domain in domains if host.endswith("." + domain)), None)
