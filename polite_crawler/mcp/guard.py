"""The door of the HTTP server: who may come in, on every route and before anything else."""

import hashlib
import hmac
from collections.abc import Collection
from typing import Final

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_CHECKED: Final = (b"host", b"origin", b"authorization")


def host_names(port: int, host: str | None = None) -> frozenset[str]:
    """The values of Host that name this server: the loopback names, and the host that it listens on."""
    names = {*LOOPBACK, *([host.lower()] if host else [])}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))


class Guard:
    """Lets a request in whose Host is known, whose Origin (when it has one) is the same host, and that has the token.

    `hosts` None: any Host, for a server that others may reach. `token` None: no token is asked for. The digests of
    the tokens are compared in constant time.
    """

    def __init__(self, app: ASGIApp, *, token: str | None, hosts: Collection[str] | None) -> None:
        self._app = app
        self._digest = None if token is None else hashlib.sha256(token.encode()).digest()
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # the HTTP parser leaves the white space around a value, which is no part of it (RFC 9110 section 5.5)
        stripped = {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}
        refusal = self._refusal(stripped)
        await (refusal or self._app)(stripped, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        found: dict[bytes, str] = {}
        for name, value in scope["headers"]:
            if name in _CHECKED:
                if name in found:
                    return PlainTextResponse("a header stands twice", 400)
                found[name] = value.decode("latin-1")
        host = found.get(b"host", "").lower()
        if not host or (self._hosts is not None and host not in self._hosts):
            return PlainTextResponse("unknown Host", 421)
        origin = found.get(b"origin")
        # a page of another site, and one of another port, has another origin; so has "null"
        if origin is not None and origin.lower() != f"http://{host}":
            return PlainTextResponse("unknown Origin", 403)
        if self._digest is not None and not self._knows(found.get(b"authorization", "")):
            return JSONResponse(
                {"error": "invalid_token"}, 401, {"WWW-Authenticate": 'Bearer realm="polite-crawler"'}
            )  # fmt: skip
        return None

    def _knows(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        digest = hashlib.sha256(token.strip().encode("latin-1", "replace")).digest()
        return scheme.lower() == "bearer" and self._digest is not None and hmac.compare_digest(digest, self._digest)
