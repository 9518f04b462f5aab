"""Seals: a signed checkpoint of the log says that these lines were there, in this order, and that none was changed.

It proves what the holder of the key logged, and not what a server sent.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polite_crawler.archive.ledger import Ledger, read_ledger
from polite_crawler.archive.note import (
    BadNote,
    Checkpoint,
    SigningKey,
    load_signing_key,
    make_signing_key,
    open_note,
    origin_of,
)
from polite_crawler.errors import StoreError
from polite_crawler.rules.identity import DEFAULT_BOT_URL
from polite_crawler.rules.urls import host_key
from polite_crawler.store.folder import StoreFolder, sync_folder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, Time, utc

_KEY = "key.pem"
_PUBLIC = "key.pub"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A checkpoint: its file, its origin, how many lines it covers, their root (hexadecimal) and the public key.
    `new` is false when nothing had come since the last one."""

    file: str
    origin: str
    size: int
    root: str
    key: str
    new: bool


def signing_key(folder: StoreFolder, *, sign_key: str | Path | None = None, origin: str | None = None) -> SigningKey:
    """The key of a store and the origin it signs as: the one of a file, else the store's own, made at first use.

    Raises BadOption, and StoreError when the store cannot take a new key.
    """
    name = origin_of(origin or host_key(DEFAULT_BOT_URL))
    if sign_key is not None:
        return load_signing_key(sign_key, name)
    path = folder.checkpoints / _KEY
    if path.is_file():
        return load_signing_key(path, name)
    try:
        folder.checkpoints.mkdir(mode=0o700, exist_ok=True)
        return make_signing_key(path, name)
    except OSError as error:
        raise StoreError(f"cannot write the key {path}: {error.strerror or error}") from None


def seal(folder: StoreFolder, key: SigningKey, *, clock: Callable[[], float] = time.time) -> Sealed:
    """Sign a checkpoint of the log as it is now, and note the seal in the log. When no line has come since the last
    one, that one is given again, signed anew if its file is not there. Raises StoreError."""
    log = CaptureLog(folder.log, clock=clock)
    try:
        with _locked(folder):
            ledger = read_ledger(log)
            new = bool(ledger.fresh) or not ledger.seals
            if new:
                checkpoint = Checkpoint(key.name, len(ledger.leaves), ledger.leaves.root())
                log.append(_seal_line(checkpoint, ledger, key, clock()).line())
                log.sync()
            else:
                last = ledger.seals[-1]
                checkpoint = Checkpoint(key.name, last.size, last.root)
            path = _write(folder, checkpoint, key, new=new)
    except OSError as error:
        raise StoreError(f"cannot seal the store {folder.path}: {error.strerror or error}") from None
    finally:
        log.close()
    return Sealed(str(path), checkpoint.origin, checkpoint.size, checkpoint.root.hex(), str(key.verifier), new)


def checkpoint_path(folder: StoreFolder, size: int) -> Path:
    """Where the checkpoint of so many lines stands."""
    return folder.checkpoints / f"{size:012}.checkpoint"


def _seal_line(checkpoint: Checkpoint, ledger: Ledger, key: SigningKey, now: float) -> Capture:
    return Capture(
        kind="seal",
        url=f"checkpoint:{checkpoint.origin}/{checkpoint.size}",
        time=Time(utc(now)),
        outcome="skipped",
        reason="seal",
        source={
            "type": "seal",
            "origin": checkpoint.origin,
            "size": checkpoint.size,
            "root": checkpoint.root.hex(),
            "key": str(key.verifier),
            "files": dict(ledger.ends),
        },
    ).sealed()


def _write(folder: StoreFolder, checkpoint: Checkpoint, key: SigningKey, *, new: bool) -> Path:
    path = checkpoint_path(folder, checkpoint.size)
    if not new and _is_signed(path, key):
        return path
    _replace(path, key.sign(checkpoint.text()))
    _replace(folder.checkpoints / _PUBLIC, f"{key.verifier}\n")
    sync_folder(folder.checkpoints)
    return path


def _is_signed(path: Path, key: SigningKey) -> bool:
    try:
        open_note(path.read_text("utf-8"), key.verifier)
    except (OSError, BadNote, UnicodeDecodeError):
        return False
    return True


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextmanager
def _locked(folder: StoreFolder) -> Iterator[None]:
    """One seal at a time: two with one size and different roots would be a log with two histories."""
    folder.checkpoints.mkdir(mode=0o700, exist_ok=True)
    fd = os.open(folder.checkpoints / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
