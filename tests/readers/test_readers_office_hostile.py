"""Office documents and e-books that are made to break a reader: each costs a note, and what came before it is kept."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from office_maker import (
    KEPT,
    KEPT_ODT,
    LAUGHS,
    changed,
    content,
    document,
    docx,
    docx_parts,
    epub,
    epub_parts,
    odt,
    odt_parts,
    overlapping,
    pack,
    page,
    read_both,
    reads,
    related,
    with_bomb,
)

from polite_crawler.readers.office.file import OfficeLimits, read_office
from polite_crawler.readers.processes import close_workers

TEN_GIB = 10 * 1024
DAMAGED = "the file is damaged or cut: its parts are read as far as they came"
BOUND = "cut: more than 209715200 octets in all parts together"
TAG = "cut: a tag or a comment of more than 4194304 octets"
ENTITY = "left out: references to entities of the file (1)"
MAIN, CONTENT, IMAGE = "word/document.xml", "content.xml", "word/media/a.png"
WITH_IMAGE = {**docx_parts(), "word/_rels/document.xml.rels": related(image="media/a.png")}
INVALID = f"the XML of {MAIN} is not valid from line 1 on:"
MANY_CELLS = "<table:table-cell table:number-columns-repeated='9999999'/>" * 9
MANY_ATTRIBUTES = " ".join(f"a{number}=''" for number in range(99_999))
LONE_SURROGATE = document(KEPT).encode().replace(b"</w:body>", b"<w:p>\xed\xa0\x80")
BIG5 = "<?xml version='1.0' encoding='big5'?><a/>"
IMAGE_FILE = pack({**WITH_IMAGE, IMAGE: "p" * 500})


@pytest.fixture(autouse=True, scope="module")
def _worker() -> Iterator[None]:
    yield
    close_workers()


def opened(text: str) -> str:
    """The part without its last end tags: what follows stands in it."""
    return text[: text.rindex("</w:body>" if "</w:body>" in text else "</office:text>")]


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        (with_bomb(docx_parts(), MAIN, opened(document(KEPT)), TEN_GIB), (BOUND,)),
        (with_bomb(odt_parts(), CONTENT, opened(content(KEPT_ODT)), TEN_GIB), (BOUND,)),
        (with_bomb(docx_parts(), MAIN, opened(document(KEPT)) + "<w:p a='", TEN_GIB), (TAG,)),
        (with_bomb(odt_parts(), CONTENT, opened(content(KEPT_ODT)) + "<!--", TEN_GIB), (TAG,)),
        (with_bomb(WITH_IMAGE, IMAGE, "png", TEN_GIB), ()),
        (with_bomb({**docx_parts(), "word/a.docx": docx()}, "word/b.docx", "PK", TEN_GIB), ()),
        (overlapping(docx_parts(), MAIN, 65_000), ()),
        (pack({**docx_parts(), **{f"x/{number}": "" for number in range(65_530)}}), ()),
        (docx(KEPT + "<w:p><w:r><w:t>&l11;</w:t></w:r></w:p>", LAUGHS), (ENTITY,)),
        (odt(KEPT_ODT + "<text:p>&l11;</text:p>", LAUGHS), (ENTITY,)),
        (docx(KEPT + "<w:p>" * 100_000 + "</w:p>" * 100_000), ()),
        (docx(KEPT + "<w:tbl><w:tr><w:tc>" * 50_000 + "</w:tc></w:tr></w:tbl>" * 50_000), ()),
        (docx(KEPT + "<w:p><w:r><w:txbxContent>" * 50_000 + "</w:txbxContent></w:r></w:p>" * 50_000), ()),
        (odt(KEPT_ODT + "<text:p><text:span>" * 50_000 + "</text:span></text:p>" * 50_000), ()),
        (docx(KEPT + f"<w:p {MANY_ATTRIBUTES}/>"), ()),
        (docx(KEPT + "<w:p/>" * 1_000_000), ()),
        (odt(f"{KEPT_ODT}<table:table>{MANY_CELLS}</table:table>"), ()),
        (changed(docx(), MAIN, crc=255), (f"the part {MAIN} is damaged: its checksum is wrong",)),
        (changed(odt(), CONTENT, crc=255), (f"the part {CONTENT} is damaged: its checksum is wrong",)),
        (changed(IMAGE_FILE, IMAGE, crc=255), ()),
        (changed(IMAGE_FILE, IMAGE, flags=1), ()),
        (pack(WITH_IMAGE), ()),
        (pack({**docx_parts(), "word/_rels/document.xml.rels": related(styles="../../../etc/passwd")}), ()),
        (pack({**docx_parts(), "../../../etc/passwd": "x", "/etc/shadow": "x", "": "x"}), ()),
        (pack({name: data for name, data in docx_parts().items() if name != "[Content_Types].xml"}), ()),
        (pack({name: data for name, data in odt_parts().items() if name != "mimetype"}), ()),
        (pack({**docx_parts(), "word/vbaProject.bin": "macro", "word/embeddings/a.bin": "x"}), ()),
        (docx(KEPT + "<w:p>\u0001</w:p>"), (f"{INVALID} not well-formed (invalid token)",)),
        (docx(KEPT + "<w:p>&#xD800;</w:p>"), (f"{INVALID} reference to invalid character number",)),
        (pack({**docx_parts(), MAIN: LONE_SURROGATE}), (f"{INVALID} not well-formed (invalid token)",)),
        (docx(KEPT + "<w:p><w:r><w:t>a</w:p>"), (f"{INVALID} mismatched tag",)),
    ],
)  # fmt: skip
def test_the_text_before_it_is_kept(body: bytes, notes: tuple[str, ...]) -> None:
    # those of ten GiB are for the process that has limits
    office = read_office(body) if len(body) > 10_000_000 else read_both(body)
    assert (office.text, office.notes) == ("kept text", notes)


SECRET = "a file of the machine"


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_an_entity_reads_no_file_and_asks_no_server(scheme: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        url = f"file://{path}" if scheme == "file" else f"http://127.0.0.1:{server.getsockname()[1]}/a"
        book = epub({"a.xhtml": reads(url) + "<html><body><p>kept text &l11;</p></body></html>"})
        word = docx(KEPT + "<w:p><w:r><w:t>&l11;</w:t></w:r></w:p>", reads(url))
        for body in (word, odt(KEPT_ODT + "<text:p>&l11;</text:p>", reads(url)), book):
            office = read_both(body)
            assert "kept text" in office.text
            assert SECRET not in office.text
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("share", [0.4, 0.6, 0.95])
@pytest.mark.parametrize(
    "body",
    [
        docx("".join(f"<w:p><w:r><w:t>paragraph {number}</w:t></w:r></w:p>" for number in range(3000))),
        odt("".join(f"<text:p>paragraph {number}</text:p>" for number in range(3000))),
        epub({f"{number}.xhtml": page(f"paragraph {number}") for number in range(200)}),
    ],
    ids=["docx", "odt", "epub"],
)
def test_a_file_that_was_cut_is_read_as_far_as_it_came(body: bytes, share: float) -> None:
    office = read_both(body[: int(len(body) * share)])
    assert office.text.startswith("paragraph 0\n\nparagraph 1\n\n")
    assert office.notes[0] == DAMAGED or "left out" in office.notes[0]
    assert DAMAGED in office.notes


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (changed(docx(), MAIN, flags=1), "no text: a password is needed"),
        (pack({**odt_parts(), "META-INF/manifest.xml": "<m><encryption-data/></m>"}), "no text: a password is needed"),
        (changed(docx(), MAIN, method=12), f"the part {MAIN} is packed by method 12, which is not read"),
        (pack({**docx_parts(), MAIN: ""}), f"{INVALID} no element found"),
        (pack({**docx_parts(), MAIN: BIG5}), f"the XML of {MAIN} is in an encoding that is not read"),
        (pack({"mimetype": "application/vnd.oasis.opendocument.text"}), "the part content.xml is missing"),
        (pack({"mimetype": "application/epub+zip"}), "no text: the file is broken (it has no package document)"),
        (epub({}), "no text: the document has none"),
        (docx()[:20] + b"[Content_Types].xml", "no text: the file is broken (no part that can be read)"),
    ],
)  # fmt: skip
def test_files_without_text(body: bytes, note: str) -> None:
    office = read_both(body)
    assert office.text == ""
    assert office.notes[0] == note


def test_a_page_of_a_book_that_is_a_bomb() -> None:
    book = epub_parts({"a.xhtml": page("kept text"), "b.xhtml": ""})
    office = read_office(with_bomb(book, "OEBPS/b.xhtml", "<p>second", TEN_GIB))
    assert (office.text, office.notes) == (
        "kept text\n\nsecond",
        ("cut: the part OEBPS/b.xhtml has more than 8388608 octets",),
    )


def test_a_book_that_repeats_a_page() -> None:
    office = read_both(epub({"a.xhtml": page("x" * 900)}, spine=("a.xhtml",) * 50_000))
    assert len(office.chapters) == 2000
    assert office.notes == ("cut: more than 2000 chapters",)


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (OfficeLimits(seconds=0.3), "time"),
        (OfficeLimits(memory=150 << 20), "memory or a fault of the file"),
    ],
)
def test_what_the_process_had_read_is_kept(limits: OfficeLimits, why: str) -> None:
    """A text of 200 MiB and two million elements after the first ones."""
    head = opened(document(KEPT)) + "<w:p/>" * 300_000 + "<w:p><w:r><w:t>"
    office = read_office(with_bomb(docx_parts(), MAIN, head, 180), limits)
    assert office.text in ("", "kept text")
    assert office.notes[0].startswith("cut: the reader stopped ")
    assert office.notes[0].endswith(f"({why})")


def test_a_hostile_file_leaves_the_next_one_alone() -> None:
    bomb = with_bomb(docx_parts(), MAIN, opened(document(KEPT)), TEN_GIB)
    assert [read_office(body).text for body in (bomb, docx(), bomb, odt())] == ["kept text"] * 4


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_noted(data: st.DataObject) -> None:
    body = bytearray(data.draw(st.sampled_from([docx(), odt(), epub({"a.xhtml": page("kept text")})])))
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    office = read_both(bytes(body))
    office.text.encode()
    assert office.notes or office.text
    assert not any("fault of the file" in note for note in office.notes)
