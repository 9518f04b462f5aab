"""The options that every command has, and what they mean for the store and the engine."""

import argparse
import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from polite_crawler.errors import BadOption
from polite_crawler.rules import durations
from polite_crawler.rules.rendering import MODES
from polite_crawler.version import __version__

T = TypeVar("T")

DEFAULTS: dict[str, Any] = {
    "dir": None,
    "json": False,
    "contact": None,
    "allow_private": False,
    "on_behalf_of": [],
    "verbose": False,
    "log_json": False,
    "no_progress": False,
}
"""What a common option is when it is not given. It stands here once, because it may stand before or after a name."""

_SETTINGS = {
    "render": "POLITE_RENDER",
    "screenshot": "POLITE_SCREENSHOT",
    "archive_fallback": "POLITE_ARCHIVE_FALLBACK",
    "archive_despite_robots": "POLITE_ARCHIVE_DESPITE_ROBOTS",
    "archive_timegate": "POLITE_ARCHIVE_TIMEGATE",
    "sign_key": "POLITE_SIGN_KEY",
    "signature_agent": "POLITE_SIGNATURE_AGENT",
}
"""The options of some commands that are settings as they stand."""
_HOME = "~/.polite-crawler"


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the common options. They set nothing when they are not given, so `DEFAULTS` must be in the namespace."""
    group = parser.add_argument_group("common options")

    def add(option: str, about: str, **more: Any) -> None:
        group.add_argument(option, help=about, default=argparse.SUPPRESS, **more)

    add("--dir", f"folder of the store (POLITE_CRAWLER_DIR, else {_HOME})", metavar="DIR", type=filled)
    add("--json", "print results as JSON", action="store_true")
    add("--contact", "your mail address or page, for the User-Agent (POLITE_CRAWLER_CONTACT)", metavar="ADDRESS")
    add("--allow-private", "fetch loopback, private and link-local addresses too", action="store_true")
    add(
        "--on-behalf-of",
        "obey the robots.txt rules of this agent too; may be repeated",
        action="append",
        metavar="AGENT",
    )
    add("--verbose", "log more, on stderr", action="store_true")
    add("--log-json", "log one JSON object a line", action="store_true")
    add("--no-progress", "no progress line", action="store_true")
    group.add_argument("--version", action="version", version=f"polite-crawler {__version__}")


def sentence(about: str) -> str:
    """What a command does, as a sentence."""
    return about[:1].upper() + about[1:] + "."


def add_action(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, about: str
) -> argparse.ArgumentParser:
    """Add the parser of one thing that a command does, with the common options: they may stand behind it too."""
    one = kinds.add_parser(name, help=about, description=sentence(about), allow_abbrev=False)
    add_common(one)
    return one


def add_signature(parser: argparse.ArgumentParser) -> None:
    """Add the options that sign requests (Web Bot Auth)."""
    parser.add_argument(
        "--sign-key", metavar="FILE", help="sign each request with this Ed25519 key (POLITE_CRAWLER_SIGN_KEY)"
    )
    parser.add_argument(
        "--signature-agent",
        metavar="URL",
        help="where the key directory is: an origin, or the URL of a JWK set (POLITE_CRAWLER_SIGNATURE_AGENT)",
    )


def add_render(parser: argparse.ArgumentParser) -> None:
    """Add the options of the browser."""
    parser.add_argument(
        "--render",
        choices=MODES,
        help="make pages in a browser: those that need JavaScript, each HTML page, or none (auto)",
    )
    parser.add_argument(
        "--screenshot", action="store_const", const=True, help="store a picture of each page that a browser makes"
    )


def add_archive(parser: argparse.ArgumentParser, *, despite_robots: bool = False) -> None:
    """Add the options of archived copies."""
    parser.add_argument(
        "--archive-fallback", action="store_const", const=True,
        help="where a site refuses a page or is down, take the copy of a public archive, marked with its date",
    )  # fmt: skip
    if despite_robots:
        parser.add_argument(
            "--archive-despite-robots", action="store_const", const=True,
            help="take copies of pages too that robots.txt of today disallows",
        )  # fmt: skip
    parser.add_argument(
        "--archive-timegate",
        metavar="URL",
        help="ask this archive first: a TimeGate (RFC 7089), the URL goes behind it",
    )


def add_user_provided(parser: argparse.ArgumentParser) -> None:
    """Add the option that lifts a hold."""
    parser.add_argument(
        "--user-provided",
        action="store_true",
        help="read a page that asked not to be AI input: only for a URL that you gave yourself; it is logged",
    )


def defaults() -> argparse.Namespace:
    """A namespace in which each common option has its default."""
    return argparse.Namespace(
        **{name: list(value) if isinstance(value, list) else value for name, value in DEFAULTS.items()}
    )


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an option that is a whole number in a range."""

    def of(text: str) -> int:
        number = int(text) if text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 19 else None
        if number is None or number < least or (most is not None and number > most):
            limits = f"from {least} to {most}" if most is not None else f"from {least}"
            if most is None and number is None and text.isdecimal() and text.isascii():
                limits = "of at most 18 digits"
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {limits}")
        return number

    return of


def option_type(read: Callable[[str], T]) -> Callable[[str], T]:
    """The type of an option: what `read` gives. Its BadOption is told as the fault of that option."""

    @wraps(read)
    def of(text: str) -> T:
        try:
            return read(text)
        except BadOption as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return of


@option_type
def moment(text: str) -> str:
    """A time: a date, or RFC 3339."""
    from polite_crawler.query.moments import moment_of

    moment_of(text)
    return text


@option_type
def age(text: str) -> str:
    """How old a stored copy may be."""
    durations.max_age(text, "--max-age")
    return text


@option_type
def budget(text: str) -> str:
    """A span of time for --budget."""
    durations.seconds(text, "--budget")
    return text


@option_type
def filled(text: str) -> str:
    """A text that is not empty: an empty one is a variable of a script that nobody set."""
    if not text.strip():
        raise BadOption("it is empty")
    return text


def store_dir(args: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> str:
    """The folder of the store: the option, then the environment, then the home folder. `~` is the home folder."""
    return os.path.expanduser(args.dir or environment.get("POLITE_CRAWLER_DIR") or _HOME)


def engine_settings(args: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The Scrapy settings that the common options mean. What is not given is left to the environment and the
    settings of the project."""
    settings: dict[str, Any] = {
        "POLITE_STORE": store_dir(args, environment),
        "POLITE_OUTPUT": "json" if args.json else "text",
        "POLITE_PROGRESS": not args.no_progress,
        "LOG_LEVEL": "INFO" if args.verbose else "WARNING",
    }
    if args.contact is not None:
        settings["POLITE_CONTACT"] = args.contact
    if args.allow_private:
        settings["POLITE_ALLOW_PRIVATE"] = True
    if args.on_behalf_of:
        settings["POLITE_ON_BEHALF_OF"] = list(args.on_behalf_of)
    for name, setting in _SETTINGS.items():
        if (value := getattr(args, name, None)) is not None:
            settings[setting] = value
    return settings
