"""What the values of fields are checked against: the text and the metadata of a version, each kind read one time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from polite_crawler.query.quotes import QuotableText, find_value, quotable
from polite_crawler.readers.values.dates import read_dates
from polite_crawler.readers.values.emails import read_emails
from polite_crawler.readers.values.money import read_money
from polite_crawler.readers.values.numbers import read_numbers
from polite_crawler.readers.values.phones import read_phones
from polite_crawler.readers.values.steps import Steps
from polite_crawler.readers.values.urls import read_urls

Status = Literal["verified", "normalized", "ambiguous", "not-found", "held-back"]
Where = Literal["text", "full_text"]

STATUSES: Final[tuple[Status, ...]] = ("verified", "normalized", "ambiguous", "not-found", "held-back")

NORMALIZATIONS: Final = (
    "white-space", "typography", "case", "thousands-separator", "decimal-comma", "number-form", "currency-symbol",
    "currency-code", "month-name", "date-order", "two-digit-year", "url-form", "email-case", "phone-digits",
    "phone-country",
)  # fmt: skip
"""The names of the normalizations, in the sequence in which they are joined."""


class Reading(Protocol):
    """A value that stands in a text, [start, end) in code points, with every meaning that it can have."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def raw(self) -> str: ...

    @property
    def meanings(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """Where a value stands: code points, end exclusive, `in_` the stored text ("text") or the whole text of a reader
    that cut it ("full_text")."""

    start: int
    end: int
    in_: Where = "text"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be meant, with the meanings that it allows. No span and no path: the value itself."""

    raw: Any
    meanings: tuple[str, ...]
    span: FieldSpan | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The status of one field. `raw` is what stands at the span of the text or at the path of the metadata,
    `normalization` the names joined by `+`, `candidates` what an ambiguous value may be."""

    status: Status
    span: FieldSpan | None = None
    path: str | None = None
    normalization: str | None = None
    raw: Any = None
    capture: str | None = None
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A reading and its span in the text."""

    reading: Any
    span: FieldSpan

    def candidate(self) -> Candidate:
        """The place as a candidate."""
        return Candidate(self.reading.raw, self.reading.meanings, self.span)

    def normalized(self, names: Iterable[str]) -> FieldResult:
        """The place as the answer, found by these normalizations."""
        return FieldResult("normalized", self.span, None, joined(names), self.reading.raw)

    def verified(self) -> FieldResult:
        """The place as the answer: it holds the value's own text."""
        return FieldResult("verified", self.span, raw=self.reading.raw)


def joined(names: Iterable[str]) -> str | None:
    """The names in their sequence, joined by `+`, or None for no name."""
    found = set(names)
    return "+".join(name for name in NORMALIZATIONS if name in found) or None


Read = Callable[[str, Steps], Iterator[Reading]]
Alone = Callable[[str, int, int], bool]
_READERS: Final[dict[str, Read]] = {
    "number": read_numbers,
    "money": read_money,
    "date": read_dates,
    "url": read_urls,
    "email": read_emails,
    "phone": read_phones,
}


@dataclass(slots=True)
class Evidence:
    """The texts are searched in sequence. `kept` is the length of the stored text, `steps` counts the work."""

    texts: tuple[tuple[QuotableText, Where], ...]
    meta: Mapping[str, Any]
    kept: int
    steps: Steps = field(default_factory=Steps)
    _read: dict[str, list[Place]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, meta: Mapping[str, Any], full_text: str | None = None) -> "Evidence":
        """The evidence of a stored text, and of the whole text where the reader cut it."""
        if full_text is None or full_text == text:
            return cls(((quotable(text), "text"),), meta, len(text))
        if full_text.startswith(text):
            return cls(((quotable(full_text), "full_text"),), meta, len(text))
        return cls(((quotable(text), "text"), (quotable(full_text), "full_text")), meta, len(text))

    def places(self, kind: str) -> list[Place]:
        """The values of a kind that stand in the texts, in the sequence of their places."""
        if kind not in self._read:
            found = []
            for text, where in self.texts:
                readings = sorted(_READERS[kind](text.text, self.steps), key=lambda one: (one.start, -one.end))
                found += [Place(one, self._span(one.start, one.end, where)) for one in readings]
            self._read[kind] = found
        return self._read[kind]

    def links(self) -> Iterator[tuple[str, str]]:
        """The stored links with their paths."""
        links = self.meta.get("links")
        for index, link in enumerate(links if isinstance(links, list | tuple) else ()):
            url = link.get("url") if isinstance(link, Mapping) else link
            self.steps.add(1)
            if isinstance(url, str):
                yield f"links[{index}]", url

    def exact(self, value: str, alone: Alone) -> FieldResult | None:
        """The first place of the value's own text where `alone(text, start, end)` holds."""
        for text, where in self.texts:
            self.steps.add(len(text.text))
            at = text.text.find(value)
            while at >= 0:
                self.steps.add(len(value))
                if alone(text.text, at, at + len(value)):
                    return FieldResult("verified", self._span(at, at + len(value), where), raw=value)
                at = text.text.find(value, at + len(value))
        return None

    def words(self, value: str) -> FieldResult | None:
        """The place of a value under white-space, typography and case."""
        for text, where in self.texts:
            self.steps.add(len(text.text))
            if match := find_value(text, value):
                span = self._span(match.start, match.end, where)
                raw = text.text[match.start : match.end]
                status: Status = "normalized" if match.normalizations else "verified"
                return FieldResult(status, span, None, joined(match.normalizations), raw)
        return None

    def _span(self, start: int, end: int, where: Where) -> FieldSpan:
        inside = len(self.texts) == 1 and end <= self.kept
        return FieldSpan(start, end, "text" if inside else where)
