"""The pages, their data and their streams; all read-only."""

from __future__ import annotations

import html
import re

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from condped.live.feed import StudyFeed
from condped.live.serve.catalogue import Catalogue
from condped.live.serve.streams import EventStream, Streams, read_once
from condped.live.viewers import Feed

_MOST_STREAMS = 200
_PATIENCE = 20.0  # seconds in which a study should have been read for the first time
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def app_of(catalogue: Catalogue, *, most_streams: int = _MOST_STREAMS) -> Starlette:
    """Return the application that shows the studies of a catalogue."""
    pages = _Pages(catalogue, Streams(most_streams))
    routes = [
        Route("/", pages.start),
        Route("/events", pages.list_events),
        Route("/study/{id}", pages.study),
        Route("/study/{id}/events", pages.study_events),
        Route("/study/{id}/data.json", pages.study_data),
    ]
    made = Starlette(routes=routes)
    made.router.redirect_slashes = False
    return made


class _Pages:
    """The responses at each address."""

    def __init__(self, catalogue: Catalogue, streams: Streams) -> None:
        self._catalogue = catalogue
        self._streams = streams

    async def start(self, request: Request) -> Response:
        """Show the list of studies, or the only one."""
        entries = self._catalogue.entries
        if len(entries) == 1:
            return RedirectResponse(f"/study/{next(iter(entries))}", status_code=303)
        self._catalogue.touch()
        return _page(await run_in_threadpool(self._catalogue.page, "/events"))

    async def list_events(self, request: Request) -> ASGIApp:
        """Stream how far the studies have come."""
        return self._stream(self._catalogue, request)

    async def study(self, request: Request) -> Response:
        """Show a study; its page updates itself."""
        id, feed = request.path_params["id"], await self._feed(request)
        if feed is None:
            return _not_found()
        await read_once(feed, _PATIENCE)
        index = "/" if len(self._catalogue.entries) > 1 else None
        page = await run_in_threadpool(feed.page, f"/study/{id}/events", index)
        if page is not None:
            return _page(page)
        entry = self._catalogue.entries.get(id)
        return _waiting(id if entry is None else entry.name, feed)

    async def study_data(self, request: Request) -> Response:
        """Return the numbers of a study's page."""
        feed = await self._feed(request)
        if feed is None:
            return _not_found()
        await read_once(feed, _PATIENCE)
        data = feed.data()
        if data is None:
            return PlainTextResponse(f"{feed.status['message']}\n", 503, {"retry-after": "2"})
        return Response(data, media_type="application/json")

    async def study_events(self, request: Request) -> ASGIApp:
        """Stream what is new in a study."""
        feed = await self._feed(request)
        return _not_found() if feed is None else self._stream(feed, request)

    async def _feed(self, request: Request) -> StudyFeed | None:
        """Return the feed of a study, which may be new."""
        id = request.path_params["id"]
        feed = self._catalogue.feed(id)
        if feed is None:
            await run_in_threadpool(self._catalogue.refresh)
            feed = self._catalogue.feed(id)
        return feed

    def _stream(self, feed: Feed, request: Request) -> ASGIApp:
        if self._streams.full:
            text = f"{self._streams.most} pages are already open. Close one and reload.\n"
            return PlainTextResponse(text, 503, {"retry-after": "10"})
        version = request.headers.get("last-event-id") or request.query_params.get("from")
        return EventStream(feed, version, self._streams)


def _page(text: str) -> Response:
    """Return a page under its own policy, which also forbids framing it."""
    found = _POLICY.search(text)
    own = found[1] if found else "default-src 'none'"
    policy = f"{html.unescape(own)}; frame-ancestors 'none'"
    return HTMLResponse(text, headers={"content-security-policy": policy})


def _not_found() -> Response:
    return PlainTextResponse("There is no such page. The list of studies is at /.\n", 404)


def _waiting(name: str, feed: StudyFeed) -> Response:
    """Return a placeholder that reloads itself until there is a page."""
    status = feed.status
    text = (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(name)}'
        f"</title>\n<h1>{html.escape(name)}</h1>\n<p>{html.escape(status['message'])}</p>\n"
        "<p>This page reloads every two seconds.</p>\n</html>\n"
    )
    code = 503 if status["state"] == "unreachable" else 200
    return HTMLResponse(text, code, {"refresh": "2"})
