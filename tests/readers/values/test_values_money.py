"""Amounts of money: a symbol or a code next to the number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.values.currencies import CURRENCY_CODES, CURRENCY_SYMBOLS
from polite_crawler.readers.values.money import money_names, money_stands_alone, parse_money, read_money
from polite_crawler.readers.values.steps import Steps


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("4.50 EUR", [("4.50 EUR", ["4.5 EUR"])]),
        ("EUR4.50, EUR 5", [("EUR4.50", ["4.5 EUR"]), ("EUR 5", ["5 EUR"])]),
        ("€4.50 or 4,50 €", [("€4.50", ["4.5 EUR"]), ("4,50 €", ["4.5 EUR"])]),
        ("4,50\u00a0€", [("4,50\u00a0€", ["4.5 EUR"])]),
        ("£1,299.00", [("£1,299.00", ["1299 GBP"])]),
        ("US$12", [("US$12", ["12 USD"])]),
        ("R$ 10,00", [("R$ 10,00", ["10 BRL"])]),
        ("$12 USD", [("$12 USD", ["12 USD"])]),
        ("-$5, $-5, −5 €", [("$-5", None), ("−5 €", ["-5 EUR"])]),
        ("5 € 6 $ 7 £", [("5 €", ["5 EUR"]), ("6 $", None), ("7 £", ["7 GBP"])]),
        ("€5 £6", [("€5", ["5 EUR"]), ("£6", ["6 GBP"])]),
        ("10–20 €", [("20 €", ["20 EUR"])]),
        ("CHF 5.–", [("CHF 5", ["5 CHF"])]),
        ("1,234 EUR", [("1,234 EUR", ["1234 EUR", "1.234 EUR"])]),
        ("12 345 Kč", [("12 345 Kč", ["12345 CZK"])]),
        ("500円 10元", [("500円", ["500 JPY"]), ("10元", ["10 CNY", "10 TWD", "10 HKD"])]),
        ("价格¥5", [("¥5", ["5 JPY", "5 CNY"])]),
        ("50 kr", [("50 kr", ["50 SEK", "50 NOK", "50 DKK", "50 ISK"])]),
        ("50 kronor 15 try 15 eur", []),
        ("4€50", []),
        ("5  EUR, 5\nEUR, 5\tEUR", []),
        ("XEUR 5, 5 EURO, 5 ABC", []),
        ("د.إ 5, 5 TL, 5 тг.", [("د.إ 5", ["5 AED"]), ("5 TL", ["5 TRY"]), ("5 тг.", ["5 KZT"])]),
        ("5 TLC, 5 den, 5 ден", []),
        ("Z$5", []),
        ("the 3 EURs", []),
    ],
)
def test_money_of_a_text(text: str, found: list[tuple[str, list[str] | None]]) -> None:
    readings = [one for one in read_money(text) if not one.raw.startswith("-$")]
    assert [one.raw for one in readings] == [raw for raw, _ in found]
    for reading, (_, meanings) in zip(readings, found, strict=True):
        assert list(reading.meanings) == meanings or (meanings is None and len(reading.meanings) > 20)


def test_a_sign_before_the_symbol() -> None:
    (reading,) = read_money("a -$5 b")
    assert reading.raw == "-$5"
    assert reading.meanings[0] == "-5 USD"


@pytest.mark.parametrize(
    ("value", "meanings"),
    [("4.50 EUR", ("4.5 EUR",)), (" €4 ", ("4 EUR",)), ("4.50", None), ("4.50 EUR each", None), ("", None),
     ("4.50 eur", None)],
)  # fmt: skip
def test_a_value_is_one_amount(value: str, meanings: tuple[str, ...] | None) -> None:
    reading = parse_money(value)
    assert (reading.meanings if reading else None) == meanings


@pytest.mark.parametrize(
    ("value", "there", "names"),
    [
        ("4.50 EUR", "€4.50", {"currency-symbol"}),
        ("€4.50", "4.50 EUR", {"currency-code"}),
        ("4.50 EUR", "EUR 4.50", {"currency-code"}),
        ("€4.50", "4,50 €", {"decimal-comma", "currency-symbol"}),
        ("4.50 EUR", "4.50EUR", {"white-space"}),
        ("4.50 EUR", "4.5 EUR", {"number-form"}),
        ("4 EUR", "4 EUR", set()),
    ],
)
def test_names(value: str, there: str, names: set[str]) -> None:
    one, other = parse_money(value), parse_money(there)
    assert one
    assert other
    assert money_names(one.forms[0], other.forms[0]) == names


@pytest.mark.parametrize(
    ("text", "value", "alone"),
    [("it is $12 now", "$12", True), ("US$12", "$12", False), ("$12.50", "$12", False), ("$12k", "$12", False),
     ("112 EUR", "12 EUR", False), ("12 EUROS", "12 EUR", False), ("12 EUR.", "12 EUR", True), ("价格¥5", "¥5", True),
     ("XEUR 5", "EUR 5", False), ("5 €6", "5 €", False)],
)  # fmt: skip
def test_stands_alone(text: str, value: str, alone: bool) -> None:
    start = text.index(value)
    assert money_stands_alone(text, start, start + len(value)) is alone


def test_symbols_name_codes_of_the_table() -> None:
    assert {code for codes in CURRENCY_SYMBOLS.values() for code in codes} <= CURRENCY_CODES
    assert len(CURRENCY_CODES) > 150
    assert all(len(code) == 3 and code.isupper() for code in CURRENCY_CODES)


@given(st.text(st.sampled_from("0123456789.,- $€EURkr¥\u00a0x"), max_size=40))
def test_readings_are_apart_and_in_sequence(text: str) -> None:
    last = 0
    for reading in read_money(text):
        assert last <= reading.start < reading.end <= len(text)
        assert text[reading.start : reading.end] == reading.raw
        assert reading.meanings
        last = reading.end


def test_steps_are_linear() -> None:
    def count(size: int) -> int:
        steps = Steps()
        assert list(read_money("€5 12 EUR $$$ 5 5 5 EUR EUR " * size, steps))
        return steps.count

    assert count(4000) <= 4.1 * count(1000)
