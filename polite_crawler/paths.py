"""Paths that a person gives."""

import os
from pathlib import Path


def given_path(path: str | os.PathLike[str]) -> Path:
    """A path with `~` as a shell reads it: before the name of nobody, and where there is no home folder, it stays."""
    return Path(os.path.expanduser(path))
