"""``condped.widget``: the page of a report in Jupyter and marimo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import condped
from condped.errors import SettingsError
from condped.optional import load_optional
from condped.safe_text import brief

if TYPE_CHECKING:
    from condped.live.notebook.anywidget_report import ReportWidget


def widget(source: Any, *, height: int | None = None, **options: Any) -> ReportWidget:
    """Show the page of a report in a notebook, linked with Python.

    Works in Jupyter, JupyterLab, VS Code and marimo. The page is that of
    :func:`condped.report`, in a frame that makes no network requests; it follows the notebook's
    light or dark theme.

    Parameters
    ----------
    source
        A :class:`Report`, or anything that :func:`condped.report` takes.
    height
        In pixels; by default the height of the page.
    **options
        Options of :func:`condped.report`, unless ``source`` is a report.

    Returns
    -------
    A widget. Its ``target_quantile`` and ``method`` are what the reader has chosen, and change the
    page when they are set; ``report`` is the report shown, and ``update()`` rereads the source and
    shows what has changed, keeping everything that the reader has set and opened.

    Examples
    --------
    >>> import condped
    >>> shown = condped.widget(condped.problems.get("nested").sample(200, seed=0))
    >>> shown.target_quantile
    0.1
    >>> shown.target_quantile = 0.25
    """
    if isinstance(source, condped.Report) and options:
        raise SettingsError(
            f"A finished report takes no options (got {', '.join(options)}). Pass the source "
            "instead."
        )
    if height is not None and (not isinstance(height, int) or height < 1):
        raise SettingsError(f"height must be a number of pixels, or None (got {brief(height)}).")
    module = load_optional(
        "condped.live.notebook.anywidget_report",
        feature="condped.widget",
        library="anywidget",
        extra="widget",
    )
    made: ReportWidget = module.ReportWidget(source, options, height)
    return made
