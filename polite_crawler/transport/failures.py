"""Our errors as Scrapy's own, so that an errback tells failures apart as in any project: `failure.check(...)`."""

from collections.abc import Mapping

from scrapy import exceptions

from polite_crawler.scheduling.declined import Declined
from polite_crawler.transport.wire import ExchangeError

_SCRAPY: Mapping[str, type[Exception]] = {
    "dns": exceptions.CannotResolveHostError,
    "refused": exceptions.DownloadConnectionRefusedError,
    "timeout": exceptions.DownloadTimeoutError,
    "cancelled": exceptions.DownloadCancelledError,
    "reset": exceptions.DownloadFailedError,
    "tls": exceptions.DownloadFailedError,
    "protocol": exceptions.DownloadFailedError,
    "idle": exceptions.DownloadFailedError,
    "egress": exceptions.IgnoreRequest,
}


def _both(ours: type[Exception], scrapys: type[Exception]) -> type[Exception]:
    """One class for two names. It keeps our name, which stats and logs show."""
    return type(ours.__name__, (ours, scrapys), {"__module__": ours.__module__, "__doc__": ours.__doc__})


_EXCHANGE = {kind: _both(ExchangeError, scrapys) for kind, scrapys in _SCRAPY.items()}
_UNREACHABLE = {kind: _both(Declined, scrapys) for kind, scrapys in _SCRAPY.items() if kind != "egress"}


def failure_of(error: ExchangeError) -> ExchangeError:
    """The error of an exchange, which Scrapy knows by a name of its own too."""
    failure = _EXCHANGE[error.kind](error.kind, str(error))
    assert isinstance(failure, ExchangeError)
    failure.__dict__.update(error.__dict__)
    return failure


def unreachable(why: str, note: str) -> Declined:
    """The decline of a page whose robots.txt did not come. Where the host was not reached at all, an errback learns
    why, as if it had been the page: `why` is the kind of the failure, or anything else."""
    declined = _UNREACHABLE.get(why, Declined)("robots", note)
    assert isinstance(declined, Declined)
    return declined
