"""The types of parameters that several tools have."""

from typing import Annotated

from pydantic import Field, StringConstraints

from polite_crawler.rules.rendering import Mode

Doc = Annotated[
    str, StringConstraints(min_length=1, max_length=4096), Field(description="Document id (url:https://...) or URL")
]
Capture = Annotated[str, StringConstraints(max_length=80), Field(description="Id of the capture to look into")]
At = Annotated[
    str, StringConstraints(max_length=40), Field(description="RFC 3339 time: the version that was current then")
]
UserProvided = Annotated[
    bool, Field(strict=True, description="Only for a held-back page whose URL the user gave: asks the user")
]
Cursor = Annotated[str, StringConstraints(max_length=80), Field(description="next_cursor of an earlier answer")]
Age = Annotated[
    str | int,
    Field(description='Take a stored copy younger than this: seconds, "24h", 0, "auto" or "stored" (no request)'),
]
Render = Annotated[
    Mode, Field(description="Make pages in a browser: those that need JavaScript, every HTML page, or none")
]
ArchiveFallback = Annotated[
    bool,
    Field(strict=True, description="Where a site refuses a page or is down, take a dated copy of a public archive"),
]
Limit = Annotated[int, Field(ge=1, le=50, strict=True)]
Hosts = Annotated[
    list[Annotated[str, StringConstraints(max_length=253)]] | str, Field(description="More hosts, or *.example.org")
]


def listed(value: list[str] | str) -> list[str]:
    """A parameter that is a list, or one text in its place."""
    return [value] if isinstance(value, str) and value else list(value)
