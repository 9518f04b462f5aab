"""Which failures are asked again, and how often."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from polite_crawler.middlewares.retry import MAX_RETRIES, TIMES, Retry
from polite_crawler.scheduling.scheduler import PoliteScheduler
from polite_crawler.transport.meta import KIND
from polite_crawler.transport.wire import ExchangeError

FAILURES: list[tuple[str, Exception, dict[str, Any], bool]] = [
    # what happened, its error, the meta of the request, whether it is asked again
    ("no answer", ExchangeError("reset", ""), {}, True),
    ("no answer twice", ExchangeError("reset", ""), {TIMES: 1}, True),
    ("no answer three times", ExchangeError("reset", ""), {TIMES: 2}, False),
    ("one that may not be asked again", ExchangeError("reset", ""), {MAX_RETRIES: 0}, False),
    ("robots.txt, which has rules of its own", ExchangeError("reset", ""), {KIND: "robots"}, False),
    ("an idle connection", ExchangeError("idle", ""), {}, True),
    ("an idle connection after the last retry", ExchangeError("idle", ""), {TIMES: 2}, True),
    ("a refused address", ExchangeError("egress", ""), {}, False),
    ("a crawl that ends", ExchangeError("cancelled", ""), {}, False),
    ("another error", OSError(), {}, False),
]


@pytest.fixture
def retry() -> Retry:
    crawler = get_crawler(settings_dict={"POLITE_RETRIES": 2})
    crawler.engine = cast(Any, SimpleNamespace(scheduler=PoliteScheduler.from_crawler(crawler)))
    return Retry(crawler)


@pytest.mark.parametrize(("error", "meta", "again"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_what_is_asked_again(retry: Retry, error: Exception, meta: dict[str, Any], again: bool) -> None:
    found = retry.process_exception(Request("http://a.example/", meta=meta), error)
    assert (found is not None) is again


def test_an_idle_connection_is_asked_again_once(retry: Retry) -> None:
    first = retry.process_exception(Request("http://a.example/"), ExchangeError("idle", ""))
    assert first is not None
    assert retry.process_exception(first, ExchangeError("idle", "")) is None
