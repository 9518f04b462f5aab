"""No test opens a connection that leaves this machine: an audit hook refuses it, and the test fails."""

import ipaddress
import sys
from typing import Any

_refused: list[str] = []


class LeavesTheMachine(RuntimeError):
    """A connection to an address that is not loopback."""


def _stays_here(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True
    host = str(address[0]).partition("%")[0]
    if host in ("localhost", ""):
        return True
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto") and not _stays_here(arguments[1]):
        _refused.append(repr(arguments[1]))
        raise LeavesTheMachine(f"a test wanted to connect to {arguments[1]!r}")


def install() -> None:
    """Refuse such connections in this process from now on."""
    sys.addaudithook(_hook)


def refused() -> list[str]:
    """The addresses that were refused since the last call, also where the code swallowed the error."""
    found = list(_refused)
    _refused.clear()
    return found
