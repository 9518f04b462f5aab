"""What a person sees: the constructs of HTML, one row each."""

import re

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.raw_text import cut_noscript, expand_empty, keep_noscript
from polite_crawler.readers.scrub import clean, clean_value, one_line, visible
from polite_crawler.readers.tags import MAX_ATTRIBUTES, limit_attributes
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import MAX_LINKS, Anchor, Visible, read_visible


def see(source: str) -> Visible:
    return read_visible(parse_html(cut_noscript(source).source).root)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("one<div>two</div>three", "one\ntwo\nthree"),
        ("<p>a <b>bold</b> <i>word</i>.</p>", "a bold word."),
        ("<p>  many \n\t spaces  </p>", "many spaces"),
        ("<p>a<b> b</b></p>", "a b"),
        ("<p>a </p> <p> b</p>", "a\n\nb"),
        ("<span>Mon</span><span>9am</span>", "Mon9am"),
        ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
        ("a<br> b", "a\nb"),
        ("<p>a<br></p><p>b", "a\n\nb"),
        ("<br><br>a", "a"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<table><tr><td>a<td>b<tr><th>c<td>d</table>", "a\tb\nc\td"),
        ("<table><tr><td><p>a</p><td>b</table>", "a\n\nb"),
        ("<table><tr><td><td>b</table>", "b"),
        ("x<table><tr><td><td>b<tr><td>c<td> <td>d<td></table>", "x\n\n\tb\nc\t\td"),
        ("x<table><tr><td><td><div>b</div></table>", "x\n\n\tb"),
        ("x<table><tr><td><td></table><p>y", "x\n\ny"),
        ("<table><tr><td>a<td><td>b<td><p>c</p><td>d</table>", "a\t\tb\n\nc\n\nd"),
        ("<table><tr><td hidden>no<td>a<td><table><tr><td>b<td>c</table><td>d</table>", "a\n\nb\tc\n\nd"),
        ("<table><tr>loose<td>a<td><textarea>b</textarea><td><br>c</table>", "loose\ta\tb\t\nc"),
        ("<table><tr><td>a<td><tr><td><td><tr><td>b</table>", "a\nb"),
        ("<pre>  a\n   b\n</pre>c", "a\n   b\n\nc"),
        ("<p>x <pre>y</pre>", "x\n\ny"),
        ("a <span><textarea>b  c</textarea></span> d", "a b  c d"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("<details><summary>more</summary><p>inside</p></details>", "more\n\ninside"),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes"),
        ("<div popover>no</div>yes", "yes"),
        ("<div hidden>no</div>yes", "yes"),
        ("<div hidden=until-found>yes</div>", "yes"),
        ("<div hidden=hidden>no</div>yes", "yes"),
        ("<div aria-hidden=true>no</div>a longer text", "a longer text"),
        ("<div aria-hidden=false>yes</div>", "yes"),
        ("<div style='display:none'>no</div>yes", "yes"),
        ("<div style='color:red; DISPLAY : none !important'>no</div>yes", "yes"),
        ("<div style='/* display:block */display:none'>no</div>yes", "yes"),
        ("<div style='/* display:none */'>yes</div>", "yes"),
        ("<div style='/* display:none'>yes</div>", "yes"),
        ("<div style='display:nonesuch'>yes</div>", "yes"),
        ("<div style='not-display:none'>yes</div>", "yes"),
        ("<div style='visibility:hidden'>yes</div>", "yes"),
        ("<div style='opacity:0'>yes</div>", "yes"),
        ("<div style='position:absolute;left:-9999px'>yes</div>", "yes"),
        ("<html hidden><body style='display:none' aria-hidden=true>yes", "yes"),
        ("<p style='font-size:0'>no</p>yes", "yes"),
        ("<p style='font-size:0'>no <b style='font-size:12px'>yes</b> no</p>", "yes"),
        ("<p style='font-size:0px'><b style='font-size:2em'>no</b></p>yes", "yes"),
        ("<p style='font-size:0'><b style='font-size:150%'>no</b><i style='font-size:larger'>no</i></p>yes", "yes"),
        ("<p style='font-size:0'><b style='font-size:medium'>yes</b></p>", "yes"),
        ("<p style='font-size:0.5em'>yes</p>", "yes"),
        ("<p style='font-size:0.0em !important'>no</p>yes", "yes"),
        ("<p style='font-size:12px;font-size:0'>no</p>yes", "yes"),
        ("<noscript>no</noscript>yes", "yes"),
        ("<script>no</script><style>no</style><template>no</template>yes", "yes"),
        ("<div><template shadowrootmode=open><p>shadow</p></template>light</div>", "shadow\n\nlight"),
        ("<iframe>no</iframe><video>no</video><canvas>no</canvas><object data=x.svg>no</object>yes", "yes"),
        ("<object classid=x><param name=a><p>yes</p></object><applet>yes</applet>", "yes\n\nyes"),
        ("<p>a<embed hidden=true>b<source style=display:none>c<wbr hidden>d<keygen aria-hidden=true>e", "abcde"),
        ("<p>a<embed src=x>b<source>c<track>d<wbr>e<param>f<bgsound>g<basefont>h<keygen>i</p>", "abcdefghi"),
        ("<datalist><option>no</datalist><meter>no</meter><progress>no</progress><input value=no>yes", "yes"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>です", "漢字です"),
        ("<ruby>漢<rt>kan<rb>字<rt>ji</ruby>です", "漢字です"),
        ("<ruby><rb>漢<rp>(<rt><a href=/x>kan</a><br><p>no</p><rp>)</ruby>です", "漢です"),
        ("<ruby>漢<rtc><rt>kan</rtc></ruby>です", "漢です"),
        ("<math><mi>a</mi><annotation>no</annotation></math>", "a"),
        ("<svg><title>no</title><desc>no</desc><text>yes</text></svg>", "yes"),
        ("<p>Sales <svg><text>Jan</text><g><text>Fe<tspan>b</tspan></text></g></svg>", "Sales\nJan\nFeb"),
        ("a<svg><foreignObject>b</foreignObject></svg>c", "a\nb\nc"),
        ("<math><mtable><mtr><mtd>a<mtd>b</mtr><mtr><mtd>c</mtr></mtable></math>", "a\tb\nc"),
        ("inter<wbr>national co&shy;operation zero&#8203;width&#xfeff;", "international cooperation zerowidth"),
        ("a&nbsp;b", "a\xa0b"),
        ("a&zwnj;b&zwj;c", "a\u200cb\u200dc"),
        ("<p>a&#0;b&#1;c&#xd800;d&#x80;e</p>", "a\ufffdbc\ufffdd€e"),
        ("<img alt=no><p>yes", "yes"),
        ("<fieldset><legend>name</legend><label>street</label></fieldset>", "name\nstreet"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("<hr>a<hr>b", "a\n\nb"),
        ("<frameset><noframes>no</noframes></frameset>", ""),
        ("<p>a<!-- no -->b<?php no ?>c", "abc"),
        ("<custom-box>a</custom-box><custom-box>b</custom-box>", "ab"),
        ("<p>&lt;b&gt; &amp;amp;", "<b> &amp;"),
        ("<p>an <o:p>office</o:p>word", "an officeword"),
        ("a<map>b</map>c", "abc"),
        ("", ""),
        ("<!-- only a comment -->", ""),
    ],
)
def test_constructs(source: str, text: str) -> None:
    assert see(source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<title>t</title><section><p>one</p></section>", "one"),
        ("<title>t</title><article>one</article>two", "one\n\ntwo"),
        ("<head><title>t</title><custom-box>one</custom-box><p>two", "one\n\ntwo"),
        (
            "<meta name=a><header>one</header><script>x</script><main>two</main><link rel=a><p>three",
            "one\ntwo\n\nthree",
        ),
        ("<title>t</title><nav>one</nav> two <b>three</b>", "one\ntwo three"),
        ("<svg><title>no</title></svg><header>one</header><body><p>two</body>", "one\n\ntwo"),
        ("<html><head><title>t</title></head><body>one</body></html>", "one"),
    ],
)
def test_a_page_without_a_body_tag(source: str, text: str) -> None:
    root = parse_html(source).root
    assert read_visible(root).text == text
    assert root[-1].tag == "body"
    assert all(part.tag in ("title", "meta", "custom-box") for part in root.iterfind("head/*"))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<html><body><p>one</p></body></html>\n<p>two", "one\n\ntwo"),
        ("<html><body><p>one</p></body></html> two <b>three</b>", "one\n\ntwo three"),
        ("<html><body><p>one</body></html><!doctype html><html><head><title>t</title></head><body>two<p>three</body>"
         "</html>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<html><body>one</body></html><script>x</script><div>two</div>", "one\ntwo"),
        ("<html><head></head></html><p>one", "one"),
        ("<html><body>one</body></html><!-- x -->  ", "one"),
        ("<html></html>one", "one"),
    ],
)  # fmt: skip
def test_what_follows_the_end_of_the_page_is_shown(source: str, text: str) -> None:
    assert see(source).text == text


def test_aria_hidden_of_the_whole_page_is_a_modal() -> None:
    found = see("<div aria-hidden=true><p>The page behind the modal, which is long.</p></div><div>Cookies?</div>")
    assert found.text == "The page behind the modal, which is long.\n\nCookies?"
    assert found.notes == ("kept: text in aria-hidden elements, because it is more than half of the page",)


def test_aria_hidden_of_a_part_is_left_out_and_counted() -> None:
    found = see("<p>The text of the page, which is long.</p><i aria-hidden=true>icon</i><i aria-hidden=TRUE>icon</i>")
    assert found.text == "The text of the page, which is long."
    assert found.hidden == {"aria-hidden": 2}
    assert found.notes == ()


def test_a_script_under_aria_hidden_is_no_text() -> None:
    found = see("<p>a longer text</p><div aria-hidden=true><script>" + "x" * 1000 + "</script>icon</div>")
    assert found.text == "a longer text"


def test_what_was_hidden_is_counted_by_its_rule() -> None:
    source = (
        "<i hidden>a</i><i style='display:none'>b</i><i style='font-size:0'>c</i><dialog>d</dialog>"
        "<ruby>e<rt>f</rt></ruby>"
    )
    found = see(source)
    assert found.hidden == {"hidden": 1, "display": 1, "font-size": 1, "dialog": 1, "ruby": 1}
    assert found.notes == ("left out: readings of ruby text",)


@pytest.mark.parametrize(
    ("source", "anchor"),
    [
        ("<a href=/x>the  <b>text</b></a>", Anchor("/x", "the text", "")),
        ("<a href=' /x ' rel='NoFollow ugc'>t</a>", Anchor(" /x ", "t", "NoFollow ugc")),
        ("<a href=/x><img alt='the logo'></a>", Anchor("/x", "the logo", "")),
        ("<a href=/x><img><img alt=second></a>", Anchor("/x", "second", "")),
        ("<a href=/x aria-label='Next page'><i></i></a>", Anchor("/x", "Next page", "")),
        ("<a href=/x title='A title'></a>", Anchor("/x", "A title", "")),
        ("<a href=/x></a>", Anchor("/x", "", "")),
        ("<a href=/x><i aria-hidden=true>icon</i></a>", Anchor("/x", "", "")),
        ("<map><area href=/x alt=place></map>", Anchor("/x", "place", "")),
        ("<a href=/x>one<p>two</p></a>", Anchor("/x", "one two", "")),
        ("<frameset><frame src=/x title=Menu></frameset>", Anchor("/x", "Menu", "")),
    ],
)
def test_links(source: str, anchor: Anchor) -> None:
    assert see(f"{source}<p>A page with some text in it.</p>").anchors == (anchor,)


@pytest.mark.parametrize(
    "source",
    ["<a>x</a>", "<a hidden href=/x>y</a>", "<div style=display:none><a href=/x>y</a></div>", "<noscript><a href=/x>"],
)
def test_links_that_are_not_seen_are_left_out(source: str) -> None:
    assert see(source).anchors == ()


def test_too_many_links_are_cut_with_a_note() -> None:
    found = see("<a href=/x>y</a>" * (MAX_LINKS + 1))
    assert len(found.anchors) == MAX_LINKS
    assert found.notes == (f"cut: more than {MAX_LINKS} links",)


FLAT = "the markup nests deeper than 2048 elements: its text is read without its boxes, with what they would hide"


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("div", "first\n\nsecond deep\nlast"),
        ("b", "first\nsecond deep\nlast"),
        ("table", "first\n\nsecond deep\nlast"),
        ("ul", "first\n\nsecond deep\nlast"),
        ("custom-box class='a' ", "first\n\nsecond deep\nlast"),
    ],
)
def test_a_depth_that_the_parser_would_cut_is_read_flat(tag: str, text: str) -> None:
    tree = parse_html("<title>t</title><p>first</p>" + f"<{tag}>" * 5000 + "<a href=/x>second</a> deep<p>last")
    assert tree.notes == (FLAT,)
    found = read_visible(tree.root)
    assert found.text == text
    assert [anchor.href for anchor in found.anchors] == ["/x"]
    assert tree.root.findtext(".//title") == "t"


def test_a_depth_that_stays_is_noted() -> None:
    tree = parse_html("<p>first</p>" + "<div a='<'>" * 5000 + "deep")
    assert tree.notes == ("cut: the markup nests deeper than 2048 elements, the text below and after it is left out",)


def test_a_depth_within_the_limit_is_read_whole() -> None:
    tree = parse_html("<div>" * 1500 + "deep" + "</div>" * 1500 + "after")
    assert tree.notes == ()
    assert read_visible(tree.root).text == "deep\nafter"


@pytest.mark.parametrize(
    ("source", "kept", "noscript"),
    [
        ("<p>a</p>", "<p>a</p>", ()),
        ("a<noscript>b</noscript>c", "ac", ("b",)),
        ("a<NOSCRIPT class=x>b</NoScript >c", "ac", ("b",)),
        ("<noscript><div></noscript>x<noscript></div></noscript>y", "xy", ("<div>", "</div>")),
        ("<!-- <noscript> -->x<noscript>a</noscript>", "<!-- <noscript> -->x", ("a",)),
        ("<!--><noscript>a</noscript>", "<!-->", ("a",)),
        ("<!---><noscript>a</noscript>", "<!--->", ("a",)),
        ("<!-- <noscript>a</noscript>", "<!-- <noscript>a</noscript>", ()),
        ("<script>'<noscript>'</script>x<noscript>a</noscript>", "<script>'<noscript>'</script>x", ("a",)),
        ("<title><noscript></title>x<noscript>a</noscript>", "<title><noscript></title>x", ("a",)),
        ("<script><noscript>a</noscript>", "<script><noscript>a</noscript>", ()),
        ("x<noscript>a", "x<noscript>a", ()),
        ("x<noscript", "x<noscript", ()),
        ("x<noscript a", "x<noscript a", ()),
        ("<noscripts>a</noscripts>", "<noscripts>a</noscripts>", ()),
        (
            "<p title='<noscript>'>a</p><b title='</noscript>'>c",
            "<p title='<noscript>'>a</p><b title='</noscript>'>c",
            (),
        ),
        ('<p title="<!--">a<noscript>b</noscript>c', '<p title="<!--">ac', ("b",)),
        ("<p data-a='<script>' don't=x>a<noscript>b</noscript>", "<p data-a='<script>' don't=x>a", ("b",)),
        ("<script>x='<noscript>'</script>a<noscript>b</noscript>c", "<script>x='<noscript>'</script>ac", ("b",)),
    ],
)
def test_noscript_is_cut_as_a_browser_does(source: str, kept: str, noscript: tuple[str, ...]) -> None:
    found = cut_noscript(source)
    assert (found.source, found.noscript) == (kept, noscript)


def test_noscript_is_kept_as_a_box() -> None:
    assert keep_noscript("a<noscript>b</noscript>c<!-- <noscript> -->") == "a<div>b</div>c<!-- <noscript> -->"


def test_empty_elements_of_xhtml() -> None:
    source = "<title/><script src='a' /><br/><img src=a /><p class='x'/>text"
    assert expand_empty(source) == ("<title></title><script src='a' ></script><br/><img src=a /><p class='x'></p>text")


@pytest.mark.parametrize("attribute", ["a{}", "a{}=x", "a{}='>'", 'a{} = "<"'])
def test_the_attributes_of_a_tag_are_bounded(attribute: str) -> None:
    many = " ".join(attribute.format(i) for i in range(MAX_ATTRIBUTES + 900))
    source, cut = limit_attributes(f"<p>before</p><p don't {many}>text</p><a href=/x>after</a>".encode())
    assert cut
    root = parse_html(source.decode()).root
    assert max(len(element.attrib) for element in root.iter()) == MAX_ATTRIBUTES
    assert read_visible(root).text == "before\n\ntext\n\nafter"
    assert parse_html(f"<p {many}>").notes == (f"cut: a tag with more than {MAX_ATTRIBUTES} attributes",)


@pytest.mark.parametrize(
    "source",
    ["<p title='" + "a " * 20_000 + "'>text</p>", "text < " * 20_000, "<p " + "a " * 100 + ">", "<p>" + "a " * 20_000],
)
def test_other_long_sources_stay_as_they_are(source: str) -> None:
    assert limit_attributes(source.encode()) == (source.encode(), False)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [("a\r\nb\rc", "a\nb\nc"), ("\x00a\x0b\x7f\x9fb", "ab"), ("\ud83da\udc00", "a"), ("a\ufffeb\uffffc", "abc")],
)
def test_clean(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned
    assert visible(text + "\u00ad\u200b\u2060\ufeff") == cleaned


def test_clean_value() -> None:
    deep: object = "x"
    for _ in range(100):
        deep = [deep]
    value = {"a\x00": [1, True, None, 1.5, float("nan"), float("inf"), "b\ud800"], "big": 2**70, "huge": 10**5000}
    assert clean_value(value) == {"a": [1, True, None, 1.5, None, None, "b"], "big": str(2**70), "huge": None}
    assert re.fullmatch(r"\[{64}None\]{64}", str(clean_value(deep)))
    assert clean_value((1, b"octets")) == [1, None]


def test_one_line() -> None:
    assert one_line("  a \n b\t\u200bc ") == "a b c"
    assert one_line(" \n ") is None
    assert one_line(None) is None
    assert one_line("a" * 100, 10) == "a" * 10


_PIECES = (
    "<p> </p> <div> </div> <b> </b> <a,href=/x> </a> <table> <tr> <td> </table> <br> <pre> </pre> <noscript> "
    "</noscript> <script> </script> <template> <template,shadowrootmode=open> </template> <i,hidden> </i> <!-- --> "
    "<i,style=display:none> <i,style=font-size:0> <i,aria-hidden=true> <select> <option> </select> <svg> </svg> "
    "<textarea> </textarea> &shy; &#0; &nbsp; one two text < > & \" ' <title> </title> <ruby> <rt> <details>"
)
_MARKUP = st.lists(st.sampled_from(_PIECES.split()), max_size=40)


@given(_MARKUP)
def test_any_markup_gives_a_clean_text(parts: list[str]) -> None:
    found = see(" ".join(part.replace(",", " ") for part in parts))
    assert visible(found.text) == found.text
    assert found.text == found.text.strip(" \t\n")
    assert "\n\n\n" not in found.text
    assert see(" ".join(part.replace(",", " ") for part in parts)) == found


@given(st.text(max_size=200))
def test_any_source_is_read(source: str) -> None:
    see(source).text.encode()


@given(st.lists(st.sampled_from(["word", " ", "\n", "<br>", "<p>", "<td>", "\t", "<b>", "</b>"]), max_size=30))
def test_no_word_is_lost(parts: list[str]) -> None:
    assert see("".join(parts)).text.count("word") == parts.count("word")


_NAMES = (
    "html head body div p span b i a table tr td th tbody ul li ol section article main header nav form option button "
    "h1 h2 pre br hr dl dt dd label fieldset center font details summary blockquote"
)
_TAGS = _NAMES.split()
_SOUP = st.lists(st.sampled_from([*(f"<{tag}>" for tag in _TAGS), *(f"</{tag}>" for tag in _TAGS), " w "]), max_size=25)


@given(_SOUP)
def test_no_word_is_lost_that_a_browser_shows(parts: list[str]) -> None:
    """html5lib builds the tree that browsers build."""
    numbers = iter(range(100))
    source = "".join(f" w{next(numbers)} " if part == " w " else part for part in parts)
    tree = html5lib.parse(source, namespaceHTMLElements=False)
    words = set(re.findall(r"w\d+", "".join(tree.itertext())))
    assert words <= set(re.findall(r"w\d+", see(source).text))
