"""A request as bytes and back: JSON, never pickle, so that a file of the store can run no code."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from scrapy import Request, Spider

from polite_crawler.rules.redaction import has_secret, safe_referer
from polite_crawler.rules.secretfields import SECRET_HEADERS
from polite_crawler.transport.meta import LIVE
from polite_crawler.transport.trace import META

_NOT_KEPT = frozenset({META, LIVE, "download_slot", "download_latency", "depth_reset"})
_PLAIN = (str, int, float, bool, type(None))


class NotStorable(ValueError):
    """The request holds what JSON cannot tell, or a callback that is no method of the spider."""


class HasSecret(NotStorable):
    """The request holds a secret, which never reaches the disk."""


def encode(request: Request, spider: Spider, params: frozenset[str]) -> bytes:
    """The request as bytes. `params` are the names of the query parameters that are secrets.

    Raises HasSecret for a URL with a redacted part, for credentials, cookies, a body and for any text that is such a
    URL; NotStorable for anything else that cannot come back as it was. A Referer loses its secrets, as it does when
    it is sent.
    """
    headers = _headers(request, params)
    if has_secret(request.url, params) or request.body or request.cookies:
        raise HasSecret(request.url)
    meta = {key: value for key, value in request.meta.items() if key not in _NOT_KEPT}
    fields: dict[str, Any] = {
        "url": request.url,
        "callback": _name(spider, request.callback),
        "errback": _name(spider, request.errback),
        "method": request.method if request.method != "GET" else None,
        "headers": headers,
        "meta": _packed(meta, params) if meta else None,
        "encoding": request.encoding if request.encoding != "utf-8" else None,
        "priority": request.priority or None,
        "dont_filter": request.dont_filter or None,
        "flags": list(request.flags) or None,
        "cb_kwargs": _packed(request.cb_kwargs, params) if request.cb_kwargs else None,
        "class": None if type(request) is Request else f"{type(request).__module__}.{type(request).__qualname__}",
    }
    told = {key: value for key, value in fields.items() if value is not None and value != {}}
    return json.dumps(told, separators=(",", ":")).encode()


def decode(data: bytes, spider: Spider) -> Request:
    """The request of some bytes. Raises NotStorable for bytes that name no request of this spider."""
    try:
        fields = json.loads(data)
        cls = _class(fields["class"]) if "class" in fields else Request
        options = {
            key: fields[key] for key in ("method", "encoding", "priority", "dont_filter", "flags") if key in fields
        }
        request: Request = cls(
            fields["url"],
            callback=_method(spider, fields.get("callback")),
            errback=_method(spider, fields.get("errback")),
            headers={
                key: [value.encode("latin-1") for value in values] for key, values in fields.get("headers", {}).items()
            },
            meta=_unpacked(fields["meta"]) if "meta" in fields else None,
            cb_kwargs=_unpacked(fields["cb_kwargs"]) if "cb_kwargs" in fields else None,
            **options,
        )
    except (ValueError, TypeError, KeyError, AttributeError, NameError, ImportError) as error:
        raise NotStorable(f"{type(error).__name__}: {error}") from error
    return request


def _class(path: str) -> type[Request]:
    """The class of a request. A file can name only what the program has imported already."""
    module, _, name = path.rpartition(".")
    cls = getattr(sys.modules.get(module), name, None)
    if not isinstance(cls, type) or not issubclass(cls, Request):
        raise TypeError(f"{path} is no class of requests here")
    return cls


def _headers(request: Request, params: frozenset[str]) -> dict[str, list[str]]:
    kept: dict[str, list[str]] = {}
    for key, values in request.headers.items():
        name = key.decode("latin-1")
        texts = [value.decode("latin-1") for value in values]
        if name.lower() in SECRET_HEADERS or name.lower() in ("cookie", "authorization", "proxy-authorization"):
            raise HasSecret(name)
        if name.lower() == "referer":
            texts = [safe for text in texts if (safe := safe_referer(text, params)) is not None]
        elif any("://" in text and has_secret(text, params) for text in texts):
            raise HasSecret(name)
        kept[name] = texts
    return kept


def _name(spider: Spider, function: Callable[..., Any] | None) -> str | None:
    if function is None:
        return None
    name = getattr(function, "__name__", "")
    mine = getattr(spider, name, None) if getattr(function, "__self__", None) is spider else None
    if mine is None or mine.__func__ is not function.__func__:  # type: ignore[attr-defined]
        raise NotStorable(f"{function!r} is no method of the spider")
    return name


def _method(spider: Spider, name: str | None) -> Callable[..., Any] | None:
    if name is None:
        return None
    method = getattr(spider, name)
    if not callable(method):
        raise TypeError(f"{name} of the spider is no method")
    return method  # type: ignore[no-any-return]


def _packed(value: Any, params: frozenset[str]) -> Any:
    """The value in JSON; what JSON has no form for stands in an object with one key that names its type."""
    kind = type(value)
    if kind is str and "://" in value and has_secret(value, params):
        raise HasSecret("a text with a secret")
    if kind in _PLAIN:
        return value
    if kind is list:
        return [_packed(one, params) for one in value]
    if kind is dict:
        return {"dict": [[_packed(key, params), _packed(one, params)] for key, one in value.items()]}
    if kind is bytes:
        return {"bytes": value.decode("latin-1")}
    if kind in _SEQUENCES.values():
        return {kind.__name__: [_packed(one, params) for one in value]}
    raise NotStorable(f"{kind.__qualname__} has no form in JSON")


_SEQUENCES: Mapping[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "dict":
        return {_unpacked(key): _unpacked(one) for key, one in held}
    if kind == "bytes":
        return held.encode("latin-1")
    return _SEQUENCES[kind]([_unpacked(one) for one in held])
