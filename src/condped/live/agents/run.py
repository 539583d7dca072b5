"""Serving agents: on standard input and output, or over HTTP with the access rules of serve."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from condped.live.access import App, Guard
from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from condped.live.serve.server import listen, origin_of, run
from condped.live.terms import Terms, terms_of

PATH = "/mcp"
_MOST_BODY = 65_536  # bytes: names and a condition
_MOST_SESSIONS = 100
_IDLE = 1_800.0  # seconds, after which a session is forgotten
_LAST_WORDS = 2.0  # seconds to wait at the end for the check of the sources
LOGGER = logging.getLogger("condped.live.agents")


def run_stdio(desk: Desk) -> None:
    """Serve one agent until it closes standard input."""
    _log()
    checking = _check_sources(desk)

    async def serve() -> None:
        server = make_server(desk)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    try:
        with suppress(KeyboardInterrupt):
            anyio.run(serve)
    finally:
        checking.join(_LAST_WORDS)
        desk.close()


def http_app(desk: Desk, terms: Terms) -> App:
    """Return the application that serves agents over HTTP, behind the terms of access."""
    app = make_server(desk).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=_MOST_BODY,
        max_sessions=_MOST_SESSIONS,
        session_idle_timeout=_IDLE,
        # The guard checks hosts and origins, as for all of condped's servers.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(app, terms, methods=("GET", "HEAD", "POST", "DELETE"), most_body=_MOST_BODY)


def run_http(
    desk: Desk,
    *,
    host: str,
    port: int,
    token: str | None,
    allow_hosts: Sequence[str],
    announce: Callable[[str, str | None], None],
) -> None:
    """Serve agents over HTTP until interrupted; ``announce`` gets the address and the token."""
    _log()
    terms = terms_of(host, token=token, allow_hosts=allow_hosts)
    listening = listen(host, port)
    _check_sources(desk)
    try:
        url = f"{origin_of(host, listening, terms)}{PATH}"
        run(http_app(desk, terms), listening, on_start=lambda: announce(url, terms.token))
    finally:
        listening.close()
        desk.close()


def _check_sources(desk: Desk) -> Thread:
    """Report on standard error what cannot be read as requested, without delaying agents."""

    def check() -> None:
        try:
            found, problems = desk.sources.listed()
        except Exception as error:  # its text may hold a password
            LOGGER.warning("The sources could not be listed (%s).", type(error).__name__)
            return
        for source, problem in problems.items():
            LOGGER.warning("%s cannot be read now: %s", source, problem)
        for one in found:
            if one.note is not None:
                LOGGER.warning("%s: %s", one.name, one.note)

    checking = Thread(target=check, name="condped sources", daemon=True)
    checking.start()
    return checking


def _log() -> None:
    """Send warnings to standard error: standard output belongs to the protocol."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="condped: %(message)s")
