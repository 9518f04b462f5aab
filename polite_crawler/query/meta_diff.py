"""The diff of metadata: what changed, at its path in the JSON."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polite_crawler.query.line_diff import diff_lines

_PLAIN_KEY = re.compile(r"[\w@$:-]+")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class MetaChange:
    """A changed value at its path, for example `meta.jsonld[0].openingHours`. `old` and `new` are JSON texts, cut to
    the limit of characters; None where the value is absent. An index is the one of the newer list, or of the older
    for a value that is gone."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class MetaDiff:
    """The changes in the sequence of their paths. `total` counts them before the limit; `cut` says that a value was
    cut."""

    changes: tuple[MetaChange, ...]
    total: int
    cut: bool


def diff_meta(
    old: Mapping[str, Any], new: Mapping[str, Any], *, changes: int = 200, value_chars: int = 300
) -> MetaDiff:
    """What makes the one JSON object of the other. Items of lists are aligned, so one new item is one change."""
    found: list[MetaChange] = []
    total = 0
    cut = False
    for path, before, after in _differences("", old, new, 0):
        total += 1
        if total > changes:
            continue
        values = [None if value is _ABSENT else canonical_text(value) for value in (before, after)]
        cut = cut or any(value is not None and len(value) > value_chars for value in values)
        shown = [None if value is None else value[:value_chars] for value in values]
        found.append(MetaChange(path, shown[0], shown[1]))
    return MetaDiff(tuple(found), total, cut)


def canonical_text(value: object) -> str:
    """The JSON text of a value, keys sorted, so equal values have equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def join_path(path: str, key: str | int) -> str:
    """The path of a member: `a.b`, `a[0]`, or `a["b c"]` for a key that is no plain name."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key


class _Absent:
    """Stands for a value that is not there: null is a value."""


_ABSENT = _Absent()


def _differences(path: str, old: Any, new: Any, depth: int) -> Iterator[tuple[str, Any, Any]]:
    if _same(old, new):
        return
    if depth < _DEEPEST and isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(
                join_path(path, key), old.get(key, _ABSENT), new.get(key, _ABSENT), depth + 1
            )  # fmt: skip
    elif depth < _DEEPEST and isinstance(old, list | tuple) and isinstance(new, list | tuple):
        yield from _list_differences(path, old, new, depth)
    else:
        yield path, old, new


def _list_differences(path: str, old: Sequence[Any], new: Sequence[Any], depth: int) -> Iterator[tuple[str, Any, Any]]:
    lines = diff_lines([canonical_text(item) for item in old], [canonical_text(item) for item in new])
    for change in lines.changes:
        removed, added = old[change.from_start : change.from_end], new[change.to_start : change.to_end]
        paired = min(len(removed), len(added))
        for offset in range(paired):
            item = join_path(path, change.to_start + offset)
            yield from _differences(item, removed[offset], added[offset], depth + 1)
        for offset in range(paired, len(removed)):
            yield join_path(path, change.from_start + offset), removed[offset], _ABSENT
        for offset in range(paired, len(added)):
            yield join_path(path, change.to_start + offset), _ABSENT, added[offset]


def _same(old: Any, new: Any) -> bool:
    """Equal as JSON: true is not 1, and 1 is 1.0."""
    if old is _ABSENT or new is _ABSENT:
        return old is new
    return bool(old == new) and canonical_text(old) == canonical_text(new)
