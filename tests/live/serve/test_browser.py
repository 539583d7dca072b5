"""Served pages in a real Chromium."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
from playwright.sync_api import Browser, expect

import condped
from tests.live.serve.served import served
from tests.live.studies import run_trials, storage_in

TOKEN = "correct-horse-battery"
_ASK = """async (url) => {
  const plain = await fetch(url).then(() => "read", () => "refused");
  const blind = await fetch(url, { mode: "no-cors" }).then((r) => r.type, () => "refused");
  const script = await new Promise((done) => {
    const tag = document.createElement("script");
    tag.src = url;
    tag.onload = () => done("ran");
    tag.onerror = () => done("refused");
    document.head.append(tag);
  });
  return [plain, blind, script];
}"""


def _verdicts(finished: int) -> str:
    return f"as of trial {condped.last_look(finished)}"


@contextmanager
def serving(url: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command at a port until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "condped", "serve", url, "--no-open", "--port", str(port),
         "--every", "0.1"],
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert b"Serving" in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_page_follows_its_study_over_a_server_that_was_killed(
    browser: Browser, tmp_path: Path
) -> None:
    """New trials appear without a reload, the slider stays, and so after the server is back."""
    url = storage_in(tmp_path)
    run_trials(url, 45)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    page = browser.new_context().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    trials = page.locator("#live-trials")
    with serving(url, port) as process:
        page.goto(f"http://127.0.0.1:{port}/")
        assert page.url.startswith(f"http://127.0.0.1:{port}/study/tuning")
        expect(page.locator("#live-state")).to_have_text("Idle", timeout=60_000)
        expect(page.locator("#live-verdicts")).to_contain_text(_verdicts(45), timeout=60_000)
        page.evaluate("window.stayed = true")
        page.locator("#slider").fill("9")
        run_trials(url, 11, seed=1)
        expect(trials).to_have_text("56 finished", timeout=60_000)
        expect(page.locator("#live-state")).to_have_text("Live")
        expect(page.locator("#live-verdicts")).to_contain_text(_verdicts(56), timeout=60_000)
        process.send_signal(signal.SIGKILL)
        expect(page.locator("#live-state")).to_have_text("Connection lost", timeout=60_000)
    run_trials(url, 4, seed=2)
    with serving(url, port):
        expect(trials).to_have_text("60 finished", timeout=60_000)
        # Nobody has seen a trial finish since this server was started.
        expect(page.locator("#live-state")).to_have_text("Idle", timeout=60_000)
        assert page.evaluate("window.stayed") is True
        assert page.locator("#slider").input_value() == "9"
        page.context.close()
    assert not errors


def test_a_link_with_the_token_works_from_any_site(browser: Browser, tmp_path: Path) -> None:
    """From a chat in the browser, too: the page opens, its stream comes, the token is gone."""
    url = storage_in(tmp_path)
    run_trials(url, 5)

    class Chat(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<a href="{link}">look</a>'.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with served([url], token=TOKEN) as server, HTTPServer(("127.0.0.1", 0), Chat) as chat:
        link = f"{server.url}/study/tuning?token={TOKEN}"
        threading.Thread(target=chat.serve_forever, daemon=True).start()
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"http://localhost:{chat.server_port}/")  # another site than 127.0.0.1
        page.get_by_text("look").click()
        expect(page.locator("#live-state")).to_have_text("Idle", timeout=60_000)
        assert TOKEN not in page.url
        assert TOKEN not in page.content()
        assert page.evaluate("document.cookie") == ""
        assert httpx.get(f"{server.url}/study/tuning", timeout=60).status_code == 401
        context.close()
        chat.shutdown()


def test_pages_of_others_get_nothing(browser: Browser, tmp_path: Path) -> None:
    """Scripts, pictures, frames and requests of another site on this machine are refused."""
    url = storage_in(tmp_path)
    run_trials(url, 5)
    with served([url]) as server:
        context = browser.new_context()
        page = context.new_page()
        page.route("http://evil.example/", lambda route: route.fulfill(
            content_type="text/html", body="<h1>Evil</h1>"))  # fmt: skip
        page.goto("http://evil.example/")
        for address in ("/study/tuning/data.json", "/study/tuning/events", "/study/tuning"):
            found = page.evaluate(
                _ASK,
                f"{server.url}{address}",
            )
            assert found == ["refused", "refused", "refused"]
        context.close()


def test_the_list_shows_studies_as_they_come(browser: Browser, tmp_path: Path) -> None:
    """Counts grow and new studies appear without a reload; each leads to its page."""
    url = storage_in(tmp_path)
    run_trials(url, 3, study="first")
    run_trials(url, 4, study="</script><b>second")
    with served([url]) as server:
        context = browser.new_context()
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text))
        page.goto(server.url)
        expect(page.get_by_role("link", name="second")).to_be_visible(timeout=60_000)
        run_trials(url, 2, study="third")
        page.get_by_role("link", name="third").click(timeout=60_000)
        expect(page.locator("#live-trials")).to_have_text("2 finished", timeout=60_000)
        assert page.url == f"{server.url}/study/third"
        page.get_by_role("link", name="All studies").click()
        expect(page.get_by_role("link", name="first")).to_be_visible(timeout=60_000)
        context.close()
    assert not errors
