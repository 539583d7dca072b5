"""Access control for a server: an ASGI application around another one.

A foreign page must not reach a server on this machine through a browser that runs here, so the
names in ``Host`` and ``Origin`` are checked even on the loopback address; requests from other
machines need a token.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import secrets
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from condped.live.refusal import HEADERS, Headers, RefusedError, plain_answer, too_large
from condped.live.terms import Terms, normalised, reached_at
from condped.safe_text import shortened

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOGGER = logging.getLogger("condped.live")
_VERSIONS = ("1.0", "1.1", "2", "3")
_LONGEST_URL = 2_048  # bytes
_MOST_HEADER = 16_384  # bytes of all headers together
_MOST_HEADERS = 100
_BODY_PATIENCE = 10.0  # seconds in which a body must arrive


class Guard:
    """Passes on the requests that meet the terms, and refuses all others.

    Parameters
    ----------
    app
        The application that answers the requests that are passed on.
    terms
        As :func:`terms_of` returns them.
    methods
        The HTTP methods that the application supports.
    most_body
        The largest request body in bytes; it is read completely before the application is called.
    """

    def __init__(
        self,
        app: App,
        terms: Terms,
        *,
        methods: Iterable[str] = ("GET", "HEAD"),
        most_body: int = 0,
    ) -> None:
        self._app = app
        self._terms = terms
        self._methods = tuple(methods)
        self._most_body = most_body
        token = terms.token
        # Cookies are sent to every port of a host, so this one has a name of its own, and holds a
        # value derived from the token, not the token.
        self._cookie_name = f"condped-{_derived(token, 'name')[:12]}" if token else ""
        self._cookie = _derived(token, "cookie") if token else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        answering = _Answering(send, head=scope["method"] == "HEAD")
        try:
            self._check(scope)
            place = self._checked_token(scope)
            if place is not None:
                await answering.answer(*self._redirect(place, scope))
                return
            receive = await self._with_body(scope, receive)
            await self._app(scope, receive, answering.send)
        except RefusedError as refusal:
            LOGGER.warning(
                "Refused %s %s from %s: %s",
                shortened(scope["method"], 16),
                shortened(scope["path"], 80),
                (scope.get("client") or ("unknown",))[0],
                refusal.log,
            )
            await answering.answer(refusal.status, refusal.message, refusal.headers)
        except Exception as error:
            # An error's message may hold a password; where it was raised does not.
            where = "".join(traceback.format_tb(error.__traceback__))
            LOGGER.error("%s while answering a request:\n%s", type(error).__name__, where)
            await answering.answer(500, "Internal server error.", ())

    def _check(self, scope: Scope) -> None:
        """Raise if a request is for another host, from another site, or too large."""
        if scope.get("http_version", "1.1") not in _VERSIONS:
            raise RefusedError(505, "Use HTTP/1.1.", "unsupported HTTP version")
        url = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if url > _LONGEST_URL:
            raise RefusedError(414, "This URL is too long.", f"a URL of {url} bytes")
        headers = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if size > _MOST_HEADER or len(headers) > _MOST_HEADERS:
            raise RefusedError(
                431, "The headers are too large.", f"{len(headers)} headers, {size} B"
            )
        host = self._checked_host(scope)
        if scope["method"] not in self._methods:
            allowed = ", ".join(self._methods)
            read_only = "" if "POST" in self._methods else " This server is read-only."
            raise RefusedError(
                405, f"Allowed methods: {allowed}.{read_only}", "method not allowed",
                ((b"allow", allowed.encode()),),
            )  # fmt: skip
        _check_origin(scope, host)

    def _checked_host(self, scope: Scope) -> str:
        """Return the host that a request names, with its port, or raise if it is another one."""
        given = _all(scope, b"host")
        parts = _split_host(given[0]) if len(given) == 1 else None
        if parts is None:
            raise RefusedError(400, "A request needs one valid Host header.", "no valid Host")
        server = (scope.get("server") or ("",))[0]
        own = reached_at(server) if server and self._terms.anywhere else ()
        if parts[0] not in (*self._terms.hosts, *own):
            shown = shortened(parts[0], 80)
            raise RefusedError(
                403,
                f"This server does not accept requests for the host {shown}. To allow it, start "
                f"the server with --allow-host {shown}.",
                f"the Host {shown}",
            )
        return given[0]

    def _checked_token(self, scope: Scope) -> str | None:
        """Raise if a request lacks the token; return where to redirect if its URL has it."""
        token = self._terms.token
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if given:
            if token is not None and not _same(given[-1], token):
                raise _unauthorised("a wrong token in the URL")
            raw = (scope.get("raw_path") or b"/").decode("latin-1")
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            # Two slashes at the beginning would lead to another host.
            return "/" + re.sub(r"[^!-~]", "", raw).lstrip("/\\") + (f"?{rest}" if rest else "")
        if token is None:
            return None
        for value in _all(scope, b"authorization"):
            scheme, _, credentials = value.partition(" ")
            if scheme.lower() == "bearer":
                if _same(credentials.strip(), token):
                    return None
                raise _unauthorised("a wrong token")
        if any(_same(value, self._cookie) for value in _cookies(scope, self._cookie_name)):
            return None
        raise _unauthorised("no token")

    def _redirect(self, place: str, scope: Scope) -> tuple[int, str, Headers]:
        """Return the response that redirects to a page and sets the cookie."""
        headers = [(b"location", place.encode())]
        if self._terms.token is not None:
            secure = "; Secure" if scope.get("scheme") == "https" else ""
            cookie = f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"
            headers.append((b"set-cookie", f"{cookie}{secure}".encode()))
        if _all(scope, b"sec-fetch-site") not in (["cross-site"], ["same-site"]):
            return 303, "", tuple(headers)
        # After a link on another site, a redirect would be followed without the cookie: it has to
        # start from a page of this server.
        return 200, "…", ((b"refresh", f"0; url={place}".encode()), *headers[1:])

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """Read the body of a request, and return a function that replays it; raise if too large."""
        length = _all(scope, b"content-length")
        if length and (not length[0].isdecimal() or int(length[0][:20]) > self._most_body):
            raise too_large(self._most_body)
        if not length and not _all(scope, b"transfer-encoding"):
            return receive
        body, more = b"", True
        try:
            async with asyncio.timeout(_BODY_PATIENCE):
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise RefusedError(400, "The body is incomplete.", "an incomplete body")
                    body, more = body + message.get("body", b""), message.get("more_body", False)
                    if len(body) > self._most_body:
                        raise too_large(self._most_body)
        except TimeoutError:
            raise RefusedError(408, "The body did not arrive in time.", "a slow body") from None
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        return replayed


class _Answering:
    """Adds the headers that all responses have."""

    def __init__(self, send: Send, *, head: bool) -> None:
        self._send = send
        self._head = head
        self._started = False

    async def answer(self, status: int, text: str, headers: Headers) -> None:
        """Answer in one line and close the connection, unless an answer is under way."""
        if not self._started:
            for message in plain_answer(status, text, headers, head=self._head):
                await self.send(message)

    async def send(self, message: Message) -> None:
        """Send a part of an answer."""
        if message["type"] == "http.response.start":
            self._started = True
            own = list(message.get("headers", ()))
            names = {name.lower() for name, _ in own}
            message = {**message, "headers": own + [p for p in HEADERS if p[0] not in names]}
        await self._send(message)


def _check_origin(scope: Scope, host: str) -> None:
    """Raise if the browser says that the request comes from a page of another site."""
    for origin in _all(scope, b"origin"):
        try:
            parts = urlsplit(origin)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower():
            shown = shortened(origin, 80)
            raise RefusedError(
                403, "Requests from pages of other sites are refused.", f"the Origin {shown}"
            )
    # Some browsers send no origin for scripts, images and frames of other pages. Links are allowed.
    site, mode = _all(scope, b"sec-fetch-site"), _all(scope, b"sec-fetch-mode")
    if site and site[0] not in ("same-origin", "none") and mode != ["navigate"]:
        shown = shortened(site[0], 20)
        raise RefusedError(
            403, "Requests from pages of other sites are refused.", f"a {shown} request"
        )


def _unauthorised(log: str) -> RefusedError:
    return RefusedError(
        401,
        "This server requires a token. Open the URL that it printed when it started, or send the "
        "token in the header Authorization: Bearer TOKEN.",
        log,
        ((b"www-authenticate", b'Bearer realm="condped"'),),
    )


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), known.encode("ascii"))


def _derived(token: str, purpose: str) -> str:
    return hmac.new(
        token.encode("ascii"), f"condped {purpose}".encode(), hashlib.sha256
    ).hexdigest()


def _all(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _cookies(scope: Scope, name: str) -> list[str]:
    pairs = (part.partition("=") for header in _all(scope, b"cookie") for part in header.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def _split_host(text: str) -> tuple[str, str] | None:
    """Return the name and the port in a Host header; None if it is not valid."""
    found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?", text.strip().lower())
    if found is None:
        return None
    return normalised(found[1].removesuffix(".")), (found[2] or "")[1:]
