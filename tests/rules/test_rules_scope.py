"""Which links a crawl may follow."""

import pytest

from polite_crawler.errors import BadOption
from polite_crawler.rules.scope import Scope, UrlPattern

PATTERNS = [
    # pattern, URLs that match, URLs that do not
    ("/blog", ["https://h/blog", "https://h/blog/1?x", "https://h/blogs"], ["https://h/a/blog", "https://h/Blog"]),
    ("/blog/*", ["https://h/blog/", "https://h/blog/a"], ["https://h/blog"]),
    ("/*.pdf$", ["https://h/a.pdf", "https://h/a/b.pdf#page=2"], ["https://h/a.pdf?x", "https://h/a.pdfx"]),
    ("/?page=", ["https://h/?page=2", "https://h?page=2"], ["https://h/a?page=2"]),
    ("/caf%C3%A9", ["https://h/café"], ["https://h/cafe"]),
    ("https://h/a*b$", ["https://h/axb", "https://h/ab#f"], ["http://h/axb", "https://h/axbc"]),
    ("*.pdf$", ["https://h/a.pdf", "http://o/x/y.pdf"], ["https://h/a.pdf?x"]),
    ("*", ["https://h/", "http://o/x"], []),
    ("http*://h/", ["http://h/", "https://h/x"], ["http://o/"]),
]


@pytest.mark.parametrize(("pattern", "hits", "misses"), PATTERNS)
def test_patterns(pattern: str, hits: list[str], misses: list[str]) -> None:
    made = UrlPattern.of(f" {pattern} ")
    assert [url for url in hits if not made.matches(url)] == []
    assert [url for url in misses if made.matches(url)] == []


@pytest.mark.parametrize("pattern", ["", "  "])
def test_an_empty_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(BadOption, match="a pattern is empty"):
        UrlPattern.of(pattern)


HOSTS = [
    ("https://example.com/x", True), ("http://www.example.com:81/", True), ("http://EXAMPLE.com./", True),
    ("https://shop.example.com/", False), ("https://example.org/", True), ("https://www.example.org/", True),
    ("https://a.example.net/", True), ("https://a.b.example.net/", True), ("https://example.net/", False),
    ("https://notexample.net/", False), ("https://xn--bcher-kva.example/", True), ("https://bücher.example/", True),
    ("mailto:a@example.com", False), ("https://example.com.evil.example/", False),
]  # fmt: skip


@pytest.mark.parametrize(("url", "held"), HOSTS)
def test_hosts(url: str, held: bool) -> None:
    scope = Scope.of(["https://www.example.com/start"], allow_hosts=["Example.org", "*.example.net", "bücher.example"])
    assert scope.holds_host(url) is held
    assert scope.refusal(url) == (None if held else "scope")


def test_without_allowed_hosts_only_the_sites_of_the_seeds() -> None:
    scope = Scope.of(["http://127.0.0.1:1/", "http://[::1]/"])
    assert scope.holds_host("http://127.0.0.1:2/")
    assert scope.holds_host("http://[::1]:3/")
    assert not scope.holds_host("http://127.0.0.2:1/")


@pytest.mark.parametrize(
    ("url", "refusal"),
    [
        ("https://h/blog/a", None), ("https://h/news", None), ("https://h/", "pattern"), ("https://h/blog/private/x",
         "pattern"),
        ("https://h/blog/a.pdf", "pattern"), ("https://o/blog/a", "scope"),
    ],
)  # fmt: skip
def test_include_and_exclude(url: str, refusal: str | None) -> None:
    scope = Scope.of(["https://h/"], include=["/blog/", "*news"], exclude=["/*/private", "*.pdf$"])
    assert scope.refusal(url) == refusal


@pytest.mark.parametrize(
    "options", [{"allow_hosts": ["a b"]}, {"allow_hosts": ["*."]}, {"include": [""]}, {"exclude": [" "]}]
)
def test_bad_options(options: dict[str, list[str]]) -> None:
    with pytest.raises(BadOption):
        Scope.of(["https://h/"], **options)  # type: ignore[arg-type]


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(BadOption, match="bad URL"):
        Scope.of(["nowhere"])
