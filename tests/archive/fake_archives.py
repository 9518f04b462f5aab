"""A fake of the Wayback Machine, of Common Crawl and of a TimeGate: it answers as the recorded answers of research say.

Each URL of the site `ex.test` is one trap. The same function can stand behind a loopback server.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, list[tuple[str, str]], bytes]

STAMP = "20171124151315"
DATE = "Fri, 24 Nov 2017 15:13:15 GMT"
PAGE = b"<p>as it was</p>"


def memento(url: str, *, status: int = 200, body: bytes = PAGE, more: tuple[tuple[str, str], ...] = ()) -> Answer:
    """A raw copy, with the fields of a recorded one."""
    return status, [
        ("Content-Type", "text/html"),
        ("Memento-Datetime", DATE),
        ("Cache-Control", "max-age=1800"),
        ("X-RL", "0"),
        ("Link", f'<{url}>; rel="original", <https://web.archive.org/web/timemap/link/{url}>; rel="timemap";'
                 f' type="application/link-format", <https://web.archive.org/web/{url}>; rel="timegate"'),
        ("x-archive-orig-date", DATE),
        ("x-archive-orig-transfer-encoding", "chunked"),
        ("x-archive-orig-server", "nginx"),
        ("x-archive-src", "liveweb-20171124/live-00000.warc.gz"),
        *more,
    ], body  # fmt: skip


def wayback(path: str) -> Answer:
    """Answers to /web/<time>id_/<url>."""
    stamp, _, url = path.removeprefix("/web/").partition("id_/")
    trap = urlsplit(url).path
    if trap == "/never":
        return 404, [("Content-Type", "text/html"), ("x-ts", "404")], b"<p>never archived</p>"
    if trap == "/excluded":
        return 200, [("Content-Type", "text/html")], b"<p>This URL has been excluded from the Wayback Machine.</p>"
    if trap == "/busy":
        return 429, [("Content-Type", "text/html")], b"Too Many Requests"
    if trap == "/outage":
        return 503, [("Retry-After", "7")], b""
    if trap == "/refused":
        return 403, [], b"no"
    if trap == "/elsewhere":
        return 302, [("Location", "/web/20150101000000id_/http://other.test/")], b""
    if trap == "/loop":
        return 302, [("Location", f"/web/20150101000000id_/{url}")], b""
    if trap == "/other-page":
        return memento("http://other.test/")
    if trap == "/archived-429" and stamp != "20160101000000":
        return memento(url, status=429, more=(("x-archive-orig-retry-after", "6"),))
    if trap == "/archived-403":
        return memento(url, status=403)
    if trap == "/no-date":
        return 200, [("Memento-Datetime", "soon"), ("Link", f'<{url}>; rel="original"')], PAGE
    if stamp != STAMP and stamp != "20160101000000":
        moved = url.replace("https://", "http://").replace("//www.", "//")
        return 302, [("Content-Length", "0"), ("location", f"https://web.archive.org/web/{STAMP}id_/{moved}"),
                     ("x-archive-redirect-reason", f"found capture at {STAMP}")], b""  # fmt: skip
    if trap == "/bot-check":
        return memento(url, body=b"<script>window._cf_chl_opt={};</script>")
    if trap == "/firewall":
        said = b"The requested URL was rejected. Please consult with your administrator."
        return memento(url, body=b"<title>Request Rejected</title>" + said)
    if trap == "/two-codings":
        return memento(url, more=(("content-encoding", ""), ("Content-Encoding", "gzip")))
    if trap == "/bare-gzip":
        return memento(url, body=gzip.compress(PAGE))
    return memento(url)


def cdx(query: str) -> Answer:
    """Answers to /cdx/search/cdx."""
    url = parse_qs(query)["url"][0]
    names = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
    rows = [names]
    if urlsplit(url).path == "/archived-429":
        good = ["k", "20160101000000", url, "text/html", "200", "MGIGF4GRGGF5GKV6VNCBAXOE3OR5BTZC", "1811"]
        rows += [good, good, ["k", "20150101000000", url, "text/html", "200", "X", "1"],
                 ["k", "20190101000000", url, "warc/revisit", "-", "X", "-"], [], ["k%21"]]  # fmt: skip
    return 200, [("Content-Type", "application/json")], json.dumps(rows).encode()


def cc_record(url: str, body: bytes = b"<p>in the crawl</p>") -> tuple[bytes, str]:
    """A member as Common Crawl keeps it, and its digest as the index names it."""
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Crawler-Transfer-Encoding: chunked\r\n"
        f"X-Crawler-Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    block = head.encode() + body
    fields = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2019-02-17T12:51:41Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Payload-Digest: sha1:{digest}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(fields.encode() + block + b"\r\n\r\n", mtime=0), digest


FILE = "crawl-data/CC-MAIN-2019-09/segments/1550247481992.39/warc/CC-MAIN-20190217111746-00381.warc.gz"


def cc_index(api: str, query: str) -> Answer:
    """Answers of one index."""
    url = parse_qs(query)["url"][0]
    trap = urlsplit(url).path
    nothing = json.dumps({"message": f"No Captures found for: {url}"}).encode()
    if trap == "/cc-old" and "2019-09" not in api:
        return (404, [], nothing) if "2019-13" in api else (200, [("Content-Type", "text/x-ndjson")], b"")
    if trap == "/cc-storm":
        return 503, [], b"please slow down"
    if not trap.startswith("/cc"):
        return 404, [], nothing
    member, digest = cc_record(url)
    length = len(member if trap == "/cc-cut" else cc_member(url))
    line = {
        "urlkey": "test,ex)/", "timestamp": "20190217125141", "url": url, "mime": "text/html", "status": "200",
        "digest": digest, "length": str(length), "offset": "272838009", "filename": FILE,
    }  # fmt: skip
    older = {**line, "timestamp": "20180101000000", "offset": "7"}
    if trap == "/cc-evil":
        line["filename"] = "../../etc/passwd.warc.gz"
    return 200, [], b"\n".join(json.dumps(row).encode() for row in (older, line, {"x": 1}, 3))


def cc_member(url: str) -> bytes:
    """The octets that are sent for a record: of some pages not those that the index names."""
    member, _ = cc_record(url)
    changes: dict[str, Callable[[bytes], bytes]] = {
        "/cc-cut": lambda octets: octets[:-9],
        "/cc-long": lambda octets: octets + bytes(4000),
        "/cc-cut-same": lambda octets: octets[:-9] + b"123456789",
        "/cc-other": lambda octets: gzip.compress(gzip.decompress(octets).replace(b"ex.test", b"ey.test"), mtime=0),
        "/cc-changed": lambda octets: gzip.compress(gzip.decompress(octets).replace(b"crawl<", b"brawl<"), mtime=0),
    }
    return changes.get(urlsplit(url).path, lambda octets: octets)(member)


def cc_data(url: str, headers: Mapping[str, str]) -> Answer:
    """The octets of a record. `url` is the page that was asked for."""
    if not headers.get("Range", "").startswith("bytes=272838009-"):
        return 416, [], b""
    return 206, [("Content-Type", "application/octet-stream")], cc_member(url)


def collinfo(ids: tuple[str, ...]) -> Answer:
    """The list of the indexes."""
    rows = [
        {"id": one, "name": one, "timegate": f"https://index.commoncrawl.org/{one}/",
         "cdx-api": f"https://index.commoncrawl.org/{one}-index"} for one in ids
    ]  # fmt: skip
    return 200, [("Content-Type", "application/json")], json.dumps(rows).encode()


NEWEST = ("CC-MAIN-2019-18", "CC-MAIN-2019-13", "CC-MAIN-2019-09", "CC-MAIN-2019-04")


def answer(url: str, headers: Mapping[str, str], page: str) -> Answer:
    """The answer of whichever archive a request goes to. `page` is the page that is looked for."""
    parts = urlsplit(url)
    if parts.netloc == "web.archive.org":
        return cdx(parts.query) if parts.path.startswith("/cdx") else wayback(url.partition(parts.netloc)[2])
    if parts.netloc == "index.commoncrawl.org":
        if parts.path == "/collinfo.json":
            return collinfo(() if urlsplit(page).path == "/cc-outage" else NEWEST)
        return cc_index(parts.path, parts.query)
    if parts.netloc == "data.commoncrawl.org":
        return cc_data(page, headers)
    raise AssertionError(f"no archive at {url}")
