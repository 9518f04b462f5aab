"""What every bench has in common: options, rounds, medians of CPU time, the table, and the object of `--json`.

    def measure(options: Options) -> Report:
        times = medians(options.rounds, ours=lambda: ..., peer=lambda: ...)
        return Report((Bar("reads a page <= 1.1x the CPU of a peer", times["ours"] / times["peer"], "<=", 1.1),))

    if __name__ == "__main__":
        main("reading", measure, versions=("lxml", "inscriptis"))

A value is a ratio of two measurements of one run, so that it means the same on every machine.
"""

import argparse
import gc
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any, Literal, NoReturn

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT.parent / "shared" / "samples"
SEED = 20_261_130
"""The seed of every synthetic set."""

Better = Literal["<=", ">="]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: `quick` ends within a minute, `data` is a folder of real files (None: make synthetic ones)."""

    quick: bool
    data: Path | None
    rounds: int
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Bar:
    """A claim, what was measured, and what it must not be worse than."""

    claim: str
    value: float
    better: Better
    bar: float

    @property
    def ok(self) -> bool:
        """True when the claim holds."""
        return self.value <= self.bar if self.better == "<=" else self.value >= self.bar

    def to_json(self) -> dict[str, Any]:
        """The object of the bar."""
        value = round(self.value, 4)
        return {"claim": self.claim, "value": value, "bar": self.bar, "better": self.better, "ok": self.ok}


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one bench. `rows` are more figures for the reader of the table: (what, figure)."""

    bars: Sequence[Bar]
    data: Literal["real", "synthetic"] = "synthetic"
    rows: Sequence[tuple[str, object]] = field(default_factory=tuple)


Measure = Callable[[Options], Report]


def main(name: str, measure: Measure, *, versions: Sequence[str] = ()) -> NoReturn:
    """Parse the options, measure, print, and end the process: 0 when every bar holds, else 1.

    `versions` names the distributions whose versions belong to the figures.
    """
    parser = argparse.ArgumentParser(description=sys.modules[measure.__module__].__doc__)
    parser.add_argument("--quick", action="store_true", help="end within a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of real files (../shared/samples)")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each measurement (3 quick, 7 full)")
    given = parser.parse_args()
    if given.data is not None and not given.data.is_dir():
        parser.error(f"no folder {given.data}")
    data = given.data or (SAMPLES if SAMPLES.is_dir() else None)
    report = measure(Options(given.quick, data, given.rounds or (3 if given.quick else 7)))
    if given.json:
        print(json.dumps(result(name, report, versions)))
    else:
        print(table(name, report, versions))
    sys.exit(0 if all(bar.ok for bar in report.bars) else 1)


def result(name: str, report: Report, versions: Sequence[str]) -> dict[str, Any]:
    """The object of `--json`."""
    rows = [[what, str(figure)] for what, figure in report.rows]
    bars = [bar.to_json() for bar in report.bars]
    return {"name": name, "data": report.data, "bars": bars, "rows": rows, "versions": versions_of(versions)}


def table(name: str, report: Report, versions: Sequence[str]) -> str:
    """The result for a person."""
    lines = [f"{name} ({report.data} data; {', '.join(f'{k} {v}' for k, v in versions_of(versions).items())})"]
    lines += [
        f"  {'ok  ' if bar.ok else 'FAIL'}  {bar.value:10.4g} {bar.better} {bar.bar:<8g}  {bar.claim}"
        for bar in report.bars
    ]
    lines += [f"        {figure!s:>10}              {what}" for what, figure in report.rows]
    return "\n".join(lines)


def versions_of(distributions: Sequence[str]) -> dict[str, str]:
    """Python and these distributions, with their versions."""
    return {"python": platform.python_version(), **{one: metadata.version(one) for one in distributions}}


def peer(module: str) -> ModuleType:
    """Import a peer; without it the bench ends, and says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        sys.exit(f"bench: {module} is not installed; it comes with the extra dev: pip install 'polite-crawler[dev]'")


def cpu(work: Callable[[], object]) -> float:
    """The CPU seconds of a call in this process, user and system, in all its threads."""
    gc.collect()
    before = time.process_time()
    work()
    return time.process_time() - before


def children_cpu(work: Callable[[], object]) -> float:
    """The CPU seconds of the child processes that a call starts and waits for."""
    before = _children()
    work()
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wall(work: Callable[[], object]) -> float:
    """The wall seconds of a call."""
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def medians(
    rounds: int, *, clock: Callable[[Callable[[], object]], float] = cpu, **works: Callable[[], object]
) -> dict[str, float]:
    """The median seconds of each work. Every round runs all of them, so a busy machine is unfair to none."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(clock(work))
    return {name: median(seconds) for name, seconds in times.items()}


def rss() -> int:
    """The resident memory of this process now, in bytes."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()
