"""uvicorn with limits for each connection; shutdown does not wait for connections."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from condped.errors import SettingsError
from condped.live.access import App
from condped.live.terms import Terms

_HEAD_PATIENCE = 10.0  # seconds in which the head of a request must arrive
_TAKE_PATIENCE = 60.0  # seconds in which a client must read pending output
_MOST_CONNECTIONS = 512
_MOST_HEAD = 16_384  # bytes of a head that is not complete
_LAST_WORDS = 1  # seconds that open connections have at shutdown
_LOGGER = logging.getLogger("condped.live")


def _nothing() -> None:
    pass


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at an address, or raise if it is taken or not one of this machine's.

    Raises
    ------
    SettingsError
        If there is no such address, or another program has the port.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_MOST_CONNECTIONS)
        except OSError:
            listening.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"Cannot listen on {host}, port {port}: {reason}. Use another --port (0: any free "
            "port) or --host."
        ) from None
    return listening


def origin_of(host: str, listening: socket.socket, terms: Terms) -> str:
    """Return the origin of a server: scheme, host and port."""
    shown = socket.gethostname() if terms.anywhere else host.strip("[]")
    name = f"[{shown}]" if ":" in shown else shown
    return f"http://{name}:{listening.getsockname()[1]}"


def run(
    app: App,
    listening: socket.socket,
    *,
    on_start: Callable[[], None],
    on_end: Callable[[], None] = _nothing,
) -> None:
    """Serve an application until Ctrl-C or SIGTERM.

    ``on_start`` is called once requests and signals are handled, ``on_end`` at the start of the
    shutdown: open streams should end then.
    """
    server_of(app, on_start=on_start, on_end=on_end).run(sockets=[listening])


def server_of(
    app: App, *, on_start: Callable[[], None] = _nothing, on_end: Callable[[], None] = _nothing
) -> Server:
    """Return a server that has not started yet; setting its ``should_exit`` ends it."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=_BoundedProtocol,
        ws="none",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        # Proxy headers are not trusted: anybody can send them.
        proxy_headers=False,
        backlog=_MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_LAST_WORDS,
        h11_max_incomplete_event_size=_MOST_HEAD,
    )
    return Server(config, on_start, on_end)


class Server(uvicorn.Server):
    """A server that reports when it has started and when it ends, and exits successfully."""

    def __init__(
        self, config: uvicorn.Config, on_start: Callable[[], None], on_end: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_start, self._on_end = on_start, on_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End open streams before waiting for their connections."""
        # Connections that read nothing are cut off, which is not worth a traceback each.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._on_end()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let Ctrl-C and SIGTERM end the server without re-raising them: this is a normal end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handled = (signal.SIGINT, signal.SIGTERM)
        before = {one: signal.signal(one, self.handle_exit) for one in handled}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


class _BoundedProtocol(H11Protocol):
    """Closes connections that send no request, read nothing, or are too many."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # It would log tokens, and the config's setting works only if no other logging is set up.
        self.access_log = False
        self._deadline: asyncio.TimerHandle | None = None
        self._cut_off: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > _MOST_CONNECTIONS:
            _LOGGER.warning("Refused a connection: %d are already open.", _MOST_CONNECTIONS)
            transport.abort()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            self._stop_waiting()
        elif self._deadline is None:  # the next request on a connection that was kept open
            self._await_head()

    def _unsupported_upgrade_warning(self) -> None:
        # uvicorn's own recommends installing a WebSocket library.
        _LOGGER.warning("Ignored a request to change the protocol.")

    def pause_writing(self) -> None:
        """Cut the connection off unless the client reads, as closing would wait for it."""
        super().pause_writing()
        self._keep_connection()
        self._cut_off = self.loop.call_later(_TAKE_PATIENCE, self._abort_unread)

    def resume_writing(self) -> None:
        self._keep_connection()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._keep_connection()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(_HEAD_PATIENCE, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _keep_connection(self) -> None:
        if self._cut_off is not None:
            self._cut_off.cancel()
            self._cut_off = None

    def _abort_unread(self) -> None:
        self._cut_off = None
        _LOGGER.info("Closed a connection that read nothing for %d s.", _TAKE_PATIENCE)
        self.transport.abort()

    def _give_up(self) -> None:
        self._deadline = None
        answering = self.cycle is not None and not self.cycle.response_complete
        if not answering and not self.transport.is_closing():
            client: Any = self.client or ("unknown",)
            _LOGGER.warning("Closed a connection from %s: no request arrived in time.", client[0])
            self.transport.abort()
