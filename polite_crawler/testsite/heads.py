"""The head of a request as octets, and its header fields."""

Headers = tuple[tuple[str, str], ...]


def header_fields(head: bytes) -> Headers:
    """The header fields of a request head, in the order that they came, as Latin-1 text."""
    pairs = (line.partition(b":") for line in head.split(b"\r\n")[1:] if line)
    return tuple((name.decode("latin-1"), value.strip().decode("latin-1")) for name, _, value in pairs)


def header_of(headers: Headers, name: str) -> str | None:
    """The first value of a header, or None. The name in any case."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)
