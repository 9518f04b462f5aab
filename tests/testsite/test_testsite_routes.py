"""The table of routes: every row answers, and the bodies are what their rows say."""

import gzip
import zlib
from xml.etree import ElementTree

import brotli
import pytest
from sites import body_of, raw_get

from polite_crawler.testsite import Site
from polite_crawler.testsite.charsets import KINDS as CHARSETS
from polite_crawler.testsite.charsets import octets
from polite_crawler.testsite.codings import KINDS as CODINGS
from polite_crawler.testsite.codings import TEXT
from polite_crawler.testsite.encoders import brotli_stored, gzip_with_fields, raw_deflated, zstd_stored
from polite_crawler.testsite.routes import FAMILIES, ROUTES, markdown
from polite_crawler.testsite.streams import UNIT, bomb, nested_bomb

try:
    from compression import zstd
except ImportError:
    from backports import zstd

MIB = 1 << 20


def test_no_two_rows_have_one_path() -> None:
    paths = [route.path for route in ROUTES]
    assert len(paths) == len(set(paths))
    assert len(ROUTES) > 300


def test_the_documentation_names_every_row() -> None:
    text = markdown()
    assert all(f"| `{route.pattern}` | {route.does} |" in text for route in ROUTES)
    assert all(f"## {family.title}" in text for family in FAMILIES)


ENDLESS = {"/drip", "/endless", "/framing/endless-head", "/framing/endless-1xx"}
SILENT = {"/stall/", "/hold/", "/framing/nothing", "/framing/reset"}
FINITE = [route.path.partition("{")[0] for route in ROUTES]


@pytest.mark.parametrize("path", [path for path in FINITE if path not in ENDLESS | SILENT])
def test_every_row_answers(site: Site, path: str) -> None:
    octets = raw_get(site, path + ("?s=0.001" if path.startswith(("/slow/", "/js/slow")) else ""), limit=100)
    assert octets
    assert site.log()[-1].target.startswith(path)


@pytest.mark.parametrize("path", sorted(ENDLESS))
def test_an_endless_row_never_ends(site: Site, path: str) -> None:
    assert len(raw_get(site, path + "?s=0.001", limit=200)) >= 200


def test_silent_rows_send_nothing(site: Site) -> None:
    assert raw_get(site, "/framing/nothing") == b""
    with pytest.raises(ConnectionResetError):
        raw_get(site, "/framing/reset")


def test_an_unknown_path_is_not_found(site: Site) -> None:
    assert raw_get(site, "/nowhere/at/all").startswith(b"HTTP/1.1 404 Not Found\r\n")


def test_a_head_request_gets_the_length_and_no_body(site: Site) -> None:
    asked, got = raw_get(site, "/about", method="HEAD"), raw_get(site, "/about")
    assert asked + body_of(got) == got
    assert body_of(got)


READABLE = {
    "identity": lambda data: data,
    "gzip": gzip.decompress,
    "gzip-members": gzip.decompress,
    "gzip-fields": gzip.decompress,
    "gzip-twice": lambda data: gzip.decompress(gzip.decompress(data)),
    "deflate": zlib.decompress,
    "deflate-raw": lambda data: zlib.decompress(data, -15),
    "br": brotli.decompress,
    "zstd": zstd.decompress,
    "br-gzip": lambda data: brotli.decompress(gzip.decompress(data)),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_right_coding_gives_the_text(site: Site, name: str) -> None:
    assert READABLE[name](body_of(raw_get(site, f"/coding/{name}"))) == TEXT


@pytest.mark.parametrize("name", ["gzip-cut", "gzip-bad", "gzip-bad-check", "gzip-no-check", "not-gzip"])
def test_a_wrong_coding_does_not_decode(name: str) -> None:
    with pytest.raises((OSError, EOFError, zlib.error)):
        gzip.decompress(CODINGS[name][2])


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_the_encoders_of_ours_are_read_by_decoders_of_others(size: int) -> None:
    data = bytes(number * 31 % 251 for number in range(size))
    assert brotli.decompress(brotli_stored(data)) == data
    assert zstd.decompress(zstd_stored(data)) == data
    assert gzip.decompress(gzip_with_fields(data)) == data
    assert zlib.decompress(raw_deflated(data), -15) == data


@pytest.mark.parametrize(
    ("coding", "decode"),
    [
        ("gzip", gzip.decompress),
        ("deflate", zlib.decompress),
        ("br", brotli.decompress),
        ("zstd", zstd.decompress),
    ],
)
@pytest.mark.parametrize("size", [1, 3 * MIB, 70 * MIB])
def test_a_bomb_is_a_valid_body_of_that_size(coding: str, decode: object, size: int) -> None:
    body = bomb(coding, size)
    sent = b"".join(body.octets())
    assert len(sent) == body.size
    assert len(sent) < max(size // 500, 2000)
    inflated = decode(sent)  # type: ignore[operator]
    assert len(inflated) == -(-size // UNIT) * UNIT
    assert inflated.count(b"a") == len(inflated)


def test_a_nested_bomb_is_gzip_in_gzip() -> None:
    sent = nested_bomb(64 * MIB)
    assert len(sent) < 2000
    assert len(gzip.decompress(gzip.decompress(sent))) == 64 * MIB


def test_a_gibibyte_bomb_is_small_on_the_wire_and_stops_with_its_client(site: Site) -> None:
    head = raw_get(site, "/bomb/gzip", limit=1)
    assert b"Content-Encoding: gzip" in head
    (seen,) = site.wait(lambda log: log[0].end is not None)
    assert seen.sent < 1.2 * MIB


@pytest.mark.parametrize("name", CHARSETS)
def test_an_encoded_page_holds_its_text(name: str) -> None:
    kind = CHARSETS[name]
    codec = {"utf-16-le": "utf-16", "utf-16-be": "utf-16", "utf-8-mark": "utf-8-sig"}.get(name, kind.codec)
    assert kind.text in octets(kind).decode(codec)


@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemaps/index", "/sitemaps/hreflang", "/feeds/rss", "/feeds/atom"])
def test_a_right_sitemap_or_feed_is_well_formed(site: Site, path: str) -> None:
    text = body_of(raw_get(site, path)).decode()
    assert f"http://{site.hosts[0]}:{site.port}/" in "".join(ElementTree.fromstring(text).itertext()) or "href" in text


def test_the_pages_name_the_authority_that_the_client_used(site: Site) -> None:
    answer = raw_get(site, "/sitemap.xml", headers=("X: y",))
    assert f"<loc>http://127.0.0.1:{site.port}/notes/1</loc>".encode() in answer


def test_the_site_is_the_same_each_time(site: Site) -> None:
    paths = ("/", "/notes/3", "/languages/ar", "/almanac.pdf", "/picture.png", "/hidden", "/trap/deep/a/b/")
    assert [raw_get(site, path) for path in paths] == [raw_get(site, path) for path in paths]


def test_a_cookie_ends_the_redirect_to_itself(site: Site) -> None:
    assert b"302" in raw_get(site, "/redirects/cookie")[:12]
    assert b"200" in raw_get(site, "/redirects/cookie", headers=("Cookie: a=b; seen=1",))[:12]


CONDITIONS = [
    ("/cache/etag", 'If-None-Match: "v1"', 304),
    ("/cache/etag", 'If-None-Match: "v2"', 200),
    ("/cache/weak", 'If-None-Match: "v1"', 304),
    ("/cache/etag-moves/a", 'If-None-Match: "edge-0"', 200),
    ("/cache/etag-moves/a", "If-Modified-Since: Mon, 05 Oct 2026 08:00:00 GMT", 304),
    ("/cache/both-move/a", "If-Modified-Since: Mon, 05 Oct 2026 08:00:00 GMT", 200),
    ("/cache/ignores/a", 'If-None-Match: "v1"', 200),
    ("/cache/304-always", "X: y", 304),
    ("/cache/304-updates", 'If-None-Match: "v1"', 304),
    ("/fresh/no-store", 'If-None-Match: "v1"', 304),
]


@pytest.mark.parametrize(("path", "condition", "status"), CONDITIONS)
def test_a_conditional_request(site: Site, path: str, condition: str, status: int) -> None:
    raw_get(site, path)
    assert raw_get(site, path, headers=(condition,)).startswith(f"HTTP/1.1 {status} ".encode())


def test_both_validators_the_etag_is_looked_at_first(site: Site) -> None:
    stale = ('If-None-Match: "old"', "If-Modified-Since: Mon, 05 Oct 2026 08:00:00 GMT")
    assert b" 200 " in raw_get(site, "/cache/both", headers=stale)[:14]


@pytest.mark.parametrize(
    ("target", "statuses"),
    [
        ("/retry-after/2?times=2", [429, 429, 200]),
        ("/retry-after/2", [429, 429, 429]),
        ("/flaky/1?status=503", [503, 200, 200]),
        ("/gone-later/2", [200, 200, 404]),
        ("/cache/changes-after/1", [200, 200, 200]),
    ],
)
def test_answers_that_count_their_requests(site: Site, target: str, statuses: list[int]) -> None:
    for _ in statuses:
        raw_get(site, target)
    assert [seen.status for seen in site.log()] == statuses
