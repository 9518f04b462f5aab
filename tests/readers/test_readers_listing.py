"""Sitemaps and feeds: strict, bounded, lenient where real files need it."""

import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.feed import read_feed
from polite_crawler.readers.inflate import inflate
from polite_crawler.readers.listing import MAX_DEPTH, MAX_ENTRIES, MAX_VALUE, read_listing
from polite_crawler.readers.sitemap import Entry, Sitemap, read_sitemap

URL = "https://www.example.com/sitemap.xml"
SM = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(inner: str, attributes: str = SM) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {attributes}>{inner}</urlset>'.encode()


def urls(body: bytes) -> list[str]:
    return [entry.url for entry in read_sitemap(body, url=URL).entries]


def test_an_entry_with_all_values() -> None:
    body = sitemap(
        "<url><loc> https://www.example.com/a?b=1&amp;c=2 </loc><lastmod>2026-03-04T10:00:00+02:00</lastmod>"
        "<changefreq>Weekly</changefreq><priority>0.5</priority>"
        "<xhtml:link rel='alternate' hreflang='DE' href='https://www.example.com/de/a'/>"
        "<image:image><image:loc>https://www.example.com/a.png</image:loc></image:image></url>",
        SM
        + ' xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
    )
    found = read_sitemap(body, url=URL)
    assert found == Sitemap(
        "sitemap",
        (
            Entry(
                "https://www.example.com/a?b=1&c=2",
                "2026-03-04T08:00:00Z",
                "weekly",
                (("de", "https://www.example.com/de/a"),),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("inner", "lastmod", "changefreq"),
    [
        ("", None, None),
        ("<lastmod>2026</lastmod>", "2026", None),
        ("<lastmod>Wed, 04 Mar 2026 10:00:00 GMT</lastmod>", "2026-03-04T10:00:00Z", None),
        ("<lastmod>soon</lastmod><changefreq>often</changefreq>", None, None),
        ("<lastmod></lastmod><lastmod>2026</lastmod>", "2026", None),
        ("<lastmod>2025</lastmod><lastmod>2026</lastmod>", "2025", None),
        ("<changefreq> never\n</changefreq>", None, "never"),
        ("<other:lastmod xmlns:other='urn:x'>2026</other:lastmod>", None, None),
    ],
)
def test_values(inner: str, lastmod: str | None, changefreq: str | None) -> None:
    entry = read_sitemap(sitemap(f"<url><loc>https://www.example.com/</loc>{inner}</url>"), url=URL).entries[0]
    assert (entry.lastmod, entry.changefreq) == (lastmod, changefreq)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("https://www.example.com/a", ["https://www.example.com/a"]),
        ("<![CDATA[https://www.example.com/a?b&c]]>", ["https://www.example.com/a?b&c"]),
        ("/relative", ["https://www.example.com/relative"]),
        ("https://www.example.com/&#252;", ["https://www.example.com/%C3%BC"]),
        ("https://www.example.com/a b", ["https://www.example.com/a%20b"]),
        ("https://www.example.com/" + "a" * MAX_VALUE, []),
        ("https://www.example.com/" + "&#252;" * (MAX_VALUE // 2), []),
        ("https://www.example.com/&nosuch;a", []),
        ("https://www.example.com/<b>a</b>", []),
        ("ftp://www.example.com/", []),
        ("", []),
    ],
)
def test_locations(location: str, expected: list[str]) -> None:
    assert urls(sitemap(f"<url><loc>{location}</loc></url>")) == expected


def test_an_invalid_value_is_counted() -> None:
    body = sitemap("<url><loc>ftp://x</loc></url><url><loc>https://www.example.com/</loc></url><url></url>")
    found = read_sitemap(body, url=URL)
    assert len(found.entries) == 1
    assert found.notes == ("left out: 1 entries with a value that is not valid",)


@pytest.mark.parametrize(
    "body",
    [
        sitemap("<url><loc>https://x.example/</loc></url>", ""),
        sitemap("<url><loc>https://x.example/</loc></url>", 'xmlns="http://www.google.com/schemas/sitemap/0.84"'),
        b"\xef\xbb\xbf" + sitemap("<url><loc>https://x.example/</loc></url>"),
        b"\n\n " + sitemap("<url><loc>https://x.example/</loc></url>"),
        sitemap("<url><loc>https://x.example/</loc></url>").decode().replace("UTF-8", "utf-16").encode("utf-16"),
        sitemap("<url><loc>https://x.example/</loc></url>").replace(b"UTF-8", b"gb2312"),
        sitemap("<url><loc>https://x.example/</loc></url>").replace(b"<urlset", b"<!DOCTYPE urlset><urlset"),
        sitemap("<!-- a --><url><?x y?><loc>https://x.example/</loc></url>"),
        gzip.compress(sitemap("<url><loc>https://x.example/</loc></url>")),
        b"https://x.example/\n",
        b"\xef\xbb\xbf# comment\r\nhttps://x.example/\r\nnot a url\r\nhttps://x y/\r\nhttps://[/\r\n",
    ],
)
def test_leniencies(body: bytes) -> None:
    assert urls(body) == ["https://x.example/"]


def test_the_encoding_of_the_file() -> None:
    body = '<?xml version="1.0" encoding="big5"?><urlset><url><loc>https://x.example/中</loc></url></urlset>'.encode(
        "big5"
    )
    assert urls(body) == ["https://x.example/%E4%B8%AD"]
    body = "<urlset><url><loc>https://x.example/é</loc></url></urlset>".encode("latin-1")
    found = read_sitemap(body, url=URL, content_type="text/plain; charset=iso-8859-1")
    assert found.entries[0].url == "https://x.example/%C3%A9"


def test_an_index_has_children() -> None:
    body = (
        f"<sitemapindex {SM}><sitemap><loc>/a.xml</loc><lastmod>2026-03-04</lastmod></sitemap>"
        f"<sitemap><loc>/b.xml.gz</loc></sitemap></sitemapindex>"
    ).encode()
    found = read_sitemap(body, url=URL)
    assert found.kind == "index"
    assert found.entries == ()
    assert [(child.url, child.lastmod) for child in found.children] == [
        ("https://www.example.com/a.xml", "2026-03-04"),
        ("https://www.example.com/b.xml.gz", None),
    ]


BILLION = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghij"))
    + "]><urlset><url><loc>https://x.example/&j;</loc></url><url><loc>https://x.example/ok</loc></url></urlset>"
)


@pytest.mark.parametrize(
    "body",
    [
        BILLION.encode(),
        b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://x.example/&x;</loc></url>'
        b"<url><loc>https://x.example/ok</loc></url></urlset>",
        b'<!DOCTYPE l SYSTEM "http://127.0.0.1:1/x.dtd"><urlset><url><loc>https://x.example/&x;</loc></url>'
        b"<url><loc>https://x.example/ok</loc></url></urlset>",
        b'<!DOCTYPE l [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]><urlset><url><loc>https://x.example/ok</loc></url>'
        b"</urlset>",
    ],
)
def test_entities_are_not_expanded(body: bytes) -> None:
    found = read_sitemap(body, url=URL)
    assert [entry.url for entry in found.entries] == ["https://x.example/ok"]


def test_entities_in_attributes_are_not_expanded() -> None:
    body = (
        '<!DOCTYPE l [<!ENTITY a "evil">]><feed xmlns="http://www.w3.org/2005/Atom">'
        "<entry><link href='https://x.example/&a;'/></entry><entry><link href='https://x.example/ok'/></entry></feed>"
    )
    found = read_feed(body.encode(), url=URL)
    assert [entry.url for entry in found.entries] == ["https://x.example/ok"]


def test_the_first_error_of_the_markup_ends_the_file() -> None:
    body = (
        b"<urlset><url><loc>https://x.example/a</loc></url>\n<url><loc>https://x.example/?a=1&b=2</loc></url></urlset>"
    )
    found = read_sitemap(body, url=URL)
    assert [entry.url for entry in found.entries] == ["https://x.example/a"]
    assert found.notes == ("the XML is not valid from line 2 on: not well-formed (invalid token)",)


def test_limits() -> None:
    deep = sitemap("<url><loc>https://x.example/</loc></url>" + "<a>" * MAX_DEPTH)
    found = read_sitemap(deep, url=URL)
    assert (len(found.entries), found.notes) == (1, (f"cut: deeper than {MAX_DEPTH} elements",))
    many = sitemap("<url><loc>https://x.example/</loc></url>" * (MAX_ENTRIES + 1))
    found = read_sitemap(many, url=URL)
    assert (len(found.entries), found.notes) == (MAX_ENTRIES, (f"cut: more than {MAX_ENTRIES} entries",))
    lines = b"https://x.example/\n" * 4
    found = read_sitemap(lines, url=URL, max_entries=3)
    assert (len(found.entries), found.notes) == (3, ("cut: more than 3 entries",))
    found = read_sitemap(sitemap("<url><loc>https://x.example/</loc></url>" * 9), url=URL, max_bytes=200)
    assert found.entries
    assert found.notes[0] == "cut: more than 200 octets"


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"", "not a sitemap or a feed"),
        (b"<html><body>not found</body></html>", "not a sitemap or a feed"),
        (b"plain text", "not a sitemap or a feed"),
        (b"\x00\x01\x02", "not a sitemap or a feed"),
        (b"<", "the XML is not valid from line 1 on: unclosed token"),
        (b"\x1f\x8bgarbage", "the gzip data is damaged: Error -3 while decompressing data: unknown compression method"),
    ],
)
def test_other_files_give_a_note(body: bytes, note: str) -> None:
    found = read_sitemap(body, url=URL)
    assert found.kind is None
    assert found.notes[0] == note


def test_gzip_with_a_bound() -> None:
    bomb = gzip.compress(b"a" * 10_000_000)
    assert inflate(bomb, 1000) == (b"a" * 1000, "cut: more than 1000 octets")
    assert inflate(gzip.compress(b"a" * 1000), 1000) == (b"a" * 1000, None)
    assert inflate(gzip.compress(b"a") + b"\0\0" + gzip.compress(b"b") + b"trailing", 100) == (b"ab", None)
    assert inflate(gzip.compress(b"a" * 5000)[:-8], 10_000) == (b"a" * 5000, "the gzip data ends early")
    text, note = inflate(gzip.compress(b"a") + gzip.compress(b"b")[:11], 100)
    assert (text[:1], note) == (b"a", "the gzip data ends early")
    text, note = inflate(gzip.compress(b"a" * 100)[:-8] + b"12345678", 1000)
    assert note is not None
    assert note.startswith("the gzip data is damaged")


RSS = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<link>https://x.example/</link><atom:link rel="self" href="https://x.example/feed"/>{}</channel></rss>"""


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("<link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<link>/a</link><pubDate>Wed, 04 Mar 2026 10:00:00 GMT</pubDate>",
         ("https://www.example.com/a", "2026-03-04T10:00:00Z")),
        ("<title>a&nbsp;b</title><link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<title>a <b>b</b></title><link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<guid>https://x.example/a</guid>", ("https://x.example/a", None)),
        ("<guid isPermaLink='true'>https://x.example/a</guid>", ("https://x.example/a", None)),
        ("<guid isPermaLink='false'>https://x.example/a</guid>", None),
        ("<guid>tag:x,2026:1</guid>", None),
        ("<guid>https://x.example/g</guid><link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<link/><guid>https://x.example/g</guid>", ("https://x.example/g", None)),
        ("<link href='https://x.example/a'/>", ("https://x.example/a", None)),
        ("<atom:link href='https://x.example/a'/>", ("https://x.example/a", None)),
        ("<atom:link rel='enclosure' href='https://x.example/a'/>", None),
        ("<atom:link href='https://x.example/b'/><link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<link>https://x.example/a</link><dc:date>2026-03-04</dc:date>", ("https://x.example/a", "2026-03-04")),
        ("<link>https://x.example/a</link><pubDate>2025</pubDate><atom:updated>2026</atom:updated>",
         ("https://x.example/a", "2026")),
        ("<LINK>https://x.example/a</LINK><PUBDATE>2026</PUBDATE>", ("https://x.example/a", "2026")),
        ("<guid ispermalink='false'>https://x.example/a</guid>", None),
        ("<enclosure url='https://x.example/a.mp3'/>", None),
        ("<source><link>https://x.example/no</link></source><link>https://x.example/a</link>",
         ("https://x.example/a", None)),
    ],
)  # fmt: skip
def test_rss(item: str, expected: tuple[str, str | None] | None) -> None:
    found = read_feed(RSS.format(f"<item>{item}</item>").encode(), url=URL)
    assert found.kind == "rss"
    assert [(entry.url, entry.lastmod) for entry in found.entries] == ([expected] if expected else [])


def test_rdf() -> None:
    body = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel/><item rdf:about="x"><link>https://x.example/a</link>'
        "<dc:date>2026-03-04T10:00:00Z</dc:date></item></rdf:RDF>"
    )
    found = read_feed(body.encode(), url=URL)
    assert found.kind == "rdf"
    assert found.entries == (Entry("https://x.example/a", "2026-03-04T10:00:00Z"),)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("<link href='https://x.example/a'/>", ("https://x.example/a", None)),
        ("<link rel='alternate' href='/a'/>", ("https://www.example.com/a", None)),
        ("<link rel='self' href='/s'/><link href='/a'/><link href='/b'/>", ("https://www.example.com/a", None)),
        ("<link rel='edit' href='/e'/><id>tag:x</id>", None),
        ("<id>https://x.example/i</id>", ("https://x.example/i", None)),
        ("<link>https://x.example/a</link>", ("https://x.example/a", None)),
        ("<link href='/a'/><updated>2026-03-04</updated><published>2025-01-01</published>",
         ("https://www.example.com/a", "2026-03-04")),
        ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/a'/>",
         ("https://www.example.com/a", None)),
        ("<link type='application/json' href='/a.json'/><link type='text/html; charset=utf-8' href='/a'/>",
         ("https://www.example.com/a", None)),
        ("<link type='application/pdf' href='/a.pdf'/><link rel='self' href='/s'/>",
         ("https://www.example.com/a.pdf", None)),
        ("<link href='/a'/><published>2025-01-01</published>", ("https://www.example.com/a", "2025-01-01")),
        ("<link xml:base='https://b.example/c/' href='a'/>", ("https://b.example/c/a", None)),
        ("<link xml:base='::' href='a'/>", ("https://www.example.com/a", None)),
    ],
)  # fmt: skip
def test_atom(entry: str, expected: tuple[str, str | None] | None) -> None:
    body = f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><id>https://x.example/</id><entry>{entry}</entry></feed>'
    found = read_feed(body.encode(), url=URL)
    assert found.kind == "atom"
    assert [(entry.url, entry.lastmod) for entry in found.entries] == ([expected] if expected else [])


def test_a_base_ends_with_its_element() -> None:
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/x/"><entry xml:base="y/">'
        '<link href="1"/></entry><entry><link href="2"/></entry></feed>'
    )
    found = read_feed(body.encode(), url=URL)
    assert [entry.url for entry in found.entries] == ["https://a.example/x/y/1", "https://a.example/x/2"]


@pytest.mark.parametrize(
    ("body", "kind", "entries", "notes"),
    [
        ('{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/a", "date_published": "2026-03-04"},'
         ' {"url": "ftp://x"}, {"url": 3}, 4, {"url": "/b", "date_modified": 5}]}', "json",
         (Entry("https://www.example.com/a", "2026-03-04"), Entry("https://www.example.com/b")), ()),
        ('{"version": "https://jsonfeed.org/version/1", "items": [' + '{"url": "/a"},' * 3 + '{"url": "/a"}]}', "json",
         (Entry("https://www.example.com/a"),) * 2, ("cut: more than 2 entries",)),
        ('{"items": []}', None, (), ("not a sitemap or a feed",)),
        ('{"version": "https://jsonfeed.org/version/1"}', None, (), ("not a sitemap or a feed",)),
        ("{", None, (), ("the JSON is not valid",)),
        ("{" + '"a":[' * 50_000, None, (), ("the JSON is not valid",)),
        ("<urlset/>", None, (), ("not a feed: sitemap",)),
        ("<html/>", None, (), ("not a sitemap or a feed",)),
    ],
)  # fmt: skip
def test_json_feeds_and_other_files(
    body: str, kind: str | None, entries: tuple[Entry, ...], notes: tuple[str, ...]
) -> None:
    found = read_feed(body.encode(), url=URL, max_entries=2 if "cut" in str(notes) else 100)
    assert (found.kind, found.entries, found.notes) == (kind, entries, notes)


def test_a_feed_can_be_a_sitemap() -> None:
    found = read_sitemap(RSS.format("<item><link>https://x.example/a</link></item>").encode(), url=URL)
    assert (found.kind, found.entries) == ("rss", (Entry("https://x.example/a"),))


def test_alternates_are_bounded_and_valid() -> None:
    links = "<x:link rel='alternate' hreflang='de' href='https://x.example/{}'/>"
    inner = "".join(links.format(i) for i in range(300))
    odd = (
        "<x:link rel='alternate' href='/a'/><x:link rel='next' hreflang='de' href='/a'/>"
        "<x:link rel='alternate' hreflang='de' href='ftp://a'/>"
    )
    body = sitemap(
        f"<url><loc>https://x.example/</loc>{odd}{inner}</url>", SM + ' xmlns:x="http://www.w3.org/1999/xhtml"'
    )
    alternates = read_sitemap(body, url=URL).entries[0].alternates
    assert len(alternates) == 200
    assert alternates[0] == ("de", "https://x.example/0")


_PIECES = (
    "<urlset> </urlset> <url> </url> <loc> </loc> https://x.example/ <rss> </rss> <channel> <item> </item> <link> "
    "</link> <feed> </feed> <entry> </entry> <link/> <guid> </guid> &amp; &x; & <![CDATA[ ]]> <!-- --> <a> </a>"
)
_XML = st.lists(st.sampled_from(_PIECES.split()), max_size=25)


@given(_XML)
def test_any_markup_gives_a_listing(parts: list[str]) -> None:
    found = read_listing("".join(parts).encode(), url=URL)
    assert found.kind or found.notes
    for entry in found.entries:
        assert entry.url.startswith(("http://", "https://"))


@given(st.binary(max_size=200))
def test_any_octets_give_a_listing(body: bytes) -> None:
    found = read_listing(body, url=URL)
    assert found.kind is not None or found.notes
