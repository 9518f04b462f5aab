"""What a WACZ package says of itself, against what it holds: datapackage.json, its hash and its signature."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from polite_crawler.archive.faults import Faults
from polite_crawler.archive.package import UNREADABLE, Package
from polite_crawler.archive.signature import fault_of
from polite_crawler.archive.wacz import ARCHIVE, DATAPACKAGE, DIGEST, PROFILE

_LISTED = (ARCHIVE, "indexes/", "pages/")
_VERSION = re.compile(r"1\.(?:0\.0|1\.[01])")
_HASH = re.compile(r"sha256:[0-9a-f]{64}|md5:[0-9a-f]{32}")


def check_description(package: Package, faults: Faults) -> None:
    """Check the description of a package against its members, its hash and its signature."""
    octets = package.small(DATAPACKAGE)
    if octets is None:
        faults.add(DATAPACKAGE, "missing, too large or damaged")
        return
    described = json_object(octets)
    if described is None:
        faults.add(DATAPACKAGE, "no JSON object")
    else:
        _check_resources(package, described, faults)
    _check_digest(package, octets, faults)


def json_object(octets: bytes) -> dict[str, Any] | None:
    """The JSON object of some octets, or None."""
    try:
        value = json.loads(octets)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _hash(stated: object) -> "hashlib._Hash":
    """What calculates a stated hash: packages may have MD5 in the place of SHA-256."""
    return hashlib.new("md5" if str(stated).startswith("md5:") else "sha256", usedforsecurity=False)


def _check_digest(package: Package, description: bytes, faults: Faults) -> None:
    octets = package.small(DIGEST)
    if octets is None:
        faults.add(DIGEST, "missing, too large or damaged")
        return
    stated = json_object(octets)
    if stated is None:
        faults.add(DIGEST, "no JSON object")
        return
    digest = _hash(stated.get("hash"))
    digest.update(description)
    if stated.get("path") != DATAPACKAGE or stated.get("hash") != f"{digest.name}:{digest.hexdigest()}":
        faults.add(DIGEST, f"its path and hash are not those of {DATAPACKAGE}")
    signed = stated.get("signedData")
    if signed is None:
        return
    fault = (
        fault_of(signed, f"sha256:{hashlib.sha256(description).hexdigest()}")
        if isinstance(signed, dict)
        else "signedData is no JSON object"
    )
    if fault is not None:
        faults.add(DIGEST, fault)


def _check_resources(package: Package, described: Mapping[str, Any], faults: Faults) -> None:
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
        faults.add(DATAPACKAGE, f"the hash of {path} is no sha256: or md5: and hexadecimal digits")
    if package.refusal(path):
        return
    digest, size = _hash(stated), 0
    try:
        for octets in package.chunks(path):
            digest.update(octets)
            size += len(octets)
    except UNREADABLE as error:
        faults.add(path, f"damaged ({error})")
        return
    if isinstance(stated, str) and _HASH.fullmatch(stated) and stated != f"{digest.name}:{digest.hexdigest()}":
        faults.add(path, f"its hash is not the one in {DATAPACKAGE}")
    if resource.get("bytes") != size:
        faults.add(path, f"{size} octets, not the {resource.get('bytes')!r} of {DATAPACKAGE}")
