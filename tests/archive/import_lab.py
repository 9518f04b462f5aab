"""Imports for tests: an empty store to import into, and records as others write them."""

from collections.abc import Iterator
from pathlib import Path

from polite_crawler.archive.importing import Imported, import_archive
from polite_crawler.query.store import Store
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.record import Capture


def empty_store(path: Path) -> Store:
    StoreFolder(path).create()
    return Store(path)


def a_new_store(tmp_path: Path) -> Iterator[Store]:
    """The fixture `store` of the tests of imports."""
    with empty_store(tmp_path / "imported") as made:
        yield made


def captures_of(store: Store) -> list[Capture]:
    return [capture for _, capture in store.index.log.scan()]


def take(store: Store, tmp_path: Path, octets: bytes, name: str = "x.warc") -> Imported:
    (tmp_path / name).write_bytes(octets)
    return import_archive(store.index, tmp_path / name)


def record(kind: str, block: bytes = b"", url: str | None = "http://ex.test/", number: int = 0, **fields: str) -> bytes:
    """A record with the usual fields; others by name with _ for -, empty to leave one out."""
    given_ = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:test:{kind}:{number}>",
        "WARC-Date": "2019-05-06T07:08:09Z",
        **({"WARC-Target-URI": url} if url else {}),
        **({"Content-Type": f"application/http; msgtype={kind}"} if kind in ("request", "response") else {}),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    given_.setdefault("Content-Length", str(len(block)))
    head = "".join(f"{name}: {value}\r\n" for name, value in given_.items() if value)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def page(text: str = "hello", head: str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n") -> bytes:
    return f"{head}\r\n<title>{text}</title><p>{text}</p>".encode("latin-1")
