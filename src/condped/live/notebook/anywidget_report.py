"""A report as a widget of anywidget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

import condped

_SCRIPT = Path(__file__).with_name("widget.js")


class ReportWidget(anywidget.AnyWidget):
    """The page of a report; see :func:`condped.widget`.

    Attributes
    ----------
    target_quantile
        The share of the trials that counts as good, as chosen by the reader; setting it moves the
        slider to the nearest step. None if an outcome is explained.
    method
        ``paper`` or ``calibrated``, likewise.
    height
        In pixels; None: the height of the page.
    """

    _esm = _SCRIPT
    _page = traitlets.Unicode().tag(sync=True)
    # Data that replaces that of the page, if any.
    _data = traitlets.Any(None).tag(sync=True)
    _requests = traitlets.Int(0).tag(sync=True)  # how often Python has set a choice
    target_quantile = traitlets.Float(None, allow_none=True).tag(sync=True)
    method = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, source: Any, options: Mapping[str, Any], height: int | None) -> None:
        self._source, self._options, self._from_page = source, dict(options), True
        self._report = self._read(source)
        data = self._report.data
        super().__init__(
            _page=self._report.to_html(framed=True),
            target_quantile=data["steps"][data["start"]] if data["steps"] else None,
            method=data["method"],
            height=height,
        )
        self._from_page = False

    @property
    def report(self) -> condped.Report:
        """The report that is shown."""
        return self._report

    def update(self, source: Any = None) -> None:
        """Show another report, or the current state of the source; the page keeps its settings.

        Parameters
        ----------
        source
            A report or a source; by default the last source, read again.
        """
        given = self._source if source is None else source
        self._report = self._read(given)
        self._source = given  # not if it cannot be read
        self._data = self._report.page_data

    def _read(self, source: Any) -> condped.Report:
        if isinstance(source, condped.Report):
            return source
        return condped.report(source, **self._options)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Apply a choice made on the page, without sending it back."""
        self._from_page = True
        try:
            super().set_state(sync_data)
        finally:
            self._from_page = False

    @traitlets.observe("target_quantile", "method")
    def _request(self, _: Any) -> None:
        if not self._from_page:
            self._requests += 1

    @traitlets.validate("target_quantile")
    def _nearest(self, proposal: Any) -> float | None:
        steps = self._report.data["steps"]
        value = proposal["value"]
        return min(steps, key=lambda step: abs(step - value)) if steps and value else None

    @traitlets.validate("method")
    def _known(self, proposal: Any) -> str:
        methods = self._report.data["methods"]
        if proposal["value"] not in methods:
            raise traitlets.TraitError(
                f"method must be {' or '.join(methods)} (got {proposal['value']!r})."
            )
        return str(proposal["value"])
