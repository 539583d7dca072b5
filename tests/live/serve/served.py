"""A real server at a port of the loopback address."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx

from condped.live.access import Guard
from condped.live.serve.app import app_of
from condped.live.serve.catalogue import Catalogue
from condped.live.serve.server import listen, server_of
from condped.live.terms import terms_of


class Served(NamedTuple):
    """Where a server is, and what it serves."""

    port: int
    catalogue: Catalogue

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **asked: Any) -> httpx.Response:
        """Ask for a path."""
        return httpx.get(f"{self.url}{path}", timeout=60, **asked)

    def raw(self, request: bytes) -> bytes:
        """Send bytes, and return all that is answered until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(request)
            return read_all(connection)


@contextmanager
def served(
    sources: Sequence[str],
    options: Mapping[str, Any] | None = None,
    *,
    token: str | None = None,
    every: float = 0.05,
    **app: Any,
) -> Iterator[Served]:
    """Serve sources in another thread."""
    catalogue = Catalogue(sources, options or {}, every=every)
    listening = listen("127.0.0.1", 0)
    guard = Guard(app_of(catalogue, **app), terms_of("127.0.0.1", token=token))
    server = server_of(guard, on_end=catalogue.close)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield Served(listening.getsockname()[1], catalogue)
    finally:
        server.should_exit = True
        thread.join()
        catalogue.close()
        listening.close()


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the other end closes."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


async def events(response: httpx.Response) -> AsyncIterator[tuple[str, dict[str, Any], str]]:
    """Take a stream apart into kinds, data and ids."""
    kind = place = ""
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind, place = value, ""
        elif name == "id":
            place = value
        elif name == "data":
            yield kind, json.loads(value), place
