"""The line of the log: its schema, its id and its way there and back."""

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.store.record import (
    KINDS,
    OUTCOMES,
    Body,
    Capture,
    Decoded,
    Net,
    Redaction,
    RequestHead,
    ResponseHead,
    RobotsCheck,
    Signed,
    Time,
    Tls,
    Validators,
    canonical,
    capture_id,
    epoch,
    micros,
    utc,
    utc_micros,
)

SCHEMA = json.loads(files("polite_crawler.store").joinpath("record.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SHA = "ab" * 32
ID = "fetch." + "a" * 26

FULL = Capture(
    kind="render",
    url="https://example.com/?token=REDACTED",
    time=Time("2026-03-01T12:00:00.000001Z", 12, 345),
    outcome="ok",
    recipe="venue",
    job="job-1",
    method="POST",
    reason="OK",
    status=200,
    note="a note",
    http="1.1",
    net=Net("192.0.2.1", 443, True, Tls("TLSv1.3", "TLS_AES_256_GCM_SHA384", "http/1.1", SHA)),
    request=RequestHead("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"),
    response=ResponseHead("HTTP/1.1 200 OK\r\nX: \xe9\r\n\r\n", "redacted"),
    redacted=(Redaction("url.query.token", 1), Redaction("body", 2, (3, 4, 9, 1))),
    secret_in_body=True,
    body=Body(SHA, 10, "gzip", 10, "length", Decoded(SHA, 90)),
    block_sha256=SHA,
    validators=Validators({"if-none-match": '"x"'}, ID),
    robots=(RobotsCheck(True, "*", "Allow: /", 3, ID, True, "PoliteCrawler"), RobotsCheck(False)),
    signals={"hold": "ai-input=no", "licenses": ["https://l.example/"], "tdm": {"reservation": 1, "policy": None}},
    signed=Signed("key", '"https://bot.example"'),
    source={"type": "live", "of": ID},
    redirect_of=ID,
    referrer="https://example.com/",
    software="polite-crawler/0.1.0",
    scope="team",
    labels={"ticket": "7"},
)
LEAST = Capture(kind="fetch", url="http://a.example/", time=Time(utc(0)), outcome="skipped")
LINES = [FULL, LEAST] + [Capture(kind=k, url="http://a/", time=Time(utc(1.5)), outcome="ok") for k in KINDS]
LINES += [Capture(kind="fetch", url="http://a/", time=Time(utc(1.5)), outcome=o, body=Body(SHA, 1)) for o in OUTCOMES]


@pytest.mark.parametrize("capture", LINES)
def test_a_line_fits_the_schema_and_comes_back(capture: Capture) -> None:
    line = json.loads(capture.sealed().line())
    VALIDATOR.validate(line)
    assert Capture.from_json(line) == capture.sealed()
    assert capture_id(line) == line["id"]


def test_the_schema_itself_is_valid_and_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(Capture.__dataclass_fields__)


WRONG: list[tuple[str, Any]] = [
    ("extra", 1), ("v", 2), ("id", "cap_x"), ("kind", "page"), ("outcome", "fine"), ("status", 20), ("status", "200"),
    ("time", {"start": "yesterday", "head_ms": 1, "end_ms": 1}), ("time", {"start": utc(0)}), ("url", ""),
    ("time", {"start": utc(0), "head_ms": 1, "end_ms": 1.5}), ("signals", {"x": 0.5}), ("labels", {"a": 1}),
    ("body", {"sha256": SHA}), ("response", {"head": "", "head_kind": "true"}), ("secret_in_body", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_the_schema_refuses(name: str, value: Any) -> None:
    line = FULL.sealed().to_json() | {name: value}
    assert not VALIDATOR.is_valid(line)


@pytest.mark.parametrize("name", sorted(FULL.to_json()))
def test_each_field_but_the_labels_is_part_of_the_id(name: str) -> None:
    line = FULL.sealed().to_json()
    changed = line | {name: "changed"}
    assert (capture_id(changed) == line["id"]) is (name in ("id", "scope", "labels"))


def test_an_unknown_field_is_an_error() -> None:
    with pytest.raises(ValueError, match="newer"):
        Capture.from_json(FULL.sealed().to_json() | {"newer": 1})
    with pytest.raises(ValueError, match="zone"):
        Capture.from_json(FULL.sealed().to_json() | {"time": {"start": utc(0), "zone": 1}})


def test_a_fraction_is_refused_before_it_is_written() -> None:
    with pytest.raises(ValueError, match="fractions"):
        Capture(kind="fetch", url="http://a/", time=Time(utc(0)), outcome="ok", signals={"x": [0.5]}).sealed()


def test_a_lone_surrogate_gives_a_whole_line_with_its_true_id() -> None:
    line = Capture(kind="fetch", url="http://a/", time=Time(utc(0)), outcome="ok", note="\ud800x").sealed().line()
    value = json.loads(line)
    assert value["note"] == "?x"
    assert capture_id(value) == value["id"]


def test_fetched_at_is_the_end_of_the_exchange() -> None:
    assert FULL.fetched_at == "2026-03-01T12:00:00.345001Z"
    assert Capture(kind="fetch", url="u", time=Time("2026-03-01T12:00:00Z"), outcome="ok").fetched_at == (
        "2026-03-01T12:00:00.000000Z"
    )
    assert FULL.hold == "ai-input=no"
    assert LEAST.hold is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-03-01", "2026-03-01T00:00:00.000000Z"),
        ("2026-03-01T12:00:00", "2026-03-01T12:00:00.000000Z"),
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00.000000Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_times_without_a_zone_are_utc(text: str, same: str) -> None:
    assert utc_micros(micros(text)) == same
    assert utc(epoch(text)) == same


@given(st.integers(min_value=0, max_value=4_000_000_000_000_000))
def test_micros_come_back(value: int) -> None:
    assert micros(utc_micros(value)) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100)
@given(st.dictionaries(st.text(), JSON, max_size=5), st.text(), st.binary())
def test_any_line_comes_back(signals: dict[str, Any], note: str, head: bytes) -> None:
    capture = Capture(
        kind="fetch", url="http://a/", time=Time(utc(0)), outcome="ok", note=note or None, signals=signals or None,
        response=ResponseHead(head.decode("latin-1")),
    ).sealed()  # fmt: skip
    line = capture.line()
    assert line.count(b"\n") == 1
    value = json.loads(line)
    assert canonical(value) + b"\n" == line
    VALIDATOR.validate(value)
    assert Capture.from_json(value).line() == line


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3))
def test_the_id_is_the_beginning_of_a_base32_text(line: dict[str, str]) -> None:
    hashed = {name: value for name, value in line.items() if name not in ("id", "scope", "labels")}
    digest = hashlib.sha256(canonical(hashed)).digest()
    assert capture_id(line) == "fetch." + base64.b32encode(digest).decode().lower()[:26]
