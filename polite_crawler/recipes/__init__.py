"""Recipes: a source and how it is read into documents, and the two that everyone needs.

The names here load their parts late: reading the records of a product imports no Scrapy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polite_crawler.recipes.documents import RESERVED_RECIPES, RecipeDocument, read_json
    from polite_crawler.recipes.recipe import Recipe
    from polite_crawler.recipes.results import RecipeResult

__all__ = ["RESERVED_RECIPES", "Recipe", "RecipeDocument", "RecipeResult", "read_json"]

_LATE = {
    "RESERVED_RECIPES": "polite_crawler.recipes.documents",
    "Recipe": "polite_crawler.recipes.recipe",
    "RecipeDocument": "polite_crawler.recipes.documents",
    "RecipeResult": "polite_crawler.recipes.results",
    "read_json": "polite_crawler.recipes.documents",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
