"""Reports in a real Chromium: files with networking off, and pages of a server."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from condped.analyse.across.result import Across
from condped.analyse.report.result import Report
from tests.show.report.event_server import EventServer

OPEN_FOLDS = """() => {
  const boxes = document.querySelectorAll("details.fold:not([hidden]), details.rest");
  for (const box of boxes) box.open = true;
}"""
Opener = Callable[..., Page]
Viewer = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Open reports from files; afterwards nothing may have gone wrong in any of them."""
    wrong: list[str] = []
    contexts: list[BrowserContext] = []

    def open_page(report: Report | Across, *, folded: bool = False, **settings: Any) -> Page:
        path = tmp_path / f"report-{len(contexts)}.html"
        if isinstance(report, Across):
            report.report(path)
        else:
            report.save(path)
        context = browser.new_context(
            offline=True,
            **{"viewport": {"width": 1280, "height": 900}, "accept_downloads": True, **settings},
        )
        contexts.append(context)
        page = context.new_page()

        def dismissed(dialog: Dialog) -> None:
            wrong.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", dismissed)
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}"))
        page.on(
            "request",
            lambda request: (
                None if request.url == path.as_uri() else wrong.append(f"asks for {request.url}")
            ),
        )
        page.goto(path.as_uri())
        if not folded and settings.get("java_script_enabled", True):
            page.evaluate(OPEN_FOLDS)
            page.wait_for_selector("#downloads button", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def server() -> Iterator[EventServer]:
    """Return a server that nothing is left of in the end."""
    started = EventServer()
    yield started
    started.close()
    gc.collect()


@pytest.fixture
def viewed(browser: Browser, server: EventServer) -> Iterator[Viewer]:
    """Open a page of the server; afterwards nothing may have gone wrong in it."""
    wrong: list[str] = []
    contexts: list[BrowserContext] = []

    def open_page(report: Report, fragment: str = "", **settings: Any) -> Page:
        server.page = report.to_html(live="/events?from=run.1")
        size = {"width": 1280, "height": 900}
        context = browser.new_context(**{"viewport": size, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on(
            "console",
            # The browser itself tells of streams that break.
            lambda said: (
                None if "ERR_" in said.text or "503" in said.text else wrong.append(said.text)
            ),
        )
        page.goto(server.url + fragment)
        server.connected(1)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
