"""Times that a person names: `--at 2026-10-01` or an RFC 3339 text."""

from datetime import UTC, datetime

from polite_crawler.errors import BadOption
from polite_crawler.store.record import micros


def moment_of(at: str | datetime) -> int:
    """The epoch microseconds of a time. A date alone is its start in UTC, a time without a zone is UTC.

    Raises BadOption.
    """
    if isinstance(at, datetime):
        at = (at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()
    try:
        return micros(at.strip())
    except ValueError:
        raise BadOption(f"bad time {at[:60]!r}: use 2026-10-01 or 2026-10-01T12:00:00Z") from None
