"""The facts of a page: head, links, structured data."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.html import read_page
from polite_crawler.readers.links import parse_refresh
from polite_crawler.readers.page import Link, Page

URL = "https://www.example.com/dir/page?a=1"


def read(source: str, url: str = URL, content_type: str | None = "text/html; charset=utf-8") -> Page:
    return read_page(source.encode(), url=url, content_type=content_type)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title> A  title\n of two lines </title>", "A title of two lines"),
        ("<title>A &amp; B</title><title>second</title>", "A & B"),
        ("<body><svg><title>icon</title></svg>", None),
        ("<body><svg><symbol><title>icon</title></symbol></svg><title>A title</title>", "A title"),
        ("<meta property=og:title content='From OpenGraph'>", "From OpenGraph"),
        ("<title></title><h1>A <b>heading</b></h1>", "A heading"),
        ("<p>nothing", None),
        ("<title><b>tags</b></title>", "<b>tags</b>"),
    ],
)
def test_title(source: str, title: str | None) -> None:
    assert read(source).title == title


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("<html lang=de>", "de"),
        ("<html lang='pt_BR'>", "pt-BR"),
        ("<html xml:lang=fr>", "fr"),
        ("<html lang=''><meta http-equiv=content-language content='nl, en'>", "nl"),
        ("<meta property=og:locale content=en_GB>", "en-GB"),
        ("<html lang='not a tag'>", None),
        ("<p>", None),
    ],
)
def test_language(source: str, language: str | None) -> None:
    assert read(source).language == language


@pytest.mark.parametrize(
    ("source", "key", "value"),
    [
        ("<meta name=Description content=' some  words '>", "description", "some words"),
        ("<meta property=og:description content=words>", "description", "words"),
        ("<meta name=author content='A. Writer'>", "author", "A. Writer"),
        ("<meta property=article:author content='https://social.example/a'>", "author", None),
        ("<p>by <a href=/a rel='nofollow author'>A.  Writer</a>", "author", "A. Writer"),
        ("<p itemprop=author>A. Writer</p><a rel=author href=/a>A. Writer</a>", "author", "A. Writer"),
        ("<p itemscope itemprop='author creator'>By <b itemprop='name'>A. Writer</b></p>", "author", "A. Writer"),
        ("<p itemprop=author>By A. Writer</p><a rel=author>posted by: A. Writer</a>", "author", "A. Writer"),
        ("<p itemprop=author>Byron Writer</p><a rel=author>By</a>", "author", "Byron Writer"),
        ("<p itemprop=author>Von Anna Writer</p><a rel=author>Autor: Anna Writer</a>", "author", "Anna Writer"),
        ("<p itemprop=author>von Writer</p>", "author", "von Writer"),
        ("<p itemprop=author>A. Writer</p><p itemprop=author>B. Writer</p>", "author", None),
        ("<p itemscope itemtype='https://schema.org/Comment'><b itemprop=author>B. Writer</b></p>", "author", None),
        (
            "<p itemscope itemtype='https://schema.org/Comment'><b itemprop=author itemscope "
            "itemtype='https://schema.org/Person'><a rel=author>B. Writer</a></b></p>",
            "author",
            None,
        ),
        (
            "<p itemscope itemtype='https://schema.org/ReviewNewsArticle'><b itemprop=author>A. Writer</b></p>",
            "author",
            "A. Writer",
        ),
        ("<link rel=author href=/a><p itemprop=coauthor>x</p><a rel=author>https://x.example</a>", "author", None),
        ("<span itemprop=datePublished content=2026-03-04>today</span>", "published", "2026-03-04"),
        ("<b itemprop='x dateModified'> 4 March\n2026 </b>", "modified", "2026-03-04"),
        ("<p itemscope itemtype='schema.org/Review'><i itemprop=datePublished>2026-03-04</i>", "published", None),
        ("<meta property=article:published_time content='2026-03-04T10:00Z'>", "published", "2026-03-04T10:00:00Z"),
        ("<meta name=date content='4 March 2026'>", "published", "2026-03-04"),
        ("<meta name=date content='some day'>", "published", None),
        ("<time itemprop=datePublished datetime='2026-03-04'>4 March</time>", "published", "2026-03-04"),
        ("<time pubdate datetime='2026-03-04'>4 March</time>", "published", "2026-03-04"),
        ("<time datetime='2026-03-04'>4 March</time>", "published", None),
        ("<time pubdate datetime='soon'>soon</time>", "published", None),
        ("<meta property=article:modified_time content='2026-03-05'>", "modified", "2026-03-05"),
        ("<meta property=og:site_name content='The Paper'>", "site_name", "The Paper"),
        ("<meta property=og:image content=/a.png>", "og", {"og:image": "/a.png"}),
        ("<link rel=alternate hreflang=DE href=/de>", "alternates", {"de": "https://www.example.com/de"}),
        ("<link rel=amphtml href=/amp>", "amp", "https://www.example.com/amp"),
        ("<meta name=description content=''>", "description", None),
    ],
)  # fmt: skip
def test_meta(source: str, key: str, value: Any) -> None:
    assert read(source).meta.get(key) == value


def test_facts_of_json_ld() -> None:
    page = read(
        """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
        {"@type": "WebPage", "datePublished": "2020-01-01"},
        {"@type": ["NewsArticle"], "author": [{"@id": "#a"}, {"name": "B. Writer"}, "C. Writer", {"name": ["x"]}],
         "datePublished": "2026-03-04T10:00:00Z", "dateModified": "2026-03-05"},
        {"@type": "Person", "@id": "#a", "name": "A. Writer"}]}</script>"""
    )
    assert page.meta["author"] == "A. Writer, B. Writer, C. Writer"
    assert page.meta["published"] == "2026-03-04T10:00:00Z"
    assert page.meta["modified"] == "2026-03-05"
    assert [record["@type"] for record in page.jsonld] == ["WebPage", ["NewsArticle"], "Person"]


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("<link rel=canonical href=/a#b>", "https://www.example.com/a"),
        ("<link rel='Canonical nofollow' href='https://example.com/a'>", "https://example.com/a"),
        ("<link rel=canonical href='https://other.example/a'>", None),
        ("<link rel=canonical href=''>", None),
        (
            "<link rel=canonical href='https://other.example/a'><link rel=canonical href=/b>",
            "https://www.example.com/b",
        ),
        ("<link rel=canonical href='javascript:void(0)'>", None),
        ("<base href='/x/'><link rel=canonical href=a>", "https://www.example.com/x/a"),
        ("<p><link rel=canonical href=/late>", "https://www.example.com/late"),
    ],
)
def test_canonical_is_on_the_same_site(source: str, canonical: str | None) -> None:
    assert read(source).canonical == canonical


def test_feeds() -> None:
    page = read(
        "<link rel=alternate type=application/rss+xml href=/feed><link rel=alternate type='application/atom+xml; a=b' "
        "href=atom.xml><link rel='alternate stylesheet' type=application/rss+xml href=/no><link rel=alternate "
        "type=text/html href=/no><link rel=alternate type=application/rss+xml href=/feed>"
    )
    assert page.feeds == ("https://www.example.com/feed", "https://www.example.com/dir/atom.xml")


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("x", "https://www.example.com/dir/x"),
        (" /x y ", "https://www.example.com/x%20y"),
        ("//other.example/", "https://other.example/"),
        ("?b=2", "https://www.example.com/dir/page?b=2"),
        ("/x#part", "https://www.example.com/x#part"),
        ("/ü?q=ü", "https://www.example.com/%C3%BC?q=%C3%BC"),
        ("/#ü?q=ü", "https://www.example.com/#%C3%BC?q=%C3%BC"),
        ("#top", None),
        ("page?a=1#top", None),
        ("", None),
        ("mailto:a@example.com", None),
        ("javascript:void(0)", None),
        ("data:text/html,x", None),
        ("http://[bad", None),
        ("tel:+123", None),
    ],
)
def test_links_are_absolute(href: str, url: str | None) -> None:
    links = read(f'<a href="{href}">text</a>').links
    assert links == ((Link(url, "text"),) if url else ())


def test_a_query_is_in_the_encoding_of_the_page() -> None:
    body = "<meta charset=windows-1251><a href='/п?q=п&amp;c=%41#п'>x</a>".encode("windows-1251")
    page = read_page(body, url=URL)
    assert page.links[0].url == "https://www.example.com/%D0%BF?q=%EF&c=%41#%D0%BF"


def test_links_keep_their_sequence_and_come_once() -> None:
    page = read(
        "<base href='https://cdn.example/'><a href=b>b</a><a href=a rel='nofollow NoFollow'>a</a><a href=b>b</a>"
    )
    assert page.links == (Link("https://cdn.example/b", "b"), Link("https://cdn.example/a", "a", ("nofollow",)))


@pytest.mark.parametrize("base", ["javascript:x", "http://[", "data:x"])
def test_a_bad_base_is_no_base(base: str) -> None:
    assert (
        read(f"<base target=_top><base href='{base}'><a href=x>x</a>").links[0].url == "https://www.example.com/dir/x"
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("0;url=/x", (0.0, "/x")),
        ("0; URL = '/x' ", (0.0, "/x")),
        ("5,/x", (5.0, "/x")),
        ("3 url=/x", (3.0, "/x")),
        ("0.9;url=/x", (0.0, "/x")),
        (".5;url=/x", (0.0, "/x")),
        (" 1;/x", (1.0, "/x")),
        ('1;url="/x"/y', (1.0, "/x")),
        ("1;url='/x", (1.0, "/x")),
        ("1", None),
        ("1;", None),
        ("", None),
        (";url=/x", None),
        ("x;url=/x", None),
        ("1x;url=/x", None),
        ("99999999999;url=/x", (999999999.0, "/x")),
    ],
)
def test_parse_refresh(content: str, found: tuple[float, str] | None) -> None:
    assert parse_refresh(content) == found


@pytest.mark.parametrize(
    ("source", "refresh"),
    [
        ("<meta http-equiv=refresh content='0;url=/x'>", "https://www.example.com/x"),
        ("<meta http-equiv=Refresh content='5;url=/x'>", "https://www.example.com/x"),
        ("<meta http-equiv=refresh content='6;url=/x'>", None),
        ("<meta http-equiv=refresh content='0;url=page?a=1'>", None),
        ("<meta http-equiv=refresh content='0;url=#part'>", None),
        ("<meta http-equiv=refresh content='0'>", None),
        ("<meta http-equiv=refresh content='0;url=javascript:x'>", None),
        ("<meta http-equiv=refresh content='300;url=/a'><meta http-equiv=refresh content='0;url=/b'>", "https://www.example.com/b"),
        ("<noscript><meta http-equiv=refresh content='0;url=/x'></noscript>", None),
    ],
)  # fmt: skip
def test_a_quick_refresh_is_a_redirect(source: str, refresh: str | None) -> None:
    assert read(source).refresh == refresh


LONG = "The text of a page that is long enough to be the content of it. " * 10


def test_noscript_with_most_of_the_text_is_the_page() -> None:
    page = read(f"<title>t</title><p>Menu</p><noscript><article>{LONG}</article></noscript><script src=a.js></script>")
    assert LONG.strip() in page.text
    assert "kept: text in noscript elements, because it is more than half of the page" in page.notes
    assert not page.needs_javascript


def test_noscript_with_less_text_is_left_out_with_a_note() -> None:
    page = read(f"<p>{LONG * 2}</p><noscript><p>{LONG}</p></noscript>")
    assert page.text == (LONG * 2).strip()
    assert "left out: text in noscript elements" in page.notes


PRODUCT = (
    "<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>A lamp</h1><div itemprop=offers itemscope "
    "itemtype='http://schema.org/Offer'><b itemprop=price content=9.50>9.50</b></div></div>"
)


def test_microdata_is_read_when_json_ld_lacks_the_type() -> None:
    found = read(PRODUCT).meta["microdata"]
    assert found == [{"@type": "Product", "name": "A lamp", "offers": {"@type": "Offer", "price": "9.50"}}]
    article = '<script type="application/ld+json">{"@type": "Article"}</script>'
    assert read(article + PRODUCT).meta["microdata"] == found


def test_microdata_is_not_read_when_json_ld_has_the_type() -> None:
    data = '<script type="application/ld+json">{"@type": ["Product"]}</script>'
    assert "microdata" not in read(data + PRODUCT.replace("Offer", "NoSuch")).meta


def test_microdata_of_other_types_is_not_read() -> None:
    assert (
        "microdata"
        not in read("<div itemscope itemtype='http://schema.org/WPHeader'><b itemprop=name>n</b></div>").meta
    )


def test_microdata_in_several_forms() -> None:
    page = read(
        "<div itemscope itemtype='https://schema.org/Product https://schema.org/Book' itemid='urn:x'>"
        "<b itemprop=name>a</b><b itemprop=name>b</b></div>"
    )
    assert page.meta["microdata"] == [{"@type": ["Product", "Book"], "@id": "urn:x", "name": ["a", "b"]}]


@pytest.mark.parametrize(
    "source",
    [PRODUCT * 600, "<div itemscope itemtype='schema.org/Product'>" * 12, PRODUCT + "<b itemprop=x></b>" * 3100],
)
def test_too_much_microdata_is_a_note(source: str) -> None:
    page = read(source)
    assert "microdata" not in page.meta
    assert any(note.startswith("no microdata: more than") for note in page.notes)


def test_a_failure_of_the_microdata_reader_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    from extruct.w3cmicrodata import MicrodataExtractor

    def fail(*arguments: object, **options: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr(MicrodataExtractor, "extract_items", fail)
    page = read(PRODUCT)
    assert "microdata" not in page.meta
    assert "no microdata: ValueError" in page.notes


def test_the_main_text_is_verbatim_spans() -> None:
    menu = "<ul><li><a href=/a>Home</a><li><a href=/b>Shop</a></ul>"
    paragraphs = "".join(f"<p>Paragraph {i}, which has some words in it, so that it is content.</p>" for i in range(9))
    page = read(
        f"<nav>{menu}</nav><article><h2>A heading</h2>{paragraphs}</article><footer>All rights reserved</footer>"
    )
    main = "\n".join(page.text[start:end] for start, end in page.main)
    assert "Paragraph 0, which" in main
    assert "Paragraph 8, which" in main
    assert "Home" not in main
    assert "rights" not in main


def test_a_page_is_the_same_in_each_thread() -> None:
    sources = [f"<title>{i}</title><article>{LONG}</article>{PRODUCT}<a href=/{i}>x</a>" for i in range(12)]
    alone = [read(source) for source in sources]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, sources)) == alone


def test_xhtml_with_empty_elements() -> None:
    page = read(
        "<html><head><title/><script src='a'/></head><body><p>text</p></body></html>",
        content_type="application/xhtml+xml",
    )
    assert page.text == "text"


def test_encoding_and_its_source_are_recorded() -> None:
    page = read_page(b"<meta charset=koi8-r><p>\xd0", url=URL)
    assert (page.text, page.encoding, page.encoding_source) == ("п", "koi8-r", "meta")


@given(st.binary(max_size=300))
def test_any_octets_give_a_page(body: bytes) -> None:
    page = read_page(body, url=URL)
    page.text.encode()
    assert page.kind == "page"


_HEADS = st.lists(
    st.sampled_from(
        [
            "<title>", "</title>", "<meta name=date content=", "2026-13-45", "'>", "<link rel=canonical href=", "//[",
            "%", "http://", "<base href=", "<a href=", ">", "x", "<script type=application/ld+json>", "</script>", "{",
            '"@id"', ":", "}", "[", "]", ",", "<div itemscope itemtype=http://schema.org/Product>", "<b itemprop=name>",
            "<meta http-equiv=refresh content=0;url=", "<html lang=", "<body>", "<p>", "\x00", "\ud800",
        ]
    ),
    max_size=25,
)  # fmt: skip


@given(_HEADS)
def test_any_head_gives_a_page(parts: list[str]) -> None:
    page = read_page("".join(parts).encode("utf-8", "surrogatepass"), url=URL)
    for link in page.links:
        assert link.url.startswith(("http://", "https://"))
        link.url.encode("ascii")
