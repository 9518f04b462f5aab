"""Takes a package apart and puts it together again with one thing changed: each change is one way to be broken."""

import hashlib
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Parts = dict[str, bytes]
Change = Callable[[Parts], None]

ARCHIVE = "archive/data.warc.gz"
INDEX = "indexes/index.cdx"
PAGES = "pages/pages.jsonl"


def parts_of(path: Path) -> Parts:
    with zipfile.ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def build(
    path: Path,
    parts: Parts,
    *,
    described: Callable[[dict[str, Any]], None] | None = None,
    digest: Callable[[dict[str, Any]], None] | None = None,
    deflate: bool = False,
    leave_out: str | None = None,
) -> Path:
    """Write a package with right hashes; `described` and `digest` change what it says of itself after that."""
    description = json.loads(parts.get("datapackage.json", b"{}"))
    files = {name: octets for name, octets in parts.items() if not name.startswith("datapackage")}
    description["resources"] = [
        {
            "name": name.rpartition("/")[2].lower(),
            "path": name,
            "hash": f"sha256:{hashlib.sha256(octets).hexdigest()}",
            "bytes": len(octets),
        }
        for name, octets in files.items()
    ]
    if described:
        described(description)
    text = json.dumps(description).encode()
    stated: dict[str, Any] = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
    if digest:
        digest(stated)
    files |= {"datapackage.json": text, "datapackage-digest.json": json.dumps(stated).encode()}
    with zipfile.ZipFile(path, "w") as package:
        for name, octets in files.items():
            if name != leave_out:
                stored = name.startswith("archive/") and not deflate
                package.writestr(name, octets, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return path


def lines(parts: Parts, change: Callable[[list[bytes]], list[bytes]], name: str = INDEX) -> None:
    parts[name] = b"".join(change(parts[name].splitlines(keepends=True)))


def in_first_line(parts: Parts, field: str, value: Any) -> None:
    """Give the first line of the index another value."""

    def change(found: list[bytes]) -> list[bytes]:
        key, time, facts = found[0].decode().split(" ", 2)
        changed = {**json.loads(facts), field: value}
        return [f"{key} {time} {json.dumps(changed)}\n".encode(), *found[1:]]

    lines(parts, change)


def shuffled(found: list[bytes]) -> list[bytes]:
    mixed = list(found)
    random.Random(1).shuffle(mixed)
    return mixed
