"""An envelope as a client reads it, and what must hold of each one: the checks are written apart from the code."""

import html
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

TAG = "untrusted-web-content"
_OPEN = re.compile(rf'^<{TAG} id="([^"]*)"((?: [a-z]+="[^"]*")*)>$')
_BACKSLASH = re.compile(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})")
_CLOSE = re.compile(rf"<\s*/\s*{TAG}")
_ANY = re.compile(rf"<\s*/?\s*{TAG}")
_BAD = (
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F),
    *range(0x2066, 0x206A), *range(0xD800, 0xE000), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0),
)  # fmt: skip
CONTROLS = re.compile("[" + "".join(map(re.escape, map(chr, _BAD))) + "]")


@dataclass(frozen=True)
class Part:
    """One block: its attributes as they are written, and its text."""

    id: str
    attributes: dict[str, str]
    text: str


def read(envelope: str) -> list[Part]:
    """The blocks, found by the id that the preamble names."""
    lines = envelope.split("\n")
    end = re.search(rf'(</{TAG} id="[0-9A-Za-z_-]+">)\.$', lines[0])
    assert end, lines[0]
    parts, inside = [], None
    for line in lines[1:]:
        if inside is None:
            found = _OPEN.match(line)
            assert found, line
            inside = (found[1], dict(re.findall(r' ([a-z]+)="([^"]*)"', found[2])), [])
        elif line == end[1]:
            parts.append(Part(inside[0], inside[1], "\n".join(inside[2])))
            inside = None
        else:
            inside[2].append(line)
    assert inside is None
    return parts


def one_delimiter(envelope: str, blocks: int) -> bool:
    """Whether each view of it has one end a block and the one of the preamble, all with its own id."""
    id = read(envelope)[0].id
    ends = 0
    for level in range(4):
        view = skeleton(_decoded(envelope, level))
        ends = max(ends, len(_CLOSE.findall(view)))
        if len(_ANY.findall(view)) != 2 * blocks + 1:
            return False
    return ends == blocks + 1 and envelope.count(f'</{TAG} id="{id}">') == blocks + 1


def skeleton(text: str) -> str:
    """NFKD, casefold, no invisible characters."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char) not in ("Cf", "Mn", "Me"))


def _decoded(text: str, levels: int) -> str:
    for _ in range(levels):
        text = unquote(html.unescape(text), errors="replace")
        text = _BACKSLASH.sub(lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)), text)
    return text
