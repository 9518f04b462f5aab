"""Commands for tests: what a run of one gave, and the words of the store that they are asked about."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

QUOTE = "robots exclusion is a protocol"
TEXT = f"On this page {QUOTE}, and a bell rings in the fog."


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def object(self) -> Any:
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]
