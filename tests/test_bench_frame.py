"""The frame of the benches: bars, medians, the object of --json, and the page that is made from it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
sys.path.append(str(BENCH))

from harness import Bar, Report, medians, result, table, versions_of  # noqa: E402
from run import benches, section, sections_of  # noqa: E402

FAST, SLOW = Bar("fast", 0.5, "<=", 1.0), Bar("many", 2.0, ">=", 3.0)


@pytest.mark.parametrize(
    ("value", "better", "bar", "ok"),
    [(1.0, "<=", 1.0, True), (1.01, "<=", 1.0, False), (1.0, ">=", 1.0, True), (0.99, ">=", 1.0, False)],
)
def test_a_bar_holds_up_to_its_edge(value: float, better: str, bar: float, ok: bool) -> None:
    assert Bar("x", value, better, bar).ok is ok  # type: ignore[arg-type]


def test_the_object_has_the_agreed_keys() -> None:
    found = result("find", Report((FAST, SLOW), "real", (("documents", 30),)), ("pytest",))
    assert found["name"] == "find"
    assert found["data"] == "real"
    assert found["bars"] == [
        {"claim": "fast", "value": 0.5, "bar": 1.0, "better": "<=", "ok": True},
        {"claim": "many", "value": 2.0, "bar": 3.0, "better": ">=", "ok": False},
    ]
    assert set(found["versions"]) == {"python", "pytest"}
    json.dumps(found)


def test_the_table_says_which_bar_fails() -> None:
    lines = table("find", Report((FAST, SLOW)), ()).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["ok", "FAIL"]


def test_medians_take_the_works_in_turn() -> None:
    order: list[str] = []
    clock = iter([1.0, 10.0, 3.0, 30.0, 2.0, 20.0])

    def fake(work: object) -> float:
        work()  # type: ignore[operator]
        return next(clock)

    assert medians(3, clock=fake, a=lambda: order.append("a"), b=lambda: order.append("b")) == {"a": 2.0, "b": 20.0}
    assert order == ["a", "b"] * 3


def test_the_versions_are_those_of_this_run() -> None:
    assert versions_of(("pytest",))["pytest"] == pytest.__version__


def test_a_section_replaces_only_its_own() -> None:
    first = section(result("a", Report((FAST,)), ()), quick=True)
    second = section(result("b", Report((SLOW,), rows=(("x", 1),)), ()), quick=False)
    page = "\n".join(["# Top\n", first, second])
    assert sections_of(page) == {"a": first, "b": second}
    assert "| fast | 0.5 | <= 1 | yes |" in first
    assert "| **no** |" in second
    assert "| x | 1 |" in second


def test_every_bench_has_the_common_options() -> None:
    for name in benches():
        text = (BENCH / f"{name}.py").read_text("utf-8")
        assert "from harness import" in text
        assert text.startswith('"""')


def test_a_bench_that_does_not_exist_is_named() -> None:
    command = [sys.executable, str(BENCH / "run.py"), "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no bench nothing" in done.stderr
