"""``condped.forecast``: from a source to how many more trials would settle open verdicts."""

from __future__ import annotations

from typing import Any, Unpack

from condped.analyse.forecast.result import Forecast
from condped.analyse.importance.analysis import analyse
from condped.analyse.importance.result import importance_result
from condped.analyse.options import Options, Question, TrialOptions, open_table
from condped.estimate.settings import Settings, TrialSettings
from condped.options import takes
from condped.read.options import ReadOptions
from condped.trials.used_trials import Handling


class ForecastOptions(TrialOptions, TrialSettings, total=False):
    """The options of :func:`forecast` besides a source and a target quantile."""


@takes(ForecastOptions, ReadOptions, Settings, Handling)
def forecast(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[ForecastOptions]
) -> Forecast:
    """Say whether there are enough trials for verdicts, and about how many more would be enough.

    Verdicts are those of ``looks="repeated"``, which hold however often a study is looked at while
    it runs. For parameters not yet found to matter, futures of the test are simulated, as if the
    study continued as it has so far.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes and that fits into memory.
    target_quantile
        γ': the share of trials that counts as good (the target set).
    **options
        As for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> found = condped.forecast(condped.problems.get("nested").sample(100, seed=0))
    >>> found["x"].verdict, found.looks[-1], found.next_look
    ('matters', 100, 130)
    """
    parsed = Options.of(forecast, options)
    question = Question((target_quantile,), parsed.settings, parsed.handling)
    table = open_table("A forecast", source, **parsed.reading)
    return importance_result(analyse(table, question)).forecast()
