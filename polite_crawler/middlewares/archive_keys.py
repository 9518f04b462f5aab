"""The meta keys by which a request wants copies of public archives, or none."""

FALLBACK = "polite_archive_fallback"
"""The meta key of a request's own POLITE_ARCHIVE_FALLBACK."""

DESPITE_ROBOTS = "polite_archive_despite_robots"
"""The meta key of a request's own POLITE_ARCHIVE_DESPITE_ROBOTS."""
