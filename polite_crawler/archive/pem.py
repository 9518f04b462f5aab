"""Private keys in files of PEM form, for seals and for packages."""

from pathlib import Path
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.paths import given_path


def private_key(path: str | Path) -> Any:
    """The private key of a PEM file without a password, of whatever kind. Raises BadOption."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(given_path(path).read_bytes(), None)
    except OSError as error:
        raise BadOption(f"cannot read the key {path}: {error.strerror or error}") from None
    except (TypeError, ValueError):
        raise BadOption(f"{path} is no private key in PEM form without a password") from None
