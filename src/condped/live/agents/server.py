"""The server: tools of the Model Context Protocol in front of the desk."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import copy_context
from threading import BoundedSemaphore, Lock, Thread
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

import condped
from condped.errors import CondpedError
from condped.live.agents.answers.fields import ToolAnswer
from condped.live.agents.desk import TOOLS, Desk, Tool
from condped.live.agents.sources import without_places
from condped.safe_text import shortened

LOGGER = logging.getLogger("condped.live.agents")
_MOST_AT_ONCE = 8  # calls, including abandoned ones
_PATIENCE = 300.0  # seconds for one call
_MOST_MESSAGE = 2_000
_INSTRUCTIONS = (
    "condped shows which hyperparameters mattered in studies of Optuna and other tools, with a "
    "statistical verdict for each. Call list_studies first; the other tools accept only the names "
    "that it lists. Rely on verdicts, not on importances alone: only 'matters' is evidence of an "
    "effect. 'undetermined' comes with a reason. Every answer says how many trials were used and "
    "left out; most suggest a next_step. Everything is read-only."
)


def make_server(desk: Desk) -> Server[None]:
    """Return a server with all tools, for any transport."""
    calls = _Calls(desk)

    @asynccontextmanager
    async def lifespan(_: Server[None]) -> AsyncIterator[None]:
        yield

    return Server(
        "condped",
        version=condped.__version__,
        title="condped",
        description="Which hyperparameters mattered, for conditional search spaces.",
        instructions=_INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=_list_tools,
        on_call_tool=calls.call,
    )


class _Calls:
    """Calls of tools, each in its own thread; identical simultaneous calls share one."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._places = BoundedSemaphore(_MOST_AT_ONCE)
        self._by_name = {tool.name: tool for tool in TOOLS}
        self._lock = Lock()
        self._under_way: dict[tuple[str, str], Future[types.CallToolResult]] = {}

    async def call(
        self, _: ServerRequestContext[None], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer one call; the answer also reports what the caller did wrong."""
        tool = self._by_name.get(params.name)
        if tool is None:
            known = ", ".join(self._by_name)
            raise MCPError(
                types.INVALID_PARAMS,
                f"There is no tool {shortened(params.name)!r}. Available: {known}.",
            )
        try:
            arguments = tool.arguments.model_validate(dict(params.arguments or {}))
        except ValidationError as error:
            return _refused(_invalid(tool, error))
        answering = self._answering(tool, arguments)
        if answering is None:
            return _refused(
                f"{_MOST_AT_ONCE} calls are already being answered, the maximum. Try again shortly."
            )
        try:
            # Giving up does not cancel the work: an identical call later finds the answer.
            waiting = asyncio.shield(asyncio.wrap_future(answering))
            return await asyncio.wait_for(waiting, _PATIENCE)
        except TimeoutError:
            return _refused(
                f"This takes longer than {_PATIENCE:.0f} seconds and continues in the background. "
                "Repeat the same call later, or ask about fewer trials (where) or studies."
            )

    def _answering(self, tool: Tool, arguments: Any) -> Future[types.CallToolResult] | None:
        """Return the pending answer to a call; None if too many are pending.

        A call that repeats a pending one shares its answer and does not count again.
        """
        key = tool.name, arguments.model_dump_json()
        with self._lock:
            if key in self._under_way:
                return self._under_way[key]
            if not self._places.acquire(blocking=False):
                return None
            answering = self._under_way[key] = Future()
            answering.set_running_or_notify_cancel()  # from here on nobody can cancel it

        def work() -> None:
            try:
                answer = self._answer(tool, arguments)
            finally:
                with self._lock:
                    del self._under_way[key]
                self._places.release()
            answering.set_result(answer)

        context = copy_context()
        Thread(target=context.run, args=(work,), name="condped tool", daemon=True).start()
        return answering

    def _answer(self, tool: Tool, arguments: Any) -> types.CallToolResult:
        """Return an answer, or why there is none."""
        try:
            return _result(self._desk.answer(tool.name, arguments))
        except CondpedError as error:
            return _refused(without_places(str(error)))
        except BaseException as error:  # no caller may wait for an answer that never comes
            # The error's message may hold a password or a path; the traceback does not.
            where = "".join(traceback.format_tb(error.__traceback__))
            LOGGER.error("%s in the tool %s:\n%s", type(error).__name__, tool.name, where)
            return _refused("Internal error; see the server's log.")


async def _list_tools(
    _: ServerRequestContext[None], __: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.answer.model_json_schema(mode="serialization"),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _result(given: ToolAnswer) -> types.CallToolResult:
    """Return an answer as data and, for clients without support for schemas, as text."""
    text = given.answer.model_dump_json()
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    if given.page:
        page = types.TextResourceContents(
            uri="condped://report.html", mime_type="text/html", text=given.page
        )
        content.append(types.EmbeddedResource(type="resource", resource=page))
    return types.CallToolResult(
        content=content, structured_content=given.answer.model_dump(mode="json")
    )


def _invalid(tool: Tool, error: ValidationError) -> str:
    """Return which arguments are invalid, and which exist."""
    text = "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:5]
    )
    known = ", ".join(tool.arguments.model_fields) or "no arguments"
    return f"Invalid arguments for {tool.name} ({text}). It takes: {known}."


def _refused(text: str) -> types.CallToolResult:
    text = shortened(text, _MOST_MESSAGE)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
