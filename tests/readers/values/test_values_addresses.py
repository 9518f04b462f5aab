"""URLs, mail addresses and telephone numbers in texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.values.emails import parse_email, read_emails
from polite_crawler.readers.values.phones import ends_with, parse_phone, phone_names, read_phones, same_number
from polite_crawler.readers.values.steps import Steps
from polite_crawler.readers.values.urls import read_urls, url_meanings, url_stands_alone


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://Example.com/a(b). End", [("https://Example.com/a(b)", ("https://example.com/a(b)",))]),
        ("(https://e.com/a)", [("https://e.com/a", ("https://e.com/a",))]),
        ("<http://e.com:80/x?utm_source=y>", [("http://e.com:80/x?utm_source=y", ("http://e.com/x",))]),
        ("at www.e.com/x, now", [("www.e.com/x", ("https://www.e.com/x", "http://www.e.com/x"))]),
        ("“https://e.com/”", [("https://e.com/", ("https://e.com/",))]),
        ("https:// and http://[", []),
        ("ftp://e.com/ e.com", []),
    ],
)
def test_urls(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(one.raw, one.meanings) for one in read_urls(text)] == found


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("https://e.com/a", 1),
        ("e.com", 2),
        ("www.e.com/a", 2),
        ("e.com:8080/a", 2),
        ("no url", 0),
        ("", 0),
        ("InStock", 0),
    ],
)
def test_meanings_of_a_url(value: str, count: int) -> None:
    assert len(url_meanings(value)) == count


@pytest.mark.parametrize(
    ("text", "value", "alone"),
    [("see https://e.com/a.", "https://e.com/a", True), ("https://e.com/ab", "https://e.com/a", False),
     ("https://e.com/a/b", "https://e.com/a", False), ("https://e.com/a?x", "https://e.com/a", False),
     ("https://e.com/", "https://e.com", True), ("https://e.com/ x", "https://e.com", True),
     ("https://e.com/", "e.com", True), ("https://e.community", "e.com", False), ("x.e.com", "e.com", False),
     ("me@e.com", "e.com", False), ("e.com.au", "e.com", False), ("(e.com)", "e.com", True)],
)  # fmt: skip
def test_a_url_stands_alone(text: str, value: str, alone: bool) -> None:
    start = text.index(value)
    assert url_stands_alone(text, start, start + len(value)) is alone


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mail Info@Example.COM.", ["Info@Example.COM"]),
        ("<a.b+c@x.co.uk>, 'q@w.org'", ["a.b+c@x.co.uk", "q@w.org"]),
        ("foo@bar @x x@y.z a@@b.com", []),
        ("a" * 100 + "@e.com", []),
        ("me@bücher.example", ["me@bücher.example"]),
        ("...x@e.com", ["x@e.com"]),
    ],
)
def test_emails(text: str, found: list[str]) -> None:
    assert [one.raw for one in read_emails(text)] == found


def test_a_value_is_one_mail_address() -> None:
    reading = parse_email(" mailto:Me@E.com ")
    assert reading is not None
    assert reading.meanings == ("me@e.com",)
    assert parse_email("write to me@e.com") is None
    assert parse_email("") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Call (617) 555-1234 or 212-555-1234", [("(617) 555-1234", "6175551234"), ("212-555-1234", "2125551234")]),
        ("+1 617 555 1234", [("+1 617 555 1234", "+16175551234")]),
        ("+44 (0)20 7946 0958", [("+44 (0)20 7946 0958", "+442079460958")]),
        ("0049 30 123456", [("0049 30 123456", "+4930123456")]),
        ("+39 06 1234567", [("+39 06 1234567", "+39061234567")]),
        ("555-1234 555-9876", [("555-1234", "5551234"), ("555-9876", "5559876")]),
        ("617 555 1234 212 555 1234", [("617 555 1234", "6175551234"), ("212 555 1234", "2125551234")]),
        ("(617) 555-1234 (212) 555-1234", [("(617) 555-1234", "6175551234"), ("(212) 555-1234", "2125551234")]),
        ("020 7946 0958 / 06 1234567", [("020 7946 0958", "02079460958"), ("06 1234567", "061234567")]),
        ("٠٢٠ ٧٩٤٦ ٠٩٥٨", [("٠٢٠ ٧٩٤٦ ٠٩٥٨", "02079460958")]),
        ("call 112, 12 34", []),
        ("1" * 40, []),
        ("sku A5551234", []),
    ],
)
def test_phones(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.raw, one.meanings[0]) for one in read_phones(text)] == found


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("+1 617 555 1234", "(617) 555-1234", True),
        ("+1 617 555 1234", "1-617-555-1234", True),
        ("+44 20 7946 0958", "020 7946 0958", True),
        ("+44 (0)20 7946 0958", "+44 20 7946 0958", True),
        ("+39 06 1234567", "06 1234567", True),
        ("020 7946 0958", "20 7946 0958", True),
        ("617 555 1234", "1 617 555 1234", True),
        ("+1 617 555 1234", "+44 617 555 1234", False),
        ("+1 617 555 1234", "555-1234", False),
        ("212-555-1234", "555-1234", False),
        ("+1 617 555 1234", "617 555 1235", False),
    ],
)
def test_one_number_in_two_spellings(one: str, other: str, same: bool) -> None:
    first, second = parse_phone(one), parse_phone(other)
    assert first
    assert second
    assert same_number(first, second) is same_number(second, first) is same


def test_the_end_of_a_number_and_names() -> None:
    whole, part, spaced = parse_phone("617-555-1234"), parse_phone("555-1234"), parse_phone("tel: 617 5551234")
    assert whole
    assert part
    assert spaced
    assert ends_with(whole, part)
    assert not ends_with(part, whole)
    assert phone_names(part, whole) == {"phone-country"}
    assert phone_names(spaced, whole) == {"phone-digits"}
    assert phone_names(whole, whole) == set()


@pytest.mark.parametrize("value", ["112", "phone", "", "+1 617 555 1234 ext 5", "1" * 16])
def test_what_is_no_telephone_number(value: str) -> None:
    assert parse_phone(value) is None


@given(st.text(st.sampled_from("0123456789 +()-./@abc.com:/wwwhttps\u00a0"), max_size=50))
def test_readings_are_parts_of_the_text(text: str) -> None:
    for read in (read_urls, read_emails, read_phones):
        for reading in read(text):
            assert text[reading.start : reading.end] == reading.raw
            assert 0 <= reading.start < reading.end
            assert reading.meanings


@pytest.mark.parametrize(
    "unit", ["+1 617 555 1234 5 5 5 5 ((((", "a@b.c @@@@ x@y.org ", "https://e.com/a((( www.www. ", "1 1 1 1 1 1 1 1 "]
)
def test_steps_are_linear(unit: str) -> None:
    def count(size: int) -> int:
        steps = Steps()
        for read in (read_urls, read_emails, read_phones):
            list(read(unit * size, steps))
        return steps.count

    assert count(2000) <= 4.1 * count(500)
