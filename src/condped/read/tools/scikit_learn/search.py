"""scikit-learn searches (GridSearchCV and the like), or their ``cv_results_``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from condped.errors import DataError, SpaceError
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.drawing import recorded_drawing
from condped.read.tools.scikit_learn.choices import Choices
from condped.read.tools.scikit_learn.results import MEAN, SOURCE, is_halving, scored, times_of
from condped.read.tools.scikit_learn.space import space_of
from condped.space.space import Space
from condped.trials.columns import array_column
from condped.trials.course.drawing import SamplerRecord
from condped.trials.table import TrialTable, all_complete

# Searches that choose their candidates without regard to results.
_INDEPENDENT = (
    "GridSearchCV",
    "RandomizedSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
)
_GRIDS = ("param_grid", "param_distributions")


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return one trial per candidate that a search tried.

    The objective is the mean test score; with several scores, that of ``refit``. The grid or the
    distributions of a search give the domains, and a list of them also the conditions; the results
    alone have neither, so domains are inferred from the values.
    """
    results = source if isinstance(source, Mapping) else getattr(source, "cv_results_", None)
    if results is None:
        raise DataError(
            f"The {type(source).__name__} has no results yet. Call its fit(X, y) first."
        )
    options.refuse(SOURCE, "study")
    candidates = _candidates(results)
    if not is_halving(list(results)):
        options.refuse(f"{SOURCE} without halving", "budget")
    choice = Choices()
    space = _space(source, choice) if options.space is None else None
    names = [name.removeprefix("param_") for name in results if name.startswith("param_")]
    others = [name for name in results if name != "params" and not name.startswith("param_")]
    metrics = RawTable(tuple(others), len(candidates), lambda name: array_column(results[name]))
    runs = RawRuns(
        parameters=RawTable.of_records(
            [{name: choice(value) for name, value in entry.items()} for entry in candidates],
            names=names,
            none_is_choice=True,
        ),
        metrics=metrics,
        states=all_complete(len(candidates)),
        space=space,
        times=times_of(metrics),
        drawing=recorded_drawing(len(candidates), _samplers(source)),
    )
    refit = getattr(source, "refit", None)
    searched = MEAN + refit if isinstance(refit, str) else None
    return build_runs(scored(runs, options, searched), options, SOURCE)


def _candidates(results: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the parameters of each candidate, after checking the length of all columns."""
    listed = results.get("params")
    found = list(listed) if isinstance(listed, Sequence) and not isinstance(listed, str) else None
    if found is None or not all(isinstance(entry, Mapping) for entry in found):
        raise DataError(
            f"The entry 'params' of cv_results_ must be a list of dicts (got "
            f"{type(listed).__name__}). Pass cv_results_ unchanged, or the search itself."
        )
    for name, column in results.items():
        if not hasattr(column, "__len__") or len(column) != len(found):
            raise DataError(
                f"The entry {name!r} of cv_results_ must have one value for each of the "
                f"{len(found)} candidates. Pass cv_results_ unchanged, or the search itself."
            )
    return found


def _space(search: Any, choice: Choices) -> Space | None:
    """Return the space of a search; None if it records none in a known form."""
    for name in _GRIDS:
        grid = getattr(search, name, None)
        if grid is not None:
            try:
                return space_of(grid, choice)
            except SpaceError as error:
                raise SpaceError(f"The {name} of the search: {error}") from error
    return None


def _samplers(search: Any) -> tuple[SamplerRecord, ...]:
    for base in type(search).__mro__:
        if base.__module__.split(".")[0] == "sklearn" and base.__name__ in _INDEPENDENT:
            return (SamplerRecord(base.__name__, "independent", "the search itself"),)
    return ()
