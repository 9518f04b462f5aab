"""reading: the cost of a page, of hostile pages, of a large sitemap, of PDF files and of memory, and what is found.

Pages and PDF files are the shared samples when they are there, else made here. The hostile kinds are those of the
tests. Memory is the peak of a process that reads one page of 5 MiB.
"""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness import ROOT, Bar, Options, Report, children_cpu, cpu, main, medians, peer

from polite_crawler.readers.charset import decode
from polite_crawler.readers.html import read_page
from polite_crawler.readers.pdf import close_worker, read_pdf
from polite_crawler.readers.raw_text import cut_noscript
from polite_crawler.readers.sitemap import read_sitemap
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import read_visible

sys.path.insert(0, str(ROOT / "tests" / "readers"))
from hostile import KINDS
from pdf_maker import document, text_page

URL = "https://www.example.com/page"
_SIZE = 5 * 2**20
LEAST_S = 0.01
"""A shorter time says nothing about growth."""
# ru_maxrss would count the memory of the parent before the program was loaded; VmHWM does not.
_PEAK = """
import pathlib, re, sys
from polite_crawler.readers.html import read_page
read_page(sys.stdin.buffer.read(), url="https://www.example.com/")
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""
_WORDS = ("the page of a shop that opens at nine and closes late in summer when", "many people", "come to see it")


@dataclass(frozen=True, slots=True)
class Data:
    """The bodies that are read."""

    pages: list[bytes]
    pdfs: list[bytes]
    real: bool


def measure(options: Options) -> Report:
    """The bars of the bench."""
    data = _data(options)
    inscriptis = peer("inscriptis")
    sources = [decode(body, None).text for body in data.pages]
    pages = medians(
        options.rounds,
        visible=lambda: [_visible(source) for source in sources],
        inscriptis=lambda: [inscriptis.get_text(source) for source in sources],
        whole=lambda: [read_page(body, url=URL) for body in data.pages],
    )
    sitemaps = _sitemaps(options)
    pdfs = _pdfs(data.pdfs, options)
    growths = {kind: _growth(make, 2 if options.quick else 4) for kind, make in KINDS.items()}
    slowest = max(growths, key=lambda kind: growths[kind])
    each = 1000 / len(data.pages)
    return Report(
        (
            Bar("visible text <= 1.1x the CPU of inscriptis a page", pages["visible"] / pages["inscriptis"], "<=", 1.1),
            Bar(f"hostile pages ({len(KINDS)} kinds): 4x the input <= 5x the time", growths[slowest], "<=", 5),
            Bar("a sitemap of 50,000 URLs faster than Scrapy's", sitemaps["ours"] / sitemaps["scrapy"], "<=", 1),
            Bar("PDF files <= 1.5x a bare loop over pypdfium2", pdfs["ours"] / pdfs["bare"], "<=", 1.5),
            Bar("peak memory of a page of 5 MiB <= 150 MB", _peak(data.pages), "<=", 150),
        ),
        data="real" if data.real else "synthetic",
        rows=(
            ("pages", len(data.pages)),
            ("visible text of a page, ms", round(pages["visible"] * each, 2)),
            ("inscriptis, ms", round(pages["inscriptis"] * each, 2)),
            ("all that is read of a page (with main text and facts), ms", round(pages["whole"] * each, 2)),
            ("sitemap of 50,000 URLs, ms", round(sitemaps["ours"] * 1000)),
            ("Scrapy's Sitemap, ms", round(sitemaps["scrapy"] * 1000)),
            ("PDF files", len(data.pdfs)),
            ("a PDF file in its own process, ms", round(pdfs["ours"] * 1000 / len(data.pdfs), 1)),
            ("the slowest hostile kind", slowest),
        ),
    )


def _visible(source: str) -> str:
    return read_visible(parse_html(cut_noscript(source).source).root).text


def _data(options: Options) -> Data:
    """Real pages and PDF files of the folder, or made ones."""
    folder = options.data and options.data / "pages"
    if folder is not None and folder.is_dir():
        index = json.loads((folder / "index.json").read_text("utf-8"))
        paths = [folder / entry["file"] for entry in index[:: 3 if options.quick else 1]]
        pdfs = [path.read_bytes() for path in sorted((folder / "pdf").glob("*.pdf"))]
        return Data([gzip.decompress(path.read_bytes()) for path in paths], pdfs, True)
    words = random.Random(options.seed)
    pages = [_made_page(words) for _ in range(60)]
    pdfs = [document(*(text_page(*_lines(words, 30)) for _ in range(40))) for _ in range(8)]
    return Data(pages, pdfs, False)


def _lines(words: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield " ".join(words.choices(_WORDS, k=4))


def _made_page(words: random.Random) -> bytes:
    """A page of the shape of a news site: menus, an article, boxes."""
    menu = "".join(f"<li class=item><a href='/{i}'>{words.choice(_WORDS)}</a></li>" for i in range(120))
    article = "".join(f"<p class=text>{line} <b>{line[:9]}</b> {line}</p>" for line in _lines(words, 60))
    boxes = "".join(f"<div class='box'><h3>{line[:20]}</h3><span>{line}</span></div>" for line in _lines(words, 80))
    return f"<title>t</title><body><ul>{menu}</ul><article>{article}</article>{boxes}</body>".encode()


def _sitemaps(options: Options) -> dict[str, float]:
    """Our reader and Scrapy's on one file."""
    scrapy = peer("scrapy.utils.sitemap")
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "".join(
            f"<url><loc>https://www.example.com/catalog/{i % 97}/item-{i}?ref=a&amp;b={i}</loc>"
            f"<lastmod>2026-0{1 + i % 9}-{10 + i % 18}T{i % 24:02}:00:00+02:00</lastmod>"
            "<changefreq>weekly</changefreq></url>\n"
            for i in range(50_000)
        )
        + "</urlset>"
    ).encode()
    assert len(read_sitemap(body, url=URL).entries) == 50_000
    return medians(options.rounds, ours=lambda: read_sitemap(body, url=URL), scrapy=lambda: list(scrapy.Sitemap(body)))


def _pdfs(bodies: list[bytes], options: Options) -> dict[str, float]:
    """The CPU of this process and of the worker's, and that of a bare loop in this process. The start of the worker
    is spread over the rounds, as it is over the files of a crawl.
    """
    pypdfium2 = peer("pypdfium2")
    rounds = max(options.rounds, 5)

    def bare() -> None:
        for body in bodies:
            pdf = pypdfium2.PdfDocument(body)
            for number in range(len(pdf)):
                page = pdf[number]
                text = page.get_textpage()
                text.get_text_range()
                text.close()
                page.close()
            pdf.close()

    def ours() -> None:
        for _ in range(rounds):
            for body in bodies:
                read_pdf(body)
        close_worker()

    bare()
    close_worker()
    own: list[float] = []
    children = children_cpu(lambda: own.append(cpu(ours)))
    return {"ours": (own[0] + children) / rounds, "bare": cpu(lambda: [bare() for _ in range(rounds)]) / rounds}


def _growth(make: Callable[[int], str], repeats: int) -> float:
    """The time of four times the input over the time of the input, which is as long as takes a time to measure."""
    size = 50_000
    while (small := _fastest(make(size), repeats)) < LEAST_S and 4 * size < _SIZE:
        size *= 2
    return _fastest(make(4 * size), repeats) / small


def _fastest(page: str, repeats: int) -> float:
    body = page.encode("utf-8", "surrogatepass")
    return min(cpu(lambda: read_page(body, url=URL)) for _ in range(repeats))


def _peak(pages: list[bytes]) -> float:
    """The peak memory in MB of a process that reads 5 MiB: the markup of the median page, again and again."""
    page = sorted(pages, key=len)[len(pages) // 2]
    inner = page[page.lower().find(b"<body") :] if b"<body" in page.lower() else page
    body = (b"<!doctype html><title>t</title>" + inner * (_SIZE // len(inner) + 1))[:_SIZE]
    done = subprocess.run([sys.executable, "-c", _PEAK], input=body, capture_output=True, check=True)
    return int(done.stdout) * 1024 / 1e6


if __name__ == "__main__":
    main("reading", measure, versions=("lxml", "inscriptis", "scrapy", "pypdfium2", "readability-lxml"))
