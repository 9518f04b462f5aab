"""IP addresses by their range, and which of them a crawl may reach (the egress policy).

The ranges are those of the IANA special-purpose address registries (RFC 6890 and its updates). An IPv6 address that
carries an IPv4 address is judged by both: packets to `64:ff9b::7f00:1` end at 127.0.0.1.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from polite_crawler.errors import BadOption
from polite_crawler.rules.hostnames import ascii_host
from polite_crawler.rules.outcomes import egress_note

RANGES = (
    "loopback", "private", "link-local", "shared", "multicast", "reserved", "documentation", "unspecified",
    "benchmarking",
)  # fmt: skip
"""The names of the ranges that `classify` gives."""

_OWN_NET = frozenset({"loopback", "private", "link-local"})

_V4: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "unspecified"),  # RFC 791 "this network"; Linux connects 0.0.0.0 to itself
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),  # IETF protocol assignments
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "reserved"),  # 6to4 relay anycast, deprecated by RFC 7526
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),  # with 255.255.255.255
)
# the first row that holds an address wins; None is public
_V6: tuple[tuple[str, str | None], ...] = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", None),  # mapped: the IPv4 address alone says what it is
    ("64:ff9b::/96", None),  # NAT64
    ("2001::/32", None),  # Teredo
    ("2001:2::/48", "benchmarking"),
    ("2001:3::/32", None),  # AMT
    ("2001:4:112::/48", None),  # AS112
    ("2001::/23", "reserved"),  # IETF protocol assignments, ORCHID
    ("2001:db8::/32", "documentation"),
    ("3fff::/20", "documentation"),
    ("2000::/3", None),  # all that is assigned as global unicast, with 6to4
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "private"),  # site-local, deprecated by RFC 3879
    ("ff00::/8", "multicast"),
    ("::/0", "reserved"),
)
_V4_ROWS = tuple((IPv4Network(net), name) for net, name in _V4)
_V6_ROWS = tuple((IPv6Network(net), name) for net, name in _V6)
# IPv4-mapped, IPv4-compatible, IPv4-translated (RFC 2765) and NAT64: nothing but an IPv4 address in another form
_CARRIERS = tuple(
    IPv6Network(net) for net in ("::ffff:0:0/96", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")

_HOST = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?").fullmatch
_LOCALHOST = "localhost"


def classify(address: str) -> str | None:
    """The name of the special range of an IP address, one of `RANGES`, or None for a public address.

    The zone of an IPv6 address (`%eth0`) and brackets do not count. An IPv4 address inside an IPv6 address is judged
    too (mapped, compatible, translated, NAT64, 6to4, Teredo with its obfuscated client, ISATAP). The old IPv4 forms
    (`127.1`, `0x7f000001`) are read as `literal` reads them. A text that is no address is `reserved`: nothing can be
    said for it, so it is not public. No text raises.
    """
    return next(iter(_ranges_of(address)), None)


def literal(host: str) -> str | None:
    """The address that a host names without any lookup, in its usual form and without a zone; None for a name.

    Read are the forms that resolvers and browsers read: dotted numbers in decimal, octal and hexadecimal with one to
    four parts, full-width digits and dots, a last dot, and IPv6 with or without brackets.
    """
    parsed = _address(host)
    return None if parsed is None else str(parsed)


@dataclass(frozen=True, slots=True)
class EgressAllow:
    """What POLITE_EGRESS_ALLOW opens: host names (`name.example`, or `*.name.example` for the names under it) and
    address ranges of any kind."""

    hosts: frozenset[str] = frozenset()
    ranges: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def parse(cls, entries: str | Iterable[str]) -> "EgressAllow":
        """The value of the setting: host names, addresses and CIDR ranges, as a list or as one text with commas or
        white space between them. Raises BadOption for an entry that is none of them."""
        parts = re.split(r"[\s,]+", entries) if isinstance(entries, str) else list(entries)
        hosts: set[str] = set()
        ranges: list[IPv4Network | IPv6Network] = []
        for entry in parts:
            text = entry.strip() if isinstance(entry, str) else ""
            if (net := _network(text)) is not None:
                ranges.append(net)
            elif (name := _host_entry(text)) is not None:
                hosts.add(name)
            elif text or not isinstance(entry, str):
                raise BadOption(f"POLITE_EGRESS_ALLOW: {entry!r} is neither a host name, an address nor a CIDR range")
        return cls(frozenset(hosts), tuple(ranges))

    def names(self, host: str) -> bool:
        """Whether a host is allowed by its name."""
        if not self.hosts:
            return False
        name = host.lower().rstrip(".")
        if name in self.hosts:
            return True
        labels = name.split(".")
        return any("*." + ".".join(labels[at:]) in self.hosts for at in range(1, len(labels)))

    def holds(self, address: str) -> bool:
        """Whether an address stands in an allowed range. A mapped address is the IPv4 address in it."""
        parsed = _address(address) if self.ranges else None
        if parsed is None:
            return False
        plain = parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
        return any(one in net for net in self.ranges for one in (parsed, plain))


_NOTHING_ALLOWED = EgressAllow()


def refusal(address: str, *, allow_private: bool, allow: EgressAllow = _NOTHING_ALLOWED) -> str | None:
    """The note of a refused address, or None when it may be reached.

    `allow_private` (POLITE_ALLOW_PRIVATE) opens loopback, private and link-local addresses and no others: an address
    of such a range that carries an IPv4 address of another range stays refused. `allow` opens what it names.
    """
    closed = [name for name in _ranges_of(address) if not (allow_private and name in _OWN_NET)]
    if not closed or allow.holds(address):
        return None
    return egress_note(address, closed[0])


@dataclass(frozen=True, slots=True)
class Egress:
    """The egress policy of a run: POLITE_ALLOW_PRIVATE and POLITE_EGRESS_ALLOW."""

    allow_private: bool = False
    allow: EgressAllow = _NOTHING_ALLOWED

    def refusal(self, address: str, host: str = "") -> str | None:
        """The note of a refused address, or None when it may be reached. `host` is the name that was resolved to it:
        a host that is allowed by name may have any address."""
        if host and self.allow.names(host):
            return None
        return refusal(address, allow_private=self.allow_private, allow=self.allow)

    def of_host(self, host: str) -> str | None:
        """The note of a host that is refused with no lookup: an IP literal of a refused range, or a name that always
        means this machine (`localhost` and the names under it, RFC 6761)."""
        if self.allow.names(host):
            return None
        if (address := literal(host)) is not None:
            return self.refusal(address)
        name = host.lower().rstrip(".")
        if name != _LOCALHOST and not name.endswith("." + _LOCALHOST):
            return None
        # a policy that opens the addresses of this machine opens its name
        open_here = self.allow_private or self.allow.holds("127.0.0.1") or self.allow.holds("::1")
        return None if open_here else egress_note(host, "loopback")


@lru_cache(maxsize=4096)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    try:
        if ":" in bare:
            return IPv6Address(bare.partition("%")[0])
        host = ascii_host(bare)
        return IPv6Address(host[1:-1]) if host.startswith("[") else IPv4Address(host)
    except (AddressValueError, BadOption):
        return None


@lru_cache(maxsize=4096)
def _ranges_of(text: str) -> tuple[str, ...]:
    parsed = _address(text)
    return ("reserved",) if parsed is None else tuple(_ranges(parsed))


def _ranges(address: IPv4Address | IPv6Address) -> Iterator[str]:
    """The special ranges of an address: its own first, then those of the IPv4 addresses that it carries."""
    if isinstance(address, IPv4Address):
        yield from (name for net, name in _V4_ROWS if address in net)
        return
    inner = [name for v4 in _embedded(address) for name in _ranges(v4)]
    own = next(name for net, name in _V6_ROWS if address in net)
    # an address that is nothing but a carrier takes the name of what it carries
    if own is not None and not (inner and _carries(address)):
        yield own
    yield from inner


def _carries(address: IPv6Address) -> bool:
    return int(address) > 1 and any(address in net for net in _CARRIERS)


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    octets = address.packed
    if _carries(address):
        yield from _nat64(octets) if address in _LOCAL_NAT64 else (IPv4Address(octets[12:]),)
    elif address in _TEREDO:
        yield IPv4Address(bytes(octet ^ 0xFF for octet in octets[12:]))  # RFC 4380: the client, inverted
        yield IPv4Address(octets[4:8])  # its server
    elif address in _SIX_TO_FOUR:
        yield IPv4Address(octets[2:6])
    if octets[8:12] in _ISATAP:
        yield IPv4Address(octets[12:])


def _nat64(octets: bytes) -> Iterator[IPv4Address]:
    """RFC 6052 section 2.2: an operator may choose a prefix of 48, 56, 64 or 96 bits. Octet 8 is zero and so is all
    that follows the address."""
    for at, end in (((6, 7, 9, 10), 11), ((7, 9, 10, 11), 12), ((9, 10, 11, 12), 13)):
        found = bytes(octets[one] for one in at)
        if any(found) and not octets[8] and not any(octets[end:]):
            yield IPv4Address(found)
            return
    yield IPv4Address(octets[12:])


def _network(text: str) -> IPv4Network | IPv6Network | None:
    address, slash, _ = text.partition("/")
    try:
        if slash:
            return ip_network(text.replace("[", "").replace("]", ""), strict=False)
    except ValueError:
        return None
    parsed = _address(address)
    return None if parsed is None else ip_network(parsed)


def _host_entry(text: str) -> str | None:
    wild = text.startswith("*.")
    try:
        name = ascii_host(text[2:] if wild else text)
    except BadOption:
        return None
    if not _HOST(name) or "*" in name:
        return None
    return "*." + name if wild else name
