"""URLs in a text, compared by their normal form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polite_crawler.readers.values.steps import Steps
from polite_crawler.rules.urls import normal_or_none

_URL = re.compile(r"(?<!\w)(?:https?://|www\.)[^\s<>\"“”«»\u3000-\u3003\u3008-\u3011\uff09]{1,2000}", re.IGNORECASE)
_BARE = re.compile(r"[\w.-]{1,253}\.[^\W\d_]{2,24}(?::\d{1,5})?(?:/\S*)?")
_TRAILING = ".,;:!?'\"’”…*_"
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class UrlReading:
    """A URL in a text, [start, end) in code points. A URL that is written without its scheme has two meanings."""

    start: int
    end: int
    raw: str
    meanings: tuple[str, ...]


def read_urls(text: str, steps: Steps | None = None) -> Iterator[UrlReading]:
    """The URLs of a text: with http or https, or beginning with `www.`."""
    steps = steps or Steps()
    steps.add(len(text))
    for match in _URL.finditer(text):
        raw = _without_punctuation(match.group())
        steps.add(len(raw))
        if meanings := url_meanings(raw):
            yield UrlReading(match.start(), match.start() + len(raw), raw, meanings)


def url_meanings(value: str) -> tuple[str, ...]:
    """The normal forms that a text can stand for: one for a URL, http and https for `example.com/a`, else none."""
    stripped = value.strip()
    if "://" in stripped:
        forms = [normal_or_none(stripped)]
    elif _BARE.fullmatch(stripped):
        forms = [normal_or_none(f"{scheme}://{stripped}") for scheme in ("https", "http")]
    else:
        forms = []
    return tuple(form for form in forms if form is not None)


def url_stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the URL or host text[start:end] does not go on there: `example.com` is not in `example.community`."""
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    if before and (before.isalnum() or before in "_@-."):
        return False
    if not after or after[0].isspace():
        return True
    goes_on = after[0].isalnum() or after[0] in "_-/?#&=%~+@"
    if goes_on:
        return after == "/" or (after[0] == "/" and after[1].isspace())
    return not (after[0] in _TRAILING and len(after) > 1 and after[1].isalnum())


def _without_punctuation(url: str) -> str:
    """The end of a sentence and a bracket that was opened before the URL are no part of it."""
    while url:
        last = url[-1]
        closes = last in _PAIRS and url.count(last) > url.count(_PAIRS[last])
        if last not in _TRAILING and not closes:
            break
        url = url[:-1]
    return url
