"""Host names in their ASCII form: IDNA (UTS 46) and IP literals, as the WHATWG host parser reads them."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote

from polite_crawler.errors import BadOption

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\"#%/:<>?@\[\\\]^`{|}]")
_PLAIN = re.compile(r"[a-z0-9_.-]+").fullmatch
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]*|[0-9]+").fullmatch
_LONGEST = 1024


@lru_cache(maxsize=8192)
def ascii_host(host: str) -> str:
    """The ASCII form of the host of a URL: lower case, A-labels, no trailing dot; an IPv4 address in four decimal
    numbers (also from `0x7f.1`), an IPv6 address in brackets and compressed (RFC 5952).

    `_`, hyphens anywhere and emoji are read as browsers read them. Raises BadOption for what no URL can hold.
    """
    if host.startswith("["):
        return _ipv6(host)
    text = host if _PLAIN(host) else _mapped(unquote(host))
    text = text.rstrip(".")
    if not text:
        raise BadOption("the host is missing")
    if _FORBIDDEN.search(text):
        raise BadOption("the host holds a character that no host can hold")
    last = text.rpartition(".")[2]
    return _ipv4(text) if _NUMBER(last) else text


def _mapped(host: str) -> str:
    if len(host) > _LONGEST:
        raise BadOption("the host is too long")
    if host.isascii():
        return host.lower()
    import idna  # its tables take longer to load than most commands run

    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
    except idna.IDNAError:
        # a code point that the table does not know (a new emoji): the mapping that it would have by its class
        mapped = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", host).casefold())
    return ".".join(_a_label(label) for label in re.split("[.。．｡]", mapped))


def _a_label(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _ipv4(host: str) -> str:
    """WHATWG IPv4 parser: one to four numbers, decimal, octal or hexadecimal; the last fills the octets left."""
    numbers = [_number(part) for part in host.split(".")]
    *leading, last = numbers
    if len(numbers) > 4 or any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        raise BadOption("the host ends in a number but is no IPv4 address")
    return str(IPv4Address(last + sum(number << (8 * (3 - place)) for place, number in enumerate(leading))))


def _number(part: str) -> int:
    try:
        if not _NUMBER(part) or len(part) > 40:
            raise ValueError(part)
        if part[:2] in ("0x", "0X"):
            return int(part[2:] or "0", 16)
        return int(part, 8 if part[0] == "0" else 10)
    except ValueError:
        raise BadOption("the host ends in a number but is no IPv4 address") from None


def _ipv6(host: str) -> str:
    if not host.endswith("]") or "%" in host:
        raise BadOption("the host is no IPv6 address")
    try:
        address = IPv6Address(host[1:-1])
    except AddressValueError:
        raise BadOption("the host is no IPv6 address") from None
    groups = [f"{int(group, 16):x}" for group in address.exploded.split(":")]
    return f"[{_compressed(groups)}]"


def _compressed(groups: list[str]) -> str:
    """RFC 5952 section 4.2. `str(IPv6Address)` writes mapped addresses in another way from Python 3.13 on."""
    text = ":".join(groups)
    runs = sorted(re.finditer(r"\b0(?::0)+\b", text), key=lambda run: run.start() - run.end())
    if not runs:
        return text
    run = runs[0]
    return text[: run.start()].rstrip(":") + "::" + text[run.end() :].lstrip(":")
