"""Reports in a real Chromium, networking off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from condped.analyse.across.result import Across
from condped.analyse.report.result import Report

OPEN_FOLDS = """() => {
  const boxes = document.querySelectorAll("details.fold:not([hidden]), details.rest");
  for (const box of boxes) box.open = true;
}"""
Opener = Callable[..., Page]


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
