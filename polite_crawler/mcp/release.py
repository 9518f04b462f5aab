"""The release of a held-back page: a person says yes, or the operator has said so before."""

from collections.abc import Callable
from typing import Any, Final

from mcp.server.elicitation import AcceptedElicitation
from mcp.server.mcpserver import Context, Elicit, ElicitationResult
from pydantic import BaseModel, Field

from polite_crawler.errors import PoliteError
from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.mcp.generations import MODERN
from polite_crawler.mcp.host import Host
from polite_crawler.mcp.strict_tool import StrictTool
from polite_crawler.query.store import Store

QUESTION_URL: Final = 200
"""Characters of the URL in the question."""

_HELD: Final = "The page asked not to be AI input. Set user_provided only for a URL that the user gave."
_OPERATOR: Final = "The operator can permit it: start the server with --allow-user-provided."
_CANNOT_ASK: Final = f"The page asked not to be AI input, and this client cannot ask the user. {_OPERATOR}"
_NO: Final = f"The user did not confirm, or was not asked. {_OPERATOR}"


class Confirm(BaseModel):
    """What a person answers."""

    confirm: bool = Field(description="Yes: show the text of this page to the assistant this one time")


Release = ElicitationResult[Any]
"""The outcome of the question, or a word: held (nobody wished it), open (not held back), operator, cannot-ask."""


_UNASKED: Final[Release] = AcceptedElicitation[Any].model_construct(data="held")


def releasing(tool: StrictTool) -> StrictTool:
    """The tool, which looks for a release only when a call wishes one."""
    return tool.asking_for("user_provided", release=_UNASKED)


def releaser(host: Host) -> Callable[..., Any]:
    """The resolver that asks for the release of a held-back page, when a call needs it."""

    async def release(ctx: Context, doc: str, capture: str, at: str, user_provided: bool) -> Elicit[Confirm] | str:
        if not user_provided:
            return "held"
        url = await host.ask(lambda store: _held_url(store, doc, capture, at))
        if url is None:
            return "open"
        if can_ask(ctx):
            return Elicit(_question(url), Confirm)
        return "operator" if host.options.allow_user_provided else "cannot-ask"

    return release


def _held_url(store: Store, doc: str, capture: str, at: str) -> str | None:
    """The URL of a page that is held back; None for another one."""
    try:
        found = store.read(doc, length=0, capture=capture or None, at=at or None)
    except PoliteError:
        # the tool meets the same fault, and tells it
        return None
    return found.url or found.doc if found.held_back else None


def can_ask(ctx: Context) -> bool:
    """Whether the client can put a question to a person, and there is a way to it."""
    capabilities = ctx.client_capabilities
    asks = capabilities.elicitation if capabilities else None
    if asks is None or (asks.form is None and asks.url is not None):
        return False
    return ctx.protocol_version == MODERN or bool(ctx.session.can_send_request)


def released(release: Release) -> bool:
    """Whether the text may be given: a person accepted and confirmed, or the operator has."""
    if not isinstance(release, AcceptedElicitation):
        return False
    return release.data == "operator" or (isinstance(release.data, Confirm) and release.data.confirm is True)


def hold_words(release: Release) -> str:
    """Why the text is held back, and what can be done."""
    told = release.data if isinstance(release, AcceptedElicitation) else None
    if told in ("held", "open"):
        return _HELD
    return _CANNOT_ASK if told == "cannot-ask" else _NO


def _question(url: str) -> str:
    shown = ascii_url(url.removeprefix("url:"), QUESTION_URL)
    return (
        f"A page asked not to be AI input.\nURL: {shown}\n"
        "Did you give this URL yourself, and may the assistant read the page this one time?"
    )
