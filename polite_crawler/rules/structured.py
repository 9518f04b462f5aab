"""Dictionaries of structured fields (RFC 9651 section 4.2.2), as far as preferences need them: a member is a token or
something else."""

import re
from collections.abc import Mapping

_KEY = re.compile(r"[a-z*][a-z0-9_.*-]*")
_TOKEN = re.compile(r"[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*")
_OTHER = re.compile(
    r"""-?[0-9]{1,12}\.[0-9]{1,3}(?![0-9.])   # decimal
    |   @-?[0-9]{1,15}(?![0-9.])              # date
    |   -?[0-9]{1,15}(?![0-9.])               # integer
    |   "(?:[ !#-\[\]-~]|\\["\\])*+"          # string
    |   :[A-Za-z0-9+/=]*+:                    # byte sequence
    |   \?[01]                                # boolean
    |   %"(?:[ !#-$&-~]|%[0-9a-f]{2})*+"      # display string
    """,
    re.VERBOSE,
)
_SPACES = re.compile(r"[ \t]*+")
_ONLY_SPACES = re.compile(r" *+")


class _NotStructured(Exception):
    pass


def dictionary_tokens(text: str) -> Mapping[str, str | None] | None:
    """The members of a dictionary in sequence: the token, or None for a value of another type (a boolean, a string, a
    list ...). Parameters are left out, and the last member of a key counts. None when the text is no dictionary."""
    try:
        return _dictionary(text.strip(" "))
    except _NotStructured:
        return None


def _dictionary(text: str) -> Mapping[str, str | None]:
    members: dict[str, str | None] = {}
    at = 0
    while at < len(text):
        key, at = _key(text, at)
        value: str | None = None
        if text.startswith("=", at):
            inner = text.startswith("(", at + 1)
            value, at = (None, _inner_list(text, at + 2)) if inner else _bare_item(text, at + 1)
        at = _parameters(text, at)
        members.pop(key, None)
        members[key] = value
        at = _match(_SPACES, text, at).end()
        if at == len(text):
            return members
        if text[at] != ",":
            raise _NotStructured
        at = _match(_SPACES, text, at + 1).end()
        if at == len(text):
            raise _NotStructured
    return members


def _key(text: str, at: int) -> tuple[str, int]:
    found = _match(_KEY, text, at)
    return found[0], found.end()


def _bare_item(text: str, at: int) -> tuple[str | None, int]:
    token = _TOKEN.match(text, at)
    return (token[0], token.end()) if token else (None, _match(_OTHER, text, at).end())


def _inner_list(text: str, at: int) -> int:
    while True:
        spaces = _match(_ONLY_SPACES, text, at)
        at = spaces.end()
        if text.startswith(")", at):
            return at + 1
        if not spaces[0] and text[at - 1 : at] != "(":
            raise _NotStructured
        at = _parameters(text, _bare_item(text, at)[1])


def _parameters(text: str, at: int) -> int:
    while text.startswith(";", at):
        _, at = _key(text, _match(_ONLY_SPACES, text, at + 1).end())
        if text.startswith("=", at):
            _, at = _bare_item(text, at + 1)
    return at


def _match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    found = pattern.match(text, at)
    if found is None:
        raise _NotStructured
    return found
