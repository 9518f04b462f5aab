"""Which recipes there are: those of installed packages (the entry points `polite_crawler.recipes`) and of files."""

import hashlib
import importlib.util
import logging
import sys
from collections.abc import Iterable
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from polite_crawler.errors import BadOption
from polite_crawler.recipes.documents import RecipeExtractor

if TYPE_CHECKING:
    from polite_crawler.recipes.recipe import Recipe

GROUP = "polite_crawler.recipes"
"""The entry-point group of packages that bring recipes; the object is a Recipe."""

logger = logging.getLogger(__name__)


def known_recipes(files: Iterable[str | PathLike[str]] = ()) -> dict[str, "type[Recipe]"]:
    """The recipes by name. One of a package that cannot be loaded is told in the log and left out. Raises BadOption
    for a file that cannot be, and for two recipes of one name."""
    found: dict[str, type[Recipe]] = {}
    for point in entry_points(group=GROUP):
        try:
            _add(found, point.load())
        except Exception as error:  # the code of another package
            logger.warning("the recipe %s cannot be loaded: %s: %s", point.name, type(error).__name__, error)
    for file in files:
        for recipe in recipes_in(file):
            _add(found, recipe)
    return found


def known_extractors(files: Iterable[str | PathLike[str]] = ()) -> dict[str, RecipeExtractor]:
    """The extractors by the name of their recipe, for `open_store` and `reindex`."""
    return {name: recipe.extractor() for name, recipe in known_recipes(files).items()}


def recipes_in(file: str | PathLike[str]) -> list["type[Recipe]"]:
    """The recipes that a Python file defines. Raises BadOption for a file that cannot be read, or has none."""
    from polite_crawler.recipes.recipe import Recipe

    path = Path(file).resolve()
    module_name = f"polite_recipe_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadOption(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the code of an application
        del sys.modules[module_name]
        raise BadOption(f"{file} cannot be loaded: {type(error).__name__}: {error}") from None
    classes = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module_name]
    found = [one for one in classes if issubclass(one, Recipe) and one.name]
    if not found:
        raise BadOption(f"{file} defines no Recipe with a name")
    return found


def _add(found: dict[str, "type[Recipe]"], recipe: "type[Recipe]") -> None:
    name = str(recipe.name)
    if found.setdefault(name, recipe) is not recipe:
        raise BadOption(f"there are two recipes with the name {name!r}")
