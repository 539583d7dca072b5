"""The gallery is what its code draws."""

from __future__ import annotations

import struct
from pathlib import Path

from docs.gallery import PICTURES, figures, page

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_is_the_codes_own() -> None:
    """Nobody wrote in it by hand."""
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == page()


def test_every_picture_is_there_and_small() -> None:
    """A PNG for each, at most 100 kB, and none that nothing draws."""
    files = {file.name: file for file in (DOCS / "gallery").iterdir()}
    assert set(files) == {f"{picture.file}.png" for picture in PICTURES}
    assert all(file.stat().st_size <= 100_000 for file in files.values())


def test_its_code_runs_and_draws_pictures_of_that_shape() -> None:
    """Each expression gives a figure; the file beside it has its proportions."""
    for name, figure in figures().items():
        head = (DOCS / "gallery" / f"{name}.png").read_bytes()[16:24]
        width, height = struct.unpack(">II", head)
        assert abs(width / height - figure.get_figwidth() / figure.get_figheight()) < 0.02
