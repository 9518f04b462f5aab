"""The bearer token of the HTTP server (RFC 6750): made anew at each start, or kept in a file of the operator."""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from polite_crawler.errors import BadOption
from polite_crawler.store.folder import StoreFolder

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")


def new_token(folder: StoreFolder) -> str:
    """Make a token and write it into the folder of a store, for its owner alone. Raises OSError."""
    path = folder.mcp_token
    path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_urlsafe(32)
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    os.replace(beside, path)
    return token


def read_token(path: Path) -> tuple[str, str | None]:
    """The token of a file, and a warning when others can read it. Raises BadOption and OSError."""
    token = path.read_text("utf-8", "replace").strip()
    if not _TOKEN.fullmatch(token):
        raise BadOption(f"{path}: a token has 16 to 512 letters, digits or ._~+/=-")
    open_to = stat.S_IMODE(path.stat().st_mode) & 0o077
    return token, f"{path}: other users can read the token; chmod 600 it" if open_to else None
