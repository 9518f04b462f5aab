"""The meta keys of a request that the transport reads."""

SIGN = "polite_sign"
"""A request's signer (`exchange.Sign`), asked at the moment of sending."""

MAX_BYTES = "polite_max_bytes"
"""A request's own limit of the body, in bytes after decoding."""

KIND = "polite_kind"
"""The kind of a request's capture."""

LANE = "polite_lane"
"""The lane under which a request is sent, held by who asks for it; without one the request takes its own."""

SEARCH = "polite_archive_search"
"""The search of the archives that a request belongs to (`archive.search`), as plain values."""

LIVE = "polite_live"
"""What the site itself answered before the search began. It is not written to a file: the search has its capture."""

INDEX_AGE = "polite_index_age"
"""How old a stored index of an archive may be; without it none answers."""

ARCHIVE_KINDS: frozenset[str] = frozenset({"archive-index", "archive-copy"})
"""The kinds of requests to archives. They are no pages of a site: they have no scope, no recipe and no retries."""
