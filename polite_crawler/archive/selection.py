"""Which captures of a store an export takes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from polite_crawler.errors import BadOption
from polite_crawler.query.moments import moment_of
from polite_crawler.rules.urls import host_key, normal_or_none
from polite_crawler.store.record import Capture, Kind, utc_micros

_PRIVATE: frozenset[Kind] = frozenset({"override", "erase", "seal"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The filters of an export; a capture must pass all of them. Times are epoch microseconds, `until` is exclusive;
    `host` takes its subdomains too; `prefix` is the beginning of a URL; empty `ids` take every capture.
    """

    since: int | None = None
    until: int | None = None
    host: str | None = None
    prefix: str | None = None
    ids: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        *,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        host: str | None = None,
        prefix: str | None = None,
        ids: Iterable[str] = (),
    ) -> "Selection":
        """The selection that a person described. Raises BadOption."""
        start = moment_of(since) if since else None
        end = moment_of(until) if until else None
        if start is not None and end is not None and start >= end:
            raise BadOption(f"nothing is since {utc_micros(start)} and until {utc_micros(end)}")
        return cls(start, end, _host(host) if host else None, prefix or None, frozenset(ids))

    def takes(self, capture: Capture) -> bool:
        """Whether a capture passes the filters and may leave the store: overrides, removals and seals never do."""
        if capture.kind in _PRIVATE or (self.ids and capture.id not in self.ids):
            return False
        if self.since is not None and capture.fetched < self.since:
            return False
        if self.until is not None and capture.fetched >= self.until:
            return False
        return self._is_at(capture.url)

    def describe(self) -> str:
        """The filters in words, for the first record of the archive; empty when there are none."""
        parts = [
            f"since {utc_micros(self.since)}" if self.since is not None else "",
            f"until {utc_micros(self.until)}" if self.until is not None else "",
            f"host {self.host}" if self.host else "",
            f"prefix {self.prefix}" if self.prefix else "",
            f"{len(self.ids)} capture ids" if self.ids else "",
        ]
        return ", ".join(filter(None, parts))

    def _is_at(self, url: str) -> bool:
        if self.host is not None:
            try:
                host = host_key(url)
            except BadOption:
                return False
            if host != self.host and not host.endswith("." + self.host):
                return False
        if self.prefix is None or url.startswith(self.prefix):
            return True
        normal = normal_or_none(url)
        return normal is not None and normal.startswith(self.prefix)


def _host(text: str) -> str:
    name = text.strip().removeprefix("*.")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    try:
        return host_key(name if "//" in name else f"http://{name}/")
    except BadOption:
        raise BadOption(f"bad host {text[:80]!r}: use a name like example.com") from None
