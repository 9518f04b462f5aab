"""The egress table: every special range, IPv4 inside IPv6, the old forms of IPv4, and what the two settings open."""

import ipaddress
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.rules.addresses import RANGES, Egress, EgressAllow, classify, literal, refusal

RANGE_EDGES = [
    ("0.0.0.0", "unspecified"), ("0.255.255.255", "unspecified"), ("1.0.0.0", None),
    ("9.255.255.255", None), ("10.0.0.0", "private"), ("10.255.255.255", "private"), ("11.0.0.0", None),
    ("100.63.255.255", None), ("100.64.0.0", "shared"), ("100.127.255.255", "shared"), ("100.128.0.0", None),
    ("126.255.255.255", None), ("127.0.0.0", "loopback"), ("127.255.255.255", "loopback"), ("128.0.0.0", None),
    ("169.253.255.255", None), ("169.254.169.254", "link-local"), ("169.255.0.0", None),
    ("172.15.255.255", None), ("172.16.0.0", "private"), ("172.31.255.255", "private"), ("172.32.0.0", None),
    ("191.255.255.255", None), ("192.0.0.0", "reserved"), ("192.0.0.255", "reserved"), ("192.0.1.0", None),
    ("192.0.2.1", "documentation"), ("192.0.3.0", None), ("192.88.99.1", "reserved"), ("192.88.100.0", None),
    ("192.167.255.255", None), ("192.168.0.0", "private"), ("192.169.0.0", None),
    ("198.17.255.255", None), ("198.18.0.0", "benchmarking"), ("198.19.255.255", "benchmarking"), ("198.20.0.0", None),
    ("198.51.100.7", "documentation"), ("198.51.101.0", None), ("203.0.113.9", "documentation"), ("203.0.114.0", None),
    ("223.255.255.255", None), ("224.0.0.1", "multicast"), ("239.255.255.255", "multicast"),
    ("240.0.0.1", "reserved"), ("255.255.255.255", "reserved"),
    ("::", "unspecified"), ("::1", "loopback"), ("100::1", "reserved"), ("1fff:ffff::", "reserved"),
    ("2001:2::1", "benchmarking"), ("2001:2:1::", "reserved"), ("2001:10::1", "reserved"), ("2001:20::1", "reserved"),
    ("2001:3::1", None), ("2001:4:112::1", None), ("2001:4:113::", "reserved"),
    ("2001:1ff:ffff::", "reserved"), ("2001:200::1", None), ("2001:db7:ffff::", None), ("2001:db8::1", "documentation"),
    ("2001:db9::", None), ("2001:4860:4860::8888", None), ("2606:4700::1111", None), ("2620:4f:8000::1", None),
    ("3ffe:ffff::1", None), ("3fff::1", "documentation"), ("3fff:fff:ffff::", "documentation"), ("3fff:1000::", None),
    ("4000::1", "reserved"), ("5f00::1", "reserved"), ("fbff::1", "reserved"), ("fc00::1", "private"),
    ("fdff:ffff::1", "private"), ("fe00::1", "reserved"), ("fe80::1", "link-local"), ("febf:ffff::1", "link-local"),
    ("fec0::1", "private"), ("ff00::", "multicast"), ("ff02::1", "multicast"), ("ff0e::1", "multicast"),
]  # fmt: skip

IPV4_INSIDE = [
    ("::ffff:127.0.0.1", "loopback"), ("::ffff:7f00:1", "loopback"), ("::ffff:8.8.8.8", None),
    ("::127.0.0.1", "loopback"), ("::10.0.0.1", "private"), ("::8.8.8.8", "reserved"),
    ("::ffff:0:10.0.0.1", "private"),
    ("64:ff9b::7f00:1", "loopback"), ("64:ff9b::169.254.169.254", "link-local"), ("64:ff9b::8.8.8.8", None),
    ("64:ff9b:1::7f00:1", "loopback"), ("64:ff9b:1:7f00:0:100::", "loopback"), ("64:ff9b:1::8.8.8.8", "reserved"),
    ("64:ff9b:1:7f:0:1::", "loopback"), ("64:ff9b:1:0:7f:0:100:0", "loopback"),
    ("2002:7f00:1::", "loopback"), ("2002:a9fe:a9fe::1", "link-local"), ("2002:808:808::1", None),
    ("2001:0:808:808:0:0:80ff:fffe", "loopback"), ("2001:0:7f00:1:0:0:f7f7:f7f7", "loopback"),
    ("2001:0:808:808:0:0:f7f7:f7f7", None), ("2001:0:808:808:0:0:5601:5601", "link-local"),
    ("2001:4860::5efe:10.0.0.1", "private"), ("2001:4860::200:5efe:127.0.0.1", "loopback"),
    ("2001:4860::5efe:8.8.8.8", None), ("fe80::5efe:8.8.8.8", "link-local"),
    ("ff0e::5efe:127.0.0.1", "multicast"), ("ff0e::5efe:8.8.8.8", "multicast"),
]  # fmt: skip

OLD_FORMS = [
    ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
    ("0X7F.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"),
    ("１２７.0.0.1", "127.0.0.1"), ("127。0。0。1", "127.0.0.1"), ("①②⑦.0.0.1", "127.0.0.1"),
    ("127.0.0\u00ad.1", "127.0.0.1"), ("%31%32%37.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("::1", "::1"),
    ("[0:0::1]", "::1"), ("fe80::1%eth0", "fe80::1"), ("1.2.3.4", "1.2.3.4"), ("0xa9fea9fe", "169.254.169.254"),
]  # fmt: skip

NO_ADDRESS = [
    "example.com", "localhost", "", " ", ".", "...", "%", "[", "]", "[]", "::%", ":::", "1.2.3.4.5", "256.1.1.1",
    "1.2.3.256", "08.0.0.1", "4294967296", "0x", "1..2", "9" * 9999, "\x00", "\ud800", "a" * 100_000, "127.0.0.1%lo",
    "127.0.0.1/8", "1.2.3.4:80", "fe80::1::2", "12345::", "[127.0.0.1", "::ffff:127.0.0.256", "一二七.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize(("address", "name"), RANGE_EDGES + IPV4_INSIDE)
def test_range_of_an_address(address: str, name: str | None) -> None:
    assert classify(address) == name


@pytest.mark.parametrize(
    ("address", "name"), [("fe80::1%eth0", "link-local"), ("[::1]", "loopback"), ("FE80::1%1", "link-local")]
)
def test_zone_and_brackets_do_not_count(address: str, name: str) -> None:
    assert classify(address) == name


@pytest.mark.parametrize(("text", "address"), OLD_FORMS)
def test_old_forms_are_the_address_that_a_resolver_reaches(text: str, address: str) -> None:
    assert literal(text) == address
    assert classify(text) == classify(address)


@pytest.mark.parametrize("text", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "１２７.0.0.1", "127。0。0。1"])
def test_literal_agrees_with_getaddrinfo(text: str) -> None:
    assert literal(text) == socket.getaddrinfo(text, 80, type=socket.SOCK_STREAM)[0][4][0]


@pytest.mark.parametrize("text", [text for text in NO_ADDRESS if text not in ("0x", "::%")])
def test_a_text_that_is_no_address_is_a_name_and_never_public(text: str) -> None:
    assert literal(text) is None
    assert classify(text) == "reserved"


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_all_ways_to_write_an_ipv4_address_have_one_range(number: int) -> None:
    plain = str(ipaddress.IPv4Address(number))
    name = classify(plain)
    assert {classify(form) for form in (str(number), hex(number), f"0{number:o}", f"::ffff:{plain}")} == {name}
    if name is not None:
        inside = [f"64:ff9b::{plain}", f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1", f"2a00::5efe:{plain}"]
        assert {classify(form) for form in inside} == {name}


@given(st.text(max_size=60) | st.text("0123456789abcdefx.:[]%/", max_size=40))
@settings(max_examples=200)
def test_no_text_raises(text: str) -> None:
    assert classify(text) in {None, *RANGES}
    address = literal(text)
    assert address is None or literal(address) == address


@given(st.integers(0, 2**128 - 1))
@settings(max_examples=200)
def test_public_ipv6_is_global_unicast_or_carries_ipv4(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    if classify(str(address)) is None:
        assert address in ipaddress.ip_network("2000::/3") or address.ipv4_mapped or str(address).startswith("64:ff9b:")


OPENED = [
    # address, allow_private, allow, the note
    ("127.0.0.1", False, [], "egress policy: 127.0.0.1 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"),
    ("10.1.2.3", False, [], "egress policy: 10.1.2.3 is a private address; set POLITE_ALLOW_PRIVATE to fetch it"),
    ("fe80::1", False, [], "egress policy: fe80::1 is a link-local address; set POLITE_ALLOW_PRIVATE to fetch it"),
    ("100.64.0.1", False, [],
     "egress policy: 100.64.0.1 is a shared address; name it in POLITE_EGRESS_ALLOW to fetch it"),
    ("224.0.0.1", True, [],
     "egress policy: 224.0.0.1 is a multicast address; name it in POLITE_EGRESS_ALLOW to fetch it"),
    ("127.0.0.1", True, [], None), ("10.0.0.1", True, [], None), ("169.254.1.1", True, [], None),
    ("::1", True, [], None),
    ("8.8.8.8", False, [], None),
    ("127.0.0.1", False, ["127.0.0.1"], None),
    ("127.0.0.2", False, ["127.0.0.1"],
     "egress policy: 127.0.0.2 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"),
    ("::ffff:127.0.0.1", False, ["127.0.0.1"], None),
    ("64:ff9b::7f00:1", False, ["127.0.0.0/8"],
     "egress policy: 64:ff9b::7f00:1 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"),
    ("100.64.7.7", False, ["100.64.0.0/10"], None), ("224.0.0.1", False, ["224.0.0.0/4"], None),
    ("10.2.3.4", False, ["10.0.0.1/8"], None), ("fd00::1", False, ["fd00::/8"], None),
    ("127.0.0.1", False, ["127.1"], None), ("10.0.0.1", False, ["::/0", "10.0.0.0/8"], None),
    ("fc00::5efe:7f00:1", False, [],
     "egress policy: fc00::5efe:7f00:1 is a private address; set POLITE_ALLOW_PRIVATE to fetch it"),
    # a link-local address that carries a shared one is not opened by half
    ("fe80::5efe:100.64.0.1", True, [],
     "egress policy: fe80::5efe:100.64.0.1 is a shared address; name it in POLITE_EGRESS_ALLOW to fetch it"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "private", "allow", "note"), OPENED)
def test_refusal(address: str, private: bool, allow: list[str], note: str | None) -> None:
    assert refusal(address, allow_private=private, allow=EgressAllow.parse(allow)) == note


def test_a_host_allowed_by_name_may_have_any_address() -> None:
    egress = Egress(allow=EgressAllow.parse("intra.example, *.lab.example"))
    assert egress.refusal("10.0.0.1", host="intra.example") is None
    assert egress.refusal("10.0.0.1", host="Intra.Example.") is None
    assert egress.refusal("224.0.0.1", host="a.b.lab.example") is None
    assert egress.refusal("10.0.0.1", host="lab.example") is not None
    assert egress.refusal("10.0.0.1", host="notintra.example") is not None
    assert egress.refusal("10.0.0.1") is not None


@pytest.mark.parametrize(
    ("host", "private", "allow", "refused"),
    [
        ("localhost", False, "", True), ("LOCALHOST.", False, "", True), ("a.localhost", False, "", True),
        ("localhost", True, "", False), ("localhost", False, "localhost", False),
        ("localhost", False, "127.0.0.1", False),
        ("mylocalhost", False, "", False), ("example.com", False, "", False), ("127.1", False, "", True),
        ("0x7f.1", True, "", False), ("[::1]", False, "", True), ("[::1]", False, "::1", False),
        ("8.8.8.8", False, "", False),
    ],
)  # fmt: skip
def test_hosts_that_need_no_lookup(host: str, private: bool, allow: str, refused: bool) -> None:
    assert (Egress(private, EgressAllow.parse(allow)).of_host(host) is not None) == refused


def test_allow_reads_a_text_or_a_list() -> None:
    assert EgressAllow.parse(" 127.0.0.1,  10.0.0.0/8\tintra.example ") == EgressAllow.parse(
        ["127.0.0.1", "10.0.0.0/8", "intra.example"]
    )
    assert EgressAllow.parse("") == EgressAllow.parse([]) == EgressAllow()


@pytest.mark.parametrize(
    "entry", ["http://a.example/", "10.0.0.0/33", "a b@c", "1.2.3.4.5", "*", "*.*", "::1/200", "a/b", 7]
)
def test_a_bad_entry_is_a_bad_option(entry: object) -> None:
    with pytest.raises(BadOption, match="POLITE_EGRESS_ALLOW"):
        EgressAllow.parse([entry])  # type: ignore[list-item]
