"""Tasks on the wire, in two forms over one engine.

2026-07-28: the extension io.modelcontextprotocol/tasks (SEP-2663); the server decides, the client has declared it in
this request. 2025-11-25: tasks of the core; the client asks by `params.task`, and a task belongs to its session.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, CallToolRequestParams, RequestParams
from mcp_types.jsonrpc import HEADER_MISMATCH
from pydantic import BaseModel, Field

from polite_crawler.mcp.generations import LEGACY, MODERN
from polite_crawler.mcp.tasks import POLL, Task, TaskEngine

EXTENSION: Final = "io.modelcontextprotocol/tasks"
RELATED: Final = "io.modelcontextprotocol/related-task"

_BOTH: Final = frozenset({MODERN, LEGACY})
_CAPABILITY: Final[dict[str, Any]] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
_WATCHED: Final = "polite_crawler.tasks"
Context = ServerRequestContext[Any, Any]


class TaskIdParams(RequestParams):
    """The parameters of a question for a task."""

    task_id: str = Field(alias="taskId", max_length=200)


class TaskUpdateParams(TaskIdParams):
    """Input for a task. None of ours asks for any."""

    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


class TaskListParams(RequestParams):
    """The parameters of a list of tasks. All of them fit into one answer."""

    cursor: str | None = None


class TaskMethods(Extension):
    """The methods of tasks. `support` says for each tool that can be a task whether it may or must be one (`optional`,
    `required`). `legacy` is a middleware: results of 2025-11-25 are checked below an extension."""

    identifier = EXTENSION

    def __init__(self, engine: TaskEngine, support: Mapping[str, str]) -> None:
        self._engine = engine
        self._support = support

    def methods(self) -> Sequence[MethodBinding]:
        """tasks/get and tasks/cancel in both generations, the others in one."""
        return [
            MethodBinding("tasks/get", TaskIdParams, self._get, _BOTH),
            MethodBinding("tasks/cancel", TaskIdParams, self._cancel, _BOTH),
            MethodBinding("tasks/update", TaskUpdateParams, self._update, frozenset({MODERN})),
            MethodBinding("tasks/result", TaskIdParams, self._result, frozenset({LEGACY})),
            MethodBinding("tasks/list", TaskListParams, self._list, frozenset({LEGACY})),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        """Make a task of a call of 2026-07-28, when its client knows tasks."""
        support = self._support.get(params.name)
        if support is None or ctx.protocol_version != MODERN:
            return await call_next(ctx)
        capabilities = ctx.session.client_capabilities
        if not (capabilities and capabilities.extensions and EXTENSION in capabilities.extensions):
            if support == "required":
                require_client_extension(ctx, EXTENSION)
            return await call_next(ctx)

        async def work() -> dict[str, Any]:
            return {"resultType": "complete", **_dict(await call_next(ctx))}

        task = self._engine.start(_principal(), params.name, work)
        return {"resultType": "task", **self._wire(task, MODERN)}

    async def legacy(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The middleware of 2025-11-25: it offers tasks, names the tools, and makes them."""
        if ctx.method == "initialize":
            return _offered(await call_next(ctx))
        if ctx.protocol_version != LEGACY:
            return await call_next(ctx)
        if ctx.method == "tools/list":
            return self._named(await call_next(ctx))
        if ctx.method == "tools/call":
            return await self._called(ctx, call_next)
        return await call_next(ctx)

    def _named(self, result: HandlerResult) -> HandlerResult:
        if isinstance(result, dict):
            for tool in result.get("tools", []):
                if tool.get("name") in self._support:
                    tool["execution"] = {"taskSupport": self._support[tool["name"]]}
        return result

    async def _called(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        params = dict(ctx.params or {})
        wanted, name = params.pop("task", None), str(params.get("name"))
        support = self._support.get(name)
        if wanted is None:
            if support == "required":
                raise MCPError(code=METHOD_NOT_FOUND, message="this tool runs as a task alone")
            return await call_next(ctx)
        if support is None:
            raise MCPError(code=METHOD_NOT_FOUND, message="this tool does not run as a task")
        inner = replace(ctx, params=params)

        async def work() -> dict[str, Any]:
            return _dict(await call_next(inner))

        task = self._engine.start(self._session(ctx), name, work)
        return {"task": self._wire(task, LEGACY)}

    def _session(self, ctx: Context) -> Hashable:
        """The session of a call, as the owner of its tasks. When it ends, they do."""
        connection = ctx.session._connection
        if _WATCHED not in connection.state:
            connection.state[_WATCHED] = True
            connection.exit_stack.callback(self._engine.drop, connection)
        return connection

    def _task(self, ctx: Context, id: str) -> Task:
        if ctx.protocol_version != MODERN:
            return self._engine.get(ctx.session._connection, id)
        require_client_extension(ctx, EXTENSION)
        headers = getattr(ctx.request, "headers", None)
        if headers is not None:
            named = headers.get(MCP_NAME_HEADER)
            if named is None or decode_header_value(named) != id:
                raise MCPError(code=HEADER_MISMATCH, message="the header Mcp-Name does not name the task")
        return self._engine.get(_principal(), id)

    def _wire(self, task: Task, version: str) -> dict[str, Any]:
        ttl, poll = int(self._engine.ttl * 1000), int(POLL * 1000)
        wire: dict[str, Any] = {
            "taskId": task.id, "status": task.status, "createdAt": task.created, "lastUpdatedAt": task.updated,
        }  # fmt: skip
        if task.message:
            wire["statusMessage"] = task.message
        names = ("ttlMs", "pollIntervalMs") if version == MODERN else ("ttl", "pollInterval")
        return {**wire, names[0]: ttl, names[1]: poll}

    async def _get(self, ctx: Context, params: TaskIdParams) -> HandlerResult:
        task = self._task(ctx, params.task_id)
        wire = self._wire(task, ctx.protocol_version)
        if ctx.protocol_version == MODERN:
            if task.status == "completed":
                wire["result"] = task.result
            elif task.status == "failed":
                wire["error"] = task.error
        return wire

    async def _update(self, ctx: Context, params: TaskUpdateParams) -> HandlerResult:
        self._task(ctx, params.task_id)
        return {}

    async def _cancel(self, ctx: Context, params: TaskIdParams) -> HandlerResult:
        task = self._task(ctx, params.task_id)
        if ctx.protocol_version == MODERN:
            task.scope.cancel()
            return {}
        if task.ended.is_set():
            raise MCPError(code=INVALID_PARAMS, message=f"the task has ended already: {task.status}")
        task.scope.cancel()
        await task.ended.wait()
        return self._wire(task, LEGACY)

    async def _result(self, ctx: Context, params: TaskIdParams) -> HandlerResult:
        task = self._task(ctx, params.task_id)
        await task.ended.wait()
        if task.status == "completed":
            result = dict(task.result or {})
            return {**result, "_meta": {**(result.get("_meta") or {}), RELATED: {"taskId": task.id}}}
        error = task.error or {"code": INTERNAL_ERROR, "message": f"the task is {task.status}"}
        raise MCPError(code=error["code"], message=error["message"])

    async def _list(self, ctx: Context, params: TaskListParams) -> HandlerResult:
        return {"tasks": [self._wire(task, LEGACY) for task in self._engine.of(ctx.session._connection)]}


def _principal() -> Hashable:
    """The owner of tasks of 2026-07-28, which has no sessions: whoever holds the token of this server, and the id."""
    return "principal"


def _offered(result: HandlerResult) -> HandlerResult:
    if isinstance(result, dict) and result.get("protocolVersion") == LEGACY:
        result["capabilities"]["tasks"] = _CAPABILITY
    return result


def _dict(result: HandlerResult) -> dict[str, Any]:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dict(result or {})
