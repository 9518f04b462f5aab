"""Scope: the allowed hosts and their www. forms, and nothing below them."""

import re

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware

from polite_crawler.rules.urls import host_key
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND


class Offsite(OffsiteMiddleware):
    """Stock Offsite lets every subdomain of an allowed domain in; here `*.example.org` has to be written out.

    robots.txt, archives and the other requests of the engine itself (`allow_offsite`) are not in its scope.
    """

    def should_follow(self, request: Request, spider: Spider) -> bool:
        """True when the host of the request is allowed."""
        if request.meta.get(KIND) in ARCHIVE_KINDS:
            return True
        self._update_host_regex(spider)
        return bool(self.host_regex.fullmatch(host_key(request.url)))

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
