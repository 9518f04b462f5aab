"""The table of the tools for the docs, made from the tools themselves."""

from types import SimpleNamespace
from typing import Any, cast

from polite_crawler.mcp.host import TOOLS, Host, ServerOptions
from polite_crawler.mcp.server import MAKERS, TASKS
from polite_crawler.mcp.strict_tool import StrictTool


def markdown() -> str:
    """A row for each tool: what it does, its parameters, its hints."""
    # a tool touches its host when it is called
    host = cast("Host", SimpleNamespace(options=ServerOptions()))
    lines = ["| tool | what it does | parameters | hints |", "| --- | --- | --- | --- |"]
    lines += [_row(MAKERS[name](host)) for name in TOOLS]
    return "\n".join(lines)


def _row(tool: StrictTool) -> str:
    required = set(tool.parameters.get("required", ()))
    names = [_parameter(name, value, name in required) for name, value in tool.parameters["properties"].items()]
    hints = "reads the store" if tool.annotations and tool.annotations.read_only_hint else "sends requests"
    task = ", a task where the client can" if tool.name in TASKS else ""
    about = tool.description.replace("|", "\\|")
    return f"| `{tool.name}` | {about} | {', '.join(names)} | {hints}{task} |"


def _parameter(name: str, schema: dict[str, Any], required: bool) -> str:
    if required:
        return f"**`{name}`**"
    default = schema.get("default")
    return f"`{name}`" if default in ("", None) else f"`{name}` ({str(default).lower()})"
