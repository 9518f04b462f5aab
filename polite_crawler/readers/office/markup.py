"""The XML of a part, read as it inflates: no tree, no entity, nothing fetched.

What came before the first error of the markup is kept. Depth costs nothing, and the time is linear in the length.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from xml.parsers import expat

from polite_crawler.readers.office.package import Package
from polite_crawler.readers.scrub import one_line

Attributes = Mapping[str, str]

MAX_TAG = 4 << 20
"""The octets of a tag, a comment or another thing that the parser must see whole."""
_VALUE = 2000
_SPACE = "http://www.w3.org/XML/1998/namespace space"


class _TooLong(Exception):
    """A tag that is longer than its limit."""


def words(text: str) -> frozenset[str]:
    """A list of names that is written as one text."""
    return frozenset(text.split())


class Handler(Protocol):
    """What gets the markup. A name is its namespace, a space, and its local name."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...
    def end(self, name: str) -> None: ...
    def text(self, data: str) -> None: ...


def walk(package: Package, part: str, handler: Handler) -> Iterator[None]:
    """Give the markup of a part to a handler; a step for each piece that has been read, and one at the end."""
    parser = expat.ParserCreate(None, " ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    # With a default handler a reference to an entity of the file is handed over as it stands, and not expanded.
    entities: list[None] = []
    parser.DefaultHandler = lambda data: entities.append(None) if data.startswith("&") else None
    try:
        yield from _fed(parser, package.chunks(part))
        if package.sound:
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "error")
        package.notes.append(
            f"the XML of {one_line(part, 100)} is not valid from line {error.lineno} on: {one_line(reason, 100)}"
        )
    except _TooLong:
        package.notes.append(f"cut: a tag or a comment of more than {MAX_TAG} octets")
    except (ValueError, LookupError):
        # An encoding that expat does not know.
        package.notes.append(f"the XML of {one_line(part, 100)} is in an encoding that is not read")
    if entities:
        package.notes.append(f"left out: references to entities of the file ({len(entities)})")
    yield


def _fed(parser: expat.XMLParserType, chunks: Iterable[bytes]) -> Iterator[None]:
    fed = 0
    for chunk in chunks:
        parser.Parse(chunk, False)
        fed += len(chunk)
        if fed - parser.CurrentByteIndex > MAX_TAG:
            # The parser looks at the whole of an open tag again with each piece.
            raise _TooLong
        yield


def read_all(package: Package, part: str, handler: Handler) -> None:
    """Read a part that a file may lack."""
    if part in package:
        for _ in walk(package, part, handler):
            pass


def attribute(attributes: Attributes, local: str) -> str | None:
    """The attribute with a local name, whatever its namespace."""
    return next((value for name, value in attributes.items() if name.rpartition(" ")[2] == local), None)


def keeps_space(attributes: Attributes) -> bool:
    """Whether white space at the ends of a text counts."""
    return attributes.get(_SPACE) == "preserve"


class Walk:
    """A handler with the path of the element and with elements that are left out, whatever they hold.

    `names` gives a short key to each name that matters; the others are empty keys in the path.
    """

    names: Mapping[str, str] = {}
    dropped: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.path: list[str] = []
        self._gone = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._gone:
            self._gone += 1
            return
        key = self.names.get(name, "")
        if key and (key in self.dropped or self.drops(key, attributes)):
            self._gone = 1
            return
        self.path.append(key)
        if key:
            self.open(key, attributes)

    def end(self, name: str) -> None:
        if self._gone:
            self._gone -= 1
            return
        key = self.path.pop()
        if key:
            self.close(key)

    def text(self, data: str) -> None:
        if not self._gone:
            self.data(data)

    def within(self, *keys: str) -> bool:
        """Whether the element stands in these, the nearest last."""
        return tuple(self.path[-len(keys) - 1 : -1]) == keys

    def drops(self, key: str, attributes: Attributes) -> bool:
        """Whether an element is left out."""
        return False

    def open(self, key: str, attributes: Attributes) -> None:
        """The start of an element that matters."""

    def close(self, key: str) -> None:
        """Its end."""

    def data(self, data: str) -> None:
        """Text of the element."""


class Values(Walk):
    """The texts of the elements that matter, the first of each key that is not empty."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names
        self.found: dict[str, str] = {}
        self._text = ""

    def open(self, key: str, attributes: Attributes) -> None:
        self._text = ""

    def data(self, data: str) -> None:
        if len(self._text) < _VALUE:
            self._text += data[:_VALUE]

    def close(self, key: str) -> None:
        if self._text.strip():
            self.found.setdefault(key, self._text)


class Rows(Walk):
    """The attributes of the elements that matter, by their local names, in their sequence: lists of references."""

    def __init__(self, names: Mapping[str, str], most: int) -> None:
        super().__init__()
        self.names = names
        self.rows: list[tuple[str, dict[str, str]]] = []
        self._most = most

    def open(self, key: str, attributes: Attributes) -> None:
        if len(self.rows) < self._most:
            self.rows.append((key, {name.rpartition(" ")[2]: value for name, value in attributes.items()}))
