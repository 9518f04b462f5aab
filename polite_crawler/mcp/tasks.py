"""Tasks: calls that go on in the background. One engine for both protocol generations."""

import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, Self

import anyio
import anyio.abc
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

TTL: Final = 3600.0
"""Seconds for which a task and its result stay, from its start."""

POLL: Final = 1.0
"""Seconds between two questions for a task, as clients are told."""

MAX_ACTIVE: Final = 8
"""Tasks in progress at most."""

MAX_KEPT: Final = 200
"""Tasks in memory at most; the oldest that has ended goes first."""

Status = Literal["working", "completed", "failed", "cancelled"]
Work = Callable[[], Awaitable[dict[str, Any]]]
_logger = logging.getLogger(__name__)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def progress_words(done: int, total: int) -> str:
    """How far a call is, in words."""
    return f"{done} of {total} done"


@dataclass(slots=True, eq=False)
class Task:
    """One task. `message` holds counts alone; `result` is the result of the call, `error` a JSON-RPC error."""

    id: str
    owner: Hashable
    tool: str
    status: Status = "working"
    message: str | None = None
    done_count: int = 0
    total: int | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    created: str = field(default_factory=_now)
    updated: str = field(default_factory=_now)
    since: float = field(default_factory=time.monotonic)
    ended: anyio.Event = field(default_factory=anyio.Event)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def progress(self, done: int, total: int) -> None:
        """Note how far it is."""
        self.done_count, self.total, self.message = done, total, progress_words(done, total)
        self.updated = _now()

    def end(self, status: Status, message: str | None = None) -> None:
        """End it, once; what comes later changes nothing."""
        if self.ended.is_set():
            return
        self.status, self.updated = status, _now()
        self.message = message or self.message
        self.ended.set()


current_task: ContextVar[Task | None] = ContextVar("current_task", default=None)
"""The task in which a tool runs."""


class TaskEngine:
    """Runs tasks while it is open (`async with`). A task belongs to its owner: nobody else can see it."""

    def __init__(self, *, ttl: float = TTL) -> None:
        self.ttl = ttl
        self._tasks: dict[str, Task] = {}
        self._group: anyio.abc.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        assert self._group is not None
        self._group.cancel_scope.cancel()
        return await self._group.__aexit__(*error)

    async def stop(self) -> None:
        """Cancel every task and wait for its end."""
        active = [task for task in self._tasks.values() if not task.ended.is_set()]
        for task in active:
            task.scope.cancel()
        with anyio.CancelScope(shield=True):
            for task in active:
                await task.ended.wait()

    def start(self, owner: Hashable, tool: str, work: Work) -> Task:
        """Start a task. Above the limit it has failed at once, and says why."""
        self._sweep()
        task = Task(secrets.token_urlsafe(24), owner, tool)
        busy = sum(not one.ended.is_set() for one in self._tasks.values())
        self._tasks[task.id] = task
        if self._group is None or busy >= MAX_ACTIVE:
            words = f"{MAX_ACTIVE} tasks are in progress; wait for one of them to end"
            task.error = {"code": INTERNAL_ERROR, "message": words}
            task.end("failed", words)
            return task
        self._group.start_soon(self._run, task, work)
        return task

    def get(self, owner: Hashable, id: str) -> Task:
        """A task of an owner. Raises MCPError, the same for one that there is not and one of somebody else."""
        self._sweep()
        task = self._tasks.get(id)
        if task is None or task.owner != owner:
            raise MCPError(code=INVALID_PARAMS, message="Task not found")
        return task

    def of(self, owner: Hashable) -> list[Task]:
        """The tasks of an owner, the oldest first."""
        self._sweep()
        return [task for task in self._tasks.values() if task.owner == owner]

    def drop(self, owner: Hashable) -> None:
        """An owner has gone: stop its tasks and forget them."""
        for task in [task for task in self._tasks.values() if task.owner == owner]:
            task.scope.cancel()
            del self._tasks[task.id]

    def facts(self) -> list[dict[str, Any]]:
        """The tasks for the status of the server: counts, and the beginning of an id that opens nothing."""
        return [
            {"id": task.id[:8], "state": task.status, "done": task.done_count, "total": task.total}
            for task in self._tasks.values()
        ]

    async def _run(self, task: Task, work: Work) -> None:
        token = current_task.set(task)
        try:
            with task.scope:
                task.result = await work()
                task.end("completed")
            if task.scope.cancelled_caught:
                task.end("cancelled", "The task was cancelled.")
        except MCPError as error:
            task.error = {"code": error.error.code, "message": error.error.message}
            task.end("failed", "The task failed.")
        except Exception:
            _logger.exception("a task of %s failed", task.tool)
            task.error = {"code": INTERNAL_ERROR, "message": "the task failed; the log of the server says why"}
            task.end("failed", "The task failed.")
        finally:
            task.end("cancelled", "The server stopped.")
            current_task.reset(token)

    def _sweep(self) -> None:
        ended = [task for task in self._tasks.values() if task.ended.is_set()]
        now = time.monotonic()
        spare = len(self._tasks) - MAX_KEPT
        for at, task in enumerate(ended):
            if at < spare or now - task.since > self.ttl:
                del self._tasks[task.id]
