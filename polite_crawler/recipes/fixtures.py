"""Fixtures of a recipe: a stored body, its capture and the documents that the extractor gave, as files.

The folder of a fixture holds `body`, `capture.json` and `documents.json`. The pytest plugin reads the body again and
fails when the extractor changes its answer.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.readers.page import Page
from polite_crawler.recipes.documents import RecipeExtractor
from polite_crawler.recipes.known import known_recipes, recipes_in
from polite_crawler.recipes.plain import plain
from polite_crawler.store.document import Document
from polite_crawler.store.record import Capture

BODY, CAPTURE, DOCUMENTS = "body", "capture.json", "documents.json"


def save_fixture(
    out: Path, extractor: RecipeExtractor, capture: Capture, body: bytes, *, file: str | None = None
) -> Path:
    """Write a fixture into a folder of its own under `out`, and give that folder. `file` is where the recipe is
    defined, when no package brings it. Raises PoliteError when the extractor fails: a body that it cannot read is no
    fixture."""
    try:
        documents = extractor(body, capture, Page())
    except Exception as error:  # the code of an application
        why = f"{type(error).__name__}: {error}"
        raise PoliteError(f"the extractor of {extractor.name} failed on {capture.url}: {why}") from error
    folder = out / f"{extractor.name}-{capture.id.rpartition('.')[2][:10]}"
    folder.mkdir(parents=True, exist_ok=True)
    named = None if file is None else os.path.relpath(Path(file).resolve(), folder.resolve())
    (folder / BODY).write_bytes(body)
    _write(folder / CAPTURE, capture.to_json())
    _write(folder / DOCUMENTS, {"recipe": extractor.name, "file": named, "documents": _plain(documents)})
    return folder


def is_fixture(folder: Path) -> bool:
    """Whether a folder holds a fixture."""
    return all((folder / name).is_file() for name in (BODY, CAPTURE, DOCUMENTS))


def check_fixture(folder: Path) -> list[str]:
    """What the extractor says now that differs from the fixture, one line each; none when nothing does. Raises
    BadOption for a recipe that is not there, and what the extractor raises."""
    expected = json.loads((folder / DOCUMENTS).read_text("utf-8"))
    capture = Capture.from_json(json.loads((folder / CAPTURE).read_text("utf-8")))
    extractor = _extractor(folder, expected)
    found = _plain(extractor((folder / BODY).read_bytes(), capture, Page()))
    before = {one["doc"]: one for one in expected["documents"]}
    now = {one["doc"]: one for one in found}
    faults = [f"{doc}: the extractor does not give it any more" for doc in before if doc not in now]
    faults += [f"{doc}: the fixture does not have it" for doc in now if doc not in before]
    for doc in (one for one in before if one in now):
        faults += [
            f"{doc}: {key} was {before[doc].get(key)!r} and is {value!r}"
            for key, value in now[doc].items()
            if before[doc].get(key) != value
        ]
    return faults


def _extractor(folder: Path, expected: dict[str, Any]) -> RecipeExtractor:
    name, file = str(expected["recipe"]), expected.get("file")
    found = {str(one.name): one for one in recipes_in(folder / file)} if file else known_recipes()
    if name not in found:
        raise BadOption(f"there is no recipe {name!r} in {file or 'an installed package'}")
    return found[name].extractor()


def _plain(documents: Sequence[Document]) -> list[dict[str, Any]]:
    keys = ("doc", "kind", "title", "text", "url", "meta", "hold")
    return [{key: plain(getattr(one, key)) for key in keys} for one in documents]


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n", "utf-8")
