"""Characters that act on a terminal instead of being shown: C0 and C1 controls, and changes of direction."""

import re

# JSON itself escapes what is below U+0020
_ACTING_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def json_for_terminal(text: str) -> str:
    r"""A JSON text with those characters as `\uXXXX`. It stands for the same value (RFC 8259, section 7): outside of
    a string no JSON text can hold one of them."""
    return _ACTING_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
