"""Tags without a tree: where one ends, what it holds, and that no body takes long."""

from collections.abc import Sequence

import pytest

from polite_crawler.rules.tags import TEXT, attributes, pieces

Tags = Sequence[tuple[bytes, dict[str, str]]]

ENDS: list[tuple[bytes, Tags]] = [
    (b"<a b=c>", [(b"a", {"b": "c"})]),
    (b'<a b="1 > 0" c>', [(b"a", {"b": "1 > 0", "c": ""})]),
    (b"<a b='\"x\" > y'>", [(b"a", {"b": '"x" > y'})]),
    (b'<a b = "x > y"><i>', [(b"a", {"b": "x > y"}), (b"i", {})]),
    (b'<a b=c"d><i>', [(b"a", {"b": "c", "d": ""}), (b"i", {})]),
    (b"<a it's><i>", [(b"a", {"it": "", "s": ""}), (b"i", {})]),
    (b'<a b="x><i>', [(b"a", {"b": "", "x": ""}), (b"i", {})]),
    (b'<a b="x" "y"><i>', [(b"a", {"b": "x", "y": ""}), (b"i", {})]),
    (b"<a b", [(b"a", {"b": ""})]),
]


@pytest.mark.parametrize(("body", "tags"), ENDS)
def test_where_a_tag_ends(body: bytes, tags: Tags) -> None:
    assert [(kind, dict(attributes(tag))) for kind, tag, _ in pieces(body)] == tags


@pytest.mark.parametrize(
    "comment", [b"<!---->", b"<!-->", b"<!--->", b"<!-- <i> -- > <i> -->", b"<!doctype html>", b"<?x?>"]
)
def test_comments_and_declarations_are_left_out(comment: bytes) -> None:
    assert [kind for kind, _, _ in pieces(comment + b"<b>")] == [b"b"]


def test_text_after_a_quoted_angle_bracket_is_no_text_of_the_tag() -> None:
    found = [content for kind, _, content in pieces(b'<meta content="Home > Shop"><p>words</p>') if kind == TEXT]
    assert found == [b"words"]


PARTS = [
    b'<a b="',
    b"<a b=\"'>",
    b"<a b='\">",
    b"<a b='x>",
    b'<a =">',
    b"<a ====>",
    b"<a '>",
    b'<a b="x"c=\'>',
    b"<a b>",
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("start", [b"", b'<a b="', b"<a b='x> <a c=\"y> "])
def test_hostile_bodies_take_linear_time(start: bytes, part: bytes) -> None:
    """A quadratic rule would take many minutes here."""
    assert sum(1 for _ in pieces(start + part * (2_000_000 // len(part)))) > 0
