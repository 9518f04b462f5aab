"""How a run that cannot begin ends: one clear line for a person, a typed exception for a program."""

import os
import sys
from typing import NoReturn

from polite_crawler.errors import BadOption, PoliteError


def stop_with(error: PoliteError) -> NoReturn:
    """End the process of a `scrapy` command with one line on standard error: exit code 2 for a bad option, else 1.

    Raises the error in any other program. Scrapy itself would show a traceback and exit with 0.
    """
    if _is_scrapy_command(sys.argv[0]):
        sys.stderr.write(f"polite-crawler: {error}\n")
        sys.stderr.flush()
        raise SystemExit(2 if isinstance(error, BadOption) else 1) from None
    raise error


def _is_scrapy_command(program: str) -> bool:
    return os.path.basename(program) in ("scrapy", "scrapy.exe") or program.endswith(
        os.path.join("scrapy", "__main__.py")
    )
