"""The scope of a crawl: its hosts, and the patterns that take links in or leave them out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from polite_crawler.errors import BadOption
from polite_crawler.rules.hostnames import ascii_host
from polite_crawler.rules.pathpatterns import PathPattern, compared_target, compared_url
from polite_crawler.rules.urls import bare_host, host_key


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A pattern of URLs. One that starts with `/` matches path and query, another one the whole URL; `*` stands for
    any text and `$` for the end, as in robots.txt."""

    text: str
    _compiled: PathPattern

    @classmethod
    def of(cls, text: str) -> Self:
        """The pattern of a text. Raises BadOption for an empty one."""
        if not text.strip():
            raise BadOption("a pattern is empty; write a path such as /blog/*, or a whole URL")
        return cls(text, PathPattern.of(text.strip().encode("utf-8", "replace")))

    def matches(self, url: str) -> bool:
        """Whether the pattern matches an absolute URL."""
        target = compared_target(url) if self.text.strip().startswith("/") else compared_url(url)
        return self._compiled.matches(target)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which links a crawl may follow: those on the sites of its seeds or on an allowed host (a host and its `www.`
    form are one site), that match an `include` pattern, if there is one, and no `exclude` pattern."""

    sites: frozenset[str]
    allowed: frozenset[str] = frozenset()
    under: tuple[str, ...] = ()
    include: tuple[UrlPattern, ...] = ()
    exclude: tuple[UrlPattern, ...] = ()

    @classmethod
    def of(
        cls,
        seeds: Iterable[str],
        *,
        allow_hosts: Iterable[str] = (),
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
    ) -> Self:
        """The scope of seeds (URLs) and options; `*.example.org` allows the hosts under a name. Raises BadOption."""
        hosts = [host.lower() for host in allow_hosts]
        return cls(
            sites=frozenset(bare_host(host_key(url)) for url in seeds),
            allowed=frozenset(bare_host(_host(host)) for host in hosts if not host.startswith("*.")),
            under=tuple("." + _host(host[2:]) for host in hosts if host.startswith("*.")),
            include=tuple(UrlPattern.of(text) for text in include),
            exclude=tuple(UrlPattern.of(text) for text in exclude),
        )

    def holds_host(self, url: str) -> bool:
        """Whether the host of a URL is in scope. False for what is no http(s) URL."""
        try:
            host = host_key(url)
        except BadOption:
            return False
        return bare_host(host) in self.sites | self.allowed or host.endswith(self.under)

    def refusal(self, url: str) -> Literal["scope", "pattern"] | None:
        """Why a link is not followed, or None."""
        if not self.holds_host(url):
            return "scope"
        if self.include and not any(pattern.matches(url) for pattern in self.include):
            return "pattern"
        return "pattern" if any(pattern.matches(url) for pattern in self.exclude) else None


def _host(text: str) -> str:
    try:
        return ascii_host(text).strip("[]")
    except BadOption:
        raise BadOption(f"allow_host: {text!r} is no host name; write example.org or *.example.org") from None
