"""The notebook runs in a real kernel, and is stored without what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat import reads, validate
from nbformat.v4 import new_code_cell

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "start.ipynb"


def _notebook() -> Any:
    return reads(NOTEBOOK.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]


def _cell(source: str) -> Any:
    return new_code_cell(source)  # type: ignore[no-untyped-call]


def test_the_notebook_is_stored_without_outputs() -> None:
    """Nothing that a run leaves behind is in the file."""
    notebook = _notebook()
    validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell, warnings as errors; tables, pictures and the page are shown."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = _notebook()
    notebook.cells.insert(0, _cell("import warnings\nwarnings.simplefilter('error')"))
    notebook.cells.append(_cell("warnings.simplefilter('ignore')"))  # the kernel's own, at its end
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    shown = {
        kind
        for code in notebook.cells
        if code.cell_type == "code"
        for output in code.outputs
        for kind in output.get("data", {})
    }
    assert {"text/html", "image/png", "application/vnd.jupyter.widget-view+json"} <= shown
    assert not list(tmp_path.glob("*.html"))
