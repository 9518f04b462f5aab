"""`pc-check`: whether a WARC or WACZ file is strictly right. The common checkers pass many files that are not."""

import hashlib
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polite_crawler.archive.check_index import IndexCheck, Records, check_pages
from polite_crawler.archive.check_warc import Seen, WarcCheck
from polite_crawler.archive.faults import Fault, Faults
from polite_crawler.archive.package import UNREADABLE, Package, PackageError, description_of
from polite_crawler.archive.sources import LZ4
from polite_crawler.archive.wacz import ARCHIVE, DATAPACKAGE, PROFILE
from polite_crawler.errors import PoliteError

_LISTED = (ARCHIVE, "indexes/", "pages/")
_VERSION = re.compile(r"1\.(?:0\.0|1\.[01])")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: `ok` is true for a file without a fault."""

    file: str
    ok: bool
    faults: tuple[Fault, ...]


def check(path: str | Path) -> Checked:
    """Check a file by its content: a ZIP as a WACZ package, everything else as a WARC. Raises PoliteError when it
    cannot be read."""
    path = Path(path).expanduser()
    faults = Faults()
    try:
        with path.open("rb") as file:
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
        described = description_of(package, faults)
        if described is not None:
            _check_description(package, described, faults)
        if not package.archives():
            faults.add(ARCHIVE, "no WARC file")
        for name in package.archives():
            _check_archive(package, name, records, faults)
        IndexCheck(package, records, faults).run()
        check_pages(package, records, faults)


def _check_names(package: Package, faults: Faults) -> None:
    for name in package.doubles:
        faults.add(name, "two members with this name")
    for name, entry in package.entries.items():
        if name.startswith("/") or "\\" in name or ".." in name.split("/"):
            faults.add(name, "a name that leads out of the package")
        if why := package.refusal(name):
            faults.add(name, why)
        if entry.compress_type and name.startswith(ARCHIVE):
            faults.add(name, "compressed in the ZIP: a replay tool cannot read one record of it")


def _check_description(package: Package, described: Mapping[str, Any], faults: Faults) -> None:
    if described.get("profile") != PROFILE:
        faults.add(DATAPACKAGE, f"the profile is {described.get('profile')!r}, not {PROFILE!r}")
    if not _VERSION.fullmatch(str(described.get("wacz_version"))):
        faults.add(DATAPACKAGE, f"the wacz_version is {described.get('wacz_version')!r}")
    resources = described.get("resources")
    listed: set[str] = set()
    for resource in resources if isinstance(resources, list) else []:
        if isinstance(resource, dict) and isinstance(resource.get("path"), str):
            listed.add(resource["path"])
            _check_resource(package, resource, faults)
        else:
            faults.add(DATAPACKAGE, "a resource with no path")
    for name in package.entries:
        if name.startswith(_LISTED) and name not in listed:
            faults.add(name, f"{DATAPACKAGE} does not list it")


def _check_resource(package: Package, resource: Mapping[str, Any], faults: Faults) -> None:
    path = resource["path"]
    if path not in package.entries:
        faults.add(DATAPACKAGE, f"it lists {path[:120]}, which is not there")
        return
    name = resource.get("name")
    if not isinstance(name, str) or name != name.lower():
        faults.add(DATAPACKAGE, f"the name of {path} is {name!r}: a lower-case name is needed")
    stated = resource.get("hash")
    if not isinstance(stated, str) or not _HASH.fullmatch(stated):
        faults.add(DATAPACKAGE, f"the hash of {path} is no sha256: and hexadecimal digits")
    if package.refusal(path):
        return
    digest, size = hashlib.sha256(), 0
    try:
        for octets in package.chunks(path):
            digest.update(octets)
            size += len(octets)
    except UNREADABLE as error:
        faults.add(path, f"damaged ({error})")
        return
    if isinstance(stated, str) and _HASH.fullmatch(stated) and stated != f"sha256:{digest.hexdigest()}":
        faults.add(path, f"its hash is not the one in {DATAPACKAGE}")
    if resource.get("bytes") != size:
        faults.add(path, f"{size} octets, not the {resource.get('bytes')!r} of {DATAPACKAGE}")


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
