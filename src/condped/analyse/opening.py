"""From a source to trials that can be analysed."""

from __future__ import annotations

from typing import Any, Unpack

from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.read.opening import open_source
from condped.read.options import Reading
from condped.trials.table import TrialTable


def open_trials(source: Any, **reading: Unpack[Reading]) -> Trials:
    """Return a source's trials as something that can be counted.

    ``source`` is anything that :func:`condped.read.opening.open_source` takes, or trials that have
    been opened before.
    """
    if not isinstance(source, Trials):
        return Trials.of(open_source(source, **reading))
    given = [name for name, value in reading.items() if value is not None and value != "auto"]
    if given:
        raise SettingsError(
            f"The trials are opened already: {', '.join(given)} cannot be set any more. Set them "
            "when opening."
        )
    return source


def open_table(purpose: str, source: Any, **reading: Unpack[Reading]) -> TrialTable:
    """Return a source's trials in memory, for what cannot be done by counting them."""
    engine = reading.get("engine", "auto")
    if engine == "stream" or (engine == "auto" and reading.get("backend") is not None):
        raise SettingsError(
            f"{purpose} needs the trials themselves, in memory (got engine {engine!r}). Set engine "
            "to 'memory' if they fit, or read a part of them."
        )
    if engine == "auto" and not isinstance(source, Trials):
        reading["engine"] = "memory"
    return open_trials(source, **reading).table(purpose)
