"""A crawl that waits for an archive, in a process of its own that a test kills."""

import json
import ssl
import sys
from pathlib import Path

from archives_lab import lead
from engine_lab import crawl

from polite_crawler.rules import pacing
from polite_crawler.spiders.page import PageSpider
from polite_crawler.transport.handler import PoliteDownloadHandler


def main() -> None:
    """Read what to do from the first argument."""
    given = json.loads(sys.argv[1])
    trusted = ssl.create_default_context(cadata=given["ca"])
    client = lead(given["archives"], tuple(given["hosts"]), given["port"], trusted)
    PoliteDownloadHandler.make_client = client  # type: ignore[method-assign]
    pacing.PACES.update(dict.fromkeys(pacing.PACES, 0.01))
    crawl(PageSpider, Path(given["store"]), url=given["url"], settings=given["settings"])


if __name__ == "__main__":
    main()
