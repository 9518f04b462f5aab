"""The processes that read PDF files: one server that has PDFium warm, and its children, which open the files.

A child has limits of its own, so a hostile file ends its child and costs a note. A child whose file ended well reads
the next ones, up to 16; a child that met a limit or a fault reads no other.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

Line = tuple[dict[str, Any], str]

_WORKER = Path(__file__).with_name("pdf_worker.py")
_GRACE = 5.0
"""Seconds after its wall limit in which a child must be gone."""
_PATIENCE = 2.0
"""Seconds in which the server must end when it is closed."""
_FILES = 16
"""The files that one child reads."""
_IDLE = 2
"""The children that wait for their next file."""
_LAST = frozenset(("end", "cut", "error"))


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """The limits of one file: pages, code points of text, wall and CPU seconds, and octets of address space, which
    also bounds what its streams may inflate to.
    """

    pages: int = 2000
    characters: int = 5_000_000
    seconds: float = 30.0
    cpu: int = 20
    memory: int = 1 << 30


DEFAULT_LIMITS = PdfLimits()


class _Session:
    """A child, by its two sockets: on `data` the files go and the lines come, on `status` the server says its end."""

    def __init__(self, data: socket.socket, status: socket.socket) -> None:
        self.data = data
        self.status = status
        self.files = 0

    def read(self, body: bytes, limits: PdfLimits) -> Iterator[Line]:
        """The lines of one file as they come, up to its last, or up to the end of the child."""
        self.files += 1
        order = {
            "pages": limits.pages, "characters": limits.characters, "seconds": limits.seconds, "cpu": limits.cpu,
            "memory": limits.memory, "octets": len(body),
        }  # fmt: skip
        # The child ends itself when its time is over; this bound is for one that does not answer at all.
        self.data.settimeout(limits.seconds + _GRACE)
        try:
            self.data.sendall(json.dumps(order).encode() + b"\n" + body)
        except OSError:
            # The child ended before it had the whole file; its status says why.
            pass
        try:
            with self.data.makefile("rb") as answer:
                for head in answer:
                    line = _line(head, answer)
                    yield line
                    if not _LAST.isdisjoint(line[0]):
                        return
        except (OSError, ValueError):
            # The child ended in the middle of a line, or before it had read the file.
            pass
        code = self._exit_code()
        if code is not None:
            yield {"exit": code}, ""

    def _exit_code(self) -> int | None:
        self.status.settimeout(_GRACE)
        try:
            return int(self.status.recv(16) or b"none")
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        self.data.close()
        self.status.close()


def _line(head: bytes, answer: BinaryIO) -> Line:
    line = json.loads(head)
    return line, answer.read(line["octets"]).decode("utf-8", "ignore")


class PdfProcesses:
    """The server of this process and its children: started at the first file, closed at the exit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._idle: dict[PdfLimits, list[_Session]] = {}

    def read(self, body: bytes, limits: PdfLimits) -> list[Line]:
        """The lines of one file, as far as they came. Raises OSError when no process can be started."""
        session = self._waiting(limits) or self._new()
        lines = list(session.read(body, limits))
        if session.files > 1 and not any("pages" in line or "error" in line for line, _ in lines):
            # The child may have ended while it waited: then the file is not at fault, and gets a child of its own.
            session.close()
            session = self._new()
            lines = list(session.read(body, limits))
        ended_well = lines and "end" in lines[-1][0] and not any(line.get("fault") for line, _ in lines)
        if ended_well and session.files < _FILES:
            self._give_back(session, limits)
        else:
            session.close()
        return lines

    def _waiting(self, limits: PdfLimits) -> _Session | None:
        with self._lock:
            waiting = self._idle.get(limits)
            return waiting.pop() if waiting else None

    def _give_back(self, session: _Session, limits: PdfLimits) -> None:
        with self._lock:
            waiting = self._idle.setdefault(limits, [])
            if len(waiting) < _IDLE:
                waiting.append(session)
                return
        session.close()

    def _new(self) -> _Session:
        """A new child. A server that has gone is started again, once."""
        data, theirs = socket.socketpair()
        status, other = socket.socketpair()
        session = _Session(data, status)
        handles = [theirs.fileno(), other.fileno()]
        with theirs, other, self._lock:
            try:
                try:
                    socket.send_fds(self._running(), [b"j"], handles)
                except OSError:
                    self._end()
                    socket.send_fds(self._running(), [b"j"], handles)
            except OSError:
                self._end()
                session.close()
                raise
        return session

    def _running(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", str(_WORKER)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    close_fds=True,
                )
        return self._control

    def _end(self) -> None:
        for session in self._drop_idle():
            session.close()
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._control = self._process = None

    def _drop_idle(self) -> list[_Session]:
        sessions = [session for waiting in self._idle.values() for session in waiting]
        self._idle.clear()
        return sessions

    def close(self) -> None:
        """End the processes. The next file starts new ones."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """After a fork the processes belong to the parent."""
        for session in self._drop_idle():
            session.close()
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            # No child of this process: nothing to wait for, and nothing to warn of.
            self._process.returncode = 0
        self._lock = threading.Lock()
        self._process = self._control = None


PROCESSES = PdfProcesses()
close_worker = PROCESSES.close
atexit.register(close_worker)
os.register_at_fork(after_in_child=PROCESSES.forget)
