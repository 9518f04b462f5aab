"""Signature-Agent: the field that tells a verifier where the keys are."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import http_sf

from polite_crawler.errors import BadOption
from polite_crawler.rules import urls
from polite_crawler.rules.signature import Form
from polite_crawler.signing.draft import DIRECTORY_PATH

LEGACY = ""
"""The label of the one member of a bare string, which drafts before -00 sent."""

_TEXT = re.compile(r"[\x21-\x7e]+").fullmatch
_URI = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+").fullmatch


@dataclass(frozen=True, slots=True)
class AgentMember:
    """One member of the field. `uri` is None when its value is no string; `type` is its parameter `type`, which the
    draft -00 had (`directory` when it is not there); `plain` is true without any parameter."""

    label: str
    uri: str | None
    type: str = "directory"
    plain: bool = True


def agent_uri(text: str, form: Form = "uri") -> str:
    """The value of our member for what a person gave. A bare origin becomes its well-known URL, another URL stays as
    it is (the form of the draft -01); `form="origin"` gives the origin, whose well-known path a verifier appends (-00).
    Raises BadOption for what is no https URL that a header can hold."""
    given = text.strip()
    parts = _split(given)
    if parts is None or parts.scheme != "https" or not parts.hostname or not urls.is_http(given):
        raise BadOption(f"the signature agent {given!r} is no https URL of a key directory")
    if parts.username is not None or parts.password is not None or "#" in given:
        raise BadOption("the signature agent is a URL without a user name, a password or a fragment")
    if not _TEXT(given) or '"' in given or "\\" in given:
        raise BadOption(f"the signature agent {given!r} holds a character that a URL cannot have; percent-encode it")
    bare = parts.path in ("", "/") and "?" not in given
    if form == "uri":
        return urls.origin(given) + DIRECTORY_PATH if bare else given
    if not bare and (parts.path != DIRECTORY_PATH or "?" in given):
        raise BadOption(f"the form origin needs an origin such as {urls.origin(given)}, not {given!r}")
    return urls.origin(given)


def agent_field(label: str, uri: str) -> str:
    """The field with one member: `sig1="https://bot.example.com/..."`."""
    return f"{label}={http_sf.ser(uri)}"


def read_agents(text: str) -> tuple[AgentMember, ...] | None:
    """The members of a field in their order; a bare string is one member with the label "". None when it is neither
    a dictionary nor a string (RFC 9651)."""
    octets = text.encode("utf-8", "replace")
    try:
        members = http_sf.parse(octets, tltype="dictionary")
    except ValueError:
        return _legacy(octets)
    assert isinstance(members, dict)
    return tuple(_member(label, node) for label, node in members.items())


def _legacy(octets: bytes) -> tuple[AgentMember, ...] | None:
    try:
        member = _member(LEGACY, http_sf.parse(octets, tltype="item"))
    except ValueError:
        return None
    return (member,) if member.uri is not None else None


def _member(label: str, node: object) -> AgentMember:
    assert isinstance(node, tuple)
    value, params = node
    kind = params.get("type", "directory")
    return AgentMember(label, value if type(value) is str else None, str(kind), not params)


def is_https(uri: str) -> bool:
    """Whether a verifier can fetch keys from a URI: https, with a host and without credentials."""
    parts = _split(uri) if _URI(uri) else None
    return parts is not None and parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc


def is_well_known(uri: str) -> bool:
    """Whether the keys of a member stand at the well-known URL of a domain: it is that URL, or an origin (-00)."""
    parts = _split(uri)
    return parts is not None and parts.path in ("", "/", DIRECTORY_PATH)


def _split(text: str) -> "_Split | None":
    try:
        parts = urlsplit(text)
        return _Split(parts.scheme, parts.netloc, parts.hostname, parts.path, parts.username, parts.password)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Split:
    scheme: str
    netloc: str
    hostname: str | None
    path: str
    username: str | None
    password: str | None
