"""The encoding tests of html5lib, and Chromium's decoders of each sequence of one or two octets."""

import json
import re
from collections.abc import Iterator

from reading_samples import PAGES, needs_pages, samples

from polite_crawler.readers.charset import decode, encoding_of_label
from polite_crawler.readers.decoders import decode_as

ENCODING = PAGES / "encoding"
pytestmark = needs_pages

# In these the table itself is at fault: it cut a character out of a pair, and it lost the ideographic space.
TABLE_SLIPS = {("big5", "8862"), ("big5", "8864"), ("big5", "88a3"), ("big5", "88a5"), ("euc-jp", "a1a1")}


def _cases() -> Iterator[tuple[bytes, str]]:
    for path in sorted(ENCODING.glob("*.dat")):
        for part in re.split(rb"(?:^|\n)#data\n", path.read_bytes()):
            data, found, expected = part.rpartition(b"\n#encoding\n")
            if found:
                yield data, expected.split(b"\n")[0].decode().strip()


def test_the_encoding_of_each_case() -> None:
    cases = list(_cases())
    wrong = [
        (data[:80], expected) for data, expected in cases if decode(data, None).encoding != encoding_of_label(expected)
    ]
    assert len(cases) == 82
    assert wrong == []


def test_each_sequence_is_decoded_as_chromium_does() -> None:
    table = json.loads((ENCODING / "chromium_decoders.json").read_text("utf-8"))
    wrong = []
    for encoding, (single, pairs) in table.items():
        for octet, text in enumerate(single):
            if decode_as(bytes([octet]), encoding) != text:
                wrong.append((encoding, f"{octet:02x}"))
        for lead, row in pairs.items():
            for trail, text in enumerate(row):
                if decode_as(bytes([int(lead), trail, 0x7A]), encoding) != text:
                    wrong.append((encoding, f"{int(lead):02x}{trail:02x}"))
    assert len(table) >= 20
    assert set(wrong) == TABLE_SLIPS


def test_the_encoding_of_real_pages_is_that_of_chromium() -> None:
    declared = [sample for sample in samples() if sample.shown is not None]
    index = {
        entry["file"]: entry["chromium_charset"] for entry in json.loads((PAGES / "index.json").read_text("utf-8"))
    }
    wrong = [
        sample.name
        for sample in declared
        if decode(sample.body, None).encoding != encoding_of_label(index[sample.name]) and not sample.body.isascii()
    ]
    assert len(declared) > 200
    assert len(wrong) <= len(declared) // 100
