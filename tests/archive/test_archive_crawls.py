"""Exports of real crawls of the test site: the strict check, the canary, and the way back."""

import gzip
import zipfile
from pathlib import Path

from engine_lab import captures_of, crawl

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.importing import import_archive
from polite_crawler.query.store import Store
from polite_crawler.spiders.page import PageSpider
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.record import Capture
from polite_crawler.testsite import Site, codings
from polite_crawler.testsite.secrets import CANARY

SECRET = "Zx81-query-canary-77"
FRAMINGS = (
    "chunked", "chunked-gzip", "chunked-length", "chunked-cut", "chunked-twice", "close", "http-1.0", "lf-only",
    "folded", "no-reason", "latin1-reason", "latin1-value", "utf8-value", "status-999", "status-299", "lower-version",
    "http-2-line", "http-3-line", "icy", "space-colon", "no-colon", "odd-name", "nul-value", "empty-name", "case",
    "many-headers", "equal-lengths", "unequal-lengths", "bad-length", "short", "short-reset", "empty", "early-hints",
    "no-content-body", "not-modified", "not-modified-body", "garbage", "blank-first", "half-head",
)  # fmt: skip
PATHS = (
    *(f"/coding/{name}" for name in codings.KINDS),
    *(f"/framing/{name}" for name in FRAMINGS),
    *("/status/404", "/status/500", "/redirects/self", "/pay", "/signals/ai-input-no", "/secrets/cookie"),
)


def everything(folder: Path, *, but: frozenset[str] = frozenset()) -> bytes:
    """The octets of all files of a folder, unpacked where they are packed, without the bodies of these names."""
    found = bytearray()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.removesuffix(".gz") in but:
            continue
        octets = path.read_bytes()
        found += octets
        if octets.startswith(b"PK"):
            with zipfile.ZipFile(path) as package:
                found += b"".join(map(package.read, package.namelist()))
                found += b"".join(
                    gzip.decompress(package.read(name)) for name in package.namelist() if name.endswith(".gz")
                )
        elif octets.startswith(b"\x1f\x8b"):
            found += gzip.decompress(octets)
    return bytes(found)


def facts(captures: list[Capture]) -> set[tuple[str, str, str | None]]:
    return {(one.url, one.fetched_at, one.body.sha256 if one.body else None) for one in captures}


def first_words(store: Store) -> list[tuple[str, str]]:
    """Each document that is not held back, with the beginning of its text."""

    def ask(catalog: Catalog) -> list[tuple[str, str]]:
        found = [catalog.current(doc) for doc in catalog.docs(range(1, 200)).values() if not doc.held]
        texts = [(version.doc, catalog.text(version).strip()[:40]) for version in found]
        return [(doc, text) for doc, text in texts if text]

    return store.index.reading(ask)


def test_a_crawl_of_the_test_site_is_strictly_right_and_comes_back(site: Site, store_dir: Path, tmp_path: Path) -> None:
    crawl(SiteSpider, store_dir, url=site.url("/"), max_pages="40", max_depth="2")
    crawl(PageSpider, store_dir, url=" ".join(map(site.url, PATHS)))
    with Store(store_dir) as store:
        done = export(store.index, tmp_path / "x.wacz")
        answers = [one for one in captures_of(store_dir) if one.response is not None]
        assert done.responses + done.revisits == len(answers) > 90
        assert check(tmp_path / "x.wacz").faults == ()
        StoreFolder(tmp_path / "other").create()
        with Store(tmp_path / "other") as other:
            taken = import_archive(other.index, tmp_path / "x.wacz")
            assert (taken.captures, taken.faults) == (len(answers), ())
            assert facts(captures_of(tmp_path / "other")) == facts(answers)
            for doc, quote in first_words(store):
                found = other.verify(doc.replace("url:", "archive:", 1), quote)
                assert (found.found, found.start) == (True, store.verify(doc, quote).start), doc


def test_a_canary_is_in_no_file_but_the_flagged_body(site: Site, store_dir: Path, tmp_path: Path) -> None:
    """A secret in a cookie, a header, a query, a redirect and a body, crawled with JOBDIR."""
    paths = ("/secrets/echo", "/secrets/redirect", "/secrets/headers", "/secrets/plain")
    urls = [site.url(f"{path}?token={SECRET}") for path in paths] + [site.url("/secrets/cookie")]
    crawl(PageSpider, store_dir, url=" ".join(urls))
    job = {"JOBDIR": str(store_dir / "job")}
    crawl(SiteSpider, store_dir, settings=job, url=site.url("/secrets/links"), max_pages="10")
    captures = captures_of(store_dir)
    flagged = frozenset(one.body.sha256 for one in captures if one.secret_in_body and one.body)
    assert flagged
    # the page of links is the body that told us the canary of the site: nothing in its exchange is known to be secret
    told = {one.body.sha256 for one in captures if one.url.endswith("/secrets/links") and one.body}
    kept = everything(store_dir, but=flagged | told)
    assert SECRET.encode() not in kept
    (tmp_path / "out").mkdir()
    with Store(store_dir) as store:
        done = export(store.index, tmp_path / "out" / "x.wacz")
        export(store.index, tmp_path / "out" / "x.warc.gz")
    assert done.skips["secret-in-body"] == len([one for one in captures if one.secret_in_body])
    exported = everything(tmp_path / "out")
    assert SECRET.encode() not in exported
    cookies = [line for line in exported.splitlines() if line.lower().startswith((b"set-cookie:", b"cookie:"))]
    assert cookies
    assert not [line for line in cookies if CANARY.encode() in line]
    assert check(tmp_path / "out" / "x.wacz").ok
