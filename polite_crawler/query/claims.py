"""Claims: the values that a caller proposes for the fields of a page, each with its kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from polite_crawler.errors import BadOption

JSON_LD: Final = "json-ld:"
KINDS: Final = ("text", "number", "money", "date", "url", "email", "phone", JSON_LD)
"""The kinds of a claim; `json-ld:` goes on with a path, such as `json-ld:Product.offers.price`."""

MAX_VALUE: Final = 2000
"""Code points of the longest value."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A proposed value. `number` is set for a value that is a number of a program and so has one meaning."""

    value: str
    kind: str = "text"
    number: int | float | Decimal | None = None

    @property
    def path(self) -> str | None:
        """The path of the kind json-ld."""
        return self.kind.removeprefix(JSON_LD) if self.kind.startswith(JSON_LD) else None


def claim_of(value: Any) -> Claim:
    """The claim of a text, a number, or a mapping with `value` and `kind`. The kind of a text is text, that of a
    number is number. Raises BadOption for another kind, an empty or a too long value."""
    if isinstance(value, Claim):
        return _checked(value)
    kind = None
    if isinstance(value, Mapping):
        unknown = set(value) - {"value", "kind"}
        if unknown or "value" not in value:
            raise BadOption("a field is a value, or an object with value and kind")
        value, kind = value["value"], value.get("kind")
    if isinstance(value, bool) or value is None or not isinstance(value, str | int | float | Decimal):
        raise BadOption(f"the value of a field is a text or a number, not {type(value).__name__}")
    if isinstance(value, str):
        return _checked(Claim(value, "text" if kind is None else kind))
    if not Decimal(str(value)).is_finite():
        raise BadOption(f"the value {value} is no finite number")
    return _checked(Claim(str(value), "number" if kind is None else kind, value))


def parse_field(option: str) -> tuple[str, Claim]:
    """The name and the claim of `name=value[:kind]`. The first `=` splits, and the kind is the longest ending
    `:KIND` that is one of the eight. Raises BadOption."""
    name, equals, rest = option.partition("=")
    if not equals or not name.strip():
        raise BadOption(f"bad field {option[:80]!r}: use name=value or name=value:kind")
    at = rest.find(":")
    while at >= 0:
        if is_kind(rest[at + 1 :]):
            return name.strip(), claim_of({"value": rest[:at], "kind": rest[at + 1 :]})
        at = rest.find(":", at + 1)
    return name.strip(), claim_of(rest)


def is_kind(kind: str) -> bool:
    """Whether a text is one of the eight kinds."""
    if kind.startswith(JSON_LD):
        return all(kind.removeprefix(JSON_LD).split("."))
    return kind in KINDS


def _checked(claim: Claim) -> Claim:
    if not is_kind(claim.kind):
        names = ", ".join(kind + "PATH" if kind == JSON_LD else kind for kind in KINDS)
        raise BadOption(f"bad kind {claim.kind[:60]!r}: one of {names}")
    if not claim.value.strip():
        raise BadOption("the value of a field is empty")
    if len(claim.value) > MAX_VALUE:
        raise BadOption(f"the value of a field has more than {MAX_VALUE:,} characters")
    return claim
