"""The arguments of a spider, which come as text from a command line and as values from a program."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.rules import urls

_TRUE = frozenset({"1", "on", "yes", "true"})
_FALSE = frozenset({"", "0", "off", "no", "false"})


def whole(value: str | int, name: str, *, least: int) -> int:
    """A whole number. Raises BadOption."""
    try:
        number = least - 1 if isinstance(value, bool | float) else int(value)
    except (TypeError, ValueError):
        number = least - 1
    if number < least:
        raise BadOption(f"{name}: {value!r} is not a whole number from {least}")
    return number


def flag(value: str | bool, name: str) -> bool:
    """`on` or `off`, as people write them. Raises BadOption."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in _TRUE | _FALSE:
        raise BadOption(f"{name}: {value!r} is neither on nor off")
    return text in _TRUE


def seeds(text: str | None, name: str = "url") -> tuple[str, ...]:
    """The URLs of an argument, white space between several. Raises BadOption for none, and for a text that is no
    http(s) URL."""
    found = (text or "").split()
    if not found:
        raise BadOption(f"no URL; give one, for example -a {name}=https://example.com/")
    for url in found:
        urls.check(url)
    return tuple(dict.fromkeys(found))


def no_more(given: Mapping[str, Any], spider: type) -> None:
    """Raise BadOption for an argument that the spider does not have: a misspelled limit must not mean no limit."""
    if given:
        known = ", ".join(name for name in signature(spider).parameters if name != "kwargs")
        raise BadOption(f"no argument {next(iter(given))!r}; there are: {known}")
