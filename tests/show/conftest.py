"""A real Chromium, for pages and for charts on other tools' pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.servers.local import lacking

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("google-chrome", "chromium", "chromium-browser"))), None
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return the browser of this machine.

    Until it is closed no test of the same process can run an event loop of its own.
    """
    if CHROMIUM is None:
        lacking("no Chromium or Chrome on this machine: apt-get install chromium")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()
