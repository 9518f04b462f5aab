"""The process that opens the files that can break a reader. It is run as a program, with the module of the reader.

It loads the reader once and forks children. Its standard input is a Unix socket: each message asks for a child and
brings its two sockets. On the first the child reads a line of limits and a file, writes a JSON line and its text for
each part (a page, a chapter), and waits for the next file. When the child has ended, this process says how on the
second.

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
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

_NICE = 5

Read = Callable[[bytes, Mapping[str, Any]], Iterator[tuple[dict[str, Any], str]]]
"""Reads a file under its limits: lines of facts, each with a text."""


def serve(control: socket.socket, read: Read) -> None:
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
            _start(job, status, jobs, (control.fileno(), wake_in, wake_out), read)
    for pid in jobs:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _start(
    job: socket.socket, status: socket.socket, jobs: dict[int, socket.socket], shared: tuple[int, ...], read: Read
) -> None:
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
        run(job, read)
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


def run(job: socket.socket, read: Read) -> None:
    """Read files one after the other, each under its limits, until the other side closes the socket."""
    with job.makefile("rb") as reader:
        while order := reader.readline():
            limits = json.loads(order)
            signal.setitimer(signal.ITIMER_REAL, limits["seconds"])
            _confine(limits["memory"], limits["cpu"])
            body = reader.read(limits["octets"])
            for line, text in read(body, limits):
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


def main(name: str) -> None:
    """Serve with the reader of a module, which reads a sample of its own first: each child finds it warm."""
    # This program is started without a path of its own, so that nothing beside the package is imported.
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    module = import_module(f"polite_crawler.readers.{name}")
    # Where there are too few processors, the requests of the engine go first.
    os.nice(_NICE)
    list(module.read(module.SAMPLE, module.SAMPLE_LIMITS))
    gc.collect()
    gc.freeze()
    gc.disable()
    serve(socket.socket(fileno=sys.stdin.fileno()), module.read)


if __name__ == "__main__":
    main(sys.argv[1])
