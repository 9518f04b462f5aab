"""Which version is current, by tables."""

import random

import pytest

from polite_crawler.store.currency import VersionFacts, current_of, timeline

PLAIN, RENDER, RECIPE = {}, {"render": True}, {"recipe": True}


def facts(rows: list[tuple[int, str | None, dict[str, bool]]]) -> list[VersionFacts]:
    return [VersionFacts(at, time, f"fetch.{at}", base, **more) for at, (time, base, more) in enumerate(rows)]


TABLE = [
    ("one", [(1, "a", PLAIN)], 0),
    ("the latest", [(1, "a", PLAIN), (2, "b", PLAIN)], 1),
    ("the latest by fetch time, not by arrival", [(2, "b", PLAIN), (1, "a", PLAIN)], 0),
    ("a render stays while the plain body is the same", [(1, "a", PLAIN), (2, "a", RENDER), (3, "a", PLAIN)], 1),
    ("a render falls with its body", [(1, "a", PLAIN), (2, "a", RENDER), (3, "b", PLAIN)], 2),
    ("a render comes back with its body", [(1, "a", PLAIN), (2, "a", RENDER), (3, "b", PLAIN), (4, "a", PLAIN)], 1),
    ("the latest render of the body", [(1, "a", RENDER), (2, "a", RENDER), (3, "a", PLAIN)], 1),
    ("the richer recipe stays on the same body", [(1, "a", RECIPE), (2, "a", PLAIN)], 0),
    ("a recipe falls with its body", [(1, "a", RECIPE), (2, "b", PLAIN)], 1),
    ("a render goes before a recipe", [(1, "a", RECIPE), (2, "a", RENDER), (3, "a", PLAIN)], 1),
    ("both at one time", [(1, "a", PLAIN), (1, "a", RECIPE)], 1),
    ("one time, two bodies: by capture id", [(1, "a", PLAIN), (1, "b", PLAIN)], 1),
    ("no body known", [(1, None, RENDER), (2, None, PLAIN)], 1),
]


@pytest.mark.parametrize(("name", "rows", "current"), TABLE, ids=[row[0] for row in TABLE])
def test_the_current_version(name: str, rows: list[tuple[int, str | None, dict[str, bool]]], current: int) -> None:
    versions = facts(rows)
    assert current_of(versions).id == current
    assert current_of(versions[::-1]).id == current


def test_the_timeline_names_each_change() -> None:
    versions = facts([(1, "a", PLAIN), (2, "a", RENDER), (3, "a", PLAIN), (4, "b", PLAIN), (5, "a", PLAIN)])
    assert [(since, version.id) for since, version in timeline(versions)] == [(1, 0), (2, 1), (4, 3), (5, 1)]


@pytest.mark.parametrize("seed", range(20))
def test_the_timeline_agrees_with_the_rule_at_each_time(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        (rng.randrange(12), rng.choice("abc"), {"render": rng.random() < 0.3, "recipe": rng.random() < 0.3})
        for _ in range(10)
    ]
    versions = facts(rows)
    changes = timeline(versions)
    for time in range(13):
        known = [version for version in versions if version.fetched <= time]
        shown = [version for since, version in changes if since <= time]
        assert (shown[-1] if shown else None) == (current_of(known) if known else None)
