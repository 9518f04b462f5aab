"""The processes that read files which can break a reader: a server that has the reader warm, and its children, which
open the files.

A child has limits of its own, so a hostile file ends its child and costs a note. A child whose file ended well reads
the next ones, up to 16; a child that met a limit or a fault reads no other.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

Line = tuple[dict[str, Any], str]

_WORKER = Path(__file__).with_name("worker.py")
_GRACE = 5.0
"""Seconds after its wall limit in which a child must be gone."""
_PATIENCE = 2.0
"""Seconds in which the server must end when it is closed."""
_FILES = 16
"""The files that one child reads."""
_IDLE = 2
"""The children that wait for their next file."""
_LAST = frozenset(("end", "cut", "error"))
_FAULT = "memory or a fault of the file"
_EXITS = {
    -signal.SIGXCPU: "CPU time", -signal.SIGALRM: "time", -signal.SIGKILL: "killed", -signal.SIGABRT: _FAULT,
    -signal.SIGTRAP: _FAULT, -signal.SIGSEGV: _FAULT, -signal.SIGBUS: _FAULT, -signal.SIGILL: _FAULT, 1: _FAULT,
}  # fmt: skip
_LIMITS = {"inflated": "octets in all parts together"}
_ERRORS = {
    "password": "a password is needed",
    "broken": "the file is broken ({})",
    "worker": "the process that reads the file does not start ({})",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one file: code points of text, wall and CPU seconds, and octets of address space. A reader has
    limits of its own beside them.
    """

    characters: int = 5_000_000
    seconds: float = 30.0
    cpu: int = 20
    memory: int = 1 << 30


def _ending(line: Mapping[str, Any], limits: Limits, where: str) -> str | None:
    """The note of a line that says how the reading ended before its time, or None. `where` tells how far it came."""
    if "cut" in line:
        return f"cut: more than {getattr(limits, line['cut'])} {_LIMITS.get(line['cut'], line['cut'])}"
    if "error" in line:
        return f"no text: {_ERRORS.get(line['error'], line['error']).format(line['why'])}"
    if "exit" in line:
        return f"cut: the reader stopped {where} ({_EXITS.get(line['exit'], 'a fault')})"
    return None


class Findings(ABC):
    """What has come from the process that reads a file, up to now."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._notes: list[str] = []
        self._ended = False

    def take(self, line: Mapping[str, Any], text: str) -> None:
        """Keep what a line tells; what comes behind the end tells nothing of it."""
        if "end" in line:
            self._ended = True
        elif not self._keep(line, text) and not self._ended:
            note = _ending(line, self._limits, self._where())
            self._notes += [note] if note else []
            self._ended = True

    def _finish(self) -> None:
        """Note that the end did not come, if so."""
        if not self._ended:
            self._notes.append(f"cut: the reader gave no answer in time {self._where()}")

    @abstractmethod
    def _keep(self, line: Mapping[str, Any], text: str) -> bool:
        """Keep a line that holds a part of the file; false for another one."""

    @abstractmethod
    def _where(self) -> str:
        """How far the reader came, in words."""


class _Session:
    """A child, by its two sockets: on `data` the files go and the lines come, on `status` the server says its end."""

    def __init__(self, data: socket.socket, status: socket.socket) -> None:
        self.data = data
        self.status = status
        self.files = 0

    def read(self, body: bytes, limits: Limits, more: Mapping[str, Any]) -> Iterator[Line]:
        """The lines of one file as they come, up to its last, or up to the end of the child."""
        self.files += 1
        order = {**asdict(limits), **more, "octets": len(body)}
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


class Processes:
    """The server of one reader and its children: started at the first file, closed at the exit. `reader` is the name
    of a module with `read`.
    """

    def __init__(self, reader: str) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._idle: dict[Limits, list[_Session]] = {}
        _EACH.append(self)

    def read(self, body: bytes, limits: Limits, **more: Any) -> list[Line]:
        """The lines of one file, as far as they came; an error line when no process can be started. `more` is what
        the reader needs to know beside its limits.
        """
        try:
            return self._read(body, limits, more)
        except OSError as error:
            return [({"error": "worker", "why": error.strerror or "no process"}, "")]

    def _read(self, body: bytes, limits: Limits, more: Mapping[str, Any]) -> list[Line]:
        session = self._waiting(limits) or self._new()
        lines = list(session.read(body, limits, more))
        if session.files > 1 and all("exit" in line for line, _ in lines):
            # The child may have ended while it waited: then the file is not at fault, and gets a child of its own.
            session.close()
            session = self._new()
            lines = list(session.read(body, limits, more))
        ended_well = lines and "end" in lines[-1][0] and not any(line.get("fault") for line, _ in lines)
        if ended_well and session.files < _FILES:
            self._give_back(session, limits)
        else:
            session.close()
        return lines

    def _waiting(self, limits: Limits) -> _Session | None:
        with self._lock:
            waiting = self._idle.get(limits)
            return waiting.pop() if waiting else None

    def _give_back(self, session: _Session, limits: Limits) -> None:
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
                    [sys.executable, "-I", str(_WORKER), self._reader],
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


_EACH: list[Processes] = []


def close_workers() -> None:
    """End the processes of every reader. The next file starts new ones."""
    for processes in _EACH:
        processes.close()


def _forget() -> None:
    for processes in _EACH:
        processes.forget()


atexit.register(close_workers)
os.register_at_fork(after_in_child=_forget)
