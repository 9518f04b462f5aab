"""Numbers in a text, each with every meaning that its separators allow.

One separator before exactly three digits is the thousands separator or the decimal point: `1,234` and `1.234` have
two meanings each. Two kinds of separators, a repeated one, or another number of digits after it leave one meaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Final

from polite_crawler.readers.values.digits import ascii_digits
from polite_crawler.readers.values.steps import Steps

MINUS: Final = "-−"
_SPACES = " \u00a0\u2007\u2009\u202f"
_QUOTES = "'’"
_SEPARATORS = ".,٫٬" + _QUOTES + _SPACES
_RUN = re.compile(rf"\d+(?:[{_SEPARATORS}]\d+)*", re.ASCII)
_EXPONENT = re.compile(r"[eE][+-]?\d{1,3}(?![\w.])", re.ASCII)
_GROUP = re.compile(rf"([{_SEPARATORS}])", re.ASCII)
_DATE_BEFORE = re.compile(r"\d-\d{1,4}-\Z|\d{4}-\Z", re.ASCII)
_DATE_AFTER = re.compile(r"-\d{1,2}-\d", re.ASCII)
_MAX_DIGITS = 60
_EXACT = Context(prec=2000)
_LIKE = {"٫": ",", "٬": ".", "’": "'", **dict.fromkeys(_SPACES, " ")}


@dataclass(frozen=True, slots=True)
class NumberForm:
    """One meaning of a written number: its value, the separators that this meaning gives it ("" for none; each kind
    of space is " "), and the digits as they are written."""

    value: Decimal
    thousands: str
    decimal: str
    digits: str

    @property
    def meaning(self) -> str:
        """The value as a plain decimal, equal for equal values."""
        return plain(self.value)


@dataclass(frozen=True, slots=True)
class NumberReading:
    """A number in a text, [start, end) in code points, with its meanings."""

    start: int
    end: int
    raw: str
    forms: tuple[NumberForm, ...]

    @property
    def meanings(self) -> tuple[str, ...]:
        """Each meaning one time."""
        return tuple(dict.fromkeys(form.meaning for form in self.forms))


def read_numbers(text: str, steps: Steps | None = None) -> Iterator[NumberReading]:
    """The numbers that stand in a text: not inside a word, a date or a time."""
    folded = ascii_digits(text)
    for reading in read_amounts(text, steps):
        start = reading.start + (text[reading.start] in MINUS + "+")
        if not _in_another_token(folded, start, reading.end):
            yield reading


def read_amounts(text: str, steps: Steps | None = None) -> Iterator[NumberReading]:
    """The numbers of a text wherever they stand, also right after letters: `EUR5`."""
    folded = ascii_digits(text)
    steps = steps or Steps()
    steps.add(len(text))
    done = 0
    for match in _RUN.finditer(folded):
        steps.add(match.end() - match.start())
        for start, end in _parts(folded, match.start(), match.end()):
            reading = _reading(text, folded, start, end) if start >= done else None
            if reading:
                done = reading.end
                yield reading


def parse_number(value: str) -> NumberReading | None:
    """The reading of a text that is one number and nothing more, with an optional sign."""
    stripped = value.strip()
    body = stripped.lstrip("+" + MINUS)
    if not body or len(stripped) - len(body) > 1:
        return None
    offset = len(stripped) - len(body)
    folded = ascii_digits(stripped)
    match = _RUN.match(folded, offset + (body[0] == "."))
    if match is None:
        return None
    reading = _reading(stripped, folded, match.start(), match.end())
    return reading if reading and (reading.start, reading.end) == (0, len(stripped)) else None


def exact_number(value: int | float | Decimal) -> NumberReading:
    """The reading of a number of a program: it has one meaning. Raises ValueError for what is not finite."""
    number = Decimal(str(value))
    if not number.is_finite():
        raise ValueError(f"{value} is no finite number")
    raw = plain(number) if abs(number) < Decimal("1e21") else str(value)
    digits = raw.lstrip("-")
    return NumberReading(0, len(raw), raw, (NumberForm(number, "", "." if "." in raw else "", digits),))


def number_names(one: NumberForm, other: NumberForm) -> set[str]:
    """The normalizations between two spellings of one number."""
    names = set()
    if one.thousands != other.thousands:
        names.add("thousands-separator")
    if (one.decimal == ",") != (other.decimal == ","):
        names.add("decimal-comma")
    if one.digits != other.digits:
        names.add("number-form")
    return names


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the digits at the edges of text[start:end] are whole numbers there: `12` is not in `12.50` or `112`."""
    before, first = text[start - 1 : start], text[start : start + 1]
    last, after = text[end - 1 : end], text[end : end + 1]
    if first.isdecimal() or first == ".":
        if before.isalnum() or before == "_":
            return False
        if before and before in _SEPARATORS and before != " " and text[start - 2 : start - 1].isdecimal():
            return False
        if before and before in MINUS and is_sign(text, start - 1):
            return False
    if last.isdecimal():
        if after.isdecimal() or _EXPONENT.match(text, end):
            return False
        if after and after in _SEPARATORS and after != " " and text[end + 1 : end + 2].isdecimal():
            return False
    return True


def plain(value: Decimal) -> str:
    """A decimal without exponent and without zeros at its end."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def separated_forms(run: str) -> tuple[NumberForm, ...]:
    """The meanings of digits with separators, or none when it is not one number."""
    pieces = _GROUP.split(run)
    groups, marks = pieces[::2], [_LIKE.get(mark, mark) for mark in pieces[1::2]]
    if sum(map(len, groups)) > _MAX_DIGITS:
        return ()
    forms = []
    if _is_grouped(groups, marks):
        forms.append(_form(groups, "", marks[0] if marks else "", ""))
    if marks and marks[-1] in ".," and (len(marks) == 1 or marks[-1] not in marks[:-1]):
        whole = groups[:-1]
        zero = len(whole) == 1 and whole[0].startswith("0")
        if _is_grouped(whole, marks[:-1]):
            decimal = _form(whole, groups[-1], marks[0] if len(marks) > 1 else "", marks[-1])
            forms = [decimal] if zero else [*forms, decimal]
    return tuple(forms)


def _is_grouped(groups: list[str], marks: list[str]) -> bool:
    """Whether the groups are a whole number with one kind of thousands separator: by threes, or the Indian way."""
    if not marks:
        return True
    if len(set(marks)) > 1 or not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3:
        return False
    middle = {len(group) for group in groups[1:-1]}
    return middle <= {3} or (middle == {2} and marks[0] in ", " and len(groups[0]) <= 2)


def _form(whole: list[str], fraction: str, thousands: str, decimal: str) -> NumberForm:
    digits = "".join(whole)
    written = f"{digits}.{fraction}" if fraction else digits
    return NumberForm(Decimal(written), thousands, decimal, written)


def _parts(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A run of digits as numbers: the whole run, or its parts between spaces or commas when it is not one."""
    run = folded[start:end]
    if separated_forms(run):
        yield start, end
        return
    cuts = _SPACES if any(space in run for space in _SPACES) else ","
    if cuts == "," and "," not in run:
        return
    at = start
    for piece in re.split(f"[{cuts}]", run):
        if separated_forms(piece):
            yield at, at + len(piece)
        elif "," in piece and cuts != ",":
            yield from _parts(folded, at, at + len(piece))
        at += len(piece) + 1


def _reading(text: str, folded: str, start: int, end: int) -> NumberReading | None:
    """The reading of a run with its sign, its leading point and its exponent."""
    forms = separated_forms(folded[start:end])
    if folded[start - 1 : start] == "." and not folded[start - 2 : start - 1].isalnum() and folded[start:end].isdigit():
        start -= 1
        forms = (NumberForm(Decimal("0" + folded[start:end]), "", ".", folded[start:end]),)
    if exponent := _EXPONENT.match(folded, end):
        scale = exponent.group()
        forms = tuple(_scaled(form, scale) for form in forms)
        end = exponent.end()
    sign = folded[start - 1 : start]
    if sign and sign in MINUS + "+" and is_sign(folded, start - 1):
        start -= 1
        forms = tuple(signed(form, sign) for form in forms)
    if not forms:
        return None
    raw = text[start:end]
    if raw != folded[start:end]:
        forms = tuple(NumberForm(form.value, form.thousands, form.decimal, raw) for form in forms)
    return NumberReading(start, end, raw, forms)


def _scaled(form: NumberForm, scale: str) -> NumberForm:
    value = _EXACT.multiply(form.value, Decimal("1" + scale))
    return NumberForm(value, form.thousands, form.decimal, form.digits + scale)


def signed(form: NumberForm, sign: str) -> NumberForm:
    """The form with a sign before it."""
    value = form.value if sign == "+" else form.value.copy_negate()
    return NumberForm(value, form.thousands, form.decimal, sign + form.digits)


def is_sign(text: str, at: int) -> bool:
    """Whether the mark at a place is a sign: it stands after a space, an opening mark or nothing."""
    before = text[at - 1 : at] if at else ""
    return not before or not (before.isalnum() or before in ".,_)]'\"’”%" or before in MINUS)


def _in_another_token(text: str, start: int, end: int) -> bool:
    """Inside a word, or a part of a date, a time or a fraction."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalpha() or before == "_":
        return True
    left = before in tuple("/:.") and text[start - 2 : start - 1].isdecimal()
    right = after in tuple("/:") and text[end + 1 : end + 2].isdecimal()
    return left or right or bool(_DATE_BEFORE.search(text[max(0, start - 9) : start]) or _DATE_AFTER.match(text, end))
