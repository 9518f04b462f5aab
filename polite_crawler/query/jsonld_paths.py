"""Paths into the JSON-LD of a page: `Product.offers.price` starts at each object of the type Product, at any depth,
`*.name` at each top-level record. Each array on the path gives each of its values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polite_crawler.query.meta_diff import join_path
from polite_crawler.readers.values.steps import Steps

_DEEPEST = 200


def values_at(records: Sequence[Any], path: str, steps: Steps | None = None) -> Iterator[tuple[str, Any]]:
    """The values of a path, each with its concrete path (`jsonld[0].offers[1].price`): texts, numbers, true, false.

    An object that only names another one (`{"@id": "#offer"}`) stands for it.
    """
    steps = steps or Steps()
    type_name, *keys = path.split(".")
    everything = list(_objects(records, steps))
    by_id: dict[str, tuple[str, Any]] = {}
    roots = {f"jsonld[{index}]" for index in range(len(records))}
    for where, found in everything:
        if isinstance(found.get("@id"), str) and len(found) > 1:
            by_id.setdefault(found["@id"], (where, found))
    for where, start in everything:
        if where in roots if type_name == "*" else type_name in _types(start):
            yield from _follow(where, start, keys, by_id, steps)


def _objects(records: Sequence[Any], steps: Steps) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each object of the records, the outer ones first."""
    todo: list[tuple[str, Any, int]] = [(f"jsonld[{index}]", record, 0) for index, record in enumerate(records)][::-1]
    while todo:
        where, value, depth = todo.pop()
        steps.add(1)
        if isinstance(value, Mapping):
            yield where, value
        if depth < _DEEPEST:
            todo += [(join_path(where, key), inner, depth + 1) for key, inner in _members(value)][::-1]


def _members(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def _types(record: Mapping[str, Any]) -> list[str]:
    """The type names without the address of their vocabulary."""
    types = record.get("@type")
    names = types if isinstance(types, list | tuple) else [types]
    return [name.rpartition("/")[2].rpartition("#")[2].rpartition(":")[2] for name in names if isinstance(name, str)]


def _follow(
    where: str, value: Any, keys: list[str], by_id: Mapping[str, tuple[str, Any]], steps: Steps
) -> Iterator[tuple[str, Any]]:
    steps.add(1)
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _follow(join_path(where, index), item, keys, by_id, steps)
    elif isinstance(value, Mapping):
        if not keys:
            if "@value" in value:
                yield from _follow(join_path(where, "@value"), value["@value"], keys, by_id, steps)
            return
        if set(value) == {"@id"} and value["@id"] in by_id and keys[0] != "@id":
            where, value = by_id[value["@id"]]
        if keys[0] in value:
            yield from _follow(join_path(where, keys[0]), value[keys[0]], keys[1:], by_id, steps)
    elif not keys and isinstance(value, str | int | float | bool):
        yield where, value
