"""How sphinx-gallery executes docs/gallery, and in which order the questions are asked."""

from __future__ import annotations

import textwrap
from pathlib import PurePath
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

ORDER = (
    "plot_which_mattered",
    "plot_believe_it",
    "plot_what_is_good",
    "plot_enough",
    "plot_good_values",
    "plot_together",
    "plot_switch",
    "plot_which_branch",
    "plot_next_step",
    "plot_failures",
    "plot_slow_trials",
    "plot_history",
    "plot_how_studies_differ",
    "plot_other_methods",
    "plot_truth",
    "plot_paper_figure",
)
_DOTS = 110  # per inch; twice as many for screens that can show them


def order(path: str) -> int:
    """Return the place of a question, by its file."""
    return ORDER.index(PurePath(path).stem)


def last_figure(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that a block of code ends with, as a notebook would show it."""
    figure = block_vars["example_globals"].get("___")  # sphinx-gallery's name for what it ends with
    if not isinstance(figure, Figure):
        return ""
    block_vars["example_globals"]["___"] = None
    path = PurePath(next(block_vars["image_path_iterator"]))
    sharp = path.with_stem(f"{path.stem}_2_00x")
    figure.savefig(path, dpi=_DOTS)
    figure.savefig(sharp, dpi=2 * _DOTS)
    shown = figure_rst(
        [path], gallery_conf["src_dir"], title(figure), srcsetpaths=[{0: path, 2.0: sharp}]
    )
    # On phones a container scrolls what would be too small to read.
    return f"\n.. container:: picture\n{textwrap.indent(shown, '   ')}\n"


def title(figure: Figure) -> str:
    """Return what a figure says of itself above it: its description for those who do not see it."""
    titles = (axes.get_title(side) for side in ("left", "center") for axes in figure.axes)
    return figure.get_suptitle() or next(filter(None, titles), "")


# Sphinx-gallery writes an index of its own, and asks for a header.
EXCLUDED = ["questions/index.rst", "gallery/GALLERY_HEADER.rst"]
# Pages without a table of contents on the right: their tables of text need the room.
WIDE: dict[str, list[str]] = {
    name: [] for name in ("gallery/index", *(f"questions/{question}" for question in ORDER))
}
SETTINGS: dict[str, Any] = {
    "examples_dirs": "gallery",
    "gallery_dirs": "questions",
    "backreferences_dir": "questions/uses",
    "doc_module": ("condped",),
    "image_scrapers": ("docs.gallery_settings.last_figure", "matplotlib"),
    "image_srcset": ["2x"],
    "ignore_repr_types": r"matplotlib",
    "minigallery_sort_order": "docs.gallery_settings.order",
    "within_subsection_order": "docs.gallery_settings.order",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 10_000,
    "thumbnail_size": (640, 300),
}
