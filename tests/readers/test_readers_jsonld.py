"""JSON-LD as real pages write it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.jsonld import (
    MAX_BLOCK,
    MAX_PAGE,
    MAX_REPAIR,
    by_id,
    follow,
    parse_block,
    read_blocks,
    read_jsonld,
    types_of,
    walk,
)
from polite_crawler.readers.tree import parse_html


@pytest.mark.parametrize(
    ("block", "records"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, {"b": 2}, 3, "x", null]', [{"a": 1}, {"b": 2}]),
        ('{"@context": "x", "@graph": [{"a": 1}, {"b": 2}]}', [{"a": 1}, {"b": 2}]),
        ('{"@id": "x", "@graph": {"a": 1}}', [{"a": 1}]),
        ('{"@type": "X", "@graph": [{"a": 1}]}', [{"@type": "X"}, {"a": 1}]),
        ('{"@graph": "no list", "a": 1}', [{"@graph": "no list", "a": 1}]),
        ('[[{"a": 1}]]', [{"a": 1}]),
        ("\ufeff\n {\"a\": 1}\xa0", [{"a": 1}]),
        ('{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999}', [{"a": None, "b": None, "c": None, "d": None}]),
        ('{"a": "line\nline\ttab"}', [{"a": "line\nline\ttab"}]),
        ('{"a": "\\ud83d", "b": "\\u0000x"}', [{"a": "", "b": "x"}]),
        ('{"a": 12345678901234567890123}', [{"a": "12345678901234567890123"}]),
        ("", []),
        ("  \n", []),
        ("null", []),
        ('"text"', []),
    ],
)  # fmt: skip
def test_intact_blocks(block: str, records: list[dict[str, Any]]) -> None:
    found = read_blocks(iter([block]))
    assert list(found.records) == records
    assert found.notes == ()


@pytest.mark.parametrize(
    "block",
    [
        '{"a": 1};',
        '{"a": 1},',
        '// <![CDATA[\n{"a": 1}\n// ]]>',
        '/* <![CDATA[ */{"a": 1}/* ]]> */',
        '<![CDATA[{"a": 1}]]>',
        '<!--\n{"a": 1}\n-->',
        '//<!--\n{"a": 1}\n//-->',
        "{&quot;a&quot;: 1}",
        '{"a": 1,}',
        '{"a": 1 // a comment\n}',
        '{"a": /* one */ 1}',
        '{"a": 1 /* open',
        '\x01{"a": 1}',
        '{"a": 1',
    ],
)
def test_slips_are_repaired(block: str) -> None:
    found = read_blocks(iter([block]))
    assert list(found.records) == [{"a": 1}]
    assert found.notes == ("JSON-LD: 1 block repaired",)


@pytest.mark.parametrize(
    ("block", "records"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}\n;\n[{"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"a": "it\\\'s"}', [{"a": "it's"}]),
        ('{"a": "C:\\dir\\u12"}', [{"a": "C:\\dir\\u12"}]),
        ('{"a": "x\\\ny",}', [{"a": "xy"}]),
        ('{"a": [1, {"b": "c}"', [{"a": [1, {"b": "c}"}]}]),
        ('{"a": "http://x.example/*no*/", /* yes */ "b": 1}', [{"a": "http://x.example/*no*/", "b": 1}]),
    ],
)
def test_other_repairs(block: str, records: list[dict[str, Any]]) -> None:
    found = read_blocks(iter([block]))
    assert list(found.records) == records
    assert found.notes == ("JSON-LD: 1 block repaired",)


@pytest.mark.parametrize(
    "block",
    ["{", '{"a": "open', '{"a": b}', '{"a": "b" "c"}', "@@", '{"a":' * 5000, "[" * 5000, "[" + "1" * (MAX_BLOCK + 1)],
)
def test_what_cannot_be_read_costs_itself_only(block: str) -> None:
    found = read_blocks(iter(['{"a": 1}', block, '{"b": 2}']))
    assert list(found.records) == [{"a": 1}, {"b": 2}]
    assert found.notes == ("JSON-LD: 1 block not readable",)


def test_a_long_block_is_not_repaired() -> None:
    assert parse_block('{"a": "' + "x" * MAX_REPAIR + '"};') == ([], True)


def test_an_integer_that_python_refuses() -> None:
    found = read_blocks(iter(['{"a": ' + "9" * 5000 + ', "b": 1}']))
    assert found.records[0]["a"] == "9" * 5000
    assert found.records[0]["b"] == 1


def test_counts() -> None:
    found = read_blocks(iter(['{"a": 1};', '{"a": 1,}', "{", "["]))
    assert found.notes == ("JSON-LD: 2 blocks repaired", "JSON-LD: 2 blocks not readable")


def test_the_limit_of_a_page_keeps_whole_records() -> None:
    block = json.dumps([{"a": "é" * (MAX_PAGE // 4)}, {"b": "é" * (MAX_PAGE // 2)}, {"c": 1}])
    found = read_blocks(iter([block]))
    assert [list(record) for record in found.records] == [["a"], ["c"]]
    assert found.notes == (f"cut: more than {MAX_PAGE} octets of JSON-LD, 1 records left out",)


@pytest.mark.parametrize(
    ("kind", "is_read"),
    [
        ("application/ld+json", True),
        ("Application/LD+JSON", True),
        (" application/ld+json; charset=utf-8", True),
        ("application/json", False),
        ("", False),
    ],
)
def test_the_type_of_the_script(kind: str, is_read: bool) -> None:
    root = parse_html(f"<script type='{kind}'>{{\"a\": 1}}</script>").root
    assert bool(read_jsonld(root).records) is is_read


@pytest.mark.parametrize(
    ("value", "types"),
    [
        ("Product", ("Product",)),
        ("https://schema.org/Product", ("Product",)),
        ("http://schema.org/Product/", ("Product",)),
        ("schema:Product", ("Product",)),
        ("https://example.com/ns#Product", ("Product",)),
        (["Product", "Thing", 3], ("Product", "Thing")),
        (None, ()),
        ({"@id": "x"}, ()),
    ],
)
def test_types(value: Any, types: tuple[str, ...]) -> None:
    assert types_of({"@type": value}) == types


def test_references() -> None:
    records = [
        {"@id": "#a"},
        {"x": {"@id": "#a", "name": "A"}},
        {"@id": "#a", "y": [{"@id": "#b", "z": 1}]},
        {"@id": 3},
    ]
    nodes = by_id(records)
    assert nodes["#a"] == {"@id": "#a", "name": "A"}
    assert nodes["#b"] == {"@id": "#b", "z": 1}
    assert follow({"@id": "#a"}, nodes) == {"@id": "#a", "name": "A"}
    assert follow({"@id": "#c"}, nodes) == {"@id": "#c"}
    assert follow({"@id": "#a", "more": 1}, nodes) == {"@id": "#a", "more": 1}
    assert follow("#a", nodes) == "#a"


def test_walk_is_outer_first() -> None:
    assert list(walk([{"a": {"b": 1}}, ({"c": [{"d": 2}]},)])) == [
        {"a": {"b": 1}},
        {"b": 1},
        {"c": [{"d": 2}]},
        {"d": 2},
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), _JSON, max_size=5))
def test_any_record_is_stored_as_json(record: dict[str, Any]) -> None:
    found = read_blocks(iter([json.dumps(record)]))
    json.dumps(found.records, allow_nan=False, ensure_ascii=False).encode()
    assert found.notes == ()


@given(st.text(alphabet=st.sampled_from('{}[]",:/*\\u1a \n<!->;&'), max_size=80))
def test_any_block_is_read_or_counted(block: str) -> None:
    roots, slips = parse_block(block)
    assert roots or slips or not block.strip(" \n")
