"""docs/traps.md names tests that are there."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TRAPS = (TESTS.parent / "docs" / "traps.md").read_text("utf-8")


def test_each_file_and_each_test_that_the_page_names_is_there() -> None:
    files = set(re.findall(r"`([a-z]+/test_[a-z_0-9]+\.py)`", TRAPS))
    names = set(re.findall(r"`(test_[a-z_0-9]+)`", TRAPS))
    assert len(files) >= 12
    assert len(names) >= 20
    code = "".join((TESTS / file).read_text("utf-8") for file in files)
    assert [name for name in names if f"def {name}(" not in code] == []


def test_each_number_of_the_list_has_a_row() -> None:
    rows = [int(number) for number in re.findall(r"^\| (\d+) \|", TRAPS, re.MULTILINE)]
    assert rows == [*range(1, 15), 16, 17, *range(20, 25)]
