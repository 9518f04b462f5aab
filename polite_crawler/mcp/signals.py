"""The signals that end a server."""

import signal
from collections.abc import Callable
from typing import Final

import anyio

ENDING: Final = (signal.SIGTERM, signal.SIGINT)


async def on_signal(stop: Callable[[], None]) -> None:
    """Call a function at the first signal that ends a server, and at each one after it."""
    with anyio.open_signal_receiver(*ENDING) as received:
        async for _ in received:
            stop()
