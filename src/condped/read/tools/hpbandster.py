"""Result directories of hpbandster (BOHB, Hyperband): configs.json and results.json.

Both hold one JSON array per line, as hpbandster's ``json_result_logger`` writes them while the
optimizer runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from condped.errors import DataError, SpaceError
from condped.read.files.json_lines import JsonLines
from condped.read.files.json_object import json_object
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.budgets import at_one_budget
from condped.read.tools.drawing import recorded_drawing, recorded_times
from condped.read.tools.nested_spaces import plain_value
from condped.read.tools.recorded_space import as_recorded
from condped.read.tools.smac.configspace import space_of
from condped.space.space import Space
from condped.trials.columns import number_of
from condped.trials.course.drawing import SamplerKind, SamplerRecord
from condped.trials.course.reports import Reports
from condped.trials.table import State, TrialTable

CONFIGS, RESULTS = "configs.json", "results.json"
_CONFIGSPACE = "configspace.json"
_SOURCE = "a result directory of hpbandster"
_PICK = "model_based_pick"  # what BOHB records about each configuration
_LOSS = "loss"


@dataclass(frozen=True, slots=True)
class _Configuration:
    """A configuration, and whether BOHB's model chose it (None: not recorded)."""

    values: Mapping[str, Any]
    by_model: bool | None


@dataclass(frozen=True, slots=True)
class _Measurement:
    """One evaluation of a configuration at a budget."""

    configuration: int  # its place
    budget: float
    times: Mapping[str, Any]
    metrics: Mapping[str, Any]  # empty if it crashed

    @property
    def state(self) -> State:
        return State.FAILED if number_of(self.metrics.get(_LOSS)) is None else State.COMPLETE


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return one trial per configuration, with its loss at one budget.

    Without a ``budget``, that is the one at which most configurations were evaluated. An evaluation
    without a result crashed. Numbers in ``info`` can be objectives, too. Domains and conditions
    come from a ``configspace.json`` in the directory, if there is one.
    """
    options.refuse(_SOURCE, "study")
    folder = Path(source)
    notes: list[str] = []
    configurations = _configurations(folder / CONFIGS, options, notes)
    places = {key: place for place, key in enumerate(configurations)}
    measured = _measurements(folder / RESULTS, places, options, notes)
    listed = list(configurations.values())
    waiting = len(listed) - len({entry.configuration for entry in measured})
    if waiting:
        notes.append(f"Configurations without any result, which are left out: {waiting}.")
    rows, about_budgets = at_one_budget(
        np.array([entry.budget for entry in measured]),
        np.array([entry.configuration for entry in measured], dtype=np.int64),
        options,
        "budget",
    )
    notes += about_budgets
    kept = sorted(
        (entry for entry, used in zip(measured, rows, strict=True) if used),
        key=lambda entry: entry.configuration,
    )
    tried = [listed[entry.configuration] for entry in kept]
    parameters = RawTable.of_records([entry.values for entry in tried])
    runs = RawRuns(
        parameters=parameters,
        metrics=RawTable.of_records([entry.metrics for entry in kept], names=[_LOSS]),
        states=np.array([entry.state for entry in kept], dtype=np.int8),
        objectives=(_LOSS,),
        directions=("minimize",),
        space=_space(folder, parameters) if options.space is None else None,
        notes=tuple(notes),
        drawing=recorded_drawing(
            len(tried),
            _samplers(listed),
            np.array([entry.by_model is False for entry in tried], dtype=bool),
        ),
        times=recorded_times(
            [entry.times.get("started") for entry in kept],
            [entry.times.get("finished") for entry in kept],
        ),
        reports=_reports(measured, kept, options) if options.reports else None,
    )
    return build_runs(runs, options, _SOURCE)


def _lines(path: Path, options: ReadOptions, notes: list[str]) -> list[tuple[int, list[Any]]]:
    """Return the arrays of a file with their numbers; a truncated one is left out."""
    if not path.is_file():
        raise DataError(
            f"There is no {path.name} in {str(path.parent)!r}, where hpbandster's "
            "json_result_logger writes it. Give its directory."
        )
    file = JsonLines(
        str(path),
        "a JSON array",
        options.skip_corrupt,
        parse=lambda line: {"array": _array(json.loads(line))},
    )
    found = [entry["array"] for batch in file.batches() for entry in batch]
    notes += file.notes
    return list(enumerate(found, start=1))


def _array(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise ValueError("not an array")
    return found


def _wrong(path: Path, line: int, what: str) -> DataError:
    return DataError(
        f"Entry {line} of {str(path)!r} must {what}, as hpbandster's json_result_logger writes it. "
        "Restore the file."
    )


def _configurations(
    path: Path, options: ReadOptions, notes: list[str]
) -> dict[tuple[Any, ...], _Configuration]:
    found = {}
    for line, entry in _lines(path, options, notes):
        known = len(entry) in (2, 3) and isinstance(entry[0], list)
        if not known or not isinstance(entry[1], Mapping):
            raise _wrong(path, line, "hold the id of a configuration, its values and information")
        about = entry[2] if len(entry) == 3 and isinstance(entry[2], Mapping) else {}
        pick = about.get(_PICK)
        values = {str(name): plain_value(value) for name, value in entry[1].items()}
        found[_key(entry[0])] = _Configuration(values, pick if isinstance(pick, bool) else None)
    return found


def _measurements(
    path: Path, places: Mapping[tuple[Any, ...], int], options: ReadOptions, notes: list[str]
) -> list[_Measurement]:
    found = []
    for line, entry in _lines(path, options, notes):
        if len(entry) != 5 or not isinstance(entry[0], list) or number_of(entry[1]) is None:
            raise _wrong(path, line, "hold an id, a budget, times, a result and an error")
        key = _key(entry[0])
        if key not in places:
            raise DataError(
                f"Entry {line} of {str(path)!r} has a result of the configuration {list(key)}, "
                f"which {CONFIGS} beside it does not list. Restore both files of one run."
            )
        _, budget, times, result, _ = entry
        if result is not None and not isinstance(result, Mapping):
            raise _wrong(path, line, f"have a result with a {_LOSS!r}, or null")
        found.append(
            _Measurement(
                places[key],
                float(budget),
                times if isinstance(times, Mapping) else {},
                _metrics(result or {}),
            )
        )
    return found


def _key(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(str, given))


def _metrics(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a result: its loss, and what the worker gave as information."""
    about = result.get("info")
    entries = flat(about) if isinstance(about, Mapping) else {}
    numbers = {n: v for n, v in entries.items() if isinstance(v, (int, float))}
    loss = result.get(_LOSS)
    return numbers | ({_LOSS: loss} if isinstance(loss, (int, float)) else {})


def _samplers(configurations: Sequence[_Configuration]) -> tuple[SamplerRecord, ...]:
    """Return the sampler, if configurations record whether a model chose them."""
    picks = {entry.by_model for entry in configurations}
    if picks <= {None}:
        return ()
    kind: SamplerKind = "independent" if picks == {False} else "other"
    return (SamplerRecord("BOHB", kind, f"{_PICK} in {CONFIGS}"),)


def _space(folder: Path, parameters: RawTable) -> Space | None:
    file = folder / _CONFIGSPACE
    if not file.is_file():
        return None
    try:
        return as_recorded(space_of(json_object(file, "Restore it, or give a space.")), parameters)
    except SpaceError as error:
        raise SpaceError(f"{str(file)!r}: {error}") from error


def _reports(
    measured: Sequence[_Measurement], kept: Sequence[_Measurement], options: ReadOptions
) -> Reports:
    """Return what each configuration gave at each of its budgets."""
    chosen = options.objective if isinstance(options.objective, str) else _LOSS
    numbers = [(m.configuration, m.budget, number_of(m.metrics.get(chosen))) for m in measured]
    places = np.array([entry.configuration for entry in kept], dtype=np.int64)
    total = 1 + max((entry.configuration for entry in measured), default=-1)
    return Reports.of(total, [(c, b, v) for c, b, v in numbers if v is not None]).only(places)
