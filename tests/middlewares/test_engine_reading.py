"""What readers do to a crawl: they run beside it, and leave nothing behind."""

from pathlib import Path

import psutil
import pytest
from engine_lab import crawl
from test_engine_endings import host_limits

from polite_crawler.spiders.page import PageSpider
from polite_crawler.testsite.site import Site


@pytest.mark.parametrize(
    ("path", "title"),
    [("/almanac.pdf", "The Harbour Almanac"), ("/office/letter.docx", "A letter"), ("/fan/20000", "Fan")],
)
def test_no_process_of_a_reader_is_left(site: Site, store_dir: Path, path: str, title: str) -> None:
    run = crawl(PageSpider, store_dir, url=site.url(path), settings=host_limits())
    (page,) = run.pages
    assert (page.outcome, page.title) == ("ok", title)
    assert page.chars > 0
    assert [child for child in psutil.Process().children(recursive=True) if _is_reader(child)] == []


def _is_reader(process: psutil.Process) -> bool:
    try:
        return "readers/worker.py" in " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
