"""The last sweep behind a browser: what still runs with its home folder is killed."""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def kill_leftovers(home: str) -> int:
    """Kill the processes that were started with this HOME; gives how many there were. Their own children end with
    them, since a browser's parts end when its main process is gone. Where there is no /proc, nothing is done."""
    wanted, killed = f"HOME={home}".encode(), 0
    for entry in _PROC.glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)
                killed += 1
    return killed
