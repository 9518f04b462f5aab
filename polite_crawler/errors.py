"""The typed errors of the package. Each message is one clear line for a person: what, where, what to do."""

from typing import Literal

RenderReason = Literal["refused", "download", "scheme", "browser"]


class PoliteError(Exception):
    """The base of every error that this package raises on purpose."""


class StoreError(PoliteError):
    """The store cannot be read or written: a full disk, a folder without rights, another version."""


class NotStored(PoliteError):
    """No stored document or capture has that name."""


class HeldBack(PoliteError):
    """The document asked not to be AI input, so its text is not given."""


class BadOption(PoliteError, ValueError):
    """An option, a setting or an argument has a value that is not valid. Nothing was sent or opened."""


class RenderRefused(PoliteError):
    """A page was not made in a browser; what was fetched of it is as good as before. It is no failure of its host.

    `reason`: `refused` (the page may not be made now, or its scripts broke it), `download` (it is offered as a file),
    `scheme` (it is no http or https page) or `browser` (there is none, or it does not start: nothing more is rendered
    in this run).
    """

    def __init__(self, reason: RenderReason, message: str) -> None:
        super().__init__(message)
        self.reason: RenderReason = reason
