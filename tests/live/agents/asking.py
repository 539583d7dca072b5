"""Asking a server by the SDK's own client, from tests that are not asynchronous."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import anyio.from_thread
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.client import ConnectMode
from mcp.client.streamable_http import streamable_http_client


@dataclass(frozen=True)
class Asking:
    """A client that is connected to a server."""

    portal: anyio.from_thread.BlockingPortal
    client: Client

    def result(self, tool: str, /, **arguments: Any) -> types.CallToolResult:
        """Call a tool; the client checks the answer by the schema that the server declares."""
        found: types.CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return found

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the answer of a tool."""
        found = self.result(tool, **arguments)
        assert not found.is_error, text_of(found)
        answer: dict[str, Any] = found.structured_content
        return answer

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """Return why a tool does not answer."""
        found = self.result(tool, **arguments)
        assert found.is_error, text_of(found)
        assert found.structured_content is None
        return text_of(found)

    def tools(self) -> list[types.Tool]:
        """Return the tools that the server offers."""
        return self.portal.call(self.client.list_tools).tools


def text_of(result: types.CallToolResult) -> str:
    """Return all texts of a result."""
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


@contextmanager
def asking(server: Any, token: str | None = None, mode: ConnectMode = "auto") -> Iterator[Asking]:
    """Connect to a server in memory, at an address, or as a command; legacy: as old clients do."""
    with ExitStack() as stack:
        portal = stack.enter_context(anyio.from_thread.start_blocking_portal())
        if token is not None:
            own = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"})
            stack.enter_context(portal.wrap_async_context_manager(own))
            server = streamable_http_client(server, http_client=own)
        client = stack.enter_context(portal.wrap_async_context_manager(Client(server, mode=mode)))
        yield Asking(portal, client)
