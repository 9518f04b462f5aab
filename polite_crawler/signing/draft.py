"""The text that the signatures follow, in one place: a change of the draft is a change of this module."""

DRAFT = "draft-ietf-webbotauth-httpsig-protocol-01"
"""The draft by name and number (editors' copy of 13 September 2026). The signatures themselves are RFC 9421."""

TAG = "web-bot-auth"
"""The `tag` of a request's signature."""

LABEL = "sig1"
"""The label of our signature, and the name of our member of Signature-Agent."""

DIRECTORY_TAG = "http-message-signatures-directory"
"""The `tag` of the signature of a key directory."""

DIRECTORY_PATH = "/.well-known/http-message-signatures-directory"
"""Where the key directory of a domain stands."""

DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
"""The media type of a key directory at the well-known path."""

HEADERS: tuple[str, ...] = ("Signature-Agent", "Signature-Input", "Signature")
"""The fields of a signed request, in the order that we send them."""
