"""Every question of the gallery is answered: its code runs, without a warning, and draws."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from docs.gallery_settings import ORDER, title

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    """Collect every figure, without windows."""
    figures: list[Figure] = []
    made = Figure.__init__

    def collect(figure: Figure, *args: Any, **options: Any) -> None:
        figures.append(figure)
        made(figure, *args, **options)

    monkeypatch.setattr(Figure, "__init__", collect)
    with mpl.rc_context():
        plt.switch_backend("agg")
        yield figures
        plt.close("all")


@pytest.mark.parametrize("question", ORDER)
def test_a_question_is_answered(
    question: str,
    drawn: list[Figure],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The script runs; what it draws can be saved; it writes no file."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(GALLERY / f"{question}.py"), run_name="__main__")
    assert drawn
    assert not list(tmp_path.iterdir())
    for figure in drawn:
        assert title(figure), "a picture has to say what it shows"
        figure.savefig(tmp_path / "figure.png")
    assert "Traceback" not in capsys.readouterr().out


def test_every_script_is_in_the_index() -> None:
    """None is left out of the order, the thumbnails and the table of contents."""
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    assert {path.stem for path in GALLERY.glob("*.py")} == set(ORDER)
    for question in ORDER:
        assert f"   gallery/{question}.py\n" in index
    assert index.split("```{toctree}\n:hidden:\n")[1].split("```")[0].split() == [
        f"../questions/{question}" for question in ORDER
    ]
