"""Amounts as the shops of the world write them, and texts that must give none."""

from decimal import Decimal

import pytest

from polite_crawler.recipes.amounts import MAX_DIGITS, MAX_TEXT, read_amount, read_currency

AMOUNTS: dict[str, tuple[str, ...]] = {
    # a space of each kind is written with its escape; the parts are the texts of one amount
    "1299": (
        "1,299", "1.299", "1 299", "1\u00a0299", "1\u202f299", "1\u2009299", "1'299", "1’299", "1´299", "1`299",
        "1,299.00", "1.299,00", "1 299,00", "1'299.00", "1299.0000", "1299,0", "１，２９９", "١٬٢٩٩", "१,२९९", "๑,๒๙๙",
        "১,২৯৯", "۱٬۲۹۹", "€ 1.299,00", "1.299,00€", "€1.299,-", "1.299,– €", "CHF 1'299.–", "SFr. 1'299.-",
        "CHF 1'299.--",
        "Rs. 1,299.00", "Rs 1,299/-", "Rs.1,299/-", "kr. 1.299,00", "1.299,- kr", "1 299:-", "1299:-", "kr 1 299,-",
        "1.299,00 kr.", "1 299 Kč", "1 299,- Kč", "1 299,00 zł", "1299,00zł", "1.299,00 lei", "1.299 LEI",
        "1 299.00 лв.",
        "1299лв", "1 299 грн", "1 299 ₽", "1 299,00 руб.", "1299руб", "1 299 тг.", "1.299,00 TL", "₺1.299,00",
        "₪1,299.00",
        "\u200f1,299.00 ₪", '1,299 ש"ח', "AED 1,299.00", "د.إ 1,299", "د.إ.\u200f 1,299.00", "ر.س 1,299.00",
        "١٬٢٩٩٫٠٠ ر.س", "1,299 ج.م", "1 299,00 DH", "Dhs 1,299", "฿1,299.00", "1,299 บาท", "₱1,299.00", "RM1,299.00",
        "S$1,299.00", "HK$1,299", "NT$1,299", "AU$1,299.00", "1 299,00 $", "1 299,00 $ CA", "$1,299.00 MXN",
        "R$ 1.299,00", "R$\u00a01.299,00", "S/ 1,299.00", "S/. 1,299.00", "S/.1299.00", "R 1 299,00", "R1,299.00",
        "KSh1,299.00", "Ksh 1,299", "GH₵1,299", "TSh 1,299/=", "Tk 1,299", "Bs. 1.299,00", "1.299,00 din.",
        "1 299 ден.", "1 299 so'm", "1 299 FCFA", "￥1,299", "1,299円", "1,299円(税込)", "￥１，２９９", "1,299원",
        "1.299₫", "1.299 đ", "Rp 1.299", "Rp. 1.299", "Rp1.299,00", "Gs. 1.299",
        "USD1299.00", "1299.00USD", "1299sek", "ab 1.299,- €", "From £1,299",
        "1.299,00 €*", "\n        1.299,00\n        €\n", "€1,299 incl. VAT", "$1,299.",
    ),
    "1234567": ("1,234,567", "1.234.567", "1 234 567", "12,34,567", "₹12,34,567", "1.234.567,00", "1,234,567.00",
                "1.234.567.00"),
    "9.90": ("9.90", "9,90", "9.9000", "€9,90", "9,90 €", "9€90", "9,90\u202f€", "+9.90", "٩٫٩٠", "Preis (9,90 €)",
             "9,90 €/m²"),
    "1299.5": ("1 299€50", "1.299,50", "1'299.50", "1’299,50", "1,299.5", "1.299.50", "1,299,50"),
    "0.99": ("0.99", "0,99", ".99", "$.99", ",99", "0.990", "00.990"),
    "5": ("5", "5.-", "5,-", "CHF 5.–", "5.—", "5,–", "EUR 5", "5 €", "005"),
    "1234.567": ("1234.567", "1234,567"),
}  # fmt: skip


@pytest.mark.parametrize(("amount", "text"), [(amount, text) for amount, texts in AMOUNTS.items() for text in texts])
def test_an_amount_of_a_shop(amount: str, text: str) -> None:
    found = read_amount(text, "EUR")
    assert found is not None
    assert Decimal(found) == Decimal(amount)


@pytest.mark.parametrize("currency", ["BHD", "JOD", "KWD", "OMR", "TND"])
@pytest.mark.parametrize(
    ("text", "amount"), [("1.299", "1.299"), ("12,500", "12.500"), ("1,299.500", "1299.500"), ("1,299,000", "1299000")]
)
def test_three_decimal_digits(currency: str, text: str, amount: str) -> None:
    assert read_amount(text, currency) == amount


@pytest.mark.parametrize(
    "text",
    [
        # not one number
        "1.23.456", "12.34.56", "1.2.3", "0.123.45", "1,23,4", "1 29", "1  299",
        "12 34 567", "1,299,00.5", "1.299,50.10", "1e3", "10 EUR 50", "1€299",
        "129€99€", "12,90€10,90€",
        # several
        "5-10", "5 to 10", "£5 – £10", "1,000~2,000円", "10…20", "10/20", "2 x 5.00", "3 for £10", "9,90 € / 100 g",
        "9,90 € inkl. 19% MwSt.", "was 12.99 now 9.99", "10 % off 5 EUR", "5 € oder 6 $", "2026-01-01",
        "01.02.2026", "10:30",
        # nothing, or less
        "0", "0.00", "0,-", "€0,00", "00", "٠", "-5", "−5", "- 9.90 €", "€-9.90", "€ −9.90", "9.90-", "5-", "5−",
        "(5.00)",
        "($5.00)", "free", "N/A", "-", "--", "null", "NaN", "Infinity", "", "€", ".", ",-", "{{ price }}",
        "$undefined",
        # another unit
        "50%", "50 %", "5‰", "1.5k", "€1.5k", "€2m", "2 Mio. €", "2 million", "3 lakh", "1.5万", "12만원", "99 cents",
        "99¢",
        "99p", "99 ct", "5kg", "500ml", "10²", "5½", "5 ½", "½5", "½", "Ⅻ",
        "1" * (MAX_DIGITS + 1), "5" + "." * MAX_TEXT,
    ],
)  # fmt: skip
def test_a_text_that_is_no_amount(text: str) -> None:
    assert read_amount(text, "EUR") is None


@pytest.mark.parametrize(
    "value", [[9.9], {"a": 1}, b"9.90", pytest.param(10**5000, id="large"), Decimal("NaN"), Decimal(-1), Decimal(0)]
)
def test_a_value_that_is_no_amount(value: object) -> None:
    assert read_amount(value, "EUR") is None


@pytest.mark.parametrize("text", ["-" + " " * 200_000, "- " * 100_000, "1," * 100_000, "(" * 100_000, "5 " * 100_000])
def test_a_long_text_is_no_amount(text: str) -> None:
    assert read_amount(text) is None
    assert read_currency(None, text) is None


@pytest.mark.parametrize(
    ("code", "text", "currency"),
    [
        ("EUR", "9.90", "EUR"), (" eur ", "9.90", "EUR"), ("€", "9.90", "EUR"), ("R$", "9.90", "BRL"),
        (None, "€9.90", "EUR"),
        (None, "9.90 USD", "USD"), (None, "USD9.90", "USD"), (None, "US$ 9.90", "USD"), (None, "5円税込", "JPY"),
        (None, "ر.س 99", "SAR"), (None, "30,000원~", "KRW"), ("", "£5", "GBP"), ("EUR", "€5", "EUR"),
        ("USD", "$5", "USD"),
        ("CAD", "$5", "CAD"), ("SEK", "5 kr", "SEK"), ("EGP", "£5", "EGP"), ("EUR", "TOP! 5", "EUR"),
        # a symbol of several, a word that holds one, and two that differ
        (None, "$5", None), ("kr", "5", None), ("$", "5", None), (None, "TITLE 5", None), (None, "Corp 5", None),
        (None, "ALL for 5", None), ("USD", "€5", None), ("EUR", "9.90 USD", None),
        ("XXX", "5", None), ("null", "5", None), (None, None, None), (978, "5", None),
    ],
)  # fmt: skip
def test_the_currency_of_an_offer(code: object, text: object, currency: str | None) -> None:
    assert read_currency(code, text) == currency
