"""What a style attribute says of its element: whether a reader sees it, and in which box. Style sheets are not read."""

import re
from functools import lru_cache
from typing import Literal

Display = Literal["", "none", "block", "cell", "apart", "other"]
"""The box of an element: `` when its style attribute names none, `other` for one that changes nothing here, `apart` for
one that floats or is placed by itself: a browser makes it a block, and it shows no hidden element.
"""

_COMMENT = re.compile(r"/\*(?:.*?\*/|.*)", re.S)
# A semicolon or a colon in a string or in an address ends no declaration.
_QUOTED = re.compile(r""""[^"]*"?|'[^']*'?|url\([^)]*\)?""")
_IMPORTANT = re.compile(r"!\s*important\s*$")
_ZERO = re.compile(r"[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]{1,4}|%)?$")
_RELATIVE = re.compile(r"(?:\d(?:em|ex|ch|%)|smaller|larger|inherit)$")
_SIZE_OF_FONT = re.compile(
    r"(?:^|\s)([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[a-z]{1,4}|%)?|(?:xx?-)?(?:small|large)|medium|smaller|larger)(?:\s|/)"
)
_BLOCKS = frozenset(
    """block flex grid list-item table flow-root table-row table-row-group table-header-group table-footer-group
    table-caption -webkit-box -webkit-flex""".split()  # noqa: SIM905
)
_OTHERS = frozenset(
    """inline inline-block inline-flex inline-grid inline-table contents ruby ruby-text table-column table-column-group
    math inherit initial unset revert revert-layer -webkit-inline-box -webkit-inline-flex""".split()  # noqa: SIM905
)
_APART = {"float": ("left", "right", "inline-start", "inline-end"), "position": ("absolute", "fixed")}
_SHORT = 500


def read_style(style: str, zero: bool) -> tuple[Display, bool]:
    """The box that a style attribute asks for, and whether the text in it has a font size of zero.

    `zero` is the state of the parent: a relative size of zero stays zero, any other size ends it.
    """
    display, size = _declared(style) if len(style) <= _SHORT else _read(style)
    if size and _ZERO.match(size):
        zero = True
    elif size and zero and not _RELATIVE.search(size):
        zero = False
    return display, zero


def _read(style: str) -> tuple[Display, str]:
    """The box and the font size. As in a browser, the last declaration with a known value counts, and an important
    one before all others.
    """
    low = style.lower()
    if not any(name in low for name in ("display", "font", "float", "position")):
        return "", ""
    low = _QUOTED.sub("", _COMMENT.sub("", low))
    display: Display = ""
    size = ""
    places: dict[str, bool] = {}
    firm: set[str] = set()
    for declaration in low.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip(), value.strip()
        important = _IMPORTANT.search(value)
        if important:
            value = value[: important.start()].rstrip()
        if name in _APART:
            places[name] = value in _APART[name]
        box = _box(value) if name == "display" else ""
        found = value if name == "font-size" else _size(value) if name == "font" else ""
        what = "display" if box else "size" if found else ""
        if not what or (what in firm and not important):
            continue
        if important:
            firm.add(what)
        display, size = box or display, found or size
    if display in ("", "other") and any(places.values()):
        display = "block" if display else "apart"
    return display, size


_declared = lru_cache(maxsize=2048)(_read)


def _box(value: str) -> Display:
    """The box of a value of `display`, or nothing for one that a browser does not know."""
    if value == "none":
        return "none"
    if value == "table-cell":
        return "cell"
    words = value.split()
    if words[:1] == ["block"] or value in _BLOCKS:
        return "block"
    return "other" if value in _OTHERS or words[:1] == ["inline"] else ""


def _size(value: str) -> str:
    """The font size of a value of `font`."""
    found = _SIZE_OF_FONT.search(value)
    return found.group(1) if found else ""
