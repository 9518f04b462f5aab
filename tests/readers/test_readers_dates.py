"""Dates in the forms of pages, sitemaps and feeds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.dates import read_date, sort_key


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026", "2026"),
        ("2026-03", "2026-03"),
        ("2026-03-04", "2026-03-04"),
        (" 2026-03-04\n", "2026-03-04"),
        ("2026-03-04T10:00Z", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00z", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00+02:00", "2026-03-04T08:00:00Z"),
        ("2026-03-04T10:00:00-0230", "2026-03-04T12:30:00Z"),
        ("2026-03-04T10:00:00-03", "2026-03-04T13:00:00Z"),
        ("2026-03-04T10:00:00.123456789Z", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00", "2026-03-04T10:00:00"),
        ("2026-03-04 10:00:00", "2026-03-04T10:00:00"),
        ("2026-03-04 10:00 UTC", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00 Z", "2026-03-04T10:00:00Z"),
        ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"),
        ("2026-12-31T23:59:60Z", "2026-12-31T23:59:59Z"),
        ("20260304", "2026-03-04"),
        ("20260304T101112Z", "2026-03-04T10:11:12Z"),
        ("20260304T1011+0100", "2026-03-04T09:11:00Z"),
        ("2026-063", "2026-03-04"),
        ("2026-W10-3", "2026-03-04"),
        ("Wed, 04 Mar 2026 10:00:00 GMT", "2026-03-04T10:00:00Z"),
        ("Mon, 04 Mar 2026 10:00:00 +0100", "2026-03-04T09:00:00Z"),
        ("Wednesday, 4 March 2026 10:00:00 EST", "2026-03-04T15:00:00Z"),
        ("4 Mar 26 10:00 PDT", "2026-03-04T17:00:00Z"),
        ("04 Sept. 2026 10:00:00 GMT", "2026-09-04T10:00:00Z"),
        ("4 March 2026", "2026-03-04"),
        ("Wed Mar  4 10:00:00 2026", "2026-03-04T10:00:00"),
        ("Wed Mar  4 10:00:00 UTC 2026", "2026-03-04T10:00:00"),
        ("4\u00a0March 2026", "2026-03-04"),
        ("٢٠٢٦-٠٣-٠٤", None),
        ("٢٠٢٦-٠٣-٠٤T١٠:٠٠:٠٠Z", None),
        ("２０２６", None),
        ("March 2026", None),
        ("2026-13", None),
        ("2026-02-30", None),
        ("2026-02-30T10:00:00Z", None),
        ("2026-03-04T25:00:00Z", None),
        ("2026-03-04T10", None),
        ("2026-400", None),
        ("2026-W60-1", None),
        ("20261399", None),
        ("0000-01-01", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("9999-12-31T24:00:00Z", None),
        ("32 Jan 2026 10:00:00 GMT", None),
        ("4 Nosuch 2026", None),
        ("yesterday", None),
        ("12 Jan 2026 10:00:00 +9999", None),
        ("Mar 4, 2026", None),
        ("", None),
        ("1" * 100, None),
        (None, None),
    ],
)
def test_read_date(text: str | None, date: str | None) -> None:
    assert read_date(text) == date


@given(st.datetimes(), st.integers(-12 * 60, 14 * 60))
def test_a_time_of_any_zone_is_given_in_utc(moment: datetime, minutes: int) -> None:
    moment = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:
        assert read_date(moment.isoformat()) is None
        return
    assert read_date(moment.isoformat()) == utc.isoformat()[:19] + "Z"


@given(st.text(max_size=30) | st.text(alphabet="0123456789-:TZ+ JanMar,W", max_size=30))
def test_any_text_is_a_date_or_none(text: str) -> None:
    found = read_date(text)
    if found is not None:
        assert read_date(found) == found


def test_dates_sort() -> None:
    dates = ["2026-03-04T10:00:00Z", None, "2025", "2026-03-04"]
    assert sorted(dates, key=sort_key) == [None, "2025", "2026-03-04", "2026-03-04T10:00:00Z"]
