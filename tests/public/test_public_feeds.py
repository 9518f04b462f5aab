"""The sample feeds: the same links as feedparser."""

import warnings
from pathlib import Path

import feedparser
from reading_samples import PAGES, needs_pages

from polite_crawler.readers.feed import read_feed
from polite_crawler.rules.urls import absolute

FEEDS = PAGES / "feeds"
pytestmark = needs_pages

URL = "https://www.example.com/feed"

# What feedparser takes for a link and is none: an id that is no URL, and the text of an enclosure.
OTHERS = {"entry_id_with_attributes.xml", "entry_link_no_href_link_priority.xml"}


def _feedparser_links(path: Path) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entries = feedparser.parse(path.read_bytes(), response_headers={"content-location": URL}).entries
    links = []
    for entry in entries:
        is_guid = entry.get("guidislink") is False and entry.get("link") == entry.get("id")
        if entry.get("link") and not is_guid:
            links.append(absolute(URL, entry["link"]) or entry["link"])
    return links


def test_the_links_of_each_feed() -> None:
    paths = sorted(FEEDS.glob("*.xml"))
    wrong = {}
    for path in paths:
        found = [entry.url for entry in read_feed(path.read_bytes(), url=URL).entries]
        expected = _feedparser_links(path)
        if found != expected:
            wrong[path.name] = (found, expected)
    assert len(paths) > 70
    assert set(wrong) <= OTHERS, wrong
