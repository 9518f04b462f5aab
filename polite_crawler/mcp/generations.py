"""The generations of the protocol that are told apart here."""

from typing import Final

MODERN: Final = "2026-07-28"
"""Without a handshake and sessions: a question to a person is a result, and the server decides what is a task."""

LEGACY: Final = "2025-11-25"
"""With sessions. Tasks are part of its core, and the client asks for them."""
