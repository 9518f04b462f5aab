"""Which elements a page hides from a reader, by their own attributes. Style sheets are not read."""

import re

_COMMENT = re.compile(r"/\*(?:.*?\*/|.*)", re.S)
_DISPLAY_NONE = re.compile(r"(?:^|;)\s*display\s*:\s*none\b")
_FONT_SIZE = re.compile(r"(?:^|;)\s*font-size\s*:\s*([^;]+)")
_ZERO = re.compile(r"[+-]?(?:0+\.?0*|\.0+)(?:[a-z]{1,4}|%)?\s*(?:!\s*important)?$")
_RELATIVE = re.compile(r"(?:\d(?:em|ex|ch|%)|smaller|larger|inherit)\s*(?:!\s*important)?$")


def read_style(style: str, zero: bool) -> tuple[bool, bool]:
    """Whether a style attribute hides its element, and whether the text in it has a font size of zero.

    `zero` is the state of the parent: a relative size of zero stays zero, any other size ends it.
    """
    low = style.lower()
    if "display" not in low and "font-size" not in low:
        return False, zero
    if "/*" in low:
        low = _COMMENT.sub("", low)
    if _DISPLAY_NONE.search(low):
        return True, zero
    sizes = _FONT_SIZE.findall(low)
    if sizes:
        size = sizes[-1].strip()
        if _ZERO.match(size):
            zero = True
        elif zero and not _RELATIVE.search(size):
            zero = False
    return False, zero
