"""Tools with strict schemas: unknown names and other types are refused, and every fault is an answer."""

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Self

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import PrivateAttr, ValidationError

from polite_crawler.errors import BadOption, NotStored, PoliteError, StoreError
from polite_crawler.mcp.answers import failure
from polite_crawler.mcp.cleaning import without_surrogates

LOCAL: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)  # fmt: skip
"""The hints of a tool that sends no request and writes nothing."""

NETWORK: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)  # fmt: skip
"""The hints of a tool that sends requests and writes the store."""

_QUOTE: Final = re.compile(r"""(['"])((?:\\.|(?!\1).)*)\1""", re.S)
_QUOTED: Final = 30
"""Characters by which a quoted text is known as an argument: a message quotes the first 60 of it, or more."""
_SPACE: Final = re.compile(r"\\[nrt]|\s")
_WORDS: Final = {
    "extra_forbidden": "there is no such parameter",
    "model_type": "give an object, with the parameters that the schema names",
}
"""What is said for a kind of error whose own words name a class of ours, or too little."""

_logger = logging.getLogger(__name__)


class StrictTool(Tool):
    """A tool of this server. A parameter whose name is a keyword of Python ends in `_` here and has no `_` outside."""

    _asks: str = PrivateAttr(default="")
    _unasked: Tool | None = PrivateAttr(default=None)

    def asking_for(self, argument: str, **otherwise: Any) -> Self:
        """Run the resolvers of the SDK, which cost more than a small answer, only for a call with this argument. In
        another one the parameters that they fill have the values of `otherwise`."""
        fields = {"fn": partial(self.fn, **otherwise), "resolved_params": {}, "resolver_plans": {}}
        self._asks, self._unasked = argument, self.model_copy(update=fields)
        return self

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool. Wrong arguments and every other fault of a call give an answer with isError."""
        arguments = {self._inside(name): _clean(value) for name, value in arguments.items()}
        tool = self if self._unasked is None or arguments.get(self._asks) else self._unasked
        try:
            return await Tool.run(tool, arguments, context, convert_result)
        except UnexpectedToolError as error:
            return self._failed(error.__cause__ or error, arguments)
        except ToolError as error:
            # the SDK meets arguments that do not fit the schema with this one
            return failure("bad_arguments", _wrong(error.__cause__ or error))

    def _inside(self, name: str) -> str:
        fields = self.fn_metadata.arg_model.model_fields
        if name.endswith("_") and name in fields:
            return f"{name}?"
        return f"{name}_" if f"{name}_" in fields else name

    def _failed(self, error: BaseException, arguments: dict[str, Any]) -> CallToolResult:
        if isinstance(error, RecursionError):
            return failure("bad_arguments", "the arguments are nested too deep")
        if isinstance(error, BadOption):
            return failure("bad_arguments", _without_values(str(error), repr(arguments)))
        if isinstance(error, StoreError):
            _logger.error("%s: the store failed: %s", self.name, error)
            return failure("store_failed", "The store cannot be read or written; the log of the server says why.")
        if isinstance(error, NotStored):
            return failure("not_stored", "No such document or capture is stored.", next=["crawl_find", "crawl_fetch"])
        if isinstance(error, PoliteError):
            _logger.warning("%s: %s", self.name, error)
            return failure("not_possible", "The crawler cannot do this now; the log of the server says why.")
        _logger.error("%s failed", self.name, exc_info=error)
        return failure("internal_error", "The tool failed; the log of the server says why.")


def strict_tool(fn: Callable[..., Any], *, title: str, annotations: ToolAnnotations) -> StrictTool:
    """A tool of a function: its name, its parameters and its docstring are those of the tool."""
    words = " ".join((fn.__doc__ or "").split())
    tool = StrictTool.from_function(
        fn, title=title, description=words, annotations=annotations, structured_output=False
    )  # fmt: skip
    assert isinstance(tool, StrictTool)
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    schema = _slim(model.model_json_schema(by_alias=True))
    schema["properties"] = {name.rstrip("_"): value for name, value in schema.get("properties", {}).items()}
    tool.parameters = schema
    return tool


def _slim(schema: Any, *, names: bool = False) -> Any:
    """The schema without the titles that pydantic makes. `names`: the keys are names of parameters."""
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if names or key != "title"}
        return {key: _slim(value, names=key == "properties" and not names) for key, value in kept.items()}
    return [_slim(value) for value in schema] if isinstance(schema, list) else schema


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(str(key)): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def _without_values(message: str, arguments: str) -> str:
    """The message of a bad argument without the value that it quotes: that may be the words of a page."""

    # a URL loses its line ends before anyone complains of it
    given = _SPACE.sub("", arguments)

    def hidden(quoted: re.Match[str]) -> str:
        return "the value" if _SPACE.sub("", quoted[2])[:_QUOTED] in given else quoted[0]

    return _QUOTE.sub(hidden, message)


def _wrong(error: BaseException) -> str:
    if not isinstance(error, ValidationError):
        return "the arguments cannot be read"
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = []
    for one in found[:5]:
        where = ".".join(str(part)[:60].rstrip("_?") for part in one["loc"] if part != "function-wrap")
        words = _WORDS.get(one["type"], one["msg"])
        lines.append(f"{where or 'arguments'}: {words}")
    return "; ".join(dict.fromkeys(lines))
