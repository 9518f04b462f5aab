"""`make bench`: run the benches and write what they measured to docs/benchmarks.md.

`python bench/run.py [--quick] [NAME]...` runs these, or all; the sections of the others stay as they are.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

BENCH = Path(__file__).resolve().parent
PAGE = BENCH.parent / "docs" / "benchmarks.md"
TOP = """# Benchmarks

Made by `make bench`: each table comes from one run of one file of `bench/`, which measures us and the peer in turn.
A value is a ratio of CPU times, if its claim says nothing else. `--quick` runs take a minute.
"""


def benches() -> list[str]:
    """The names of the benches: the files here that give `harness.main` a measure."""
    calls = re.compile(r"^from harness import .*^ +main\(\"", re.MULTILINE | re.DOTALL)
    return sorted(path.stem for path in BENCH.glob("*.py") if calls.search(path.read_text("utf-8")))


def run(name: str, *, quick: bool) -> dict[str, Any] | None:
    """The object of a bench, or None when it gave none; what it says on stderr is passed on."""
    command = [sys.executable, str(BENCH / f"{name}.py"), "--json", *(["--quick"] if quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        print(f"{name}: gave no result (exit code {done.returncode})", file=sys.stderr)
        return None
    assert isinstance(found, dict)
    return found


def section(found: dict[str, Any], *, quick: bool) -> str:
    """The part of the page that one bench fills."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    kind = "quick run" if quick else "full run"
    lines = [
        f"## {found['name']}", "", f"{kind}, {found['data']} data; {versions}.", "",
        "| claim | measured | bar | holds |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    lines += [
        f"| {bar['claim']} | {bar['value']:.4g} | {bar['better']} {bar['bar']:g} | {'yes' if bar['ok'] else '**no**'} |"
        for bar in found["bars"]
    ]
    if found.get("rows"):
        lines += ["", "| beside it | figure |", "| --- | --- |"]
        lines += [f"| {what} | {figure} |" for what, figure in found["rows"]]
    return "\n".join(lines) + "\n"


def sections_of(text: str) -> dict[str, str]:
    """The sections of the page by their names."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part.rstrip("\n") + "\n" for part in parts}


def main() -> int:
    """Run and write; 1 when a bar does not hold or a bench gave no result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches to run (all)")
    parser.add_argument("--quick", action="store_true", help="at most a minute for each")
    given = parser.parse_args()
    known = benches()
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no bench {unknown[0]}; there are: {', '.join(known)}")
    made: dict[str, str] = {}
    good = True
    for name in given.names or known:
        found = run(name, quick=given.quick)
        if found is None:
            good = False
            continue
        made[found["name"]] = section(found, quick=given.quick)
        for bar in found["bars"]:
            mark = "ok  " if bar["ok"] else "FAIL"
            print(f"{name}: {mark} {bar['value']:.4g} {bar['better']} {bar['bar']:g} {bar['claim']}")
            good &= bar["ok"]
    # another run may have written its sections meanwhile
    kept = (sections_of(PAGE.read_text("utf-8")) if PAGE.exists() else {}) | made
    PAGE.write_text("\n".join([TOP, *(kept[name] for name in sorted(kept))]), "utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
