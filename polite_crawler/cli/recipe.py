"""`pc-recipe`: run a recipe, list those that there are, and save a fixture of one."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_action, age, engine_settings, store_dir
from polite_crawler.cli.output import Output
from polite_crawler.errors import BadOption, NotStored

if TYPE_CHECKING:
    from polite_crawler.recipes.recipe import Recipe

_NONE = "no package here brings a recipe: name a Python file with one (pc-venue and pc-product have their own names)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and with which recipe."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = add_action(actions, "list", "list the recipes of installed packages and of files")
    listing.add_argument("--recipe", action="append", default=[], metavar="FILE", help="a Python file with recipes")
    run_ = add_action(actions, "run", "run a recipe")
    run_.add_argument("recipe", metavar="RECIPE", help="the name of an installed recipe, or a Python file with one")
    run_.add_argument("input", nargs="?", metavar="INPUT", help="what its requests are made of")
    run_.add_argument("--max-age", type=age, metavar="D", help="use a stored copy that is younger")
    fixture = add_action(actions, "fixture", "save the stored body of a URL, its capture and its documents")
    fixture.add_argument("url", metavar="URL", help="a URL that a recipe has fetched")
    fixture.add_argument("--recipe", action="append", default=[], metavar="FILE", help="a Python file with recipes")
    fixture.add_argument("--out", default="fixtures", metavar="DIR", help="where the fixture goes (fixtures)")


def run(args: argparse.Namespace, output: Output) -> int:
    """Do it. For a run: 0 when each request was read and no extractor failed."""
    if args.action == "list":
        return _list(args, output)
    return _run(args, output) if args.action == "run" else _fixture(args, output)


def _list(args: argparse.Namespace, output: Output) -> int:
    from polite_crawler.recipes.known import known_recipes

    recipes = sorted(known_recipes(args.recipe).items())
    for name, recipe in recipes:
        facts = {"name": name, "mode": recipe.mode, "max_age": recipe.max_age, "min_interval": recipe.min_interval}
        if output.json:
            output.fact(facts)
        else:
            output.line(f"{name}  {recipe.mode}  {(recipe.__doc__ or '').strip().partition(chr(10))[0]}".rstrip())
    if not recipes and not output.json:
        output.note(_NONE)
    return Exit.DONE if recipes else Exit.FAILED


def _run(args: argparse.Namespace, output: Output) -> int:
    from polite_crawler.cli.engine import READ, interrupted, run_spider
    from polite_crawler.recipes.results import RecipeResult

    ended = run_spider(_one(args.recipe), engine_settings(args), input=args.input, max_age=args.max_age)
    if ended.interrupted:
        return interrupted(output)
    results = [page for page in ended.pages if isinstance(page, RecipeResult)]
    for result in results:
        if result.error is not None:
            output.note(f"{result.url}: {result.error}")
    good = [one for one in results if one.outcome in READ and one.error is None]
    return Exit.DONE if results and len(good) == len(results) else Exit.FAILED


def _one(name: str) -> "type[Recipe]":
    """The recipe of a name, or the one of a file. Raises BadOption."""
    from polite_crawler.recipes.known import known_recipes, recipes_in

    if name.endswith(".py"):
        found = recipes_in(name)
        if len(found) > 1:
            raise BadOption(f"{name} defines several recipes: {', '.join(str(one.name) for one in found)}")
        return found[0]
    recipes = known_recipes()
    if name not in recipes:
        raise BadOption(f"no recipe {name!r}; " + (f"there are: {', '.join(sorted(recipes))}" if recipes else _NONE))
    return recipes[name]


def _fixture(args: argparse.Namespace, output: Output) -> int:
    from polite_crawler.query.store import open_store
    from polite_crawler.recipes.fixtures import save_fixture
    from polite_crawler.recipes.known import known_recipes, recipes_in

    files = {str(one.name): file for file in args.recipe for one in recipes_in(file)}
    recipes = known_recipes(args.recipe)
    with open_store(store_dir(args)) as store:
        copy = store.latest(args.url)
        if copy is None:
            raise NotStored(f"{args.url} is not in the store")
        name = copy.capture.recipe or "page"
        if name not in recipes:
            raise BadOption(f"{args.url} was fetched by {name!r}, and that is no recipe here; --recipe FILE names one")
        if copy.capture.hold is not None:
            output.note("the page asked not to be AI input: no fixture")
            return Exit.FAILED
        folder = save_fixture(
            Path(args.out), recipes[name].extractor(), copy.capture, copy.body(), file=files.get(name)
        )
    if output.json:
        output.fact({"recipe": name, "url": args.url, "capture": copy.capture.id, "folder": str(folder)})
    else:
        output.line(str(folder))
    return Exit.DONE
