"""A feed's events as a stream, which browsers resume by themselves after an interruption."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.types import Receive, Scope, Send

from condped.live.versions import Event
from condped.live.viewers import Feed

_RETRY = 1_000  # milliseconds after which a browser reconnects
_HEARTBEAT = 15.0  # seconds of silence after which a sign of life is sent
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),  # a proxy must not wait for more
]


class Streams:
    """Counts open streams, to limit their number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = 0

    @property
    def full(self) -> bool:
        """Whether no more streams may be opened."""
        return self.open >= self.most

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count a stream while it is open."""
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1


async def read_once(feed: Feed, patience: float) -> None:
    """Wait until a feed has read its source or failed to, for at most ``patience`` seconds.

    No thread is blocked: there are few, and a source that hangs must not take them all.
    """
    news = asyncio.Event()
    with feed.viewing(_setting(news)), suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while not feed.wait(0.0) and not feed.closed:
                await news.wait()
                news.clear()


class EventStream:
    """A response that continues until the viewer leaves or the feed ends."""

    def __init__(self, feed: Feed, version: str | None, streams: Streams) -> None:
        self._feed = feed
        self._version = version
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        with self._streams.one_more():
            streaming = asyncio.ensure_future(self._stream(send))
            leaving = asyncio.ensure_future(_left(receive))
            try:
                await asyncio.wait((streaming, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                streaming.cancel()
                leaving.cancel()
                found = await asyncio.gather(streaming, leaving, return_exceptions=True)
        for error in found:
            if isinstance(error, Exception):
                raise error

    async def _stream(self, send: Send) -> None:
        news = asyncio.Event()

        async def write(text: str, more: bool = True) -> None:
            body = text.encode("utf-8")
            await send({"type": "http.response.body", "body": body, "more_body": more})

        with self._feed.viewing(_setting(news)):
            cursor = self._feed.cursor(self._version)
            await write(f"retry: {_RETRY}\n\n")
            while True:
                ended = self._feed.closed
                for event in self._feed.news(cursor):
                    await write(_text(event))
                if ended:
                    break
                try:
                    await asyncio.wait_for(news.wait(), _HEARTBEAT)
                except TimeoutError:
                    await write(":\n\n")
                news.clear()
            await write("", more=False)


def _setting(news: asyncio.Event) -> Callable[[], None]:
    """Return a function that sets an event of this loop from any thread."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(news.set)

    return wake


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _text(event: Event) -> str:
    place = "" if event.id is None else f"id: {event.id}\n"
    return f"event: {event.kind}\n{place}data: {event.data}\n\n"
