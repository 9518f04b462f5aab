"""The typed errors of the package. Each message is one clear line for a person: what, where, what to do."""


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
