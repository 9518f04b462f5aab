"""The one switch for any Scrapy project: `ADDONS = {"polite_crawler.Addon": 300}`."""

import logging
from collections.abc import Mapping
from typing import Any

from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware as StockOffsite
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware as StockRedirect
from scrapy.downloadermiddlewares.retry import RetryMiddleware as StockRetry
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware as StockRobots
from scrapy.downloadermiddlewares.useragent import UserAgentMiddleware as StockUserAgent
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from polite_crawler.errors import PoliteError
from polite_crawler.rules.options import DEFAULTS
from polite_crawler.scheduling.options import of_settings
from polite_crawler.scheduling.usage import stop_with
from polite_crawler.signing import configured_signer
from polite_crawler.spiders.loader import FALLBACK
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts_sqlite import open_hosts

_MIDDLEWARES: tuple[tuple[type | None, str, int], ...] = (
    (StockOffsite, "polite_crawler.middlewares.offsite.Offsite", 50),
    (None, "polite_crawler.middlewares.url_policy.UrlPolicy", 80),
    (None, "polite_crawler.middlewares.stored_copy.StoredCopy", 82),
    (None, "polite_crawler.middlewares.egress.Egress", 85),
    (None, "polite_crawler.middlewares.host_stop.HostStop", 90),
    (StockRobots, "polite_crawler.middlewares.robots.Robots", 100),
    (None, "polite_crawler.middlewares.lane_gate.LaneGate", 105),
    (StockUserAgent, "polite_crawler.middlewares.identity.Identity", 500),
    (None, "polite_crawler.middlewares.archive_fallback.ArchiveFallback", 560),
    (StockRetry, "polite_crawler.middlewares.retry.Retry", 565),
    (None, "polite_crawler.middlewares.render.Render", 570),
    (None, "polite_crawler.middlewares.signature_request.SignatureRequest", 580),
    (StockRedirect, "polite_crawler.middlewares.redirect.Redirect", 600),
    (None, "polite_crawler.middlewares.validators.Validators", 900),
    (None, "polite_crawler.middlewares.capture.CaptureMiddleware", 950),
    (None, "polite_crawler.middlewares.web_bot_auth.WebBotAuth", 980),
)

_REMOVED: tuple[type, ...] = (
    CookiesMiddleware,
    HttpCacheMiddleware,
    HttpCompressionMiddleware,
    HttpProxyMiddleware,
    MetaRefreshMiddleware,
)

_PIPELINES: tuple[tuple[str, int], ...] = (
    ("polite_crawler.pipelines.blob.Blob", 100),
    ("polite_crawler.pipelines.read.Read", 200),
    ("polite_crawler.pipelines.capture_log.CaptureLog", 300),
    ("polite_crawler.pipelines.warc.WarcPipeline", 350),
    ("polite_crawler.pipelines.index.Index", 400),
)

_ALWAYS: dict[str, Any] = {
    "DOWNLOADER": "polite_crawler.scheduling.downloader.PoliteDownloader",
    "SCHEDULER": "polite_crawler.scheduling.scheduler.PoliteScheduler",
    "SCHEDULER_PRIORITY_QUEUE": "polite_crawler.scheduling.ready_queue.ReadyQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "ITEM_PROCESSOR": "polite_crawler.pipelines.processor.ItemProcessor",
    "DEPTH_PRIORITY": 1,
    "CONCURRENT_ITEMS": 8,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "HTTPPROXY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}
"""What the engine needs to be polite. A project that sets another value does not get it: it switched us on."""

_UNLESS_SET: dict[str, Any] = {
    "REQUEST_FINGERPRINTER_CLASS": "polite_crawler.scheduling.fingerprint.Fingerprinter",
    "CONCURRENT_REQUESTS": 16,
    "LOG_FORMATTER": "polite_crawler.middlewares.log_formatter.LogFormatter",
}

_EXTENSIONS: tuple[tuple[str, int], ...] = (
    ("polite_crawler.spiders.console.Console", 500),
    ("polite_crawler.spiders.metrics.Metrics", 500),
)

_LOADER = "polite_crawler.spiders.loader.Spiders"
_MOST_HOPS = 10
_HANDLER = "polite_crawler.transport.handler.PoliteDownloadHandler"
_PROJECT = SETTINGS_PRIORITIES["project"]

logger = logging.getLogger(__name__)


class Addon:
    """Replaces what Scrapy does impolitely, and turns off what it leaves open."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add our spiders, so that `scrapy crawl site` works in any project."""
        if settings["SPIDER_LOADER_CLASS"] != _LOADER:
            settings.set(FALLBACK, settings["SPIDER_LOADER_CLASS"], "addon")
            _force(settings, "SPIDER_LOADER_CLASS", _LOADER)

    def update_settings(self, settings: BaseSettings) -> None:
        """Put our components in their places. Raises BadOption for a value of ours that is not valid, and StoreError
        for a store that cannot be written: nothing was sent then."""
        for name, value in DEFAULTS.items():
            settings.set(name, value, "default")
        try:
            options = of_settings(settings)
            configured_signer(options.signature)
            _check_store(StoreFolder(options.store).create())
            if options.warc is not None:
                # most runs write no archive
                from polite_crawler.archive.live import check_free

                check_free(options.warc)
        except PoliteError as error:
            stop_with(error)
        # a crawler can be made with the settings of another one, and these say nothing of the project any more
        if settings["ITEM_PROCESSOR"] != _ALWAYS["ITEM_PROCESSOR"]:
            _take_over(settings, options.timeouts)
            set_aside = _set_aside(settings)
            if set_aside:
                logger.info("polite-crawler does its own of these, so the project's have no effect: %s", set_aside)
        for name, value in _ALWAYS.items():
            _force(settings, name, value)
        # the parts that open a file of the store all read the folder here
        _force(settings, "POLITE_STORE", options.store)
        for name, value in _UNLESS_SET.items():
            settings.set(name, value, "addon")
        _force(settings, "USER_AGENT", options.identity.user_agent)
        _put_components(settings)
        _force(
            settings,
            "DOWNLOAD_HANDLERS",
            {**dict.fromkeys(("file", "data", "ftp", "s3")), "http": _HANDLER, "https": _HANDLER},
        )


def _put_components(settings: BaseSettings) -> None:
    """Put our middlewares, pipelines and extensions in their places, and take out the stock ones."""
    for stock, ours, order in _MIDDLEWARES:
        if stock is not None:
            settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", stock, None)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", _load(ours), order)
    for stock in _REMOVED:
        settings.set_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", stock, None)
    for name, components in (("ITEM_PIPELINES", _PIPELINES), ("EXTENSIONS", _EXTENSIONS)):
        for ours, order in components:
            settings.setdefault_in_component_priority_dict(name, _load(ours), order)


def _take_over(settings: BaseSettings, timeouts: Mapping[str, float]) -> None:
    """Read what the project says in Scrapy's words and is no less polite: fewer tries, fewer hops, less time."""
    settings.set("DOWNLOAD_TIMEOUT", max(60.0, *timeouts.values()), "addon")
    hops = settings.getint("REDIRECT_MAX_TIMES")
    _force(settings, "REDIRECT_MAX_TIMES", min(hops, _MOST_HOPS))
    if not settings.getbool("RETRY_ENABLED"):
        settings.set("POLITE_RETRIES", 0, "addon")
    else:
        tries = max(0, min(settings.getint("RETRY_TIMES"), DEFAULTS["POLITE_RETRIES"]))
        settings.set("POLITE_RETRIES", tries, "addon")


def _set_aside(settings: BaseSettings) -> str:
    """The names of the settings that somebody has made, and that do not count."""
    ours = {**_ALWAYS, "ROBOTSTXT_OBEY": True, "USER_AGENT": None, "DOWNLOAD_HANDLERS": None}
    ours.pop("RETRY_ENABLED")
    return ", ".join(
        name
        for name, value in ours.items()
        if (settings.getpriority(name) or 0) >= _PROJECT and settings[name] != value
    )


def _check_store(folder: StoreFolder) -> None:
    """Raise StoreError for a file of the hosts that is none: where the engine opens it, Scrapy shows a traceback."""
    if folder.hosts.exists():
        open_hosts(folder.hosts).close()


def _force(settings: BaseSettings, name: str, value: Any) -> None:
    """Set a value over that of the project and of the command line."""
    settings.set(name, value, max(settings.getpriority(name) or 0, SETTINGS_PRIORITIES["cmdline"]))


def _load(path: str) -> type:
    loaded = load_object(path)
    assert isinstance(loaded, type)
    return loaded
