"""One HTTP message as the signature library sees it: its components come from the octets that are really sent.

The library wants a URL that RFC 3986 would accept. What is sent can hold more (`|` or `[` in a path, as browsers send
them), so it gets the origin alone, and path, query, its parameters and target are taken from the request line.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, unquote

import http_sf
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageVerifier,
    HTTPSignatureComponentResolver,
    HTTPSignatureKeyResolver,
)

from polite_crawler.rules import urls
from polite_crawler.signing.keys import PublicKey

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
"""Header fields: a mapping, or pairs in their order, in which a name may stand more than once."""


class Fields(MutableMapping[str, str]):
    """Header fields as the library reads and writes them: one value a name, in any case. Lines of one name are
    joined by a comma (RFC 9110 section 5.3); `items` gives each line."""

    def __init__(self, headers: Headers = ()) -> None:
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        self._lines: list[tuple[str, str]] = [(str(name), str(value)) for name, value in pairs]

    def __getitem__(self, name: str) -> str:
        values = [value.strip(" \t") for key, value in self._lines if key.lower() == name.lower()]
        if not values:
            raise KeyError(name)
        return ", ".join(values)

    def __setitem__(self, name: str, value: str) -> None:
        self._lines = [line for line in self._lines if line[0].lower() != name.lower()]
        self._lines.append((name, value))

    def __delitem__(self, name: str) -> None:
        left = [line for line in self._lines if line[0].lower() != name.lower()]
        if len(left) == len(self._lines):
            raise KeyError(name)
        self._lines = left

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for name, _ in self._lines))

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self._lines})

    def items(self) -> list[tuple[str, str]]:  # type: ignore[override]
        """Each line in its order."""
        return list(self._lines)


@dataclass(slots=True)
class RequestMessage:
    """A request. `url` is the origin with a slash, `target` what stands in the request line."""

    method: str
    url: str
    target: str
    headers: Fields = field(default_factory=Fields)


@dataclass(slots=True)
class ResponseMessage:
    """A response and the request that it answers."""

    request: RequestMessage
    headers: Fields
    status_code: int = 200


def request_message(method: str, url: str, headers: Headers = ()) -> RequestMessage:
    """The message of a request for an http or https URL. Raises BadOption for another URL."""
    return RequestMessage(method.upper(), urls.origin(url) + "/", urls.request_target(url), Fields(headers))


def _target(resolver: HTTPSignatureComponentResolver) -> str:
    return str(resolver.message.target)


def _path(resolver: HTTPSignatureComponentResolver) -> str:
    return _target(resolver).partition("?")[0] or "/"


def _query(resolver: HTTPSignatureComponentResolver) -> str:
    return "?" + _target(resolver).partition("?")[2]


def _target_uri(resolver: HTTPSignatureComponentResolver) -> str:
    return str(resolver.message.url).removesuffix("/") + _target(resolver)


_DICTIONARIES = frozenset({"signature-agent", "signature-input", "signature"})
"""Fields whose type the library does not know."""


class Components(HTTPSignatureComponentResolver):
    """The components of RFC 9421 section 2.2, with those of the path from the request line."""

    derived_component_resolvers: ClassVar[dict[str, Callable[..., str]]] = {
        **HTTPSignatureComponentResolver.derived_component_resolvers,
        "@request-target": _target,
        "@path": _path,
        "@query": _query,
        "@query-param": lambda resolver, **params: resolver.query_param(**params),
        "@target-uri": _target_uri,
    }

    @cached_property
    def _sent_params(self) -> Mapping[str, Sequence[str]]:
        """The values of each parameter of the query, as the form encoding of the WHATWG URL Standard reads it."""
        values: dict[str, list[str]] = {}
        for name, value in parse_qsl(_query(self)[1:], keep_blank_values=True):
            values.setdefault(name, []).append(value)
        return values

    def query_param(self, *, name: object = None) -> str:
        """One parameter of the query (RFC 9421 section 2.2.8). It must stand in it one time."""
        values = self._sent_params.get(unquote(name), ()) if isinstance(name, str) else ()
        if len(values) != 1:
            raise HTTPMessageSignaturesException(f"the query does not hold one parameter {name!r}")
        # the form encoding of the standard, with %20 for a space
        return quote(values[0], safe="*").replace("~", "%7E")

    def resolve(self, component_node: Any) -> str:
        """The value of a component, also of a whole dictionary that is written anew (`;sf`)."""
        name = component_node.value
        if dict(component_node.params) != {"sf": True} or name not in _DICTIONARIES or name not in self.headers:
            return str(super().resolve(component_node))
        try:
            return str(http_sf.ser(http_sf.parse(self.headers[name].encode(), tltype="dictionary")))
        except ValueError as error:
            raise HTTPMessageSignaturesException(f"the field {name} is no dictionary: {error}") from None


class Verifier(HTTPMessageVerifier):
    """The library's verifier for dates that the caller has judged: it would ask the clock of the machine."""

    require_created = False

    def validate_created_and_expires(self, sig_input: Any, max_age: timedelta | None = None) -> None:
        """Nothing: see the class."""


class Keys(HTTPSignatureKeyResolver):
    """The public keys of a directory by their key id."""

    def __init__(self, keys: Mapping[str, PublicKey]) -> None:
        self._keys = keys

    def resolve_public_key(self, key_id: str) -> PublicKey | None:
        """The key, or None."""
        return self._keys.get(key_id)
