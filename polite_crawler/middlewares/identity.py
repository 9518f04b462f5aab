"""Order 500: who asks. One identity for every request; a User-Agent that a spider sets for itself does not count."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.scheduling.options import options_of


class Identity:
    """Sets User-Agent, and From when the contact is a mailbox."""

    def __init__(self, user_agent: str, mailbox: str | None) -> None:
        self._user_agent = user_agent.encode("latin-1")
        self._mailbox = mailbox.encode("latin-1") if mailbox else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        who = options_of(crawler).identity
        return cls(who.user_agent, who.mailbox)

    def process_request(self, request: Request) -> None:
        """Name us."""
        request.headers["User-Agent"] = self._user_agent
        if self._mailbox is None:
            request.headers.pop("From", None)
        else:
            request.headers["From"] = self._mailbox
