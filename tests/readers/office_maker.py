"""Office documents and e-books made by hand, for tests: good, odd, and made to break a reader. A helper."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict

from polite_crawler.readers.office import file, parts

Parts = Mapping[str, str | bytes]

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_O = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES = (
    f'xmlns:w="{_W}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_OPEN_SPACES = " ".join(
    f'xmlns:{prefix}="{_O}:{name}:1.0"'
    for prefix, name in (
        *((name, name) for name in ("office", "text", "table", "style")),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
    )
)
_XML = '<?xml version="1.0" encoding="UTF-8"?>'
ODT_TYPE = "application/vnd.oasis.opendocument.text"
KEPT = "<w:p><w:r><w:t>kept text</w:t></w:r></w:p>"
KEPT_ODT = "<text:p>kept text</text:p>"


def pack(parts: Parts) -> bytes:
    """A zip file of these parts, in this sequence."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, data in parts.items():
            how = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            package.writestr(zipfile.ZipInfo(name, (2026, 3, 4, 5, 6, 8)), data, compress_type=how)
    return out.getvalue()


def document(body: str, before: str = "") -> str:
    """The main part of a DOCX."""
    return f"{_XML}{before}<w:document {_SPACES}><w:body>{body}</w:body></w:document>"


def related(**targets: str) -> str:
    """The relationships of a part: the kind of each, and its target."""
    rows = "".join(f'<Relationship Id="r{kind}" Type="{_REL}/{kind}" Target="{to}"/>' for kind, to in targets.items())
    return f'{_XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def docx_parts(body: str = KEPT, before: str = "", **more: str) -> dict[str, str | bytes]:
    """The parts of a DOCX. `more` are the contents of other parts of the folder word, by their kind."""
    return {
        "[Content_Types].xml": f'{_XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": related(officeDocument="word/document.xml"),
        "word/document.xml": document(body, before),
        "word/_rels/document.xml.rels": related(**{kind: f"{kind}.xml" for kind in more}),
        **{f"word/{kind}.xml": f"{_XML}<w:{kind} {_SPACES}>{part}</w:{kind}>" for kind, part in more.items()},
    }


def docx(body: str = KEPT, before: str = "", **more: str) -> bytes:
    return pack(docx_parts(body, before, **more))


def content(body: str, before: str = "", styles: str = "", kind: str = "text") -> str:
    """The content.xml of an ODT."""
    return (
        f"{_XML}{before}<office:document-content {_OPEN_SPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )


def odt_parts(body: str = KEPT_ODT, before: str = "", styles: str = "") -> dict[str, str | bytes]:
    return {
        "mimetype": ODT_TYPE,
        "content.xml": content(body, before, styles),
        "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{_O}:manifest:1.0"/>',
    }


def odt(body: str = KEPT_ODT, before: str = "", styles: str = "") -> bytes:
    return pack(odt_parts(body, before, styles))


def epub_parts(chapters: Parts, *, metadata: str = "", spine: tuple[str, ...] | None = None) -> dict[str, str | bytes]:
    """The parts of an EPUB: its pages by their names in the folder OEBPS. `spine` names them in another sequence."""
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    refs = "".join(f'<itemref idref="{name}"/>' for name in (tuple(chapters) if spine is None else spine))
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'{_XML}<container xmlns="{_O}:container"><rootfiles><rootfile '
        'full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{metadata}</metadata>'
        f"<manifest>{items}</manifest><spine>{refs}</spine></package>",
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
    }


def epub(chapters: Parts, *, metadata: str = "", spine: tuple[str, ...] | None = None) -> bytes:
    return pack(epub_parts(chapters, metadata=metadata, spine=spine))


def page(title: str, *paragraphs: str) -> str:
    inner = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>{title}</h1>{inner}</body></html>'
    )


def with_bomb(parts: Parts, name: str, head: str, mebibytes: int) -> bytes:
    """A package with one part more: `head`, then so many MiB of spaces. Ten GiB of them are ten MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    start = packer.compress(head.encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    raw = start + block * mebibytes + packer.flush()
    size = min(len(head) + (mebibytes << 20), 0xFFFFFFFE)
    rest = pack({key: data for key, data in parts.items() if key != name})
    count, _, length, offset = struct.unpack_from("<HHII", rest, rest.rfind(b"PK\x05\x06") + 8)
    common = struct.pack("<5H3I2H", 20, 0, 8, 0, 33, 0, len(raw), size, len(name), 0)
    local = b"PK\x03\x04" + common + name.encode() + raw
    entry = b"PK\x01\x02\x14\x00" + common + struct.pack("<3H2I", 0, 0, 0, 0, offset) + name.encode()
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count + 1, count + 1, length + len(entry), offset + len(local), 0)
    return rest[:offset] + local + rest[offset : offset + length] + entry + end


def changed(body: bytes, name: str, *, flags: int = 0, method: int | None = None, crc: int = 0) -> bytes:
    """A package with other fields in both headers of a part: bits that flip in its flags and its checksum."""
    out = bytearray(body)
    for at, field in ((body.find(name.encode()) - 30, 6), (body.rfind(name.encode()) - 46, 8)):
        out[at + field] ^= flags
        out[at + field + 8] ^= crc
        if method is not None:
            out[at + field + 2] = method
    return bytes(out)


def overlapping(parts: Parts, name: str, copies: int) -> bytes:
    """A package whose list names one part many times more, all at the same place."""
    rest = pack(parts)
    end = rest.rfind(b"PK\x05\x06")
    count, _, length, offset = struct.unpack_from("<HHII", rest, end + 8)
    at = rest.find(name.encode(), offset) - 46
    entry = rest[at : at + 46 + len(name)]
    more = b"".join(entry[:46] + b"%0*d" % (len(name), number) for number in range(copies))
    tail = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count + copies, count + copies, length + len(more), offset, 0)
    return rest[:end] + more + tail


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 12))
    + "]>"
)


def reads(url: str) -> str:
    """A document type whose entity is another file."""
    return f'<!DOCTYPE a [<!ENTITY l11 SYSTEM "{url}"><!ENTITY % p SYSTEM "{url}">%p;]>'


def read_both(body: bytes, limits: file.OfficeLimits = file.DEFAULT_LIMITS) -> file.Office:
    """The text of a file, read in the worker process and in this one, where the branches of the reader are counted."""
    here = file._Findings(limits)
    for line, text in parts.read(body, asdict(limits)):
        here.take(line, text)
    office = file.read_office(body, limits)
    assert office == here.office()
    return office
