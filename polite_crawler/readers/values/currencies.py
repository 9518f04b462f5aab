"""Currencies: the codes of ISO 4217 in use, and the symbols with each currency that they stand for."""

from typing import Final

_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD
HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD
LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT
TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CURRENCY_CODES: Final = frozenset(_CODES.split())
"""The alphabetic codes, with a few that were replaced lately and still stand on pages."""

_DOLLARS = (
    "USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "BRL", "UYU", "BBD", "BMD", "BND",
    "BSD", "BZD", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "SBD", "SRD", "TTD", "XCD", "CUP", "DOP", "NIO",
)  # fmt: skip
_RUPEES = ("INR", "PKR", "LKR", "NPR", "MUR", "SCR")
_KRONER = ("SEK", "NOK", "DKK", "ISK")

CURRENCY_SYMBOLS: Final[dict[str, tuple[str, ...]]] = {
    "€": ("EUR",), "£": ("GBP",), "$": _DOLLARS, "＄": _DOLLARS, "¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"),
    "US$": ("USD",), "U.S.$": ("USD",), "CA$": ("CAD",), "C$": ("CAD", "NIO"), "A$": ("AUD",), "AU$": ("AUD",),
    "NZ$": ("NZD",), "HK$": ("HKD",), "S$": ("SGD",), "SG$": ("SGD",), "NT$": ("TWD",), "R$": ("BRL",),
    "MX$": ("MXN",), "AR$": ("ARS",), "CLP$": ("CLP",), "COL$": ("COP",), "J$": ("JMD",), "TT$": ("TTD",),
    "EC$": ("XCD",), "CN¥": ("CNY",), "RMB": ("CNY",), "JP¥": ("JPY",), "円": ("JPY",), "元": ("CNY", "TWD", "HKD"),
    "圓": ("TWD", "HKD"), "원": ("KRW",), "₩": ("KRW",), "₹": ("INR",), "₨": _RUPEES, "Rs": _RUPEES, "Rs.": _RUPEES,
    "₽": ("RUB",), "руб": ("RUB", "BYN"), "руб.": ("RUB", "BYN"), "₴": ("UAH",), "грн": ("UAH",), "₺": ("TRY",),
    "₫": ("VND",), "₪": ("ILS",), "฿": ("THB",), "₱": ("PHP",), "₦": ("NGN",), "₸": ("KZT",), "₾": ("GEL",),
    "₼": ("AZN",), "₡": ("CRC",), "₲": ("PYG",), "₵": ("GHS",), "₭": ("LAK",), "₮": ("MNT",), "៛": ("KHR",),
    "֏": ("AMD",), "৳": ("BDT",), "﷼": ("IRR", "OMR", "QAR", "SAR", "YER"), "kr": _KRONER, "kr.": _KRONER,
    "Kr": _KRONER, "Kr.": _KRONER, "zł": ("PLN",), "zl": ("PLN",), "Kč": ("CZK",), "Ft": ("HUF",),
    "lei": ("RON", "MDL"), "Lei": ("RON", "MDL"), "лв": ("BGN",), "лв.": ("BGN",), "Fr.": ("CHF", "XOF", "XAF"),
    "SFr.": ("CHF",), "sFr.": ("CHF",), "RM": ("MYR",), "Rp": ("IDR",), "S/": ("PEN",), "Bs": ("BOB", "VES"),
    "Bs.": ("BOB", "VES"), "DH": ("MAD", "AED"), "KSh": ("KES",), "TSh": ("TZS",), "USh": ("UGX",),
    "B/.": ("PAB",), "S/.": ("PEN",), "Rp.": ("IDR",), "GH₵": ("GHS",), "Gs.": ("PYG",), "Tk": ("BDT",), "TL": ("TRY",),
    "đ": ("VND",), "LEI": ("RON", "MDL"), "din.": ("RSD",), "дин.": ("RSD",), "ден.": ("MKD",),
    "тг": ("KZT",), "тг.": ("KZT",), "сум": ("UZS",), "so'm": ("UZS",), "soʻm": ("UZS",), "บาท": ("THB",),
    "د.إ": ("AED",), "د.ب": ("BHD",), "د.ت": ("TND",), "د.ج": ("DZD",), "د.ع": ("IQD",), "د.ك": ("KWD",),
    "د.ل": ("LYD",), "د.م": ("MAD",), "د.ا": ("JOD",), "د.أ": ("JOD",), "ج.م": ("EGP",), "ر.س": ("SAR",),
    "ر.ع": ("OMR",), "ر.ق": ("QAR",), "ر.ي": ("YER",), "ل.ل": ("LBP",), "ل.س": ("SYP",),
    "Ksh": ("KES",), "Dhs": ("AED",), "Br": ("BYN", "ETB"), "FCFA": ("XOF", "XAF"), "RUR": ("RUB",), "NIS": ("ILS",),
}  # fmt: skip
"""Only a symbol of one currency names it; `$`, `¥` and `kr` do not."""
