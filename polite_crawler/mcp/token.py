"""The bearer token of the HTTP server (RFC 6750): made anew at each start, or kept in a file of the operator."""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from polite_crawler.errors import BadOption

FILE: Final = "mcp-token"
"""The name of the file in the folder of the store."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")


def new_token(folder: Path) -> str:
    """Make a token and write it into the folder of a store, for its owner alone. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    token = secrets.token_urlsafe(32)
    beside = folder / f"{FILE}.{os.getpid()}.tmp"
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    os.replace(beside, folder / FILE)
    return token


def read_token(path: Path) -> tuple[str, str | None]:
    """The token of a file, and a warning when others can read it. Raises BadOption and OSError."""
    token = path.read_text("utf-8", "replace").strip()
    if not _TOKEN.fullmatch(token):
        raise BadOption(f"{path}: a token has 16 to 512 letters, digits or ._~+/=-")
    open_to = stat.S_IMODE(path.stat().st_mode) & 0o077
    return token, f"{path}: other users can read the token; chmod 600 it" if open_to else None
