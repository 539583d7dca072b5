"""A server that gives out one page and streams events to it, made of the standard library."""

from __future__ import annotations

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class EventServer:
    """Serves ``page`` at ``/`` and what is :meth:`sent` at ``/events``."""

    def __init__(self, page: str = "", port: int = 0) -> None:
        self.page = page
        self.asked: list[tuple[str, str | None]] = []  # addresses and Last-Event-ID of streams
        self.refused = False  # whether streams are answered with an error
        self.first: list[bytes] = []  # what each stream begins with
        self._streams: list[queue.Queue[bytes | None]] = []
        self._connected = threading.Condition()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/events"):
                    server._stream(self)
                else:
                    body = server.page.encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: Any) -> None:
                """Say nothing: browsers leave when they like."""

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/"

    def send(self, kind: str, data: Any, version: str | None = None) -> None:
        """Send an event to all viewers."""
        for stream in list(self._streams):
            stream.put(event(kind, data, version))

    def connected(self, times: int) -> None:
        """Wait until streams have been asked for so many times."""
        with self._connected:
            assert self._connected.wait_for(lambda: len(self.asked) >= times, 30)

    def hang_up(self) -> None:
        """End all streams."""
        for stream in list(self._streams):
            stream.put(None)

    def close(self) -> None:
        """End the server."""
        self.hang_up()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _stream(self, handler: BaseHTTPRequestHandler) -> None:
        own: queue.Queue[bytes | None] = queue.Queue()
        with self._connected:
            refused = self.refused
            self.asked.append((handler.path, handler.headers["Last-Event-ID"]))
            if not refused:  # from now on it gets what is sent
                self._streams.append(own)
            self._connected.notify_all()
        if refused:
            handler.send_error(503)
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Cache-Control", "no-store")
        handler.end_headers()
        handler.wfile.write(b"retry: 100\n\n")
        for first in self.first:
            handler.wfile.write(first)
        handler.wfile.flush()
        try:
            while (said := own.get()) is not None:
                handler.wfile.write(said)
                handler.wfile.flush()
        finally:
            self._streams.remove(own)


def event(kind: str, data: Any, version: str | None = None) -> bytes:
    """Return an event as it is sent."""
    lines = [] if version is None else [f"id: {version}"]
    return "\n".join([*lines, f"event: {kind}", f"data: {json.dumps(data)}", "", ""]).encode()
