"""PDF files made by hand, for tests: good ones, odd ones, and ones that are made to break a reader. A helper."""

import zlib
from functools import cache

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
HELLO = b"BT /F1 12 Tf 50 700 Td (Hello quote here) Tj ET\n"


def pack(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A file of numbered objects with a cross-reference table; object 1 is the catalog."""
    out = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (
        count, table, count, trailer, len(out),
    )  # fmt: skip


def stream(data: bytes, *, packed: bool = True, filters: bytes = b"/FlateDecode") -> bytes:
    if packed:
        data = zlib.compress(data)
    return b"<</Length %d/Filter %s>>stream\n%s\nendstream" % (len(data), filters, data)


def text_page(*lines: str) -> bytes:
    rows = b"".join(
        b"BT /F1 12 Tf 50 %d Td (%s) Tj ET\n" % (700 - 20 * i, line.encode("latin-1")) for i, line in enumerate(lines)
    )
    return stream(rows)


def document(*contents: bytes, info: bytes = b"") -> bytes:
    """A file with one page for each content stream."""
    first = 4 + len(contents)
    kids = b" ".join(b"%d 0 R" % (first + i) for i in range(len(contents)))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids), FONT]
    objects += contents
    objects += [
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>" % (4 + i)
        for i in range(len(contents))
    ]
    if info:
        objects.append(info)
        return pack(objects, b"/Info %d 0 R" % len(objects))
    return pack(objects)


@cache
def flate_bomb(size: int) -> bytes:
    """A content stream that inflates to `size` octets, packed twice."""
    data = zlib.compress(zlib.compress(b" " * size, 1), 9)
    return document(stream(data, packed=False, filters=b"[/FlateDecode/FlateDecode]"))


def form_bomb(levels: int) -> bytes:
    """Forms that each draw the next one ten times."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
        stream(b"/X Do " * 10),
    ]
    for level in range(levels):
        data = zlib.compress(b"/X Do " * 10 if level + 1 < levels else HELLO)
        objects.append(
            b"<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X %d 0 R>>/Font<</F1 %d 0 R>>>>"
            b"/Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (6 + level, 5 + levels, len(data), data)
        )
    return pack([*objects, FONT])


PAGE_LOOP = pack([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2/Kids[2 0 R 2 0 R]>>"])

ENCRYPTED = pack(
    [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 0/Kids[]>>",
        b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (b"41" * 32, b"42" * 32),
    ],
    b"/Encrypt 3 0 R/ID[<00><00>]",
)
"""A file whose password is not the empty one."""
