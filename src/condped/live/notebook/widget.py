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
    """Show the page of a report in a notebook, where Python and the page know of each other.

    Works in Jupyter, JupyterLab, VS Code, Colab and marimo. The page is that of
    :func:`condped.report`, in a frame that asks no network; it follows the light or dark of the
    notebook.

    Parameters
    ----------
    source
        A :class:`Report`, or anything that :func:`condped.report` takes.
    height
        In pixels; as high as the page if not given.
    **options
        Those of :func:`condped.report`, where ``source`` is no report.

    Returns
    -------
    A widget. Its ``target_quantile`` and ``method`` are what the reader has chosen, and move the
    page when they are set; ``report`` is what it shows, and ``update()`` reads the source again and
    shows what has changed, with everything that the reader has set and opened in place.

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
            f"A report is ready: {', '.join(options)} cannot change it. Give the source instead."
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
