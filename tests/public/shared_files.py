"""The files in ../shared, which stand beside a checkout and come with no clone. No test: a helper."""

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"
CASES = SHARED / "cases"

needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not there")


def facts(name: str) -> dict[str, Any]:
    """The facts of a file; none where there is no ../shared. Where there is one, a file that lacks is an error."""
    return json.loads((CASES / f"{name}.json").read_text("utf-8")) if CASES.is_dir() else {}
