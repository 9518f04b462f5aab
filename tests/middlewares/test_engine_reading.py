"""What readers do to a crawl: they run beside it, and leave nothing behind."""

from pathlib import Path

import psutil
from engine_lab import crawl
from test_engine_endings import host_limits

from polite_crawler.spiders.page import PageSpider
from polite_crawler.testsite.site import Site


def test_no_process_of_a_reader_is_left(site: Site, store_dir: Path) -> None:
    run = crawl(PageSpider, store_dir, url=site.url("/almanac.pdf"), settings=host_limits())
    (page,) = run.pages
    assert (page.outcome, page.title) == ("ok", "The Harbour Almanac")
    assert page.chars > 0
    assert [child for child in psutil.Process().children(recursive=True) if _is_reader(child)] == []


def _is_reader(process: psutil.Process) -> bool:
    try:
        return "readers/worker.py" in " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
