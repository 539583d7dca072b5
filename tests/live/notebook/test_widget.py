"""The report in notebooks: in marimo by a real browser, in Jupyter by what a kernel sends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlparse
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser

import condped
from condped.errors import CondpedError, SettingsError

pytest.importorskip("anywidget")
MARIMO = """
import marimo
app = marimo.App()

@app.cell
def _():
    import condped, marimo as mo
    first, more = (condped.problems.get("nested").sample(n, seed=0) for n in (100, 150))
    shown = mo.ui.anywidget(condped.widget(first))
    again = mo.ui.run_button(label="More trials")
    return again, mo, more, shown

@app.cell
def _(shown):
    shown

@app.cell
def _(again, mo, shown):
    mo.vstack([mo.md(f"chosen: {shown.value['target_quantile']}"), again])

@app.cell
def _(again, more, shown):
    if again.value:
        shown.widget.update(more)
        shown.widget.target_quantile = 0.3
"""


def test_the_choice_is_a_step_of_the_slider() -> None:
    """Values in between move to the nearest step; methods that there are not are refused."""
    table = condped.problems.get("nested").sample(100, seed=0)
    shown = condped.widget(table, target_quantile=0.2)
    assert (shown.target_quantile, shown.method) == (0.2, "paper")
    shown.target_quantile = 0.26
    assert shown.target_quantile == 0.25
    shown.method = "calibrated"
    with pytest.raises(Exception, match="method must be paper or calibrated"):
        shown.method = "magic"
    assert shown.report.data["used"] == 100
    shown.update(condped.problems.get("nested").sample(120, seed=0))
    assert (shown.report.data["used"], shown._data["used"]) == (120, 120)


def test_a_source_that_cannot_be_read_takes_no_place(tmp_path: Path) -> None:
    """The report stays, and can be updated from its own source."""
    shown = condped.widget(condped.problems.get("nested").sample(100, seed=0))
    with pytest.raises(CondpedError):
        shown.update(tmp_path / "none.csv")
    shown.update()
    assert shown.report.data["used"] == 100


def test_what_the_page_says_is_not_told_to_it_again() -> None:
    """Or a late answer would move the slider back, and that be told in turn."""
    shown = condped.widget(condped.report(condped.problems.get("nested").sample(100, seed=0)))
    shown.set_state({"target_quantile": 0.2})
    assert (shown.target_quantile, shown._requests) == (0.2, 0)
    shown.target_quantile = 0.3
    assert shown._requests == 1


def test_what_cannot_be_shown_is_refused() -> None:
    """A report is ready, and heights are pixels."""
    report = condped.report(condped.problems.get("nested").sample(100, seed=0), verdicts=False)
    with pytest.raises(SettingsError, match=r"takes no options \(got target_quantile"):
        condped.widget(report, target_quantile=0.2)
    with pytest.raises(SettingsError, match="height must be"):
        condped.widget(report, height=-1)


# nbclient leaves its event loop, and a kernel sets up its own, for the interpreter to close.
@pytest.mark.filterwarnings("ignore")
def test_jupyter_gets_a_widget_with_the_page_in_its_state() -> None:
    """The output names a widget, whose saved state holds the page that needs no kernel."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = [
        "import condped\n"
        "shown = condped.widget(condped.problems.get('nested').sample(100, seed=0), height=500)\n"
        "shown",
        "shown.target_quantile = 0.2",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    view = output.data["application/vnd.jupyter.widget-view+json"]
    kept = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    state = kept[view["model_id"]]["state"]
    assert state["_page"].startswith("<!doctype html>")
    assert "default-src 'none'" in state["_page"]
    assert (state["target_quantile"], state["height"], state["_requests"]) == (0.2, 500, 1)


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[str]:
    """Serve a notebook and return its address."""
    pytest.importorskip("marimo")
    file = tmp_path / "notebook.py"
    file.write_text(MARIMO, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "-q", "run", "--headless", "--no-token"]
    command += ["--host", "127.0.0.1", "--port", str(port), str(file)]
    environment = {**os.environ, "MARIMO_SKIP_UPDATE_CHECK": "1", "HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urlopen(address).close()
                break
            except URLError:
                time.sleep(0.1)
        yield address
        server.terminate()


def test_marimo_shows_the_page_and_hears_of_the_slider(marimo: str, browser: Browser) -> None:
    """As high as it is, in the notebook's colours, kept current, and without any network."""
    page = browser.new_page(viewport={"width": 900, "height": 800})
    hosts: set[str | None] = set()
    page.on("request", lambda request: hosts.add(urlparse(request.url).hostname))
    page.goto(marimo)
    inside = page.frame_locator("iframe[title='condped report']")
    slider = inside.locator("#slider")
    slider.wait_for(timeout=60_000)
    page.get_by_text("chosen: 0.1").wait_for()
    whole = inside.locator("body").evaluate("body => body.getBoundingClientRect().height")
    frame = page.locator("iframe[title='condped report']")
    page.wait_for_function(
        "([frame, high]) => Math.abs(frame.getBoundingClientRect().height - high) <= 2",
        arg=[frame.element_handle(), whole],
    )
    theme = inside.locator("html")
    assert theme.get_attribute("data-theme") == "light"
    page.evaluate("document.body.style.color = 'white'; document.body.className += ' dark'")
    inside.locator("html[data-theme=dark]").wait_for()

    for _ in range(2):  # quickly, so that answers to the first come after the second
        slider.press("ArrowRight")
    page.get_by_text("chosen: 0.2").wait_for()
    inside.locator("#parameters summary").first.click()
    page.get_by_role("button", name="More trials").evaluate("button => button.click()")
    inside.get_by_text("45 of 150 trials").first.wait_for(timeout=30_000)
    page.get_by_text("chosen: 0.3").wait_for()
    assert inside.locator("#parameters").get_attribute("open") is not None
    page.close()
    assert hosts <= {"127.0.0.1", None, ""}
