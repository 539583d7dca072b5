"""Make the pictures of docs/how-to/report.md: the demo's report as a reader sees it.

Run: python docs/screenshots.py [folder]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import condped

_COLOURS = 256  # of a picture's palette: small files, letters still smooth


@dataclass(frozen=True)
class Shot:
    """A picture: how the page is opened, what is done to it, what part of it is taken."""

    name: str
    width: int
    height: int
    scheme: str
    opened: tuple[str, ...] = ()  # scripts that open something, one after the other
    script: str = ""


_OPEN = """
for (const name of ["parameters", "next", "history"]) document.getElementById(name).open = true;
"""
_CARD = """
document.querySelectorAll("details.card")[0].open = true;
"""
SHOTS = (
    Shot("desktop-light", 1280, 1860, "light"),
    Shot(
        "desktop-dark", 1280, 1860, "dark", (_OPEN, _CARD),
        "document.getElementById('parameters').scrollIntoView();",
    ),
    Shot("phone-light", 390, 1640, "light"),
    Shot(
        "phone-dark", 390, 1640, "dark", (_OPEN, _CARD),
        "document.getElementById('parameters').scrollIntoView();",
    ),
)  # fmt: skip


def take(browser: Browser, page_file: Path, shot: Shot, folder: Path) -> None:
    """Open the page, take the picture, and store it with a palette."""
    page = browser.new_page(viewport={"width": shot.width, "height": shot.height})
    page.emulate_media(color_scheme="dark" if shot.scheme == "dark" else "light")
    page.goto(page_file.as_uri())
    for script in (*shot.opened, shot.script):
        page.evaluate(f"() => {{ {script} }}")
        page.wait_for_timeout(300)  # what opens draws itself a moment later
    path = folder / f"{shot.name}.png"
    page.screenshot(path=path)
    page.close()
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> None:
    """Make all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "how-to" / "report"
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        demo, page_file = Path(name) / "demo", Path(name) / "report.html"
        subprocess.run(
            [sys.executable, "-m", "condped", "demo", "--folder", demo],
            check=True,
            capture_output=True,
        )
        condped.report(
            str(demo / "results.csv"),
            page_file,
            objective="error",
            space=demo / "space.json",
            intervals="half-sampling",
            title="Model selection",
        )
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for shot in SHOTS:
            take(browser, page_file, shot, folder)
        browser.close()


if __name__ == "__main__":
    main()
