"""The log of this process, which a command sets and the next test must find as it was."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def logs_as_before() -> Iterator[None]:
    """Take back what is set of the log in between. With a lower level, pytest would keep the records of Scrapy to the
    end of a test, and with them whole crawlers: a test that counts what is left of one would find it."""
    root = logging.getLogger()
    level, handlers = root.level, [*root.handlers]
    try:
        yield
    finally:
        root.setLevel(level)
        for handler in [*root.handlers]:
            if handler not in handlers and not type(handler).__module__.startswith("_pytest"):
                root.removeHandler(handler)
