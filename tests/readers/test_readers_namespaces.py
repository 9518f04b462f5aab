"""Namespaces and names as writers of feeds and sitemaps get them wrong."""

import pytest

from polite_crawler.readers.feed import read_feed
from polite_crawler.readers.listing import Listing, declare_prefixes, read_listing

URL = "https://www.example.com/feed"
REPAIRED = ("repaired: a prefix without a namespace",)


def read(text: str) -> Listing:
    return read_listing(text.encode(), url=URL)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<urlset xmlns='urn:x'><url><loc>/a</loc><lastmod>2026</lastmod></url></urlset>", "sitemap"),
        ("<s:urlset xmlns:s='urn:x'><s:url><s:loc>/a</s:loc><s:lastmod>2026</s:lastmod></s:url></s:urlset>", "sitemap"),
        ("<URLSET><URL><LOC>/a</LOC><LastMod>2026</LastMod></URL></URLSET>", "sitemap"),
        ("<sitemapindex xmlns='urn:x'><sitemap><loc>/a</loc><lastmod>2026</lastmod></sitemap></sitemapindex>", "index"),
        ("<rss xmlns='urn:x'><channel><item><link>/a</link><pubDate>2026</pubDate></item></channel></rss>", "rss"),
        ("<rss><channel xmlns='urn:x'><item><link>/a</link><pubDate>2026</pubDate></item></channel></rss>", "rss"),
        ("<RSS><CHANNEL><ITEM><LINK>/a</LINK><PUBDATE>2026</PUBDATE></ITEM></CHANNEL></RSS>", "rss"),
        ("<feed xmlns='urn:x'><entry><link href='/a'/><updated>2026</updated></entry></feed>", "atom"),
        ("<a:feed xmlns:a='urn:x'><a:entry><a:link HREF='/a'/><a:updated>2026</a:updated></a:entry></a:feed>", "atom"),
        ("<entry xmlns='http://www.w3.org/2005/Atom'><link href='/a'/><updated>2026</updated></entry>", "atom"),
    ],
)
def test_the_namespace_of_the_entry_counts_whatever_it_is(text: str, kind: str) -> None:
    found = read(text)
    assert found.kind == kind
    assert [(entry.url, entry.lastmod) for entry in found.entries] == [("https://www.example.com/a", "2026")]
    assert found.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>/a</loc><image:image><image:loc>/no.png</image:loc></image:image></url></urlset>",
        "<urlset><url><loc>/a</loc><x:y/></url><url xmlns:x='urn:x'><x:loc>/no</x:loc></url></urlset>",
        "<sm:urlset><sm:url><sm:loc>/a</sm:loc></sm:url></sm:urlset>",
        "<?xml version='1.0'?><!DOCTYPE rss><rss><item><link>/a</link><media:content url='/no'/></item></rss>",
        "<rss><item><atom:link href='/a'/><dc:creator>x</dc:creator></item></rss>",
        "<feed><entry><link href='/a' thr:count='1'/></entry></feed>",
        "<rdf:RDF><item><link>/a</link></item></rdf:RDF>",
    ],
)
def test_a_prefix_without_a_namespace_costs_a_note(text: str) -> None:
    found = read(text)
    assert [entry.url for entry in found.entries] == ["https://www.example.com/a"]
    assert found.notes == REPAIRED


def test_dates_of_known_prefixes_are_read_without_their_namespace() -> None:
    item = "<item><link>/a</link>{}</item>"
    dates = item.format("<dc:date>2026</dc:date>") + item.format("<a10:updated>2025</a10:updated>")
    body = f"<rss>{dates}</rss>".encode()
    assert [entry.lastmod for entry in read_feed(body, url=URL).entries] == ["2026", "2025"]


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("<a><x:b/></a>", '<a xmlns:x="urn:undeclared:x"><x:b/></a>'),
        ("<a xmlns:x='urn:x'><x:b y:c='d:e'/></a>",
         '<a xmlns:y="urn:undeclared:y" xmlns:x=\'urn:x\'><x:b y:c=\'d:e\'/></a>'),
        ("<!-- a -->", "<!-- a -->"),
        ("<a xml:lang='en' xmlns='urn:x'/>", "<a xml:lang='en' xmlns='urn:x'/>"),
    ],
)  # fmt: skip
def test_declarations(text: str, declared: str) -> None:
    assert declare_prefixes(text) == declared


def test_more_prefixes_than_anyone_needs_end_the_file() -> None:
    found = read("<urlset>" + "".join(f"<x{i}:y/>" for i in range(5000)) + "<url><loc>/a</loc></url></urlset>")
    assert found.entries == ()
    assert found.notes[0] == REPAIRED[0]
    assert "unbound prefix" in found.notes[1]
