"""Processes that work on one store at the same time, for the tests of several writers, readers and rebuilds.

Run as `python index_crowd.py ROLE FOLDER NUMBER COUNT`. A writer says `id` of each capture after the index took it.
"""

import os
import sys
from pathlib import Path

from store_lab import StoreLab

from polite_crawler import open_store
from polite_crawler.errors import PoliteError
from polite_crawler.store.document import Document
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index


def write(folder: Path, number: int, count: int) -> None:
    lab = StoreLab(folder)
    with Index(lab.folder) as index:
        os.write(1, b"ready\n")
        for n in range(count):
            url = f"http://w{number}.example/{n % 40}"
            text = f"alpha beta gamma writer{number} page{n}"
            capture = lab.page(url, text, at=float(n))
            index.add(capture, [Document(f"url:{url}", "page", None, text, url)])
            if n % 20 == 0:
                index.maintain(tail=10)
            os.write(1, capture.id.encode() + b"\n")
    lab.close()


def read(folder: Path, number: int, count: int) -> None:
    with open_store(folder, catch_up=False) as store:
        os.write(1, b"ready\n")
        for n in range(count):
            for hit in store.find("alpha beta", limit=5):
                assert "alpha" in hit.snippet, hit
                assert store.read(hit.doc, capture=hit.capture).text.startswith("alpha"), hit
            if n % 10 == 0:
                store.find('"alpha beta" writer*', at="2030-01-01")


def rebuild(folder: Path, number: int, count: int) -> None:
    with Index(StoreFolder(folder).create()) as index:
        os.write(1, b"ready\n")
        for _ in range(count):
            index.reindex()
            os.write(1, b"swapped\n")


if __name__ == "__main__":
    try:
        {"write": write, "read": read, "rebuild": rebuild}[sys.argv[1]](
            Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
        )
    except PoliteError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
