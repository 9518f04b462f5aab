"""How usage preferences are written: Content-Signal, Content-Usage, robots directives, RSL links, TDMRep."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from polite_crawler.rules.pathpatterns import PathPattern
from polite_crawler.rules.robotsfile import EVERYBODY, names_token
from polite_crawler.rules.structured import dictionary_tokens
from polite_crawler.rules.urls import absolute, is_http

SIGNALS = ("search", "ai-input", "ai-train")
USES = ("immediate", "reference", "full")
"""The levels of `use=`, the strictest first."""

USAGES = ("train-ai", "search")

_YES = frozenset({"yes", "y", "true", "allow", "1"})
_NO = frozenset({"no", "n", "false", "deny", "disallow", "0"})
_PAIR = re.compile(r"""(?<![\w-])([A-Za-z][\w-]*+)\s*+=\s*+["']?([A-Za-z0-9]++)["']?(?=[\s,;]|$)""", re.ASCII)
_SCOPED = re.compile(r"([/*]\S*)(?:[ \t]+(.*))?", re.DOTALL)
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_UNAVAILABLE = re.compile(r"unavailable_after\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_PARTS = re.compile("[,;]")
_WEEKDAY = re.compile(r"[A-Za-z]{3,9}").fullmatch
_LINK = re.compile(r"""<([^<>]*+)>((?:\s*+;\s*+[^\s;,="<>]++(?:\s*+=\s*+(?:"(?:[^"\\]|\\.)*+"|[^\s;,"]*+))?+)*+)""")
_LINK_PARAM = re.compile(r""";\s*+([^\s;,="<>]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;,"]*+))""")
_MOST_DIRECTIVES = 100


def content_signal(text: str) -> dict[str, str]:
    """The pairs of a Content-Signal (contentsignals.org), read leniently: `;` for `,`, `ai_input`, `allow`, quotes.

    A key that is named twice is `no` when one of them says so; `use` is the strictest level.
    """
    out: dict[str, str] = {}
    for name, value in _PAIR.findall(text):
        key, word = name.lower().replace("_", "-"), value.lower()
        if key in SIGNALS and word in _YES | _NO:
            stricter(out, {key: "no" if word in _NO else "yes"})
        elif key == "use" and word in USES:
            stricter(out, {key: word})
    return out


def content_usage(text: str) -> dict[str, str]:
    """The preferences of a Content-Usage (draft-ietf-aipref-vocab): `y` or `n` for the two labels of the draft. A
    text that is no dictionary states nothing."""
    members = dictionary_tokens(text) or {}
    return {key: value for key in USAGES if (value := members.get(key)) in ("y", "n") and value is not None}


def stricter(kept: dict[str, str], more: Mapping[str, str]) -> None:
    """Adds preferences: any no beats any yes, the stricter `use` beats the other."""
    for key, value in more.items():
        if key == "use":
            kept[key] = min(value, kept.get(key, value), key=USES.index)
        elif kept.get(key) not in ("no", "n"):
            kept[key] = value


def scoped(text: str) -> tuple[PathPattern | None, str]:
    """The path in front of a preference (draft-ietf-aipref-attach), and the rest."""
    found = _SCOPED.fullmatch(text.strip())
    if found is None:
        return None, text
    return PathPattern.of(found[1].encode("utf-8", "replace")), found[2] or ""


def longest_scope(values: Iterable[str], target: bytes) -> Iterator[str]:
    """The preferences whose path matches the target with the most octets; all of them, when several have as many."""
    best = -1
    found: list[str] = []
    for value in values:
        pattern, rest = scoped(value)
        octets = pattern.octets if pattern else 0
        if octets < best or (pattern is not None and not pattern.matches(target)):
            continue
        if octets > best:
            best, found = octets, []
        found.append(rest)
    return iter(found)


def robots_directives(value: str, tokens: Collection[str]) -> Iterator[str]:
    """The directives of one X-Robots-Tag or meta robots that bind one of the tokens or everybody, in lower case (the
    value of `unavailable_after` as written). A `bot:` prefix counts up to the next one."""
    bound = True
    for piece in _directives(value):
        name, colon, rest = piece.partition(":")
        name = name.strip().lower()
        if colon and name not in _VALUED:
            bound = name == EVERYBODY or any(names_token(name, token) for token in tokens)
            name, colon, rest = rest.partition(":")
            name = name.strip().lower()
        if not bound or not name:
            continue
        if colon:
            yield f"{name}:{rest.strip()}"
        else:
            yield from name.split()


def _directives(value: str) -> Iterator[str]:
    """The parts between commas (or semicolons, read leniently); the comma after the weekday of a date parts nothing."""
    parts = _PARTS.split(value, _MOST_DIRECTIVES)[:_MOST_DIRECTIVES]
    index = 0
    while index < len(parts):
        piece = parts[index].strip()
        index += 1
        date = _UNAVAILABLE.search(piece)
        if date and index < len(parts) and _WEEKDAY(date[1]):
            piece += ", " + parts[index].strip()
            index += 1
        if piece:
            yield piece


def rsl_links(value: str, url: str) -> Iterator[str]:
    """The RSL licences of a Link header (RFC 8288): `rel=license` of type `application/rsl+xml`."""
    for found in _LINK.finditer(value):
        params = {name.lower(): quoted or plain for name, quoted, plain in reversed(_LINK_PARAM.findall(found[2]))}
        if is_rsl(params.get("rel", ""), params.get("type", "")):
            yield from licence(found[1], url)


def is_rsl(rel: str, media_type: str) -> bool:
    """Whether a link of these attributes names an RSL licence."""
    return "license" in rel.lower().split() and media_type.partition(";")[0].strip().lower() == "application/rsl+xml"


def licence(reference: str, url: str | None = None) -> Iterator[str]:
    """The http(s) URL of a licence, as written when it is absolute; a relative one needs the URL of the page."""
    text = reference.strip()
    found = text if is_http(text) else absolute(url, text) if url else None
    if found:
        yield found


def tdm_reservation(values: Iterable[str]) -> int | None:
    """1 or 0 of the fields of one level, 1 when one of them says so; any other value is none."""
    valid = [int(value) for value in map(str.strip, values) if value in ("0", "1")]
    return max(valid, default=None)


def tdm_of_file(text: bytes, target: bytes) -> Mapping[str, Any]:
    """What `/.well-known/tdmrep.json` says of a target: the first rule whose location matches (TDMRep section 4.3)."""
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and _tdm_rule_matches(rule, target):
            policy = rule.get("tdm-policy")
            found: dict[str, Any] = {"reservation": rule["tdm-reservation"], "source": "file"}
            return found | ({"policy": policy} if policy and isinstance(policy, str) else {})
    return {}


def _tdm_rule_matches(rule: Mapping[str, Any], target: bytes) -> bool:
    location, reservation = rule.get("location"), rule.get("tdm-reservation")
    if not isinstance(location, str) or type(reservation) is not int or reservation not in (0, 1):
        return False
    return PathPattern.of(location.encode("utf-8", "replace")).matches(target)


def values_of(headers: Sequence[tuple[str, str]], name: str) -> list[str]:
    """The values of a header in sequence, those of the archived response (`X-Archive-Orig-`) too."""
    wanted = (name, "x-archive-orig-" + name)
    return [value for key, value in headers if key.strip().lower() in wanted]
