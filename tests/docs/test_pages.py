"""Every example of every page of the site runs: examples.py says how."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from condped.read import registry
from tests.docs.examples import examples, run_page

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if not path.relative_to(DOCS).parts[0].startswith(("_", "gallery", "questions"))
}
# Pages on which other tools warn of themselves, or of each other.
WARNING = ("coming-from/", "how-to/", "reference/sources.md", "trust/scale.md")
# Pages that start and end what a process can have only once, and other tests may have running.
OWN_PROCESS = ("coming-from/ray.md",)


@pytest.fixture
def _own_environment() -> Iterator[None]:
    """Undo what a page does to environment variables, and forget the modules it wrote."""
    before, modules = dict(os.environ), set(sys.modules)
    yield
    os.environ.clear()
    os.environ.update(before)
    for name in {"condped_mytool", "test_condped_mytool"} - modules:
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("_own_environment")
@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if examples(page)])
def test_examples_run(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the order in which they stand, in a directory of their own, with the real tools."""
    if name in OWN_PROCESS:
        command = [sys.executable, "-W", "ignore", "-m", "tests.docs.examples", str(DOCS / name)]
        environment = os.environ | {"PYTHONPATH": str(DOCS.parent)}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})  # readers that a page registers
    with warnings.catch_warnings():
        if name.startswith(WARNING):
            warnings.simplefilter("ignore")
        run_page(name, PAGES[name], tmp_path)
    capsys.readouterr()
