"""Requests to an ASGI application, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from condped.live.access import App, Guard
from condped.live.terms import Terms

HOST = {"host": "127.0.0.1:8765"}
SECRET = "xyzzy-plugh"


class Answer(NamedTuple):
    """What an application answered; ``calls`` counts how often it was asked."""

    status: int
    headers: dict[str, str]
    body: bytes
    calls: list[dict[str, Any]]


def ask(
    terms: Terms,
    path: str = "/",
    *,
    method: str = "GET",
    query: str = "",
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = HOST,
    body: Iterable[bytes] = (),
    server: str = "192.0.2.7",
    **guarding: Any,
) -> Answer:
    """Ask an application that answers everything, behind a guard."""
    calls: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    parts = list(body)
    messages = [
        {"type": "http.request", "body": part, "more_body": place < len(parts) - 1}
        for place, part in enumerate(parts)
    ]

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "scheme": "http",
        "client": ("127.0.0.1", 4711),
        "server": (server, 8765),
    }
    asyncio.run(Guard(_recording(calls), terms, **guarding)(scope, receive, send))
    start, *rest = sent
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(one["body"] for one in rest), calls)


def _recording(calls: list[dict[str, Any]]) -> App:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        got = await receive() if scope["method"] == "POST" else {}
        calls.append({"path": scope["path"], "body": got.get("body", b"")})
        if scope["path"] == "/broken":
            raise ValueError(f"postgresql://tuner:{SECRET}@db/studies")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"numbers"})

    return app
