"""From a source to trials that can be analysed."""

from __future__ import annotations

from typing import Any, Unpack

from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.read.opening import Opening, open_source
from condped.trials.table import TrialTable


def open_trials(source: Any, **opening: Unpack[Opening]) -> Trials:
    """Return a source's trials as something that can be counted.

    ``source`` is anything that :func:`condped.read.opening.open_source` takes, or trials that have
    been opened before.
    """
    if not isinstance(source, Trials):
        return Trials.of(open_source(source, **opening))
    given = [name for name, value in opening.items() if value is not None and value != "auto"]
    if given:
        raise SettingsError(
            f"The trials are opened already: {', '.join(given)} cannot be set any more. Set them "
            "when opening."
        )
    return source


def open_table(purpose: str, source: Any, **opening: Unpack[Opening]) -> TrialTable:
    """Return a source's trials in memory, for what cannot be done by counting them."""
    engine = opening.get("engine", "auto")
    if engine not in ("auto", "memory") or opening.get("backend") is not None:
        raise SettingsError(
            f"{purpose} needs the trials themselves, in memory (got engine {engine!r}). Read a "
            "part of them that fits, and leave engine and backend out."
        )
    if not isinstance(source, Trials):
        opening["engine"] = "memory"
    return open_trials(source, **opening).table(purpose)
