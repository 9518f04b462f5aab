"""What a style attribute says of its element: is it seen, and in which box."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.hiding import read_style
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import read_visible


@pytest.mark.parametrize(
    ("style", "display"),
    [
        ("", ""),
        ("color:red", ""),
        ("display:none", "none"),
        (" ; DISPLAY : None ; color:red", "none"),
        ("display:none;display:block", "block"),
        ("display:block;display:none", "none"),
        ("display:none;display:nonesuch", "none"),
        ("display:none;display", "none"),
        ("display:none !important;display:block", "none"),
        ("display:none ! IMPORTANT ;display:block", "none"),
        ("display:none;display:block !important;display:none", "block"),
        ("display:none !important;display:block !important", "block"),
        ("display:none !importantly", ""),
        ("display:none none", ""),
        ("x-display:none", ""),
        ("--display:none", ""),
        ("display:/**/none", "none"),
        ("background:url('x;display:none')", ""),
        ("background:url(data:image/png;display:none)", ""),
        ("font-family:'a;display:none'", ""),
        ('content:";display:none;";display:inline', "other"),
        ("content:'open;display:none", ""),
        ("display:flex", "block"),
        ("display:block flow", "block"),
        ("display:-webkit-box;display:-ms-flexbox", "block"),
        ("display:table-row", "block"),
        ("display:table-cell", "cell"),
        ("display:inline-block", "other"),
        ("display:inline flow-root", "other"),
        ("float:left", "apart"),
        ("float:left;float:none", ""),
        ("position : absolute; top:0", "apart"),
        ("position:relative", ""),
        ("background-position:fixed", ""),
        ("display:inline;float:right", "block"),
        ("display:none;float:right", "none"),
        ("display:" + "x" * 2000 + ";display:none", "none"),
    ],
)
def test_the_last_known_value_counts(style: str, display: str) -> None:
    assert read_style(style, False) == (display, False)


@pytest.mark.parametrize(
    ("style", "within", "zero"),
    [
        ("font-size:0", False, True),
        ("font-size:0;font-size:12px", False, False),
        ("font-size:0 !important;font-size:12px", False, True),
        ("font-size:12px", True, False),
        ("font-size:2em", True, True),
        ("font:0/0 a", False, True),
        ("font:italic 0px serif", False, True),
        ("font:bold 10px/0 serif", True, False),
        ("font: normal medium serif", True, False),
        ("font:0/0 a;font-size:12px", False, False),
        ("font-size:12px;font:0/0 a", False, True),
        ("font-family:serif", True, True),
        ("font:inherit", True, True),
        ("line-height:0", False, False),
    ],
)
def test_a_font_size_of_zero(style: str, within: bool, zero: bool) -> None:
    assert read_style(style, within)[1] is zero


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<span style=display:block>a</span><span style=display:block>b</span>", "a\nb"),
        ("x<a href=/x style='display:flex'>a</a>y", "x\na\ny"),
        ("<b style=display:table-cell>a</b><b style=display:table-cell>b</b>", "a\tb"),
        ("<p>a <i style=display:inline>b</i></p>", "a b"),
        ("<div style=display:inline>a</div><div style=display:inline>b</div>", "a\nb"),
        ("<span style=float:left>Total</span><span style=float:right>$5</span>", "Total\n$5"),
        (
            "<b style=position:absolute>a</b>b<p hidden style=float:left>c</p><dialog style=float:left>d</dialog>",
            "a\nb",
        ),
        # An attribute hides by the sheet of the browser, which a style attribute overrules.
        ("<p hidden style=display:block>a</p>", "a"),
        ("<p hidden style=display:none>a</p><p hidden style=color:red>b</p>c", "c"),
        ("<dialog style=display:block>a</dialog><dialog style=color:red>b</dialog>", "a"),
        ("<p popover style=display:block>a</p>", "a"),
        ("<p style='display:none;display:block'>a</p>", "a"),
        ("<template style=display:block>a</template><script style=display:block>b</script>c", "c"),
    ],
)
def test_boxes(source: str, text: str) -> None:
    assert read_visible(parse_html(source).root).text == text


@given(st.lists(st.sampled_from(["display", "font", "-size", ":", ";", "none", "0", "!important", '"', "'", "url(", ")",
                                 "/*", "*/", " ", "\n", "block", "float", "left", "é"]), max_size=30))  # fmt: skip
def test_any_style_is_read(parts: list[str]) -> None:
    style = "".join(parts)
    assert read_style(style, False)[0] in ("", "none", "block", "cell", "apart", "other")
    assert read_style(style + " " * 600, False) == read_style(style, False)
