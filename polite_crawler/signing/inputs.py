"""Signature-Input: what each signature of a message says that it covers (RFC 9421 section 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import http_sf

from polite_crawler.signing.draft import TAG

MOST_SIGNATURES = 8
"""So many signatures of a message are looked at: each costs a verifier time."""


@dataclass(frozen=True, slots=True)
class SignatureInput:
    """One signature: its label, the covered components by name and parameters, and its own parameters."""

    label: str
    components: tuple[tuple[str, Mapping[str, Any]], ...]
    params: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """A parameter that is a string, or None."""
        value = self.params.get(name)
        return value if type(value) is str else None

    def moment(self, name: str) -> int | None:
        """A parameter that is a whole number (epoch seconds), or None."""
        value = self.params.get(name)
        return value if type(value) is int else None

    @property
    def tag(self) -> str | None:
        """What the signature is for."""
        return self.text("tag")

    def covers(self, *names: str) -> bool:
        """Whether one of these components is covered."""
        return any(name in names for name, _ in self.components)

    def members(self, name: str) -> tuple[str, ...]:
        """The members of a dictionary field that are covered one by one."""
        return tuple(params["key"] for one, params in self.components if one == name and type(params.get("key")) is str)

    def date_fault(self, now: float, *, skew: float) -> str | None:
        """`clock-ahead` or `expired`, or None. `now` and `skew` are seconds."""
        created, expires = self.moment("created"), self.moment("expires")
        if created is None or created > now + skew:
            return "clock-ahead"
        if expires is None or expires < now - skew:
            return "expired"
        return None


class _Repeated(ValueError):
    """A label stands twice: nobody can say which signature it names."""


def read_inputs(text: str) -> tuple[SignatureInput, ...] | None:
    """The signatures of a field in their order; None when it cannot be read. A member that is no list of components
    is left out."""

    def no_repeats(key: str, context: str) -> None:
        if context == "dictionary":
            raise _Repeated(key)

    try:
        members = http_sf.parse(text.encode("utf-8", "replace"), tltype="dictionary", on_duplicate_key=no_repeats)
    except ValueError:
        return None
    found = []
    for label, (listed, params) in cast("dict[str, tuple[Any, dict[str, Any]]]", members).items():
        if isinstance(listed, list):
            components = tuple((str(name), extra) for name, extra in listed)
            found.append(SignatureInput(label, components, params))
    return tuple(found)


def asks_for_signature(field: str) -> bool:
    """Whether an Accept-Signature field asks for a signature for Web Bot Auth: a member with that tag, or with none
    (RFC 9421 section 5.1)."""
    return any(one.params.get("tag", TAG) == TAG for one in read_inputs(field) or ())
