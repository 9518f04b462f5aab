"""Which parts of a URL or of a header field are secrets. Public names are those of `rules.redaction`."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import unquote

REDACTED = "REDACTED"

DEFAULT_SECRET_PARAMS: frozenset[str] = frozenset({
    "token", "access_token", "refresh_token", "id_token", "auth_token", "csrf_token", "xsrf_token", "api_key",
    "apikey", "key", "sig", "signature", "password", "passwd", "pwd", "pass", "passphrase", "secret", "client_secret",
    "auth", "authorization", "credential", "credentials", "code", "session", "session_id", "private_key",
    "private_token", "jwt", "assertion", "otp", "x-amz-signature", "x-amz-credential", "x-amz-security-token",
    "x-goog-signature", "x-goog-credential", "subscription-key",
})  # fmt: skip
"""Query parameters whose values are secrets. Case, `-` and `_` make no difference, and `user[password]` is one too."""

SECRET_HEADERS: frozenset[str] = frozenset({
    "x-api-key", "api-key", "apikey", "x-apikey", "x-api-token", "x-api-secret", "x-auth", "x-auth-token",
    "x-auth-key", "x-access-token", "x-refresh-token", "x-id-token", "x-token", "x-secret", "x-csrf-token",
    "x-csrftoken", "x-xsrf-token", "csrf-token", "x-session-id", "x-session-token", "x-session", "x-authorization",
    "x-amz-security-token", "x-goog-api-key", "x-goog-iap-jwt-assertion", "x-functions-key", "x-vault-token",
    "private-token", "job-token", "x-gitlab-token", "x-github-token", "x-shopify-access-token", "x-client-secret",
    "x-rapidapi-key", "x-algolia-api-key", "x-plex-token", "x-figma-token", "x-forwarded-access-token",
    "ocp-apim-subscription-key", "fastly-key", "circle-token", "authentication", "authentication-info",
    "proxy-authentication-info",
})  # fmt: skip
"""Header fields whose whole value is a secret, in requests and responses, beside Cookie and Authorization."""

Place = tuple[str, int]
"""The field that holds REDACTED, and for how many secrets it stands."""

_KEPT_COOKIE_ATTRIBUTES = frozenset({
    "expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned", "priority", "comment",
    "version", "port", "discard",
})  # fmt: skip
_SCHEMES = frozenset({
    "basic", "bearer", "digest", "negotiate", "ntlm", "hoba", "mutual", "oauth", "aws4-hmac-sha256", "scram-sha-1",
    "scram-sha-256", "vapid", "gnap", "dpop", "privatetoken", "token", "apikey", "hawk", "signature", "concealed",
})  # fmt: skip

_DELIMITER = re.compile(r"[?&;#=]|%(?:25){0,3}(?:3[Ff]|26|3[Bb]|23|3[Dd])")
_EQUALS = re.compile(r"=|%(?:25){0,3}3[Dd]").fullmatch
_USERINFO = re.compile(r"^(\s*(?:https?:[/\\]*|[a-z][a-z0-9+.-]*:[/\\]{2,}|[/\\]{2,}))([^/\\?#]+)(?=@)", re.IGNORECASE)
_INNER_USERINFO = re.compile(
    r"(?<!^)(https?(?::[/\\]{2}|%(?:25){0,3}3a(?:%(?:25){0,3}2f){2}))"
    r"([^/\\?#&%\s@<>]+(?:%(?:25){0,3}(?!2f|3f|23|26|40|25)[0-9a-f]{2}[^/\\?#&%\s@<>]*)*)(?=@|%(?:25){0,3}40)",
    re.IGNORECASE,
)
_ENCODED_COLON = re.compile(r":|%(?:25){0,3}3[Aa]")
_IN_BRACKETS = re.compile(r"\[([^\[\]]+)\]$")
_WORD = re.compile(r"""[^\s"'<>,]+""")
_REFRESH = re.compile(r"""\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?["']?""", re.IGNORECASE)
_NEXT_COOKIE = re.compile(r"(,\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+=)([^;,]+)")
_HANDED_ON = re.compile("^x-(?:archive-)?orig-")
_MARK = re.compile("[?#@;]").search
_LONGEST_NAME = 120


class SecretFinder:
    """Replaces secrets by REDACTED and keeps what it found: `places`, how many it `replaced`, and `secrets`, the values
    themselves."""

    def __init__(self, params: frozenset[str] = DEFAULT_SECRET_PARAMS) -> None:
        self._names = _folded(params)
        self._places: dict[str, int] = {}
        self.secrets: list[str] = []
        self.replaced = 0

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self._places.items())

    def url(self, text: str, where: str) -> str:
        """The URL, or a part of one, with its user name, its password and its secret parameters replaced."""
        if "@" in text or "%" in text:
            text = _USERINFO.sub(lambda found: found[1] + self._userinfo(found[2], where), text)
            text = _INNER_USERINFO.sub(lambda found: found[1] + self._userinfo(found[2], where), text)
        if "=" not in text and "%" not in text:
            return text
        out, kept = [], 0
        for start, end, name, part in self._parameters(text):
            self._take(f"{where}.{part}.{name}", text[start:end])
            out += [text[kept:start], REDACTED]
            kept = end
        return "".join([*out, text[kept:]])

    def field(self, side: str, name: str, value: str) -> str:
        """The value of a header field, or of the first line (its name is empty), with its secrets replaced. `side` is
        request or response, the name is lower case."""
        where = f"{side}.{name or 'target'}"
        # archives hand on the fields of the answer that they captured under such names
        plain = _HANDED_ON.sub("", name)
        special = _FIELDS.get(plain)
        if special is not None:
            return special(self, value, where)
        if plain in SECRET_HEADERS:
            return self._whole(value, where)
        if not name and side == "request":
            return self._request_line(value, where)
        if "/" not in value or not _MARK(value):
            return value
        return _WORD.sub(lambda word: self.url(word[0], where) if _is_urlish(word[0]) else word[0], value)

    def _parameters(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """Start and end of the value of each secret parameter, its name, and whether it stands in query or fragment.

        A parameter of a URL inside a URL begins at an encoded separator and ends at the next one of its level.
        """
        opened: tuple[int, int, str] | None = None
        part, skip_to, query_at = "query", 0, text.find("?")
        for found in _DELIMITER.finditer(text):
            if found.start() < skip_to:
                continue
            delimiter = found[0]
            if not _EQUALS(delimiter):
                part = "fragment" if delimiter == "#" else part
                opened = (found.end(), _level(delimiter), delimiter)
            elif opened is not None:
                name = _plain_name(text[opened[0] : found.start()])
                if name is not None and self._is_secret(name):
                    in_path = opened[2] == ";" and not 0 <= query_at < opened[0]
                    end = _value_end(text, found.end(), opened[1], in_path)
                    skip_to = end
                    if end > found.end():
                        yield found.end(), end, name, part
                opened = None

    def _is_secret(self, name: str) -> bool:
        inner = _IN_BRACKETS.search(name)
        return _fold(name) in self._names or (inner is not None and _fold(inner[1]) in self._names)

    def _userinfo(self, userinfo: str, where: str) -> str:
        colon = _ENCODED_COLON.search(userinfo)
        parts = [userinfo] if colon is None else [userinfo[: colon.start()], userinfo[colon.end() :]]
        for part in parts:
            if part:
                self._take(f"{where}.userinfo", part)
        return (colon[0] if colon else "").join(REDACTED if part else "" for part in parts)

    def _take(self, where: str, secret: str) -> None:
        self._count(where)
        self._know(secret)

    def _count(self, where: str, n: int = 1) -> None:
        self._places[where] = self._places.get(where, 0) + n
        self.replaced += n

    def _know(self, secret: str) -> None:
        try:
            secret = secret.encode("latin-1").decode("utf-8")
        except UnicodeError:
            pass
        self.secrets.append(secret)

    def _whole(self, value: str, where: str) -> str:
        if value.strip():
            self._take(where, value.strip())
        return REDACTED if value.strip() else value

    def _request_line(self, value: str, where: str) -> str:
        method, space, rest = value.partition(" ")
        target, last_space, version = rest.rpartition(" ")
        if not version.upper().startswith("HTTP/"):
            target, last_space, version = rest, "", ""
        return method + space + self.url(target, where) + last_space + version

    def _cookie(self, value: str, where: str) -> str:
        for pair in value.split(";"):
            name, equals, content = pair.partition("=")
            self._know_cookie(content if equals else name)
        return self._whole_unknown(value, where, max(1, value.count("=")))

    def _whole_unknown(self, value: str, where: str, n: int) -> str:
        if not value.strip():
            return value
        self._count(where, n)
        return REDACTED

    def _know_cookie(self, content: str) -> None:
        content = content.strip(' \t\r\n"')
        if len(content) >= 12 or (re.search("[0-9]", content) and re.search("[A-Za-z]", content)):
            self._know(content)

    def _set_cookie(self, value: str, where: str) -> str:
        first, *attributes = value.split(";")
        return ";".join([self._cookie_pair(first, where), *(self._cookie_attribute(one, where) for one in attributes)])

    def _cookie_pair(self, pair: str, where: str) -> str:
        name, equals, content = pair.partition("=")
        if not (content if equals else name).strip():
            return pair
        self._count(where)
        self._know_cookie(content if equals else name)
        return f"{name}={REDACTED}" if equals else REDACTED

    def _cookie_attribute(self, attribute: str, where: str) -> str:
        name = attribute.partition("=")[0].strip().lower()
        if name not in _KEPT_COOKIE_ATTRIBUTES:
            return self._cookie_pair(attribute, where)
        # an old server may fold two cookies into one field
        return _NEXT_COOKIE.sub(lambda found: self._cookie_pair(found[0], where), attribute)

    def _credentials(self, value: str, where: str) -> str:
        scheme, space, rest = value.partition(" ")
        if not space or scheme.lower() not in _SCHEMES:
            return self._whole(value, where)
        if not rest.strip():
            return value
        self._take(where, rest.strip())
        if scheme.lower() == "basic":
            self.secrets += _basic(rest)
        return f"{scheme} {REDACTED}"

    def _link(self, value: str, where: str) -> str:
        return re.sub(r"<([^>]*)", lambda found: "<" + self.url(found[1], where), value)

    def _refresh(self, value: str, where: str) -> str:
        lead = _REFRESH.match(value)
        end = lead.end() if lead else 0
        return value[:end] + self.url(value[end:], where)


_FIELDS: dict[str, Callable[[SecretFinder, str, str], str]] = {
    "cookie": SecretFinder._cookie,
    "cookie2": SecretFinder._cookie,
    "set-cookie": SecretFinder._set_cookie,
    "set-cookie2": SecretFinder._set_cookie,
    "authorization": SecretFinder._credentials,
    "proxy-authorization": SecretFinder._credentials,
    "referer": SecretFinder.url,
    "location": SecretFinder.url,
    "content-location": SecretFinder.url,
    "link": SecretFinder._link,
    "refresh": SecretFinder._refresh,
}


def _is_urlish(word: str) -> bool:
    return (word.startswith("/") or "://" in word) and _MARK(word) is not None


def _level(delimiter: str) -> int:
    """0 for a separator as it is, 1 for its `%XX`, 2 for `%25XX` ..."""
    return 0 if len(delimiter) == 1 else 1 + delimiter.count("25", 1, -2)


@lru_cache(maxsize=16)
def _end(level: int, in_path: bool) -> re.Pattern[str]:
    encoded = rf"|%(?:25){{0,{level - 1}}}(?:26|23)" if level else ""
    return re.compile(("[&#/?;]" if in_path else "[&#]") + encoded)


def _value_end(text: str, start: int, level: int, in_path: bool) -> int:
    found = _end(level, in_path).search(text, start)
    return found.start() if found else len(text)


def _plain_name(name: str) -> str | None:
    if len(name) > _LONGEST_NAME:
        return None
    for _ in range(4):
        name = unquote(name)
    return name.strip().lower()


@lru_cache(maxsize=32)
def _folded(names: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_fold, names))


def _fold(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _basic(credentials: str) -> list[str]:
    try:
        pair = base64.b64decode(credentials.strip(), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return []
    user, _, password = pair.partition(":")
    return [user, password]
