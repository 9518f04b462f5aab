"""The docs against the code: `python docs/check.py` fails on a difference, `--write` makes the generated parts anew.

A part between `<!-- generated: NAME -->` and `<!-- end -->` comes from the code. Beside those, every setting, command,
option, exit code, JSON key, outcome and file of the store has to stand somewhere in its page.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path

DOCS = Path(__file__).parent
_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _secret_params() -> str:
    from polite_crawler.rules.redaction import DEFAULT_SECRET_PARAMS

    return _names(sorted(DEFAULT_SECRET_PARAMS))


def _secret_headers() -> str:
    from polite_crawler.rules.redaction import SECRET_HEADERS

    return _names(sorted(SECRET_HEADERS))


def _tracking_params() -> str:
    from polite_crawler.rules.urls import TRACKING_PARAMS

    return _names(sorted(TRACKING_PARAMS))


def _testsite_routes() -> str:
    from polite_crawler.testsite.routes import markdown

    return markdown()


def _commands() -> str:
    from polite_crawler.cli import COMMANDS

    return "\n".join(f"- `pc-{name}`: {about}" for name, about in sorted(COMMANDS.items()))


def _mcp_tools() -> str:
    from polite_crawler.mcp.table import markdown

    return markdown()


GENERATED: dict[str, Callable[[], str]] = {
    "secret-params": _secret_params,
    "secret-headers": _secret_headers,
    "tracking-params": _tracking_params,
    "testsite-routes": _testsite_routes,
    "commands": _commands,
    "mcp-tools": _mcp_tools,
}


def generated(text: str) -> str:
    """The text with its generated parts made anew."""

    def one(part: re.Match[str]) -> str:
        return f"{part[1]}{GENERATED[part[2]]().strip()}\n{part[4]}"

    return _PART.sub(one, text)


def _settings() -> Iterable[str]:
    from polite_crawler.rules.options import DEFAULTS

    return DEFAULTS


def _outcomes() -> Iterable[str]:
    from polite_crawler.rules.outcomes import OUTCOMES

    return OUTCOMES


def _record_fields() -> Iterable[str]:
    from polite_crawler.store import record

    parts = (record.Time, record.Net, record.Tls, record.Body, record.Validators, record.RobotsCheck)
    for cls in (record.Capture, *parts):
        yield from (field.name for field in fields(cls))


def _json_keys() -> Iterable[str]:
    from polite_crawler.query.find import Found
    from polite_crawler.query.read import ReadResult
    from polite_crawler.query.verify import VerifyResult
    from polite_crawler.query.versions import Version
    from polite_crawler.spiders import results

    crawled = (results.CrawledPage, results.CrawlSummary)
    discovered = (results.DiscoveredUrl, results.DiscoverySource, results.DiscoverySummary)
    for cls in (Found, ReadResult, VerifyResult, Version, *crawled, *discovered):
        yield from (field.name for field in fields(cls))


def _programs() -> Iterable[str]:
    from polite_crawler.cli import COMMANDS

    return [f"pc-{name}" for name in COMMANDS]


def _options() -> Iterable[str]:
    from polite_crawler.cli import COMMANDS, parser_of

    for name in COMMANDS:
        for action in parser_of(name)._actions:
            yield from (option for option in action.option_strings if option.startswith("--") and option != "--help")


def _store_files() -> Iterable[str]:
    return ("captures/fetch/", "blobs/", "index/", "CURRENT", "hosts.sqlite", "VERSION")


MUST_STAND: tuple[tuple[str, Callable[[], Iterable[str]]], ...] = (
    ("settings.md", _settings),
    ("commands.md", _programs),
    ("commands.md", _options),
    ("commands.md", lambda: ["| 0 |", "| 1 |", "| 2 |", "| 130 |"]),
    ("json.md", _json_keys),
    ("json.md", _outcomes),
    ("store.md", _record_fields),
    ("store.md", _store_files),
)


def faults(*, write: bool = False) -> list[str]:
    """What differs between docs and code, one line each."""
    found = []
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text("utf-8")
        new = generated(text)
        if new == text:
            continue
        if write:
            path.write_text(new, "utf-8")
        else:
            found.append(f"{path.name}: a generated part differs from the code; run `make docs`")
    for page, names in MUST_STAND:
        text = (DOCS / page).read_text("utf-8")
        found += [f"{page}: {name} is not explained" for name in dict.fromkeys(names()) if name not in text]
    return found


def main() -> int:
    """Check, or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="make the generated parts anew")
    found = faults(write=parser.parse_args().write)
    for fault in found:
        sys.stderr.write(fault + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
