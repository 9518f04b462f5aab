"""The diff of metadata at its paths."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.query.meta_diff import canonical_text, diff_meta, join_path

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["a", "b", ""])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["x", "y", "a b"]), inner)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["title", "meta", "url"]), JSON)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"title": "a"}, {"title": "b"}, [("title", '"a"', '"b"')]),
        ({"title": "a"}, {}, [("title", '"a"', None)]),
        ({}, {"title": None}, [("title", None, "null")]),
        (
            {"meta": {"jsonld": [{"openingHours": ["Mo-Fr 07:00-15:00"]}]}},
            {"meta": {"jsonld": [{"openingHours": ["Mo-Fr 07:00-16:00"]}]}},
            [("meta.jsonld[0].openingHours[0]", '"Mo-Fr 07:00-15:00"', '"Mo-Fr 07:00-16:00"')],
        ),
        (
            {"meta": {"jsonld": [{"n": 1}, {"n": 2}, {"n": 3}]}},
            {"meta": {"jsonld": [{"n": 9}, {"n": 1}, {"n": 2}, {"n": 4}]}},
            [("meta.jsonld[0]", None, '{"n": 9}'), ("meta.jsonld[3].n", "3", "4")],
        ),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, [("a[1]", "2", None)]),
        ({"a": True}, {"a": 1}, [("a", "true", "1")]),
        ({"a": {"b c": 1, "@type": "x"}}, {"a": {"b c": 2, "@type": "y"}},
         [("a.@type", '"x"', '"y"'), ('a["b c"]', "1", "2")]),
        ({"a": {"b": 1}}, {"a": [1]}, [("a", '{"b": 1}', "[1]")]),
    ],
)  # fmt: skip
def test_changes(old: dict[str, Any], new: dict[str, Any], changes: list[tuple[str, str | None, str | None]]) -> None:
    diff = diff_meta(old, new)
    assert [(one.path, one.old, one.new) for one in diff.changes] == changes
    assert (diff.total, diff.cut) == (len(changes), False)


@given(OBJECTS, OBJECTS)
def test_no_change_is_the_same_json(old: dict[str, Any], new: dict[str, Any]) -> None:
    diff = diff_meta(old, new)
    assert (diff.total == 0) == (canonical_text(old) == canonical_text(new))
    assert all(one.old != one.new for one in diff.changes)


def test_limits() -> None:
    old, new = {"a": ["x" * 400]}, {"a": ["y" * 400]}
    diff = diff_meta(old, new)
    assert diff.cut
    assert [len(one.old or "") for one in diff.changes] == [300]
    many = diff_meta({}, {str(number): number for number in range(500)}, changes=200)
    assert (len(many.changes), many.total) == (200, 500)


def test_deep_values_are_compared_as_a_whole() -> None:
    def nested(leaf: int) -> dict[str, Any]:
        value: Any = leaf
        for _ in range(300):
            value = {"k": value}
        return {"a": value}

    (change,) = diff_meta(nested(1), nested(2)).changes
    assert change.path.count(".k") == 99


def test_paths() -> None:
    assert join_path("", "title") == "title"
    assert join_path("a", 0) == "a[0]"
    assert join_path("a[0]", "b.c") == 'a[0]["b.c"]'
