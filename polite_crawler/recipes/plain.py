"""The results of recipes as plain JSON values."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def plain(value: Any) -> Any:
    """A result as JSON: every field, also when it is None. `from_` is `from`."""
    if is_dataclass(value):
        return {field.name.rstrip("_"): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
