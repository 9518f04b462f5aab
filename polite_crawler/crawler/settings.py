"""The options of a library crawler: the settings of the package in lower case, without POLITE_."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from scrapy.settings import BaseSettings

from polite_crawler.errors import BadOption
from polite_crawler.rules.options import DEFAULTS, Options, scrapy_delays
from polite_crawler.version import __version__

_PREFIX = "POLITE_"
_NOT_HERE = frozenset({"store"})
"""`dir` names the store."""

_ENGINE: dict[str, Any] = {
    "ADDONS": {"polite_crawler.Addon": 300},
    "TWISTED_REACTOR_ENABLED": False,
    # it puts a handler on the root logger, which is the program's
    "EXTENSIONS": {"scrapy.extensions.logcount.LogCount": None},
    "LOGSTATS_INTERVAL": 0,
    "MEMUSAGE_ENABLED": False,
    "POLITE_OUTPUT": "none",
}


def settings_of(
    dir: str | os.PathLike[str] | None, options: Mapping[str, Any], scrapy: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The Scrapy settings of a library crawler. Raises BadOption for an option that there is not."""
    given = dict(scrapy or {})
    merged = {name: {**given.get(name, {}), **_ENGINE[name]} for name in ("ADDONS", "EXTENSIONS")}
    settings = {**given, **_ENGINE, **merged}
    if dir is not None:
        settings["POLITE_STORE"] = os.fspath(dir)
    for name, value in options.items():
        setting = _PREFIX + name.upper()
        if setting not in DEFAULTS or name != name.lower() or name in _NOT_HERE:
            raise BadOption(f"there is no option {name!r}{_near(name)}")
        settings[setting] = value
    return settings


def options_of(settings: Mapping[str, Any]) -> Options:
    """The checked options of such settings and of this process's environment. Raises BadOption."""
    given = settings.get("DOWNLOAD_DELAY") or 0
    try:
        delay = float(given)
    except (TypeError, ValueError):
        raise BadOption(f"DOWNLOAD_DELAY: {given!r} is not a number of seconds") from None
    slots = BaseSettings({"DOWNLOAD_SLOTS": settings.get("DOWNLOAD_SLOTS")}).getdict("DOWNLOAD_SLOTS")
    return Options.of(settings.get, os.environ, version=__version__, delay=delay, delays=scrapy_delays(slots))


def _near(name: str) -> str:
    known = [setting.removeprefix(_PREFIX).lower() for setting in DEFAULTS]
    near = get_close_matches(name.lower(), [one for one in known if one not in _NOT_HERE], n=1)
    return f"; do you mean {near[0]!r}?" if near else ""
