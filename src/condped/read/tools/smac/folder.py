"""The output directories of SMAC3: smac3_output/<name>/<seed>, or their parents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from condped.errors import DataError, SpaceError, not_found
from condped.read.expected_layout import expected_layout
from condped.read.files.json_object import json_object
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.drawing import recorded_drawing, recorded_times
from condped.read.tools.nested_spaces import plain_value
from condped.read.tools.recorded_space import as_recorded
from condped.read.tools.smac.configspace import space_of
from condped.read.tools.smac.runs import Configuration, run_of, trials_of
from condped.safe_text import brief
from condped.space.space import Space
from condped.trials.course.drawing import SamplerRecord
from condped.trials.course.reports import Reports
from condped.trials.table import State, TrialTable

_SOURCE = "an output directory of SMAC"
_RUNHISTORY, _SCENARIO, _CONFIGSPACE = "runhistory.json", "scenario.json", "configspace.json"
# Configurations that SMAC chose without its model; its maximizer sorts others by acquisition.
_INITIAL = re.compile(r"Initial [Dd]esign.*")
_RANDOM = re.compile(r"(.*: )?Random Search( \(max retries.*\))?")
_GIVEN = re.compile(r"Initial design|.*: Default.*")  # by the user: not drawn at all


@dataclass(frozen=True, slots=True)
class Folder:
    """The output directory of one run of SMAC."""

    path: Path
    configurations: Sequence[Configuration]
    objectives: tuple[str, ...]
    names: tuple[str, ...]  # of all hyperparameters, if configspace.json is there
    space: Space | None  # None if the caller gives one


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return one trial per configuration that SMAC tried, in its order.

    As in SMAC's ``RunHistory.get_cost``, the cost is the mean over instances and seeds, each at
    its highest budget; ``budget`` restricts to the runs at one budget. A configuration failed if
    all runs that count did; if only some did, the mean has SMAC's crash cost for them. Several
    run directories below the source are read together if they have the same space.
    """
    options.refuse(_SOURCE, "constraints", "study", "order")
    top = Path(source).parent if Path(source).name == _RUNHISTORY else Path(source)
    folders = [_folder(path, options) for path in _paths(top)]
    _check_alike(folders)
    trials, notes = trials_of([c for f in folders for c in f.configurations], options.budget)
    objectives = folders[0].objectives
    if options.objective is None or options.objective in objectives:
        options.refuse(_SOURCE, "direction")
    parameters = RawTable.of_records([t.values for t in trials], names=folders[0].names)
    space = folders[0].space
    if len(folders) > 1:
        listed = ", ".join(str(folder.path.relative_to(top)) for folder in folders)
        notes.insert(0, f"{len(folders)} run directories of SMAC were read together: {listed}.")
    runs = RawRuns(
        parameters=parameters,
        metrics=RawTable.of_records(
            [trial.extra | dict(zip(objectives, trial.costs, strict=False)) for trial in trials],
            names=objectives,
        ),
        states=np.array([trial.state for trial in trials], dtype=np.int8),
        objectives=objectives,
        directions=("minimize",) * len(objectives),
        space=None if space is None else as_recorded(space, parameters),
        notes=tuple(notes),
        drawing=recorded_drawing(
            len(trials),
            _samplers({c.origin for folder in folders for c in folder.configurations}),
            np.array([trial.independent for trial in trials], dtype=bool),
        ),
        times=recorded_times(
            [trial.times[0] for trial in trials],
            [trial.times[1] for trial in trials],
            [trial.duration for trial in trials],
        ),
        reports=_reports(folders, objectives, options) if options.reports else None,
    )
    return build_runs(runs, options, _SOURCE)


def _reports(folders: Sequence[Folder], objectives: Sequence[str], options: ReadOptions) -> Reports:
    """Return the mean cost of each configuration at each of its budgets, failed runs left out."""
    chosen = options.objective if isinstance(options.objective, str) else objectives[0]
    if chosen not in objectives:
        raise not_found("objective with several budgets", chosen, objectives)
    place = objectives.index(chosen)
    configurations = [c for folder in folders for c in folder.configurations]
    found = []
    for row, configuration in enumerate(configurations):
        at: dict[float, list[float]] = {}
        for run in configuration.runs:
            if run.budget is not None and run.state is State.COMPLETE:
                at.setdefault(run.budget, []).append(run.costs[place])
        found += [(row, budget, sum(costs) / len(costs)) for budget, costs in at.items()]
    return Reports.of(len(configurations), found)


def _samplers(origins: set[str | None]) -> tuple[SamplerRecord, ...]:
    """Return the sampler, from the origins that SMAC records for configurations."""
    if origins <= {None}:
        return ()
    random = all(_matches(_INITIAL, origin) or _matches(_RANDOM, origin) for origin in origins)
    name, source = "SMAC", "the origins in the run history"
    return (SamplerRecord(name, "independent" if random else "other", source),)


def _with_independence(tried: Sequence[Configuration], planned: int) -> list[Configuration]:
    """Return the configurations of one run, marking those drawn without regard to results.

    SMAC overwrites the origin where a local search ends at the configuration that it started from.
    But it does not search before the initial design has ended, which has ``planned`` configurations
    unless some were equal, as those with continuous numbers never are.
    """
    initial = [place + 1 for place, c in enumerate(tried) if _matches(_INITIAL, c.origin)]
    designed = max(initial, default=0)
    first = tried[:planned]
    if all(any(isinstance(value, float) for value in c.values.values()) for c in first):
        designed = max(designed, len(first))
    return [
        replace(
            configuration,
            independent=_matches(_RANDOM, configuration.origin)
            or (place < designed and not _matches(_GIVEN, configuration.origin)),
        )
        for place, configuration in enumerate(tried)
    ]


def _planned(path: Path) -> int:
    """Return the planned number of initial configurations; 0 if it is not recorded."""
    found: Any = _json(path / _SCENARIO)
    for key in ("_meta", "initial_design", "n_configs"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, int) else 0


def _matches(pattern: re.Pattern[str], origin: str | None) -> bool:
    return origin is not None and pattern.fullmatch(origin) is not None


def _paths(source: Path) -> list[Path]:
    """Return the directories with a run history: the source itself, or those below it."""
    if (source / _RUNHISTORY).is_file():
        return [source]
    found = [
        path.parent for depth in ("*", "*/*") for path in source.glob(f"{depth}/{_RUNHISTORY}")
    ]
    if not found:
        raise DataError(
            f"There is no {_RUNHISTORY} in {str(source)!r} or up to two levels below it. Give the "
            "directory that SMAC wrote, such as smac3_output/<name>/<seed>."
        )
    names = sorted({path.parent.name for path in found})
    if len(names) > 1 and all(path.parent != source for path in found):
        raise DataError(
            f"{str(source)!r} holds the runs of {len(names)} experiments of SMAC: "
            f"{', '.join(map(repr, names[:12]))}. Give the directory of one of them."
        )
    return sorted(found)


def _folder(path: Path, options: ReadOptions) -> Folder:
    history = _json(path / _RUNHISTORY)
    where = f"The run history {str(path / _RUNHISTORY)!r}"
    for key, kind in (("configs", dict), ("data", list)):
        if not isinstance(history.get(key), kind):
            raise DataError(f"{where} lacks {key!r}. It must be one that SMAC 2 wrote.")
    origins = history.get("config_origins") or {}
    if not isinstance(origins, Mapping):
        raise DataError(
            f"{where} has config_origins that are not a JSON object (got {brief(origins)}). It "
            "must be one that SMAC 2 wrote."
        )
    configurations = {}
    for name, values in history["configs"].items():
        if not isinstance(values, Mapping):
            raise DataError(
                f"{where} has no values for configuration {name} (got {brief(values)})."
            )
        plain = {parameter: plain_value(value) for parameter, value in values.items()}
        origin = origins.get(name)
        configurations[name] = Configuration(plain, origin if isinstance(origin, str) else None)
    for entry in history["data"]:
        name, run = run_of(entry, where)
        if name not in configurations:
            raise DataError(f"{where} has a run of configuration {name}, which it does not list.")
        configurations[name].runs.append(run)
    tried = [configuration for configuration in configurations.values() if configuration.runs]
    objectives = _objectives(path, tried, where)
    names, space = _space(path, options)
    return Folder(path, _with_independence(tried, _planned(path)), objectives, names, space)


def _objectives(path: Path, tried: Sequence[Configuration], where: str) -> tuple[str, ...]:
    given = _json(path / _SCENARIO).get("objectives", "cost")
    objectives = tuple(map(str, given)) if isinstance(given, list) else (str(given),)
    # While a run goes on its cost is a placeholder, of one number even for several objectives.
    counts = {len(r.costs) for c in tried for r in c.runs if r.state is not State.RUNNING}
    if counts - {len(objectives)}:
        raise DataError(
            f"{where} has runs with {', '.join(map(str, sorted(counts)))} costs, but {_SCENARIO} "
            f"beside it has {len(objectives)} objectives ({', '.join(objectives)})."
        )
    return objectives


def _space(path: Path, options: ReadOptions) -> tuple[tuple[str, ...], Space | None]:
    """Return the names of all hyperparameters, and their domains unless the caller gives them."""
    file = path / _CONFIGSPACE
    if options.space is not None and not file.is_file():
        return (), None
    plain = _json(file)
    entries = plain.get("hyperparameters")
    listed = entries if isinstance(entries, list) else ()
    names = tuple(str(e.get("name")) for e in listed if isinstance(e, Mapping))
    if options.space is not None:
        return names, None
    try:
        remedy = "Restore it, or give a space."
        with expected_layout(f"The file {str(file)!r}", "ConfigSpace", remedy):
            return names, space_of(plain)
    except SpaceError as error:
        raise SpaceError(f"{str(file)!r}: {error}") from error


def _json(path: Path) -> dict[str, Any]:
    if not path.exists():
        remedy = ", or give a space" if path.name == _CONFIGSPACE else ""
        raise DataError(
            f"There is no {path.name} in {str(path.parent)!r}, where SMAC writes it. Restore "
            f"it{remedy}."
        )
    return json_object(path, "If SMAC was writing it, read it again; else restore the file.")


def _check_alike(folders: Sequence[Folder]) -> None:
    """Raise if runs have different spaces or objectives: they cannot be read together."""
    first = folders[0]
    for what in ("space", "objectives"):
        other = [f for f in folders if getattr(f, what) != getattr(first, what)]
        if other:
            alike = [f for f in folders if getattr(f, what) == getattr(first, what)]
            raise DataError(
                f"The run directories of SMAC do not all have the same {what}: "
                f"{_list_paths(alike)} against {_list_paths(other)}. Read one of them at a time."
            )


def _list_paths(folders: Sequence[Folder]) -> str:
    return ", ".join(repr(str(folder.path)) for folder in folders)
