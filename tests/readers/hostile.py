"""Pages that are made to break a reader, and shells that show nothing without JavaScript. No test: a helper.

`hostile(kind, size)` makes a page of about `size` characters of one kind; four times the size must cost no more than
five times the work.
"""

from collections.abc import Callable


def _fill(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit))


def _page(inner: str) -> str:
    return f"<!doctype html><html><head><title>x</title></head><body>{inner}</body></html>"


def _nested(tag: str) -> Callable[[int], str]:
    return lambda size: _page(_fill(f"<{tag}>", size) + "deep")


def _article(size: int) -> str:
    return _page(_fill("<div class='content'><p>" + "Words of a long text, and more of it. " * 4 + "</p></div>", size))


def _article_of_anchors(size: int) -> str:
    return _page(_fill("<p><a href='/x'>" + "Words, of a long link text. " * 3 + "</a></p>", size))


def _nested_articles(size: int) -> str:
    unit = "<div class=article><p>" + "A paragraph, with enough text to be scored. " * 2 + "</p>"
    return _page(_fill(unit, size))


def _attributes(size: int) -> str:
    return _page("<p " + "".join(f"a{i}color=x " for i in range(size // 10)) + ">text</p>")


def _tables(size: int) -> str:
    return _page(_fill("<table><tr><td>cell", size))


def _json_ld(inner: str) -> Callable[[int], str]:
    return lambda size: _page('<script type="application/ld+json">' + _fill(inner, size) + "</script>")


def _microdata(size: int) -> str:
    unit = "<div itemscope itemtype='https://schema.org/Product'><b itemprop=name>n</b>"
    return _page(_fill(unit, size))


def _metas(size: int) -> str:
    return "<html><head>" + _fill("<meta name=date content='2026-01-01T00:00:00Z'>", size) + "</head><body>x"


KINDS: dict[str, Callable[[int], str]] = {
    "nested div": _nested("div"),
    "nested font": _nested("font"),
    "nested b and i": lambda size: _page(_fill("<b><i>", size) + "deep"),
    "nested table": _tables,
    "nested list": lambda size: _page(_fill("<ul><li>x", size)),
    "nested span with style": lambda size: _page(_fill("<span style='font-size:0'>x", size)),
    "nested anchor": lambda size: _page(_fill("<a href='/x'><div>", size)),
    "line breaks": lambda size: _page(_fill("<br>", size)),
    "empty paragraphs": lambda size: _page(_fill("<p>", size)),
    "unclosed noscript": lambda size: _page(_fill("<noscript>", size)),
    "noscript pairs": lambda size: _page(_fill("<noscript><div></noscript>", size)),
    "unclosed comment": lambda size: _page(_fill("<!-- ", size)),
    "unclosed script": lambda size: _page(_fill("<script>", size)),
    "unclosed title": lambda size: _fill("<title>", size),
    "open angle brackets": lambda size: _page(_fill("< <a <", size)),
    "one long attribute": lambda size: _page("<p title='" + "a" * size + "'>text</p>"),
    "many attributes": _attributes,
    "one long word": lambda size: _page("<p>" + "a" * size + "</p>"),
    "white space": lambda size: _page("<p>a" + " \n\t" * (size // 3) + "b</p>"),
    "entities": lambda size: _page("<p>" + _fill("&amp;&#1234;&nosuch;", size)),
    "soft hyphens": lambda size: _page("<p>" + _fill("a&shy;&#8203;", size)),
    "control characters": lambda size: _page(_fill("a\x00&#1;&#xd800;\x0b", size)),
    "styles with comments": lambda size: _page("<p style='" + _fill("/*display:none", size) + "'>text"),
    "styles with open quotes": lambda size: _page("<p style='" + _fill('font-size:"url(', size) + "'>text"),
    "open addresses in a sheet": lambda size: _page("<style>" + _fill("url(", size) + "</style><p>text"),
    "end tags of line breaks": lambda size: _page(_fill("a</br>", size)),
    "ends of paragraphs before text": lambda size: _page(_fill("a</p>", size)),
    "open sections in svg": lambda size: _page("<svg>" + _fill("<![CDATA[<", size)),
    "sections in svg": lambda size: _page("<svg>" + _fill("<![CDATA[<a>]]>", size)),
    "noscript in attributes": lambda size: _page(_fill("<p title='<noscript>'>x", size) + "<noscript>"),
    "noscript after open quotes": lambda size: _page(_fill('<p title="<noscript></br a="', size)),
    "readings without end tags": lambda size: _page("<ruby>" + _fill("a<rt>b<rb>", size)),
    "nested bylines": lambda size: _page(_fill("<div itemprop='author datePublished'>by ", size)),
    "empty cells": lambda size: _page("<table>" + _fill("<tr><td><td><td>", size)),
    "styles with sizes": lambda size: _page("<p style='" + _fill("font-size:0;", size) + "'>text"),
    "one long number in a style": lambda size: _page("<p style='font: " + "1" * size + "!'>text"),
    "one long zero in a style": lambda size: _page("<p style='font-size: " + "0" * size + "!'>text"),
    "many styles": lambda size: _page(_fill("<i style='display:block;font-size:0px'>a</i>", size)),
    "aria-hidden": lambda size: _page(_fill("<div aria-hidden=true>some text", size)),
    "aria-hidden siblings": lambda size: _page(_fill("<i aria-hidden=true>some text</i>", size)),
    "links": lambda size: _page(_fill("<a href='/a?b=c'>t</a>", size)),
    "links without text": lambda size: _page(_fill("<a href='/a'><b><i></i></b></a>", size)),
    "article": _article,
    "article of anchors": _article_of_anchors,
    "nested articles": _nested_articles,
    "JSON-LD open objects": _json_ld('{"a":'),
    "JSON-LD open strings": _json_ld('{"a":"\\'),
    "JSON-LD quotes that end no string": _json_ld('\\"'),
    "JSON-LD white space": lambda size: _page('<script type="application/ld+json">{' + " " * size + "!</script>"),
    "JSON-LD comments": _json_ld("/* //"),
    "JSON-LD commas": _json_ld('{"a":1,  '),
    "JSON-LD blocks": lambda size: _page(_fill("<script type='application/ld+json'>{'a':1}</script>", size)),
    "nested microdata": _microdata,
    "microdata siblings": lambda size: _page(_fill("<b itemscope itemtype='schema.org/Product'></b>", size)),
    "metas": _metas,
    "meta refreshes": lambda size: "<html><head>" + _fill("<meta http-equiv=refresh content='1;;;'>", size) + "<body>x",
    "headings": lambda size: _page(_fill("<h1>", size) + "404"),
    "select options": lambda size: _page("<select>" + _fill("<option>x", size)),
    "svg": lambda size: _page(_fill("<svg><g>", size) + "<text>x"),
    "mathematics": lambda size: _page(_fill("<math><mi>a", size)),
    "templates": lambda size: _page(_fill("<template shadowrootmode=open>x", size)),
    "pre": lambda size: _page("<pre>" + "\n" * size),
}
"""A page for each kind of attack, by its size in characters."""

_CODE = "var a = document.createElement('div'); document.body.appendChild(a); a.textContent = load('/api/data');" * 3

SHELLS: dict[str, str] = {
    "react": "<html><head><title>App</title><script defer src=/static/js/main.js></script></head><body>"
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div></body></html>",
    "vue": "<html><body><div id=app></div><script type=module src=/assets/index.js></script></body></html>",
    "next": "<html><body><div id=__next></div><script src=/_next/static/chunks/main.js></script></body></html>",
    "nuxt": "<html><body><div id=__nuxt><!-- --></div><script src=/_nuxt/entry.js></script></body></html>",
    "angular": "<html><body><app-root></app-root><script src=runtime.js></script></body></html>",
    "angularjs": f"<html ng-app=shop><body><div ng-app=shop></div><script>{_CODE}</script></body></html>",
    "loading": "<html><body><div id=app><p>Loading, please wait</p></div><script src=/app.js></script></body></html>",
    "asks": "<html><body><p>This site requires JavaScript. Please enable JavaScript in your browser to see it, "
    "then load the page again.</p><script src=/app.js></script></body></html>",
    "asks in German": "<html><body><p>Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.</p>"
    "<script src=/app.js></script></body></html>",
    "header and empty root": "<html><body><header><a href=/>Shop</a> <a href=/sale>Sale of the season</a> "
    "<a href=/help>Help and contact</a></header><div id=root></div><script src=/app.js></script></body></html>",
    "inline redirect": "<html><body><script>location.replace('/home')</script></body></html>",
    "state in markup": "<html><body><div class=shell></div><script id=data type=application/json>"
    + '{"article":"text"}' * 2000
    + "</script><script src=/app.js></script></body></html>",
    "unknown root": "<html><body><header>The shop of the season, with help and contact for all of you</header>"
    "<div id=mount-point></div><script src=/js/main.8f3a2b.chunk.js></script></body></html>",
    "custom element": "<html><body><shop-app></shop-app><script type=module src=/shop.js></script></body></html>",
    "skeleton": "<html><body>" + "<div class=skeleton><span></span></div>" * 800 + "Menu Search Cart"
    " Sign in<script src=/app.js></script></body></html>",
}
"""Pages that only a browser with scripts can show."""

READABLE: dict[str, str] = {
    "example": "<html><head><title>Example Domain</title></head><body><h1>Example Domain</h1><p>This domain is for use "
    "in illustrative examples in documents.</p></body></html>",
    "no text and no script": "<html><body><img src=a.png></body></html>",
    "rendered next": "<html><body><div id=__next><main><h1>Opening hours</h1><p>"
    + "The shop opens at nine and closes at six on each day of the week. " * 3
    + "</p></main></div><script src=/_next/static/chunks/main.js></script></body></html>",
    "short with analytics": "<html><body><h1>Closed</h1><p>We are closed until the first of May. Our friends at the "
    "bakery on the corner are open.</p><script async src=https://www.example.com/analytics.js></script></body></html>",
    "empty box of a widget": "<html><body><h1>Closed</h1><p>We are closed until the first of May. Our friends at the "
    "bakery are open.</p><div id=fb-root></div><script async src=https://www.example.com/sdk.js></script></body></html>",
    "data only": "<html><body><p>Hi</p><script type=application/ld+json>{}</script></body></html>",
    "article that names JavaScript": "<html><body><article>"
    + "<p>How to enable JavaScript in an old browser is a question of many readers, and this is the answer to it.</p>"
    * 8
    + "</article><script src=/app.js></script></body></html>",
    "chinese": "<html><body><div id=app><p>" + "我们每天早上九点开门晚上六点关门欢迎光临本店。" * 3 + "</p></div>"
    "<script src=/a.js></script></body></html>",
}
"""Pages that look a little like shells and are none."""
