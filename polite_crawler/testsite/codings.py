"""Content codings: right ones, wrong ones, and bombs."""

import zlib

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.encoders import (
    brotli_stored,
    gzip_members,
    gzip_with_fields,
    gzipped,
    raw_deflated,
    zstd_stored,
)
from polite_crawler.testsite.exchange import HTML, Ask, Reply, respond
from polite_crawler.testsite.heads import Headers
from polite_crawler.testsite.pages import page, paragraphs
from polite_crawler.testsite.streams import bomb, nested_bomb, steps

CODINGS = Family("Content codings and bombs")
TEXT = page(
    "Coded", paragraphs(f"Line {number} of a page that was sent in a content coding." for number in range(60))
).encode()
_GZ = gzipped(TEXT)

KINDS: dict[str, tuple[str, str | None, bytes]] = {
    "identity": ("no coding at all", None, TEXT),
    "identity-named": ("Content-Encoding: identity", "identity", TEXT),
    "gzip": ("gzip", "gzip", _GZ),
    "x-gzip": ("gzip under its old name", "x-gzip", _GZ),
    "gzip-upper": ("gzip, its name in capitals", "GZIP", _GZ),
    "gzip-members": ("two gzip members", "gzip", gzip_members(TEXT[:500], TEXT[500:])),
    "gzip-fields": (
        "gzip with an extra field, a name, a comment and a header checksum",
        "gzip",
        gzip_with_fields(TEXT),
    ),
    "gzip-trailing": ("gzip with octets after its end", "gzip", _GZ + b"\0\0trailing"),
    "gzip-cut": ("the first half of a gzip body", "gzip", _GZ[: len(_GZ) // 2]),
    "gzip-no-check": ("gzip without its last eight octets", "gzip", _GZ[:-8]),
    "gzip-bad-check": ("gzip with a wrong checksum", "gzip", _GZ[:-8] + b"\xff" * 8),
    "gzip-bad": ("gzip with an octet changed in the middle", "gzip", _GZ[:60] + b"\xff\xff\xff\xff" + _GZ[64:]),
    "gzip-empty": ("gzip of nothing", "gzip", gzipped(b"")),
    "gzip-no-body": ("Content-Encoding: gzip and no body", "gzip", b""),
    "gzip-twice": ("gzip in gzip, both named", "gzip, gzip", gzipped(_GZ)),
    "gzip-in-gzip": ("gzip in gzip, one named", "gzip", gzipped(_GZ)),
    "gzip-named-twice": ("gzip, named twice", "gzip, gzip", _GZ),
    "not-gzip": ("plain text labelled gzip", "gzip", TEXT),
    "unlabelled-gzip": ("gzip without Content-Encoding", None, _GZ),
    "deflate": ("zlib", "deflate", zlib.compress(TEXT)),
    "deflate-raw": ("deflate without the zlib wrapper", "deflate", raw_deflated(TEXT)),
    "br": ("brotli", "br", brotli_stored(TEXT)),
    "zstd": ("zstd", "zstd", zstd_stored(TEXT)),
    "br-gzip": ("gzip applied over brotli, both named in order", "br, gzip", gzipped(brotli_stored(TEXT))),
    "br-cut": ("the first half of a brotli body", "br", brotli_stored(TEXT)[: len(TEXT) // 2]),
    "zstd-cut": ("the first half of a zstd body", "zstd", zstd_stored(TEXT)[: len(TEXT) // 2]),
    "unknown": ("a coding that nobody knows", "snappy", TEXT),
    "empty-name": ("an empty Content-Encoding", "", TEXT),
}
"""Name: what it is, the Content-Encoding, the body."""


def _coded(name: str) -> None:
    does, coding, body = KINDS[name]
    headers: Headers = () if coding is None else (("Content-Encoding", coding),)
    CODINGS.add(
        f"/coding/{name}", does, lambda ask: respond(ask, body, status=ask.count("status", 200), headers=headers)
    )


for _name in KINDS:
    _coded(_name)


@CODINGS.route(
    "/bomb/{coding}?n=1073741824", "`n` octets of the letter a in gzip, deflate, br or zstd: 1 GiB in at most 1 MB"
)
def sent_bomb(ask: Ask) -> Reply:
    if ask.rest not in ("gzip", "deflate", "br", "zstd"):
        return respond(ask, "no such bomb", status=404)
    return steps(bomb(ask.rest, ask.count("n", 1 << 30)), HTML, ask.rest)


@CODINGS.route("/bomb-nested?n=1073741824", "a gzip bomb inside gzip, both named: 1 GiB in some kB")
def nested(ask: Ask) -> bytes:
    return respond(ask, nested_bomb(ask.count("n", 1 << 30)), headers=(("Content-Encoding", "gzip, gzip"),))


@CODINGS.route("/bytes/{n}?type=text/plain&coding=", "N octets of the letter x, plain or in gzip")
def octets(ask: Ask) -> bytes:
    body = b"x" * min(ask.rest_number, 1 << 28)
    type = ask.param("type", "text/plain")
    if ask.param("coding") == "gzip":
        return respond(ask, gzipped(body), type=type, headers=(("Content-Encoding", "gzip"),))
    return respond(ask, body, type=type)
