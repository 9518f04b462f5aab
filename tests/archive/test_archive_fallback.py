"""Archived copies: when they are asked for, whom is asked, and every trap of the answers."""

import gzip
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from fake_archives import DATE, FILE, PAGE, STAMP, answer, cc_index, cc_record, memento

from polite_crawler.archive import commoncrawl, mementos
from polite_crawler.archive.copies import entity
from polite_crawler.archive.fallback import Ask, Given, NotGiven, first, is_wanted, proceed, refusal, skipped
from polite_crawler.archive.mementos import ArchivedCopy, Elsewhere, NoCopy, entity_of
from polite_crawler.archive.search import Search
from polite_crawler.store.record import Capture, Time, epoch

NOW = epoch("2026-11-30T08:00:00Z")
LIVE = "https://www.ex.test"


def search(page: str, *, timegate: str = "") -> tuple[Given | NotGiven, list[Ask]]:
    """Drive a search to its end against the fake."""
    step: Any = first(page, now=NOW, timegate=timegate)
    asked: list[Ask] = []
    while isinstance(step, Ask):
        asked.append(step)
        assert len(asked) < 15
        status, headers, body = answer(step.request.url, dict(step.request.headers), page)
        step = proceed(step, status, headers, body, now=NOW)
    return step, asked


@pytest.mark.parametrize(
    ("outcome", "skip", "wanted", "despite"),
    [
        ("blocked", None, True, True),
        ("paid", None, True, True),
        ("challenge", None, True, True),
        ("busy", None, True, True),
        ("error", None, True, True),
        ("skipped", "stop", True, True),
        ("skipped", "robots-unreachable", True, True),
        ("skipped", "robots", False, True),
        ("skipped", "egress", False, False),
        ("skipped", "deadline", False, False),
        ("skipped", "signer", False, False),
        ("skipped", "other", False, False),
        ("gone", None, False, False),
        ("refused", None, False, False),
        ("ok", None, False, False),
        ("redirect", None, False, False),
        ("not_modified", None, False, False),
    ],
)
def test_when_a_copy_may_be_asked_for(outcome: Any, skip: Any, wanted: bool, despite: bool) -> None:
    assert is_wanted(f"{LIVE}/", outcome, skip) is wanted
    assert is_wanted(f"{LIVE}/", outcome, skip, despite_robots=True) is despite
    assert not is_wanted(f"{LIVE}/?token=secret-12", outcome, skip, despite_robots=True)
    assert not is_wanted("https://user:secret-12@ex.test/", outcome, skip)


def test_one_request_finds_the_newest_copy() -> None:
    found, asked = search(f"{LIVE}/page")
    assert isinstance(found, Given)
    assert [ask.request.url for ask in asked] == [
        f"https://web.archive.org/web/20261130080000id_/{LIVE}/page",
        f"https://web.archive.org/web/{STAMP}id_/http://ex.test/page",
    ]
    assert asked[0].request.headers == (("Accept-Encoding", "identity"),)
    copy = found.copy
    assert (copy.source, copy.timestamp, copy.original) == (
        "wayback", "2017-11-24T15:13:15.000000Z", "http://ex.test/page",
    )  # fmt: skip
    assert copy.head == f"HTTP/1.1 200 \r\ndate: {DATE}\r\nserver: nginx\r\nContent-Type: text/html\r\n\r\n".encode()
    assert copy.body == PAGE
    assert copy.collection == "liveweb-20171124/live-00000.warc.gz"
    capture = Capture(kind="archive-copy", url=copy.url, time=Time("2026-11-30T08:00:00Z"), outcome="ok",
                      source=copy.to_source()).sealed()  # fmt: skip
    assert json.loads(capture.line())["source"]["timestamp"] == copy.timestamp


@pytest.mark.parametrize(
    ("page", "why", "wait", "stops"),
    [
        ("/never", "none", None, False),
        ("/excluded", "excluded", None, False),
        ("/busy", "busy", 60.0, False),
        ("/outage", "busy", 7.0, False),
        ("/refused", "blocked", None, True),
        ("/elsewhere", "none", None, False),
        ("/other-page", "none", None, False),
        ("/loop", "error", None, False),
    ],
)
def test_what_the_service_says_is_no_copy(page: str, why: str, wait: float | None, stops: bool) -> None:
    found, asked = search(f"{LIVE}{page}")
    assert isinstance(found, NotGiven)
    said = found.refused[0]
    assert (said.why, said.wait_s, said.stops) == (why, wait, stops)
    assert [ask.stage for ask in asked][-3:] == ["index", "index", "index"]  # Common Crawl was asked then
    assert found.note


def test_an_archived_refusal_is_a_copy_and_stops_nobody() -> None:
    first_ask = first(f"{LIVE}/archived-429", now=NOW)
    status, headers, body = memento("http://ex.test/archived-429", status=429)
    assert refusal(first_ask, status, headers, body) is None
    found, asked = search(f"{LIVE}/archived-429")
    assert isinstance(found, Given)
    assert found.copy.url == f"https://web.archive.org/web/20160101000000id_/{LIVE}/archived-429"
    assert [ask.stage for ask in asked] == ["wayback", "wayback-index", "wayback"]
    lost, asked = search(f"{LIVE}/archived-403")
    assert isinstance(lost, NotGiven)
    assert [ask.stage for ask in asked][:3] == ["wayback", "wayback-index", "indexes"]


def test_a_refusal_of_the_service_is_one() -> None:
    ask = first(f"{LIVE}/x", now=NOW)
    assert refusal(ask, 429, [], b"") == NoCopy("busy", "the Wayback Machine is busy (429)", 60.0)
    assert refusal(ask, 403, [], b"") == NoCopy("blocked", "the Wayback Machine refuses us (403)", stops=True)
    assert refusal(ask, 404, [], b"") is None
    gone = refusal(ask, 0, [], b"")
    assert gone is not None
    assert (gone.why, gone.wait_s) == ("error", 60.0)


@pytest.mark.parametrize(("page", "coding"), [("/two-codings", None), ("/bare-gzip", "gzip"), ("/plain", None)])
def test_the_octets_decide_about_the_coding(page: str, coding: str | None) -> None:
    found, _ = search(f"{LIVE}{page}")
    assert isinstance(found, Given)
    body, named = entity_of(found.copy)
    assert named == coding
    assert (gzip.decompress(body) if coding else body) == PAGE


@pytest.mark.parametrize("page", ["/cc", "/cc-old"])
def test_common_crawl_is_asked_when_the_first_has_none(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_archives.wayback", lambda path: (404, [], b""))
    found, asked = search(f"{LIVE}{page}")
    assert isinstance(found, Given)
    copy = found.copy
    assert (copy.source, copy.timestamp, copy.body) == (
        "commoncrawl", "2019-02-17T12:51:41.000000Z", b"<p>in the crawl</p>",
    )  # fmt: skip
    assert copy.record == f"{FILE}@272838009"
    assert copy.collection == "crawl-data/CC-MAIN-2019-09"
    stages = [ask.stage for ask in asked]
    assert stages == ["wayback", "indexes", *["index"] * (3 if page == "/cc-old" else 1), "record"]
    length = len(cc_record(f"{LIVE}{page}")[0])
    assert dict(asked[-1].request.headers)["Range"] == f"bytes=272838009-{272838009 + length - 1}"
    assert entity_of(copy)[1] is None  # X-Crawler-Content-Encoding: the body stands decoded


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("/cc-outage", "names no index"),
        ("/cc-storm", "busy (503)"),
        ("/cc-cut", "not the"),
        ("/cc-cut-same", "no whole record"),
        ("/cc-other", "of another page"),
        ("/cc-changed", "digest is another one"),
        ("/nowhere", "no copy in this index"),
    ],
)
def test_what_common_crawl_can_do_wrong(page: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_archives.wayback", lambda path: (404, [], b""))
    found, _ = search(f"{LIVE}{page}")
    assert isinstance(found, NotGiven)
    assert said in found.refused[-1].note


def test_names_that_lead_out_of_the_archive_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_archives.wayback", lambda path: (404, [], b""))
    _, asked = search(f"{LIVE}/cc-evil")
    assert not [ask for ask in asked if "passwd" in ask.request.url]


def test_a_timegate_is_asked_first_and_followed() -> None:
    ask = first(f"{LIVE}/x", now=NOW, timegate="https://gate.test/coll/")
    assert (ask.stage, ask.request.url) == ("timegate", f"https://gate.test/coll/{LIVE}/x")
    assert ("Prefer", "raw") in ask.request.headers
    moved = proceed(ask, 302, [("Location", f"/coll/20190217125141id_/{LIVE}/x")], b"", now=NOW)
    assert isinstance(moved, Ask)
    assert moved.request.url == f"https://gate.test/coll/20190217125141id_/{LIVE}/x"
    given = proceed(moved, 200, [("Memento-Datetime", DATE), ("Content-Type", "text/html"), ("Server", "x"),
                                 ("Link", f'<{LIVE}/x>; rel="original"')], PAGE, now=NOW)  # fmt: skip
    assert isinstance(given, Given)
    assert (given.copy.source, given.copy.original) == ("gate.test", f"{LIVE}/x")
    none = proceed(moved, 404, [], b"", now=NOW)
    assert isinstance(none, Ask)
    assert none.stage == "wayback"


def test_a_time_is_asked_for_in_the_words_of_the_protocol() -> None:
    request = mementos.timegate("https://gate.test/", f"{LIVE}/x", at=NOW)
    assert ("Accept-Datetime", "Mon, 30 Nov 2026 08:00:00 GMT") in request.headers


def test_timemaps_hold_commas_in_their_dates() -> None:
    text = (
        '<http://a/timemap>; rel="self"; type="application/link-format"; from="Fri, 24 Nov 2017 15:13:15 GMT",\n'
        '<http://a/>; rel="timegate",\n<http://ex.test/a,b>; rel="original",\n'
        f'<../20171124151315mp_/http://ex.test/a,b>; rel="first memento"; datetime="{DATE}"; collection="e \\"x\\""\n'
    )
    links = mementos.read_timemap(text, base="http://pywb.test/coll/timemap/link/x")
    assert [link.rel for link in links] == [("self",), ("timegate",), ("original",), ("first", "memento")]
    assert links[2].url == "http://ex.test/a,b"
    assert links[3].url == "http://pywb.test/coll/timemap/20171124151315mp_/http://ex.test/a,b"
    assert links[3].datetime == "2017-11-24T15:13:15.000000Z"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"archived_snapshots":{"closest":{"available":true,'
         b'"url":"http://web.archive.org/web/20130919044612/http://ex.test/","timestamp":"20130919044612",'
         b'"status":"200"}}}', "https://web.archive.org/web/20130919044612id_/http://ex.test/"),
        (b'{"archived_snapshots":{}}', None),
        (b'{"archived_snapshots":{"closest":{"available":true,"url":"http://x/","status":"200"}}}', None),
        (b'{"archived_snapshots":{"closest":{"available":true,'
         b'"url":"http://web.archive.org/web/20130919044612/http://ex.test/","status":"404"}}}', None),
        (b"[]", None),
        (b"busy", None),
    ],
)  # fmt: skip
def test_the_availability_api_is_read(body: bytes, found: str | None) -> None:
    answered = mementos.read_availability(200, [], body)
    assert (answered.request.url if isinstance(answered, Elsewhere) else None) == found
    busy = mementos.read_availability(429, [], b"")
    assert isinstance(busy, NoCopy)
    assert busy.why == "busy"


@pytest.mark.parametrize("body", [b"", b"[]", b"[1]", b"{}", b"no json", b'[["timestamp"],["1"],[]]', b"[[]]"])
def test_an_index_that_says_nothing_gives_nothing(body: bytes) -> None:
    assert isinstance(mementos.read_wayback_index("http://ex.test/", 200, [], body), NoCopy)
    assert isinstance(commoncrawl.read_index_list(200, [], body), NoCopy)
    assert isinstance(commoncrawl.read_index_lines("http://ex.test/", 200, [], body), NoCopy)


GOOD = "ex,test)/ 20171124151315 http://ex.test/ text/html 200 MGIGF4GRGGF5GKV6VNCBAXOE3OR5BTZC 1811"
OLDER = "ex,test)/ 20150101000000 http://ex.test:80/ text/html 200 MGIGF4GRGGF5GKV6VNCBAXOE3OR5BTZC 1811"
NAMES = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]


@pytest.mark.parametrize(
    "lines",
    [
        [GOOD],
        [GOOD, GOOD, GOOD],
        [OLDER, GOOD],
        [GOOD, OLDER],
        [OLDER, "ex,test)/ 20190101000000 http://ex.test/ warc/revisit - X -", GOOD],
        [GOOD, "ex,test)/ 20190101000000 http://ex.test/ text/html 404 X 9"],
        [GOOD, "ey,test)/ 20190101000000 http://ey.test/ text/html 200 X 9"],
        [GOOD, "", "test%2Cex%29%2F+20190101000000%21"],
        [GOOD, "ex,test)/ soon http://ex.test/ text/html 200 X 9"],
    ],
)
def test_an_index_is_read_as_json_and_as_text(lines: list[str]) -> None:
    rows = json.dumps([NAMES, *(line.split(" ") if line else [] for line in lines)])
    for body in ("\n".join((*lines, "")), rows):
        found = mementos.read_wayback_index("http://ex.test/", 200, [], body.encode())
        assert isinstance(found, Elsewhere), found
        assert found.request.url == "https://web.archive.org/web/20171124151315id_/http://ex.test/"


@pytest.mark.parametrize(
    "body", [b"<html>down for maintenance", b"ex,test)/ 2017\n", b"[", b"[[], 3]", b"[3, [4]]", b"{}"]
)
def test_an_answer_that_is_no_index_gives_nothing(body: bytes) -> None:
    found = mementos.read_wayback_index("http://ex.test/", 200, [], body)
    assert isinstance(found, NoCopy)
    assert not found.stops


@pytest.mark.parametrize("modifier", ["", "id_", "if_", "mp_", "js_"])
def test_a_redirect_to_a_shown_copy_leads_to_the_raw_one(modifier: str) -> None:
    ask = first(f"{LIVE}/x", now=NOW)
    to = f"https://web.archive.org/web/{STAMP}{modifier}/{LIVE}/x"
    found = mementos.read_wayback(ask.request, ask.url, 302, [("Location", to)], b"")
    assert isinstance(found, Elsewhere)
    assert found.request.url == f"https://web.archive.org/web/{STAMP}id_/{LIVE}/x"


PACKED = zlib.compress(PAGE * 9)


@pytest.mark.parametrize(
    ("field", "body", "coding", "decoded"),
    [
        ("br", PAGE * 9, None, PAGE * 9),
        ("deflate", PAGE * 9, None, PAGE * 9),
        ("gzip", PAGE * 9, None, PAGE * 9),
        ("deflate", PACKED, "deflate", PAGE * 9),
        ("br", b"\xff\xfe\x00" + PAGE, "br", None),
    ],
)
def test_a_copy_that_was_decoded_is_read_as_it_is(
    field: str, body: bytes, coding: str | None, decoded: bytes | None
) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {field}\r\n\r\n".encode()
    copy = ArchivedCopy("wayback", "2017-11-24T15:13:15Z", f"{LIVE}/x", f"{LIVE}/x", 200, head, body)
    found = entity(copy, 1 << 16)
    assert (found.coding, found.decoded, found.cut) == (coding, decoded, False)


def test_a_line_of_another_site_in_an_index_of_common_crawl_is_not_asked_for() -> None:
    _, _, body = cc_index("CC-MAIN-2019-18-index", "url=http%3A%2F%2Fex.test%2Fcc")
    assert isinstance(commoncrawl.read_index_lines("http://ex.test/cc", 200, [], body), commoncrawl.IndexLine)
    assert isinstance(commoncrawl.read_index_lines("http://ey.test/cc", 200, [], body), NoCopy)


@pytest.mark.parametrize("text", ["blocked site error", "org.archive.wayback.exception.RobotAccessControlException"])
def test_a_blocked_site_is_told_from_a_block_of_us(text: str) -> None:
    said = mementos.read_wayback_index(
        "http://ex.test/", 403, [("X-Archive-Wayback-Runtime-Error", text)], text.encode()
    )
    assert isinstance(said, NoCopy)
    assert (said.why, said.stops) == ("excluded", False)


def test_a_copy_without_a_time_is_dated_by_its_address() -> None:
    request = mementos.wayback_copy(STAMP, f"{LIVE}/x")
    link = ("Link", f'<{LIVE}/x>; rel="original"')
    found = mementos.read_wayback(request, f"{LIVE}/x", 200, [("Memento-Datetime", "soon"), link], PAGE)
    assert isinstance(found, ArchivedCopy)
    assert found.timestamp == "2017-11-24T15:13:15.000000Z"


@pytest.mark.parametrize(("path", "said"), [("/bot-check", "a bot check"), ("/firewall", "the refusal of a firewall")])
def test_a_copy_that_is_a_wall_is_no_copy_of_the_page(path: str, said: str) -> None:
    found, asked = search(f"{LIVE}{path}")
    assert isinstance(found, NotGiven)
    assert found.refused[0].note == f"the newest copy of wayback is {said}"
    assert [ask.stage for ask in asked] == ["wayback", "wayback", "indexes", "index", "index", "index"]


def test_an_archive_that_is_not_asked_leaves_the_others() -> None:
    ask: Any = first(f"{LIVE}/x", now=NOW, timegate="https://gate.test/")
    for stage in ("wayback", "indexes"):
        ask = skipped(ask, "host stopped", now=NOW)
        assert ask.stage == stage
    end = skipped(ask, "its robots.txt disallows it", now=NOW)
    assert isinstance(end, NotGiven)
    assert end.note == "host stopped; its robots.txt disallows it"


def test_a_body_is_cut_at_the_limit_and_not_read_when_it_is_damaged() -> None:
    found, _ = search(f"{LIVE}/bare-gzip")
    assert isinstance(found, Given)
    whole, part = entity(found.copy, 1000), entity(found.copy, 3)
    assert (whole.coding, whole.decoded, whole.cut) == ("gzip", PAGE, False)
    assert (part.payload, part.decoded, part.cut) == (whole.payload, PAGE[:3], True)
    damaged = replace(found.copy, body=found.copy.body[:10] + b"\xff" * 20)
    assert entity(damaged, 1000).decoded is None
    plain = entity(replace(found.copy, body=b"0123456789"), 4)
    assert (plain.payload, plain.decoded, plain.cut) == (b"0123", b"0123", True)


@pytest.mark.parametrize("page", ["/page", "/archived-429", "/cc", "/cc-old", "/never"])
def test_a_search_can_be_written_down_at_every_step(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.startswith("/cc"):
        monkeypatch.setattr("fake_archives.wayback", lambda path: (404, [], b""))
    live = Capture(kind="fetch", url=f"{LIVE}{page}", time=Time("2026-11-30T08:00:00Z"), outcome="blocked", status=403)
    step: Any = first(f"{LIVE}{page}", now=NOW)
    while isinstance(step, Ask):
        kept = Search.from_json(json.loads(json.dumps(Search(live.sealed(), step).to_json())))
        assert kept == Search(live.sealed(), step)
        status, headers, body = answer(step.request.url, dict(step.request.headers), f"{LIVE}{page}")
        step = proceed(kept.ask, status, headers, body, now=NOW)
