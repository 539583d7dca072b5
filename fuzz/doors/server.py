"""The live server on the loopback address: requests as bytes on a socket."""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from condped.live.access import App, Guard
from condped.live.serve.app import app_of
from condped.live.serve.catalogue import Catalogue
from condped.live.serve.server import listen, server_of
from condped.live.terms import terms_of
from fuzz import mutate
from fuzz.door import DiffersError, Door, HangError, RefusedError

_PATHS = ("/", "/events", "/study/1", "/study/trials", "/study/trials/data.json",
          "/study/trials/events",
          "/study/trials/events?from=9", "/study/../..", "/study/%2e%2e%2f", "/study/%00", "/x",
          "*", "//x",
          "/study/" + "x" * 3000, "/?token=x", "/study/trials/", "http://127.0.0.1/", "/%", "/\xff",
          "/study/trials/data.json?" + "a=b&" * 400)  # fmt: skip
_METHODS = ("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT",
            "PRI", "get",
            "X" * 300, "")  # fmt: skip
_HOSTS = ("127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "127.0.0.1.:{port}",
          "[::1]:{port}",
          "127.0.0.1", "127.0.0.1:1", "", "127.0.0.1:{port}, evil.example", "[",
          "127.0.0.1:{port}@evil.example",
          "127.0.0.1:99999999999", "\xff")  # fmt: skip
_FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "192.0.2.1:{port}",
    "localhost.evil.example:{port}",
    "127.0.0.1@evil.example:{port}",
    "evil.example\\.localhost",
)
_FOREIGN_ORIGINS = ("http://evil.example", "null", "https://127.0.0.1.evil.example:{port}",
                    "http://127.0.0.1:1",
                    "file://", "http://[", "ws://127.0.0.1:{port}", "")  # fmt: skip
_HEADERS = ("Origin: http://127.0.0.1:{port}", "Last-Event-ID: 3", "Last-Event-ID: \xff",
            "Cookie: a=b; =; ;;",
            "Authorization: Bearer x", "Authorization: \xe9", "Content-Length: 5",
            "Content-Length: -1",
            "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked",
            "Connection: Upgrade",
            "Upgrade: websocket", "Expect: 100-continue", "X: " + "y" * 20_000, "X", ": x",
            "X : y", " folded",
            "Accept-Encoding: gzip", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin",
            "If-None-Match: *", "Range: bytes=0-1", "Connection: close",
            "Host: evil.example")  # fmt: skip
_BODIES = (b"",) * 8 + (b"hello", b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n",
           b"\x00" * 70_000,
           b"GET / HTTP/1.1\r\n\r\n")  # fmt: skip
_PATIENCE = 8.0
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")


class Server(Door):
    """``condped serve``."""

    name = "server"
    title = "Requests to the live server"
    weight: ClassVar[float] = 4
    oracle = "no page for another host or origin"
    batch = 1_000
    methods: ClassVar[tuple[str, ...]] = _METHODS
    paths: ClassVar[tuple[str, ...]] = _PATHS

    def prepare(self) -> None:
        logging.disable(logging.CRITICAL)
        rows = "\n".join(f"{row % 5 / 5},{row / 12}" for row in range(12))
        Path("trials.csv").write_text(f"loss,p0\n{rows}\n")
        self.listening = listen("127.0.0.1", 0)
        self.port = self.listening.getsockname()[1]
        server = server_of(self.app())
        threading.Thread(
            target=server.run, kwargs={"sockets": [self.listening]}, daemon=True
        ).start()
        while not server.started:
            time.sleep(0.01)

    def app(self) -> App:
        """Return what answers requests."""
        self.catalogue = Catalogue(["trials.csv"], {"objective": "loss"}, every=3600.0)
        return Guard(app_of(self.catalogue), terms_of("127.0.0.1"))

    def make(self, rng: Random) -> tuple[str, bytes]:
        foreign = rng.random() < 0.3
        plain = foreign or rng.random() < 0.4
        method = rng.choice(self.methods[:3] if plain else self.methods)
        path = rng.choice(self.paths[:7] if plain else self.paths)
        version = "1.1" if plain else rng.choice(("1.1",) * 6 + ("1.0", "2", "0.9", "x"))
        lines = [f"{method} {path} HTTP/{version}"]
        host = rng.choice(_HOSTS[:3]) if plain or rng.random() < 0.7 else rng.choice(_HOSTS)
        if foreign and rng.random() < 0.5:
            host = rng.choice(_FOREIGN_HOSTS)
        elif foreign:
            lines.append(f"Origin: {rng.choice(_FOREIGN_ORIGINS)}")
        lines.insert(1, f"Host: {host}")
        lines += rng.sample(_HEADERS, rng.choice((0, 0, 0, 1) if plain else (0, 1, 1, 2, 5)))
        if rng.random() < 0.02:
            lines += ["X-Many: 1"] * 500
        body = self.body(rng)
        if body and rng.random() < 0.6:
            lines.append(f"Content-Length: {len(body)}")
        request = "\r\n".join([*lines, "", ""]).encode("latin-1") + body
        if not plain and rng.random() < 0.6:
            request = mutate.changed_bytes(rng, request)
        return "foreign" if foreign else "own", request

    def body(self, rng: Random) -> bytes:
        """Return the body of a request."""
        return rng.choice(_BODIES)

    def ask(self, what: str, data: bytes) -> Any:
        answer = self._answered(data.replace(b"{port}", str(self.port).encode()))
        status = _STATUS.match(answer)
        code = int(status[1]) if status else 400  # closed without a word: no HTTP
        if code == 500 or b"Internal server error" in answer:
            raise AssertionError(f"500 | {answer[:300]!r}")
        if what == "foreign" and code < 400:
            raise DiffersError(f"a foreign request was answered | {answer[:300]!r}")
        if code >= 400:
            raise RefusedError(str(code))
        return code

    def _answered(self, request: bytes) -> bytes:
        """Return the beginning of an answer; streams do not end."""
        parts = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE) as connection:
            try:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65536):
                    parts += part
                    if b"\r\n\r\n" in parts:
                        break
            except (ConnectionError, OSError) as error:
                if isinstance(error, TimeoutError):
                    raise HangError(f"no answer in {_PATIENCE} s | {request[:500]!r}") from error
        return parts
