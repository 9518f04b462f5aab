"""`pc-check`: whether a WARC or WACZ file is strictly right. The common checkers pass many files that are not."""

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from polite_crawler.archive.check_index import IndexCheck, Records, check_pages
from polite_crawler.archive.check_warc import Seen, WarcCheck
from polite_crawler.archive.description import check_description
from polite_crawler.archive.faults import Fault, Faults
from polite_crawler.archive.files import open_archive
from polite_crawler.archive.package import UNREADABLE, Package, PackageError
from polite_crawler.archive.sources import LZ4
from polite_crawler.archive.wacz import ARCHIVE
from polite_crawler.errors import PoliteError
from polite_crawler.paths import given_path

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: `ok` is true for a file without a fault."""

    file: str
    ok: bool
    faults: tuple[Fault, ...]


def check(path: str | Path) -> Checked:
    """Check a file by its content: a ZIP as a WACZ package, everything else as a WARC. Raises PoliteError when it
    cannot be read."""
    path = given_path(path)
    faults = Faults()
    try:
        with open_archive(path) as file:
            first = file.read(4)
            if first.startswith(b"PK"):
                _check_package(path, faults)
            elif first == LZ4:
                faults.add("", "LZ4, which no archive tool reads but one: unpack it first")
            elif not first:
                faults.add("", "an empty file")
            else:
                file.seek(0)
                with closing(Records()) as records:
                    WarcCheck(lambda offset, what: faults.add(f"octet {offset}", what), ids=records).run(file)
    except OSError as error:
        raise PoliteError(f"cannot read {path}: {error.strerror or error}") from None
    return Checked(str(path), not faults, tuple(faults))


def _check_package(path: Path, faults: Faults) -> None:
    try:
        package = Package(path)
    except PackageError as error:
        faults.add("", str(error))
        return
    with package, closing(Records()) as records:
        _check_names(package, faults)
        check_description(package, faults)
        if not package.archives():
            faults.add(ARCHIVE, "no WARC file")
        for name in package.archives():
            _check_archive(package, name, records, faults)
        IndexCheck(package, records, faults).run()
        check_pages(package, records, faults)


def _check_names(package: Package, faults: Faults) -> None:
    if package.tail:
        faults.add("", f"{package.tail} octets behind the end of the ZIP")
    for name in package.doubles:
        faults.add(name, "two members with this name")
    for name, entry in package.entries.items():
        if name.startswith("/") or "\\" in name or ".." in name.split("/") or _DRIVE.match(name):
            faults.add(name, "a name that leads out of the package")
        if why := package.refusal(name):
            faults.add(name, why)
        if entry.compress_type and name.startswith(ARCHIVE):
            faults.add(name, "compressed in the ZIP: a replay tool cannot read one record of it")


def _check_archive(package: Package, name: str, records: Records, faults: Faults) -> None:
    if package.refusal(name):
        return
    file = name.removeprefix(ARCHIVE)

    def seen(record: Seen) -> None:
        records.add_record(file, record)

    def fault(offset: int, what: str) -> None:
        faults.add(f"{name}:{offset}", what)

    try:
        with package.seekable(name) as archive:
            WarcCheck(fault, seen, records).run(archive)
    except (*UNREADABLE, OSError) as error:
        faults.add(name, f"damaged ({error})")


__all__ = ["Checked", "Fault", "check"]
