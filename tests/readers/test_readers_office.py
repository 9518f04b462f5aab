"""What a person sees of an office document and of an e-book, through the real worker process."""

from collections.abc import Iterator

import pytest
from office_maker import KEPT, content, docx, docx_parts, epub, epub_parts, odt, odt_parts, pack, page, read_both

from polite_crawler.readers.office import parts
from polite_crawler.readers.office.file import Office, OfficeLimits, read_office_page
from polite_crawler.readers.processes import close_workers
from polite_crawler.readers.reading import form_of, read


@pytest.fixture(autouse=True, scope="module")
def _worker() -> Iterator[None]:
    yield
    close_workers()


def p(text: str, properties: str = "") -> str:
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(*paragraphs: str) -> str:
    return f"<w:tc>{''.join(map(p, paragraphs))}</w:tc>"


def tr(*cells: str) -> str:
    return f"<w:tr>{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def style(name: str) -> str:
    return f'<w:pPr><w:pStyle w:val="{name}"/></w:pPr>'


def r(inner: str, properties: str = "") -> str:
    return f"<w:r>{f'<w:rPr>{properties}</w:rPr>' if properties else ''}{inner}</w:r>"


def t(text: str) -> str:
    return f"<w:t>{text}</w:t>"


KEEPS = "<w:r><w:t xml:space='preserve'> b </w:t></w:r>"
LIST = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
BOX = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>"
CHOICE = f"<mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("one") + p("two"), "one\n\ntwo"),
        (f"<w:p>{r(t('a'))}{KEEPS}{r(t(' c'))}</w:p>", "a b c"),
        (p("a", "<w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>"), "a"),
        (f"<w:p>{r(t('a') + '<w:tab/>' + t('b') + '<w:br/>' + t('c'))}</w:p>", "a\tb\nc"),
        (f"<w:p>{r(t('co') + '<w:noBreakHyphen/>' + t('op') + '<w:softHyphen/>')}</w:p>", "co\u2011op"),
        ("<w:p><w:r><w:sym w:char='F0B7'/><w:sym w:char='263A'/><w:sym/></w:r></w:p>", "\u263a"),
        ("<w:p><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></w:p>", "x+1"),
        (p("a", LIST) + p("b", LIST) + p("c"), "a\nb\n\nc"),
        (table(tr(cell("a"), cell("b")), tr(cell("c"), cell("d"))) + p("e"), "a\tb\nc\td\n\ne"),
        (table(tr(cell("a"), cell(""), cell("c"), cell("")), tr(cell(""), cell("d"))), "a\t\tc\n\td"),
        (table(tr(cell("a", "b"), cell("c"))), "a\nb\tc"),
        (table(tr(f"<w:tc>{table(tr(cell('a'), cell('b')))}{p('c')}</w:tc>", cell("d"))), "a\tb\nc\td"),
        (f"<w:p><w:ins>{r(t('new'))}</w:ins><w:del>{r('<w:delText>old</w:delText>')}</w:del></w:p>", "new"),
        (f"<w:p><w:moveFrom>{r(t('gone'))}</w:moveFrom><w:moveTo>{r(t('here'))}</w:moveTo></w:p>", "here"),
        (f"<w:p>{r(t('hidden'), '<w:vanish/>')}{r(t('seen'))}</w:p>", "seen"),
        ("<w:p><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen</w:t></w:r></w:p>", "seen"),
        (f"<w:p>{r(t('seen'), '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>')}</w:p>", "seen"),
        (p("seen", "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"), "seen"),
        (p("a", style("Secret")) + p("b"), "b"),
        ('<w:p><w:r><w:rPr><w:rStyle w:val="Child"/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r></w:p>', "b"),
        (p("a", style("Bullet")) * 2, "a\na"),
        (f"<w:p>{r('<w:instrText>PAGE</w:instrText>' + t('7'))}</w:p>", "7"),
        (f"<w:p>{r(t('be'))}{r(CHOICE)}{r(t('fore'))}</w:p>", "before\n\nbox"),
        (f"<w:p>{r(BOX, '<w:vanish/>')}</w:p>{KEPT}", "kept text"),
        (BOX + KEPT, "box\n\nkept text"),
        (f"<w:sdt><w:sdtContent>{KEPT}</w:sdtContent></w:sdt>", "kept text"),
        (f"<w:p><w:hyperlink>{r(t('link'))}</w:hyperlink></w:p>", "link"),
        (p("a&#xad;b\u200bc &amp; d"), "abc & d"),
    ],
)
def test_the_text_of_a_docx(body: str, text: str) -> None:
    styles = (
        '<w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="Child"><w:basedOn w:val="Secret"/></w:style>'
        '<w:style w:styleId="Bullet"><w:pPr><w:numPr/></w:pPr></w:style>'
    )
    office = read_both(docx(body, styles=styles))
    assert (office.text, office.notes) == (text, ())


def test_notes_of_a_docx_follow_its_text() -> None:
    footnotes = f'<w:footnote w:type="separator">{p("---")}</w:footnote><w:footnote>{p("foot")}</w:footnote>'
    body = "<w:p><w:r><w:t>te</w:t><w:footnoteReference/><w:t>xt</w:t></w:r></w:p>"
    office = read_both(docx(body, footnotes=footnotes, endnotes=f"<w:endnote>{p('end')}</w:endnote>"))
    assert (office.text, office.notes) == ("text\n\nfoot\n\nend", ())


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (
            f"<w:p><w:ruby><w:rt>{r(t('kan'))}</w:rt><w:rubyBase>{r(t('base'))}</w:rubyBase></w:ruby></w:p>",
            "left out: readings of ruby text",
        ),
        (KEPT + "<w:altChunk/>", "left out: parts that are documents of another kind"),
        ("<w:p/>", "no text: the document has none"),
    ],
)
def test_notes_of_a_docx(body: str, note: str) -> None:
    assert read_both(docx(body)).notes == (note,)


CORE = (
    '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">'
    "<dc:title> A\n title </dc:title>"
    "<dc:creator>A. Writer</dc:creator><dc:description>About</dc:description>"
    "<t:created>2026-03-04T10:00:00Z</t:created>"
    "<t:modified>2026-03-05T10:00:00+01:00</t:modified></c>"
)


def test_facts_of_a_docx() -> None:
    styles = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>'
    found = read_office_page(
        pack({**docx_parts(styles=styles), "docProps/core.xml": CORE, "word/vbaProject.bin": b"x"})
    )
    assert (found.kind, found.title, found.language, found.text) == ("text", "A title", "de-DE", "kept text")
    assert found.meta == {
        "author": "A. Writer",
        "description": "About",
        "published": "2026-03-04T10:00:00Z",
        "modified": "2026-03-05T09:00:00Z",
    }


@pytest.mark.parametrize("name", ["Title", "heading 1", "Heading 1"])
def test_a_heading_is_the_title_of_a_docx_without_one(name: str) -> None:
    styles = f'<w:style w:styleId="x"><w:name w:val="{name}"/></w:style>'
    heading = p("The heading", '<w:pPr><w:pStyle w:val="x"/></w:pPr>')
    assert read_both(docx(KEPT + heading + p("other"), styles=styles)).title == "The heading"


def test_a_docx_in_the_strict_form_and_with_odd_names() -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    other = docx_parts()
    document = str(other["word/document.xml"])
    transitional = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    utf_16 = document.replace("UTF-8", "UTF-16").encode("utf-16")
    for parts_of_file in (
        {**other, "word/document.xml": document.replace(transitional, strict)},
        {"WORD\\Document.XML": document},
        {**other, "word/document.xml": utf_16},
        {name: other[name] for name in reversed(other)},
        {**other, "../../word/document.xml": "<x/>", "/etc/passwd": "root"},
    ):
        assert read_both(pack(parts_of_file)).text == "kept text"


def o(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def item(inner: str) -> str:
    return f"<text:list-item>{inner}</text:list-item>"


def row(*cells: str) -> str:
    inner = "".join(f"<table:table-cell>{one}</table:table-cell>" for one in cells)
    return f"<table:table-row>{inner}</table:table-row>"


DRAWN = f"<draw:text-box>{o('box')}</draw:text-box>"
NOTE = f"<text:note><text:note-citation>1</text:note-citation><text:note-body>{o('foot')}</text:note-body></text:note>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<text:h>head</text:h>" + o("one"), "head\n\none"),
        (o("  a\n  b <text:span> c</text:span> "), "a b c"),
        (o("a<text:s text:c='3'/>b<text:s/>c<text:tab/>d<text:line-break/>e"), "a   b c\td\ne"),
        (f"<text:list>{item(o('a'))}{item(o('b'))}</text:list>{o('c')}", "a\nb\n\nc"),
        (f"<table:table>{row(o('a'), o('b'))}{row('', o('d'))}</table:table>{o('e')}", "a\tb\n\td\n\ne"),
        (f"<table:table>{row(o('a') + o('b'), o('c'))}</table:table>", "a\nb\tc"),
        (f"<text:tracked-changes><text:deletion>{o('old')}</text:deletion></text:tracked-changes>{o('new')}", "new"),
        (o(f"a<office:annotation>{o('comment')}</office:annotation>b"), "ab"),
        (o(f"te{NOTE}xt") + o("more"), "text\n\nmore\n\nfoot"),
        (o(f"be<draw:frame><svg:title>t</svg:title>{DRAWN}</draw:frame>fore"), "before\n\nbox"),
        (f"<draw:frame>{DRAWN}</draw:frame>{o('a')}", "box\n\na"),
        ('<text:section text:display="none">' + o("a") + "</text:section>" + o("b"), "b"),
        ('<text:p text:style-name="Child">a</text:p>' + o('b<text:span text:style-name="Gone">c</text:span>d'), "bd"),
        (o("a<text:hidden-text>b</text:hidden-text>c"), "ac"),
        ("between" + o("a"), "a"),
    ],
)
def test_the_text_of_an_odt(body: str, text: str) -> None:
    styles = (
        '<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="Child" style:parent-style-name="Gone"/>'
    )
    office = read_both(odt(body, styles=styles))
    assert (office.text, office.notes) == (text, ())


def test_facts_of_an_odt() -> None:
    space = "urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
    meta = (
        f'<m xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:m="{space}"><dc:title>T</dc:title>'
        "<dc:creator>B</dc:creator>"
        "<m:initial-creator>A</m:initial-creator><dc:language>pt_BR</dc:language><dc:date>2026-03-05</dc:date></m>"
    )
    office = read_both(pack({**odt_parts(), "meta.xml": meta}))
    assert (office.title, office.language, office.meta) == ("T", "pt-BR", {"author": "A", "modified": "2026-03-05"})
    assert read_both(odt("<text:h>A <text:span>head</text:span></text:h><text:h>B</text:h>")).title == "A head"
    ruby = read_both(
        odt(o("<text:ruby><text:ruby-base>a</text:ruby-base><text:ruby-text>b</text:ruby-text></text:ruby>"))
    )
    assert (ruby.text, ruby.notes) == ("a", ("left out: readings of ruby text",))


def test_a_book() -> None:
    chapters = {
        "cover.xhtml": "<html><body><img alt='x'/></body></html>",
        "one.xhtml": page("One", "First chapter.", "<span hidden=''>no</span>"),
        "two.xhtml": page("Two", "Second chapter."),
    }
    metadata = "<dc:title>The book</dc:title><dc:creator>A. Writer</dc:creator><dc:language>en</dc:language>"
    found = read_office_page(epub(chapters, metadata=metadata, spine=("cover.xhtml", "two.xhtml", "one.xhtml")))
    assert (found.kind, found.title, found.language, found.notes) == ("text", "The book", "en", ())
    assert found.text == "Two\n\nSecond chapter.\n\nOne\n\nFirst chapter."
    assert found.meta == {
        "author": "A. Writer",
        "chapters": [{"title": "Two", "start": 0, "end": 20}, {"title": "One", "start": 22, "end": 41}],
    }


def test_a_book_of_the_first_edition() -> None:
    book = epub_parts({"a.xhtml": page("A"), "b%20c.xhtml": page("B")})
    book["OEBPS/b c.xhtml"] = book.pop("OEBPS/b%20c.xhtml")
    opf = str(book["OEBPS/book.opf"])
    book["OEBPS/book.opf"] = opf.replace(
        "http://www.idpf.org/2007/opf", "http://openebook.org/namespaces/oeb-package/1.0/"
    )
    del book["mimetype"]
    assert read_both(pack(book)).text == "A\n\nB"


def test_pages_of_a_book_that_cannot_be_read_are_left_out() -> None:
    book = epub_parts({"a.xhtml": page("A"), "b.xhtml": page("B")}, spine=("a.xhtml", "b.xhtml", "none.xhtml"))
    book["META-INF/encryption.xml"] = (
        '<e xmlns:x="http://www.w3.org/2001/04/xmlenc#"><x:CipherReference URI="OEBPS/a.xhtml"/></e>'
    )
    book["OEBPS/book.opf"] = str(book["OEBPS/book.opf"]).replace(
        "</manifest>", '<item id="none.xhtml" href="none.xhtml" media-type="application/xhtml+xml"/></manifest>'
    )
    office = read_both(pack(book))
    assert (office.text, office.notes) == ("B", ("left out: 2 pages of the book that are locked or missing",))


OTHER = "no text: an office document of another kind, which is not opened"


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (pack({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<w/>"}), OTHER),
        (pack({**docx_parts(), "word/document.xml": "<workbook/>"}), OTHER),
        (pack({**odt_parts(), "content.xml": content("", kind="spreadsheet")}), OTHER),
        (pack({"deep/[Content_Types].xml": "<Types/>"}), "no text: an archive, which is not opened"),
        (pack({"META-INF/container.xml": "<container/>"}), "no text: the file is broken (it has no package document)"),
    ],
)
def test_files_of_another_kind(body: bytes, note: str) -> None:
    office = read_both(body)
    assert (office.text, office.notes) == ("", (note,))


@pytest.mark.parametrize(
    "content_type", [None, "application/zip", "application/octet-stream", "text/plain", "text/html"]
)
@pytest.mark.parametrize(
    "body",
    [docx(), odt(), epub({"a.xhtml": page("kept text")}), pack(dict(reversed(docx_parts().items())))],
    ids=["docx", "odt", "epub", "list at the end"],
)
def test_the_octets_tell_the_kind(body: bytes, content_type: str | None) -> None:
    assert form_of(body, content_type) == "office"
    found = read(body, url="https://example.com/a", content_type=content_type)
    assert (found.kind, found.text, found.notes) == ("text", "kept text", ())


def test_limits() -> None:
    many = docx(p("some words") * 50_000)
    assert read_both(many, OfficeLimits(characters=9)) == Office("some word", notes=("cut: more than 9 characters",))
    office = read_both(many, OfficeLimits(inflated=1 << 20))
    assert office.notes == ("cut: more than 1048576 octets in all parts together",)
    assert office.text.startswith("some words\n\nsome words")
    book = epub({f"{number}.xhtml": page(f"C{number}") for number in range(4)})
    office = read_both(book, OfficeLimits(chapters=2))
    assert (office.text, office.notes) == ("C0\n\nC1", ("cut: more than 2 chapters",))


def test_the_lines_of_the_worker_itself() -> None:
    """The functions of the worker in this process, where their branches are counted."""
    limits = {"characters": 12, "inflated": 1 << 20, "chapters": 9}
    lines = list(parts.read(docx(), limits))
    assert [line for line, text in lines if text] == [{"text": True}]
    assert lines[-1] == ({"end": True}, "")
    lines = list(parts.read(epub({"a.xhtml": page("One", "more words")}), limits))
    assert lines[-2:] == [({"chapter": "One"}, "One\n\nmore wo"), ({"cut": "characters"}, "")]
    assert list(parts.read(b"PK", limits))[-1][0]["error"] == "broken"
