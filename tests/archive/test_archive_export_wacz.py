"""Packages: their index, their pages and their signatures."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from evidence_lab import HTML, EvidenceLab, head, html, sha256
from export_lab import Edges, index_lines

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.signature import fault_of
from polite_crawler.errors import BadOption


def test_the_index_names_each_answer_and_gives_its_octets(edges: Edges) -> None:
    lines = index_lines(edges.wacz)
    assert len(lines) == edges.packed.responses + edges.packed.revisits
    assert [line[:2] for line in lines] == sorted(line[:2] for line in lines)
    octets = edges.warc.read_bytes()
    for _, time, facts in lines:
        start, length = int(facts["offset"]), int(facts["length"])
        assert facts["recordDigest"] == f"sha256:{sha256(octets[start : start + length])}"
        text = gzip.decompress(octets[start : start + length])
        assert f"WARC-Target-URI: {facts['url']}\r\n".encode() in text
        assert time == "".join(filter(str.isdigit, text.partition(b"WARC-Date: ")[2][:19].decode()))


def test_a_page_for_each_document_with_a_200_names_its_latest_capture(edges: Edges) -> None:
    with zipfile.ZipFile(edges.wacz) as package:
        first, *pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()]
    assert first == {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    by_url = {page["url"]: page for page in pages}
    assert len(by_url) == len(pages) == edges.packed.pages
    assert by_url["http://ex.test/plain"]["ts"] == edges.others["again"].time.start
    assert by_url["http://ex.test/plain"]["title"] == "plain again"
    assert "http://ex.test/held" in by_url
    assert not {"http://ex.test/robots.txt", "http://ex.test/missing", "http://ex.test/redirect"} & set(by_url)


def test_a_large_index_is_packed_in_blocks(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    for number in range(160):
        lab.exchange(f"http://ex.test/page/{number:04}", head(HTML), html(str(number % 3), 1))
    with lab.store() as store:
        export(store.index, tmp_path / "many.wacz")
    assert check(tmp_path / "many.wacz").ok
    with zipfile.ZipFile(tmp_path / "many.wacz") as package:
        lines = gzip.decompress(package.read("indexes/index.cdx.gz")).splitlines()
        blocks = package.read("indexes/index.idx").splitlines()
    assert len(lines) == 160
    assert lines == sorted(lines)
    assert blocks[0].startswith(b"!meta 0 ")


def test_a_signed_package_is_matched_and_a_changed_one_is_not(edges: Edges, tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP384R1())
    pem = tmp_path / "key.pem"
    pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    out = tmp_path / "signed.wacz"
    export(edges.store.index, out, wacz_key=pem)
    assert check(out).ok
    with zipfile.ZipFile(out) as package:
        stated = json.loads(package.read("datapackage-digest.json"))
    signed = stated["signedData"]
    assert fault_of(signed, stated["hash"]) is None
    assert fault_of(signed, "sha256:" + "0" * 64) == "the signature is of another hash"
    forged = {**signed, "hash": "sha256:" + "0" * 64}
    assert fault_of(forged, "sha256:" + "0" * 64) == "the signature does not fit the key and the hash"
    assert fault_of({**signed, "publicKey": "AAAA"}, stated["hash"]) == "the public key is no elliptic curve key"
    assert fault_of({**signed, "signature": signed["signature"][:-4]}, stated["hash"]) is not None
    assert fault_of({**signed, "signature": "%%%"}, stated["hash"]) == "the signature is no base64"


def test_keys_of_another_kind_are_refused(edges: Edges, tmp_path: Path) -> None:
    wrong = [ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()]
    for number, key in enumerate(wrong):
        pem = tmp_path / f"{number}.pem"
        pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        with pytest.raises(BadOption, match="no ECDSA P-384 key"):
            export(edges.store.index, tmp_path / "x.wacz", wacz_key=pem)
