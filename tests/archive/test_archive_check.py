"""The strict check: what is right passes, and every way to be wrong is named."""

import gzip
import hashlib
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evidence_lab import EvidenceLab, edge_captures, other_captures
from hypothesis import given, settings
from hypothesis import strategies as st
from wacz_lab import ARCHIVE, INDEX, PAGES, Parts, build, in_first_line, lines, parts_of, shuffled

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.faults import KEPT, Faults
from polite_crawler.archive.signature import fault_of
from polite_crawler.errors import PoliteError


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    lab = EvidenceLab(folder / "store")
    other_captures(lab, edge_captures(lab))
    with lab.store() as store:
        export(store.index, folder / "good.wacz")
        export(store.index, folder / "good.warc.gz")
    return folder


def _drop(prefix: str) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        for name in [name for name in parts if name.startswith(prefix)]:
            del parts[name]

    return change


def _set(name: str, value: Callable[[bytes], bytes]) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        parts[name] = value(parts[name])

    return change


def _repacked(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """The archive with its text changed and each record in a member of its own again."""

    def packed(octets: bytes) -> bytes:
        text = change(gzip.decompress(octets))
        found = text.split(b"WARC/1.1\r\n")[1:]
        return b"".join(gzip.compress(b"WARC/1.1\r\n" + one, mtime=0) for one in found)

    return packed


BROKEN: dict[str, tuple[Callable[[Parts], None], str]] = {
    "no index": (_drop("indexes/"), "no index"),
    "no pages": (_drop("pages/"), "missing"),
    "no archive": (_drop("archive/"), "no WARC file"),
    "unsorted index": (lambda parts: lines(parts, shuffled), "not sorted"),
    "wrong offset": (lambda parts: in_first_line(parts, "offset", "3"), "no record begins at octet 3"),
    "wrong length": (lambda parts: in_first_line(parts, "length", "7"), "octets, not 7"),
    "offset is no number": (lambda parts: in_first_line(parts, "offset", "x"), "no number"),
    "wrong file": (lambda parts: in_first_line(parts, "filename", "x.warc.gz"), "no record begins"),
    "wrong URL": (lambda parts: in_first_line(parts, "url", "http://ex.test/x"), "is of http"),
    "wrong status": (lambda parts: in_first_line(parts, "status", "404"), "has the status 2"),
    "key of another host": (_set(INDEX, lambda octets: b"test,ey)/ " + octets.partition(b" ")[2]), "the key is not"),
    "wrong digest": (lambda parts: in_first_line(parts, "digest", "sha256:" + "0" * 64), "has the digest"),
    "wrong record digest": (lambda parts: in_first_line(parts, "recordDigest", "sha256:0"), "recordDigest"),
    "wrong time": (_set(INDEX, lambda octets: octets.replace(b" 20261130", b" 20251130", 1)), "is of 2026"),
    "no CDX line": (_set(INDEX, lambda octets: b"x\n" + octets), "no line with a key"),
    "line left out": (lambda parts: lines(parts, lambda found: found[1:]), "no line of the index names"),
    "cookie in the index": (lambda parts: in_first_line(parts, "req.http:cookie", "a=b"), "a cookie"),
    "index with another name": (
        lambda parts: parts.update({"indexes/index.cdxj": parts.pop(INDEX)}), "pass over"),
    "page that is not there": (
        _set(PAGES, lambda octets: octets + b'{"url": "http://x/", "ts": "2026-01-01T00:00:00Z"}\n'),
        "does not have the page"),
    "page without a time": (_set(PAGES, lambda octets: octets + b'{"url": "http://ex.test/plain"}\n'), "a ts"),
    "page list without a header": (lambda parts: lines(parts, lambda found: found[1:], PAGES), "json-pages-1.0"),
    "page list that is no JSON": (_set(PAGES, lambda octets: octets + b"[\n"), "no JSON object"),
    "cut archive": (_set(ARCHIVE, lambda octets: octets[:-300]), "ends inside"),
    "garbage behind the archive": (_set(ARCHIVE, lambda octets: octets + b"\0" * 512), "no gzip member"),
    "archive of one member": (
        _set(ARCHIVE, lambda octets: gzip.compress(gzip.decompress(octets), mtime=0)), "more than one record"),
    "request with a cookie": (
        _set(ARCHIVE, _repacked(lambda text: text.replace(b"Cookie: REDACTED", b"Cookie: id=123456", 1))),
        "holds a cookie"),
    "wrong payload": (
        _set(ARCHIVE, _repacked(lambda text: text.replace(b"MARK-plain", b"MARK-plaim", 1))), "Payload-Digest"),
    "flipped bit": (
        _set(ARCHIVE, lambda octets: octets[:3000] + bytes([octets[3000] ^ 1]) + octets[3001:]), "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_packages_are_rejected(good: Path, tmp_path: Path, name: str) -> None:
    change, said = BROKEN[name]
    parts = parts_of(good / "good.wacz")
    change(parts)
    found = check(build(tmp_path / "broken.wacz", parts))
    assert not found.ok
    assert [str(fault) for fault in found.faults if said in str(fault)], found.faults


DESCRIBED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no profile": (lambda of: of.pop("profile"), "the profile is None"),
    "another profile": (lambda of: of.update(profile="wacz"), "the profile is 'wacz'"),
    "no version": (lambda of: of.pop("wacz_version"), "the wacz_version is None"),
    "later version": (lambda of: of.update(wacz_version="2.0"), "the wacz_version is '2.0'"),
    "wrong hash": (lambda of: of["resources"][0].update(hash="sha256:" + "0" * 64), "its hash is not the one"),
    "short hash": (lambda of: of["resources"][0].update(hash="sha256:00"), "no sha256:"),
    "wrong size": (lambda of: of["resources"][0].update(bytes=1), "octets, not the 1"),
    "upper case": (lambda of: of["resources"][0].update(name="Data"), "lower-case"),
    "listed and not there": (
        lambda of: of["resources"].append({"name": "x", "path": "archive/x.warc.gz", "hash": "", "bytes": 1}),
        "which is not there"),
    "there and not listed": (lambda of: of["resources"].pop(), "does not list it"),
    "no resources": (lambda of: of.pop("resources"), "does not list it"),
    "resource without a path": (lambda of: of["resources"].append({}), "no path"),
}  # fmt: skip


@pytest.mark.parametrize("name", DESCRIBED)
def test_wrong_descriptions_are_rejected(good: Path, tmp_path: Path, name: str) -> None:
    change, said = DESCRIBED[name]
    parts = parts_of(good / "good.wacz")
    found = check(build(tmp_path / "broken.wacz", parts, described=change))
    assert [str(fault) for fault in found.faults if said in str(fault)], found.faults


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"deflate": True}, "compressed in the ZIP"),
        ({"digest": lambda of: of.update(hash="sha256:" + "0" * 64)}, "path and hash"),
        ({"digest": lambda of: of.update(path="x")}, "path and hash"),
        ({"digest": lambda of: of.update(signedData={"hash": "x"})}, "another hash"),
        ({"digest": lambda of: of.update(signedData=[1])}, "no JSON object"),
        ({"leave_out": "datapackage.json"}, "missing, too large or damaged"),
        ({"leave_out": "datapackage-digest.json"}, "missing, too large or damaged"),
    ],
)
def test_packages_that_are_put_together_wrongly_are_rejected(
    good: Path, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    found = check(build(tmp_path / "broken.wacz", parts_of(good / "good.wacz"), **options))
    assert [str(fault) for fault in found.faults if said in str(fault)], found.faults


def test_the_lab_itself_builds_what_is_right(good: Path, tmp_path: Path) -> None:
    assert check(build(tmp_path / "same.wacz", parts_of(good / "good.wacz"))).ok


@pytest.mark.parametrize("name", ["../evil.warc.gz", "/etc/evil", "archive/..\\evil", "C:/evil"])
def test_names_that_lead_out_are_faults(good: Path, tmp_path: Path, name: str) -> None:
    parts = parts_of(good / "good.wacz") | {name: b"x"}
    found = check(build(tmp_path / "slip.wacz", parts))
    assert f"{name}: a name that leads out of the package" in map(str, found.faults)


def test_octets_behind_a_package_are_a_fault(good: Path, tmp_path: Path) -> None:
    path = build(tmp_path / "tail.wacz", parts_of(good / "good.wacz"))
    path.write_bytes(path.read_bytes() + b"more")
    assert "4 octets behind the end of the ZIP" in [fault.what for fault in check(path).faults]


@pytest.mark.parametrize("comment", [b"", b"a comment"])
def test_a_package_with_a_comment_is_right(good: Path, tmp_path: Path, comment: bytes) -> None:
    path = build(tmp_path / "comment.wacz", parts_of(good / "good.wacz"))
    with zipfile.ZipFile(path, "a") as package:
        package.comment = comment
    assert check(path).ok


def test_hashes_of_a_package_may_be_md5(good: Path, tmp_path: Path) -> None:
    parts = parts_of(good / "good.wacz")
    md5 = {name: hashlib.md5(octets, usedforsecurity=False).hexdigest() for name, octets in parts.items()}

    def described(of: dict[str, Any]) -> None:
        for resource in of["resources"]:
            resource["hash"] = f"md5:{md5[resource['path']]}"

    assert check(build(tmp_path / "right.wacz", parts, described=described)).ok
    md5[PAGES] = "0" * 32
    found = check(build(tmp_path / "wrong.wacz", parts, described=described))
    assert [str(fault) for fault in found.faults] == [f"{PAGES}: its hash is not the one in datapackage.json"]


def test_two_members_with_one_name_are_a_fault(good: Path, tmp_path: Path) -> None:
    path = build(tmp_path / "twice.wacz", parts_of(good / "good.wacz"))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as package:
        package.writestr(PAGES, b"")
    assert [fault for fault in check(path).faults if "two members" in fault.what]


@pytest.mark.parametrize("name", ["pages/extra.jsonl", PAGES, "indexes/extra.cdx"])
def test_a_member_that_unpacks_to_far_more_is_not_unpacked(good: Path, tmp_path: Path, name: str) -> None:
    parts = parts_of(good / "good.wacz") | {name: b"x\n" * (1 << 26)}
    found = check(build(tmp_path / "bomb.wacz", parts))
    (fault,) = [fault for fault in found.faults if fault.where.startswith(name)]
    assert "unpack to 134217728" in fault.what


def test_a_packed_index_that_unpacks_to_far_more_is_not_read_to_its_end(good: Path, tmp_path: Path) -> None:
    name = "indexes/index.cdx.gz"
    parts = parts_of(good / "good.wacz") | {name: gzip.compress(bytes(1 << 12).replace(b"\0", b"\n") * (1 << 15))}
    found = check(build(tmp_path / "bomb.wacz", parts))
    (fault,) = [fault for fault in found.faults if fault.where == name]
    assert fault.what.startswith("damaged (")
    assert "and more" in fault.what


@pytest.mark.parametrize("blank", [0, 1, 3, (1 << 20) - 1, 1 << 20])
def test_a_line_behind_empty_ones_has_its_number(good: Path, tmp_path: Path, blank: int) -> None:
    parts = parts_of(good / "good.wacz")
    lines = parts[INDEX].splitlines(keepends=True)
    parts[INDEX] = b"".join([*lines[:2], b"\n" * blank, b"no line", b"\r\n", *lines[2:-1], lines[-1].rstrip(b"\n")])
    found = check(build(tmp_path / "x.wacz", parts)).faults
    wanted = f"{INDEX}:{3 + blank}"
    assert [fault.where for fault in found if fault.what.startswith("no line with a key")] == [wanted]


@pytest.mark.parametrize("name", ["indexes/index.cdx.gz", INDEX, PAGES])
def test_a_member_that_is_damaged_in_the_zip_is_a_fault(good: Path, tmp_path: Path, name: str) -> None:
    parts = parts_of(good / "good.wacz")
    parts |= {"indexes/index.cdx.gz": gzip.compress(parts[INDEX]), "indexes/index.idx": b"{}\n"}
    path = build(tmp_path / "x.wacz", parts)
    with zipfile.ZipFile(path) as package:
        entry = package.getinfo(name)
    octets = bytearray(path.read_bytes())
    octets[entry.header_offset + 30 + len(name) + entry.compress_size // 2] ^= 1
    path.write_bytes(bytes(octets))
    assert [fault for fault in check(path).faults if fault.where == name and fault.what.startswith("damaged")]


def test_an_address_as_one_number_is_the_key_of_no_tool(good: Path, tmp_path: Path) -> None:
    """Some tools write it out, some do not; the fault is that the record is of another URL."""
    parts = parts_of(good / "good.wacz")
    in_first_line(parts, "url", "http://2130706433/")
    found = check(build(tmp_path / "x.wacz", parts)).faults
    assert not [fault for fault in found if "the key is not" in fault.what]


def test_a_packed_index_is_checked_block_by_block(good: Path, tmp_path: Path) -> None:
    parts = parts_of(good / "good.wacz")
    index = parts.pop(INDEX)
    packed = gzip.compress(index, mtime=0)
    key = " ".join(index.decode().split(" ")[:2])

    def of(**facts: Any) -> Path:
        right = {"offset": 0, "length": len(packed), "filename": "index.cdx.gz"}
        idx = f'!meta 0 {{"format": "cdxj-gzip-1.0"}}\n{key} {json.dumps(right | facts)}\n'.encode()
        return build(tmp_path / "x.wacz", {**parts, "indexes/index.cdx.gz": packed, "indexes/index.idx": idx})

    assert check(of()).ok
    for facts, said in (
        ({"offset": 5}, "no gzip member"),
        ({"length": 40}, "not one gzip member"),
        ({"length": "x"}, "no number"),
        ({"length": -1}, "out of bounds"),
        ({"digest": "sha256:0"}, "the digest is not"),
        ({"filename": "other.cdx.gz"}, "the file is 'other.cdx.gz'"),
        ({"filename": None}, "the file is None"),
    ):
        found = check(of(**facts))
        assert [fault for fault in found.faults if said in fault.what], (facts, found.faults)
    del parts[PAGES]
    found = check(build(tmp_path / "y.wacz", {**parts, "indexes/index.cdx.gz": packed}))
    assert [fault for fault in found.faults if "needs it" in fault.what]


BLOCKS: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "in order": (lambda found: found, ""),
    "one key": (lambda found: [found[0], *("test, " + line[line.index("{") :] for line in found[1:])], ""),
    "out of order": (lambda found: [found[0], *found[:0:-1]], "not sorted"),
    "first left out": (lambda found: [found[0], *found[2:]], "the one before ends at 0"),
    "middle left out": (lambda found: [*found[:2], *found[3:]], "the one before ends at"),
    "last left out": (lambda found: found[:-1], "no line names what"),
    "no line": (lambda found: found[:1], "no line names what"),
    "twice": (lambda found: [*found, found[-1]], "the one before ends at"),
    "no JSON": (lambda found: [*found, "key\n"], "no JSON object"),
    "other file": (lambda found: [found[0].replace("index.cdx.gz", "x.cdx.gz"), *found[1:]], "the file is 'x.cdx.gz'"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_lines_of_a_packed_index_name_its_members_one_behind_the_other(
    good: Path, tmp_path: Path, name: str
) -> None:
    change, said = BLOCKS[name]
    parts = parts_of(good / "good.wacz")
    rows = parts.pop(INDEX).splitlines(keepends=True)
    packed, idx = b"", ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    for at in range(0, len(rows), 6):
        one = gzip.compress(b"".join(rows[at : at + 6]), mtime=0)
        key = " ".join(rows[at].decode().split(" ")[:2])
        idx.append(f"{key} {json.dumps({'offset': len(packed), 'length': len(one)})}\n")
        packed += one
    assert len(idx) > 3
    parts |= {"indexes/index.cdx.gz": packed, "indexes/index.idx": "".join(change(idx)).encode()}
    found = check(build(tmp_path / "x.wacz", parts)).faults
    assert [fault for fault in found if said in fault.what] if said else not found, found


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.warc"):
        with pytest.raises(PoliteError, match="cannot read"):
            check(path)


def test_a_domain_signature_needs_a_trusted_certificate() -> None:
    signed = {"hash": "sha256:0", "signature": "AAAA", "domainCert": "x", "domain": "ex.test", "created": "x"}
    assert fault_of(signed, "sha256:0", roots=()) == "the certificate or the time of the signature cannot be read"


def test_faults_are_bounded() -> None:
    faults = Faults()
    for number in range(KEPT + 5):
        faults.add("octet 0", str(number))
    assert len(list(faults)) == KEPT + 1
    assert str([*faults][-1]) == "and 5 more faults"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_change_of_octets_makes_the_check_fail(good: Path, tmp_path_factory: Any, data: st.DataObject) -> None:
    """Whatever a file holds, the answer is a list of faults and never an exception."""
    name = data.draw(st.sampled_from(["good.wacz", "good.warc.gz"]))
    octets = bytearray((good / name).read_bytes())
    picks = random.Random(data.draw(st.integers(0, 1 << 30)))
    for _ in range(data.draw(st.integers(1, 8))):
        octets[picks.randrange(len(octets))] = picks.randrange(256)
    del octets[picks.randrange(len(octets)) if data.draw(st.booleans()) else len(octets) :]
    path = tmp_path_factory.mktemp("changed") / name
    path.write_bytes(bytes(octets))
    check(path)
