"""The process that opens PDF files, because PDFium aborts on hostile ones. It is run as a program, never imported.

It loads PDFium once and forks children. Its standard input is a Unix socket: each message asks for a child and brings
its two sockets. On the first the child reads a line of limits and a file, writes a JSON line and the text for each
page, and waits for the next file. When the child has ended, this process says how on the second.

The child's limits are its own: address space, CPU seconds, wall seconds, no file writing, no core.
"""

import gc
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pypdfium2

_PASSWORD = 4
"""FPDF_ERR_PASSWORD of fpdfview.h."""


_SAMPLE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 27>>stream
BT/F 9 Tf 9 9 Td(warm)Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Size 6/Root 1 0 R>>"""
"""A file of our own that the server reads before it forks, so that each child finds PDFium and Python warm."""


def serve(control: socket.socket) -> None:
    """Serve jobs until the other side closes the control socket; then the children end as well."""
    jobs: dict[int, socket.socket] = {}
    wake_in, wake_out = os.pipe()
    os.set_blocking(wake_in, False)
    os.set_blocking(wake_out, False)
    signal.set_wakeup_fd(wake_out, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        ready, _, _ = select.select([control.fileno(), wake_in], [], [])
        if wake_in in ready:
            os.read(wake_in, 4096)
            _reap(jobs)
        if control.fileno() in ready:
            message, handles, _, _ = socket.recv_fds(control, 1, 2)
            if not message:
                break
            job, status = (socket.socket(fileno=handle) for handle in handles)
            _start(job, status, jobs, (control.fileno(), wake_in, wake_out))
    for pid in jobs:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _start(job: socket.socket, status: socket.socket, jobs: dict[int, socket.socket], shared: tuple[int, ...]) -> None:
    pid = os.fork()
    if pid:
        job.close()
        jobs[pid] = status
        return
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for other in (*(busy.fileno() for busy in jobs.values()), status.fileno(), *shared):
            os.close(other)
        run(job)
        code = 0
    except OSError:
        # The other side has gone.
        code = 0
    finally:
        # Whatever happened, the copy of the server must not go on.
        os._exit(code)


def _reap(jobs: dict[int, socket.socket]) -> None:
    while jobs:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with jobs.pop(pid) as answer:
            try:
                answer.sendall(b"%d" % os.waitstatus_to_exitcode(status))
            except OSError:
                # Nobody waits for it any longer.
                pass


def run(job: socket.socket) -> None:
    """Read files one after the other, each under its limits, until the other side closes the socket."""
    with job.makefile("rb") as reader:
        while order := reader.readline():
            limits = json.loads(order)
            signal.setitimer(signal.ITIMER_REAL, limits["seconds"])
            _confine(limits["memory"], limits["cpu"])
            body = reader.read(limits["octets"])
            for line, text in pages(body, limits["pages"], limits["characters"]):
                data = text.encode("utf-8", "ignore")
                job.sendall(json.dumps({**line, "octets": len(data)}).encode() + b"\n" + data)
            # While it waits for its next file, its time does not run.
            signal.setitimer(signal.ITIMER_REAL, 0)


def _confine(memory: int, cpu: int) -> None:
    """Set the limits for the next file. The CPU seconds of this process count on, so that limit moves with them."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    for what, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + cpu),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def pages(body: bytes, max_pages: int, max_characters: int) -> Iterator[tuple[dict[str, Any], str]]:
    """The lines of one file: the head, then each page with its text, then the end or the error."""
    try:
        document = _open(body)
    except pypdfium2.PdfiumError as error:
        kind = "password" if getattr(error, "err_code", None) == _PASSWORD else "broken"
        yield {"error": kind, "why": str(error)[:200]}, ""
        return
    count = len(document)
    yield {"pages": count, "meta": _metadata(document)}, ""
    left = max_characters
    for index in range(min(count, max_pages)):
        text, fault = _page(document, index)
        yield {"page": index + 1, "fault": fault}, text[:left]
        if len(text) > left:
            yield {"cut": "characters"}, ""
            return
        left -= len(text)
    yield ({"cut": "pages"} if count > max_pages else {"end": True}), ""


def _open(body: bytes) -> Any:
    factory: Any = pypdfium2.PdfDocument
    return factory(body)


def _page(document: Any, index: int) -> tuple[str, str | None]:
    try:
        page = document[index]
        try:
            text_page = page.get_textpage()
            try:
                return text_page.get_text_range(errors="ignore"), None
            finally:
                text_page.close()
        finally:
            page.close()
    except (pypdfium2.PdfiumError, ValueError, RuntimeError, MemoryError) as error:
        return "", type(error).__name__


def _metadata(document: Any) -> dict[str, str]:
    try:
        return {str(key): str(value)[:2000] for key, value in document.get_metadata_dict(skip_empty=True).items()}
    except (pypdfium2.PdfiumError, ValueError, RuntimeError):
        return {}


if __name__ == "__main__":
    list(pages(_SAMPLE, 1, 9))
    gc.collect()
    gc.freeze()
    gc.disable()
    serve(socket.socket(fileno=sys.stdin.fileno()))
