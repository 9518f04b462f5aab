"""The URLs that a crawl knows, so that it asks each page one time."""

from collections.abc import Iterable

from scrapy import Request

from polite_crawler.scheduling.frontier_filter import FrontierFilter

MOST = 100_000
"""How many URLs a crawl without a frontier file knows."""

_OTHER = {"http": "https", "https": "http"}


class Known:
    """URLs in their normal form: those that were asked or wait (`asked`), and the other names of pages that were
    fetched, their final and canonical URLs (`names`).

    A URL and the same one with the other scheme are one page. With a frontier file the file holds what was asked, and
    only the names are in memory.
    """

    def __init__(self, file: FrontierFilter | None = None, *, most: int = MOST) -> None:
        self._file = file
        self._most = most
        self._asked: set[int] = set()
        self._names: set[int] = set()

    def was_asked(self, url: str) -> bool:
        """Whether the URL was asked or waits."""
        if self._file is None:
            return _key(url) in self._asked
        return any(self._file.knows(Request(one)) for one in _schemes(url))

    def is_name(self, url: str) -> bool:
        """Whether the URL is the final or the canonical URL of a page that was fetched."""
        return _key(url) in self._names

    @property
    def is_full(self) -> bool:
        """Whether the crawl knows too many URLs to ask one more."""
        return len(self._asked) >= self._most

    def ask(self, url: str) -> None:
        """Enter a URL that will be asked. A file gets it together with its request."""
        if self._file is None and not self.is_full:
            self._asked.add(_key(url))

    def name(self, urls: Iterable[str]) -> None:
        """Enter the names of a page that was fetched."""
        for url in urls:
            if len(self._names) < self._most:
                self._names.add(_key(url))


def _key(url: str) -> int:
    # 64 bits for each URL, however long it is
    return hash(url.partition(":")[2])


def _schemes(url: str) -> Iterable[str]:
    scheme, _, rest = url.partition(":")
    return (url, f"{_OTHER[scheme]}:{rest}") if scheme in _OTHER else (url,)
