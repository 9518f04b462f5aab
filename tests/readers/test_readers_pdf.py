"""PDF files, good and hostile, through the real worker process."""

import os
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_maker import ENCRYPTED, HELLO, PAGE_LOOP, document, flate_bomb, form_bomb, stream, text_page

from polite_crawler.readers import pdf_pages
from polite_crawler.readers import processes as module
from polite_crawler.readers.hyphens import join_words
from polite_crawler.readers.pdf import PROCESSES, Pdf, PdfLimits, close_worker, page_of, read_pdf, read_pdf_page

SMALL = PdfLimits(seconds=10, cpu=5, memory=200 << 20)


@pytest.fixture(autouse=True, scope="module")
def _worker() -> Iterator[None]:
    yield
    close_worker()


@pytest.fixture
def server() -> psutil.Process:
    """The server of a start of its own, whose one child waits for its second file."""
    close_worker()
    read_pdf(document(text_page("one")))
    return server_process()


def server_process() -> psutil.Process:
    process = PROCESSES._process
    assert process is not None
    return psutil.Process(process.pid)


def test_text_and_pages() -> None:
    pdf = read_pdf(document(text_page("First page", "second line"), text_page("Second page")))
    assert pdf.text == "First page\nsecond line\n\nSecond page"
    assert pdf.pages == ((0, 22), (24, 35))
    assert pdf.page_count == 2
    assert pdf.notes == ()
    assert [page_of(pdf.pages, position) for position in (0, 21, 22, 24, 34, 35)] == [1, 1, None, 2, 2, None]


def test_a_page_of_the_store() -> None:
    info = b"<</Title(A  title)/Author(A. Writer)/CreationDate(D:20260304120000+01'00')/ModDate(D:202603)>>"
    page = read_pdf_page(document(text_page("text"), info=info))
    assert (page.kind, page.title, page.text) == ("pdf", "A title", "text")
    assert page.meta == {
        "author": "A. Writer",
        "published": "2026-03-04T11:00:00Z",
        "modified": "2026-03",
        "pages": [[0, 4]],
        "page_count": 1,
    }


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (b"D:2026", "2026"),
        (b"D:20260304", "2026-03-04"),
        (b"D:2026030412", "2026-03-04T12:00:00"),
        (b"D:20260304120000Z", "2026-03-04T12:00:00Z"),
        (b"20260304120000-0330", "2026-03-04T15:30:00Z"),
        (b"D:20269999", None),
        (b"yesterday", None),
    ],
)
def test_dates(date: bytes, expected: str | None) -> None:
    info = b"<</CreationDate(%s)>>" % date
    assert read_pdf(document(text_page("x"), info=info)).meta.get("published") == expected


def test_limits_of_pages_and_characters() -> None:
    body = document(*(text_page(f"page {number}") for number in range(1, 6)))
    pdf = read_pdf(body, PdfLimits(pages=2))
    assert (pdf.text, pdf.page_count, pdf.notes) == ("page 1\n\npage 2", 5, ("cut: more than 2 pages",))
    pdf = read_pdf(body, PdfLimits(characters=9))
    assert (pdf.text, pdf.notes) == ("page 1\n\npag", ("cut: more than 9 characters",))


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"<html>no</html>", "not a PDF file"),
        (b"%PDF-1.7 nothing", "no text: the file is broken"),
        (document(text_page("x"))[:150], "no text: the file is broken"),
        (ENCRYPTED, "no text: a password is needed"),
        (document(stream(b"")), "no text: the pages have none, as those of a scan"),
        (PAGE_LOOP, "left out: 2 pages that cannot be read"),
    ],
)
def test_files_without_text(body: bytes, note: str) -> None:
    pdf = read_pdf(body)
    assert pdf.text.strip() == ""
    assert len(pdf.notes) == 1
    assert pdf.notes[0].startswith(note)


@pytest.mark.parametrize(
    "body",
    [
        flate_bomb(1 << 28),
        form_bomb(12),
        document(stream(b"BT /F1 1 Tf 50 700 Td " + b"(ab) Tj " * 2_000_000 + b" ET")),
    ],
    ids=["flate", "forms", "operators"],
)
def test_bombs_cost_a_note(body: bytes) -> None:
    pdf = read_pdf(body, SMALL)
    assert pdf.text == ""
    assert len(pdf.notes) == 1
    assert pdf.notes[0].startswith("cut: the reader stopped before the first page")


@pytest.mark.parametrize(
    "content",
    [b"q " * 300_000 + HELLO, HELLO + b"[" * 300_000, HELLO + b"BT (" + b"(" * 300_000],
    ids=["q", "arrays", "parentheses"],
)
def test_deep_content(content: bytes) -> None:
    pdf = read_pdf(document(stream(content)), SMALL)
    assert pdf.text == "Hello quote here" or pdf.notes


def test_what_came_before_a_bomb_is_kept() -> None:
    bomb = stream(b"BT /F1 1 Tf 50 700 Td " + b"(ab) Tj " * 2_000_000 + b" ET")
    pdf = read_pdf(document(text_page("kept"), bomb), SMALL)
    assert pdf.text == "kept"
    assert pdf.notes == ("cut: the reader stopped after page 1 of 2 (memory or a fault of the file)",)


def test_the_time_of_a_file_is_bounded() -> None:
    content = stream(b"BT /F1 1 Tf 50 700 Td " + b"(ab) Tj " * 2_000_000 + b" ET")
    pdf = read_pdf(document(content), PdfLimits(seconds=0.05, memory=4 << 30))
    assert pdf.notes == ("cut: the reader stopped before the first page (time)",)


def test_a_bomb_leaves_the_next_file_alone() -> None:
    bomb, good = flate_bomb(1 << 28), document(text_page("good"))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda body: read_pdf(body, SMALL), [bomb, good, good, bomb, good, good]))
    assert [pdf.text for pdf in found] == ["", "good", "good", "", "good", "good"]


def test_a_child_whose_file_ended_well_reads_the_next(server: psutil.Process) -> None:
    children = server.children()
    assert len(children) == 1
    assert read_pdf(document(text_page("two"))).text == "two"
    assert server.children() == children


def test_a_child_reads_a_bounded_number_of_files(server: psutil.Process) -> None:
    first = server.children()
    for number in range(module._FILES + 1):
        assert read_pdf(document(text_page(str(number)))).text == str(number)
    psutil.wait_procs(first, timeout=10)
    assert set(first).isdisjoint(server.children())


@pytest.mark.parametrize("body", [PAGE_LOOP, ENCRYPTED, b"%PDF-1.7 broken", document(*[text_page("a")] * 3)])
def test_a_file_with_an_end_of_another_kind_ends_its_child(server: psutil.Process, body: bytes) -> None:
    first = server.children()
    pdf = read_pdf(body, PdfLimits(pages=2))
    _, alive = psutil.wait_procs([child for child in server.children() if child not in first], timeout=10)
    assert alive == []
    assert pdf.notes


def test_idle_children_are_few(server: psutil.Process) -> None:
    with ThreadPoolExecutor(6) as pool:
        texts = list(pool.map(lambda number: read_pdf(document(text_page(str(number)))).text, range(30)))
    assert texts == [str(number) for number in range(30)]
    assert len(PROCESSES._idle[PdfLimits()]) <= module._IDLE


def test_a_child_that_ended_while_it_waited_is_replaced(server: psutil.Process) -> None:
    children = server.children()
    children[0].kill()
    psutil.wait_procs(children, timeout=10)
    assert read_pdf(document(text_page("two"))).text == "two"


def test_a_server_that_was_killed_is_started_again(server: psutil.Process) -> None:
    for process in (*server.children(), server):
        process.kill()
    psutil.wait_procs([server], timeout=10)
    assert read_pdf(document(text_page("two"))).text == "two"
    assert server_process() != server


LONG = stream(b"BT /F1 1 Tf 50 700 Td " + b"(ab) Tj " * 3_000_000 + b" ET")


def kill_the_child_of(server: psutil.Process, answer: Future[Pdf], known: list[psutil.Process]) -> None:
    while not (children := [child for child in server.children() if child not in known]):
        assert not answer.done()
    children[0].kill()


def test_a_child_that_was_killed_is_a_note(server: psutil.Process) -> None:
    known = server.children()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(read_pdf, document(LONG), PdfLimits(seconds=60, cpu=60, memory=8 << 30))
        kill_the_child_of(server, answer, known)
        pdf = answer.result()
    assert pdf.notes == ("cut: the reader stopped before the first page (killed)",)


def test_closing_ends_the_processes(server: psutil.Process) -> None:
    children = server.children()
    close_worker()
    assert not server.is_running()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    close_worker()
    assert read_pdf(document(text_page("two"))).text == "two"


def test_closing_kills_a_server_that_hangs(server: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    server.suspend()
    close_worker()
    assert not server.is_running()


def test_a_server_that_gives_no_answer_is_a_note(server: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GRACE", 0.1)
    server.suspend()
    try:
        pdf = read_pdf(document(text_page("two")), PdfLimits(seconds=0.2))
    finally:
        server.resume()
    assert pdf == Pdf(notes=("cut: the reader gave no answer in time before the first page",))


def test_a_server_that_cannot_start_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    close_worker()
    monkeypatch.setattr(module.subprocess, "Popen", fail)
    pdf = read_pdf(document(text_page("x")))
    note = "no text: the process that reads the file does not start (Cannot allocate memory)"
    assert pdf == Pdf(notes=(note,))


def test_after_a_fork_the_processes_belong_to_the_parent(server: psutil.Process) -> None:
    PROCESSES.forget()
    assert PROCESSES._process is None
    assert read_pdf(document(text_page("two"))).text == "two"
    assert server_process() != server
    server.kill()
    os.waitpid(server.pid, 0)


@pytest.mark.parametrize(
    ("sent", "lines"),
    [
        (b"", []),
        (b'{"pages": 1, "meta": {}, "octets": 0}\n{"page": 1, "fault": null, "octets": 9}\nhalf', [0, 4]),
        (b'{"pages": 1, "meta": {}, "octets": 0}\n{"page": 1, "fa', [0]),
    ],
)
def test_a_child_that_ends_within_a_line(sent: bytes, lines: list[int]) -> None:
    data, theirs = socket.socketpair()
    status, other = socket.socketpair()
    session = module._Session(data, status)
    theirs.sendall(sent)
    other.sendall(b"-9")
    theirs.shutdown(socket.SHUT_WR)
    found = list(session.read(b"body", PdfLimits(seconds=1), {}))
    assert [len(text) for _, text in found[:-1]] == lines
    assert found[-1] == ({"exit": -9}, "")
    for end in (theirs, other):
        end.close()
    session.close()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_noted(data: st.DataObject) -> None:
    body = bytearray(document(text_page("some text"), text_page("more text")))
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(9, len(body) - 1))] = data.draw(st.integers(0, 255))
    pdf = read_pdf(bytes(body), SMALL)
    pdf.text.encode()
    assert pdf.notes or len(pdf.pages) == pdf.page_count


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (["no mark"], ["no mark"]),
        (["exam\ufffeple"], ["example"]),
        (["Asia\ufffePacific"], ["Asia-Pacific"]),
        (["the governor\ufffegeneral", "a governor-general"], ["the governor-general", "a governor-general"]),
        (["a care\ufffefully made", "made carefully"], ["a carefully made", "made carefully"]),
        (["third\ufffeparty", "a third of the party"], ["third-party", "a third of the party"]),
        (["a\ufffeb", "a b"], ["ab", "a b"]),
        (["mid\ufffe1860", "x\ufffe"], ["mid-1860", "x-"]),
    ],
)
def test_broken_words_are_joined(texts: list[str], joined: list[str]) -> None:
    assert join_words(texts) == joined


def test_the_pages_of_the_worker_itself() -> None:
    """The functions of the worker in this process, where their branches are counted."""

    def read(body: bytes, pages: int = 9, characters: int = 99) -> list[tuple[dict[str, Any], str]]:
        return list(pdf_pages.read(body, {"pages": pages, "characters": characters}))

    two = document(text_page("a"), text_page("b"))
    assert [text for _, text in read(two)] == ["", "a", "b", ""]
    for body, kind in ((b"%PDF-", "broken"), (ENCRYPTED, "password")):
        assert read(body)[0][0]["error"] == kind
    assert read(document(text_page("abc")), characters=2)[-1] == ({"cut": "characters"}, "")
    assert read(two, pages=1)[-1] == ({"cut": "pages"}, "")
    assert [line["fault"] for line, _ in read(PAGE_LOOP) if "fault" in line] == ["PdfiumError"] * 2
