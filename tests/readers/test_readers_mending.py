"""What libxml2 reads otherwise than a browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.html import read_page
from polite_crawler.readers.mending import mend


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ("a<br/>b<p>c</p>", "a<br/>b<p>c</p>"),
        ("a</br>b</BR >c</br class='>'>d</br/>e", "a<br>b<br>c<br>d<br>e"),
        ("a</brand>b</br", "a</brand>b</br"),
        ("<p>a</p>b</P>c</p> d</p><i>", "<p>a</p> b</p> c</p> d</p><i>"),
        ("<script>'</br></p>x'</script></br>", "<script>'</br></p>x'</script><br>"),
        ("<!-- </br> --></br>", "<!-- </br> --><br>"),
        ("<b title='</br>'>a</br>", "<b title='</br>'>a<br>"),
        ("<b title='</script><script>'>a</br></b>", "<b title='</script><script>'>a<br></b>"),
        ("<svg><text><![CDATA[a<b>]]></text></svg>", "<svg><text>a&lt;b&gt;</text></svg>"),
        ("<math><mi><![CDATA[&]]></mi></math><![CDATA[b>c]]>", "<math><mi>&amp;</mi></math><![CDATA[b>c]]>"),
        ("<svg/><![CDATA[a]]>", "<svg/><![CDATA[a]]>"),
        ("<svg><![CDATA[a]]><![CDATA[b", "<svg>a<![CDATA[b"),
        ("<svg></svg><script><![CDATA[a]]></script>", "<svg></svg><script><![CDATA[a]]></script>"),
        ("<svgs><![CDATA[a]]></svgs>", "<svgs><![CDATA[a]]></svgs>"),
    ],
)
def test_html(source: str, mended: str) -> None:
    assert mend(source) == mended


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ("<p><![CDATA[a < b & c]]></p>", "<p>a &lt; b &amp; c</p>"),
        ("<p><![CDATA[a]]>b<![CDATA[]]></p>", "<p>ab</p>"),
        ("<script>//<![CDATA[\na\n//]]></script>", "<script>//<![CDATA[\na\n//]]></script>"),
    ],
)
def test_xhtml(source: str, mended: str) -> None:
    assert mend(source, xhtml=True) == mended


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"one</br>two", "text/html", "one\ntwo"),
        (b"<p><div>one</div>two</p>three", "text/html", "one\ntwo three"),
        (b"<p>one</p>two", "text/html", "one\n\ntwo"),
        (b"<svg><text><![CDATA[one<two>]]></text></svg>", "text/html", "one<two>"),
        (b"<html><body><p><![CDATA[one<br/>two]]></p></body></html>", "application/xhtml+xml", "one<br/>two"),
    ],
)
def test_pages(body: bytes, content_type: str, text: str) -> None:
    assert read_page(body, url="https://www.example.com/", content_type=content_type).text == text


def test_data_of_scripts_stays_as_it_is() -> None:
    body = b'a</br><script type="application/ld+json">{"@type": "Thing", "name": "x</br>y</p>z"}</script>'
    page = read_page(body, url="https://www.example.com/")
    assert page.jsonld == [{"@type": "Thing", "name": "x</br>y</p>z"}]


_PARTS = "</br> </p> <p> a <svg> </svg> <![CDATA[ ]]> <!-- --> <script> </script> <b title=' ' > < \""


@given(st.lists(st.sampled_from(_PARTS.split()), max_size=30), st.booleans())
def test_only_tags_and_sections_change(parts: list[str], xhtml: bool) -> None:
    source = "".join(parts)
    mended = mend(source, xhtml=xhtml)
    assert mended.count("a") == source.count("a")
    if "</br>" not in source and "</p>" not in source and "<![CDATA[" not in source:
        assert mended == source
