"""Pages that show nothing without scripts are found, readable pages are not flagged."""

import pytest
from hostile import READABLE, SHELLS

from polite_crawler.readers.html import read_page
from polite_crawler.readers.javascript import letters, needs_javascript
from polite_crawler.readers.tree import parse_html

EMPTY_ROOT = "the root of the application is empty"
URL = "https://www.example.com/"


@pytest.mark.parametrize("name", SHELLS)
def test_shells_are_found(name: str) -> None:
    assert len(SHELLS) >= 12
    page = read_page(SHELLS[name].encode(), url=URL)
    assert page.needs_javascript
    assert page.notes


@pytest.mark.parametrize("name", READABLE)
def test_readable_pages_are_not_flagged(name: str) -> None:
    assert not read_page(READABLE[name].encode(), url=URL).needs_javascript


@pytest.mark.parametrize(
    ("source", "text", "noscript", "length", "reason"),
    [
        ("<script src=a.js></script>", "", "", 100, "the page has no text without scripts"),
        ("<script type=text/babel>x()</script>", "few", "", 100, "the page has no text without scripts"),
        ("<script type=application/json>{}</script>", "", "", 100, None),
        ("<p>", "", "", 100, None),
        ("<script>short()</script>", "a" * 60, "", 100, None),
        ("<script src=a.js></script>", "a" * 60, "", 30_000, "the page has little text in much markup"),
        ("<script src=a.js></script>", "a" * 300, "", 30_000, None),
        ("<script src=a.js></script>", "a" * 300, "Please enable JavaScript", 100, "the page asks for JavaScript"),
        ("<script src=a.js></script>", "a" * 500, "Please enable JavaScript", 100, None),
        ("<script src=a.js></script><div id=App></div>", "a" * 500, "", 100, EMPTY_ROOT),
        ("<script src=a.js></script><div data-reactroot></div>", "a" * 500, "", 100, EMPTY_ROOT),
        ("<script src=a.js></script><app-root>x</app-root>", "a" * 500, "", 100, EMPTY_ROOT),
        ("<script src=a.js></script><div id=app>" + "a" * 60 + "</div>", "a" * 500, "", 100, None),
        ("<script src=a.js></script><div id=app><b>a</b>" + "a" * 60 + "</div>", "a" * 500, "", 100, None),
        ("<script src=a.js></script><div id=app><style>" + "a" * 60 + "</style></div>", "a" * 500, "", 100,
         EMPTY_ROOT),
        ("<script src=/main.js></script><div id=x></div>", "a" * 100, "", 100, EMPTY_ROOT),
        ("<script src=/main.8f.chunk.js?v=1></script><section id=x> </section>", "a" * 100, "", 100, EMPTY_ROOT),
        ("<script type=module src=/x.js></script><div id=x></div>", "a" * 100, "", 100, EMPTY_ROOT),
        ("<script src=/widget.js></script><div id=x></div>", "a" * 100, "", 100, None),
        ("<script src=/main.js></script><div id=x>a</div><div></div>", "a" * 100, "", 100, None),
        ("<script src=/main.js></script><div id=x></div>", "a" * 300, "", 100, None),
        ("<script src=/main.js></script><div id=map></div><p>" + "a" * 60, "a" * 60, "", 100, None),
        ("<script src=/main.js></script><h1>A</h1><div id=map></div><li>" + "a" * 60, "a" * 61, "", 100, None),
        (f"<script src=/main.js></script><header><p>{'a' * 60}</p></header><div id=x></div>", "a" * 60, "", 100,
         EMPTY_ROOT),
        (f"<script src=/main.js></script><p><b>{'a' * 20}</b>{'a' * 40}</p><div id=m></div>", "a" * 60, "", 100, None),
        ("<script src=a.js></script>", "a" * 60 + "자바스크립트를 활성화", "", 100, "the page asks for JavaScript"),
        ("<script src=a.js></script><div id=app></div>", "a" * 900, "", 100, None),
        ("<script src=a.js></script><div id=app></div>", "a" * 9000, "", 100, None),
    ],
)  # fmt: skip
def test_rules(source: str, text: str, noscript: str, length: int, reason: str | None) -> None:
    assert needs_javascript(parse_html(source).root, text, noscript, length) == reason


@pytest.mark.parametrize(
    ("text", "count"), [("abc 12 _", 3), ("été", 3), ("漢字", 6), ("한국", 6), ("ไทย", 9), ("日x", 4), ("", 0)]
)
def test_letters(text: str, count: int) -> None:
    assert letters(text) == count
