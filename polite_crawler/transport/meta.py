"""The meta keys of a request that the transport reads."""

SIGN = "polite_sign"
"""A request's signer (`exchange.Sign`), asked at the moment of sending."""

MAX_BYTES = "polite_max_bytes"
"""A request's own limit of the body, in bytes after decoding."""

KIND = "polite_kind"
"""The kind of a request's capture."""

LANE = "polite_lane"
"""The lane under which a request is sent, held by who asks for it; without one the request takes its own."""
