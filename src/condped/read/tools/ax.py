"""JSON files that Ax saved: its Client, its AxClient, or an experiment alone; and its spaces."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from condped.errors import DataError, SpaceError
from condped.read.expected_layout import expected_layout
from condped.read.files.json_object import json_object
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.tools.drawing import recorded_times
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import Comparison, Membership, Node
from condped.space.simplify import alternative, condition_of
from condped.space.space import Alternative, Space
from condped.trials.table import State, TrialTable

_STATES = {
    "COMPLETED": State.COMPLETE,
    "EARLY_STOPPED": State.PRUNED,
    "FAILED": State.FAILED,
    "ABANDONED": State.FAILED,
    "STALE": State.FAILED,
    "RUNNING": State.RUNNING,
    "STAGED": State.RUNNING,
    "CANDIDATE": State.RUNNING,
    "DISPATCHED": State.RUNNING,
}
_REMEDY = "Save one with client.save_to_json_file(...)."
_SIGNS = {"LEQ": "<=", "GEQ": ">="}
_TERM = re.compile(r"(?P<minus>-?)\s*(?P<name>[^\s*+()]+)")
# Parameters that are not searched: constants and derived ones.
_NOT_TUNED = ("FixedParameter", "DerivedParameter")


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the arms of an Ax experiment as trials, each metric at its last step."""
    options.refuse("an Ax experiment", "study", "budget")
    experiment = _experiment(Path(source))
    with expected_layout(
        f"The file {source!r}",
        "Ax 1.3",
        "Save it again with that version, or pass client.summarize() as a table.",
    ):
        arms = [arm for trial in experiment["trials"].values() for arm in _arms(trial)]
        measured = dict(_measurements(experiment))
        config = experiment.get("optimization_config") or {}
        objectives = _objectives(config.get("objective") or {})
        space = space_of(experiment["search_space"]) if options.space is None else options.space
        notes = _notes(config, objectives)
        names = [entry["name"] for entry in experiment["search_space"]["parameters"]]
        parameters = RawTable.of_records([arm.parameters for arm in arms], names=names)
        metrics = RawTable.of_records([measured.get(arm.key, {}) for arm in arms])
    return build_runs(
        RawRuns(
            parameters=parameters,
            metrics=metrics,
            states=np.array([arm.state for arm in arms], np.int8),
            objectives=tuple(objectives),
            directions=tuple(objectives.values()),
            space=space,
            notes=notes,
            times=recorded_times([arm.times[0] for arm in arms], [arm.times[1] for arm in arms]),
        ),
        options,
        "an Ax experiment",
    )


def _experiment(path: Path) -> Mapping[str, Any]:
    saved = json_object(path, _REMEDY)
    experiment = saved.get("experiment", saved)
    if not isinstance(experiment, Mapping) or not {"trials", "search_space"} <= set(experiment):
        raise DataError(f"The file {str(path)!r} holds no Ax experiment. {_REMEDY}")
    return experiment


@dataclass(frozen=True, slots=True)
class _Arm:
    key: tuple[int, str]  # its trial's index and its name
    parameters: Mapping[str, Any]
    state: State
    times: tuple[Any, Any]  # when it was started and completed, as texts


def _arms(trial: Mapping[str, Any]) -> Iterator[_Arm]:
    """Iterate over the configurations of a trial: one, or several in a batch."""
    status = trial["status"]["name"]
    if status not in _STATES:
        raise ValueError(f"unknown status {status!r}")
    structs = trial.get("generator_run_structs")
    runs = [trial["generator_run"]] if structs is None else [s["generator_run"] for s in structs]
    begun = trial.get("time_run_started") or trial.get("time_created") or {}
    times = begun.get("value"), (trial.get("time_completed") or {}).get("value")
    for run in runs:
        for arm in run["arms"]:
            key = (trial["index"], arm["name"])
            yield _Arm(key, dict(arm["parameters"]), _STATES[status], times)


def _measurements(
    experiment: Mapping[str, Any],
) -> Iterator[tuple[tuple[int, str], dict[str, float]]]:
    """Iterate over arms and their metrics, each at its last step."""
    found: dict[tuple[int, str], dict[str, tuple[float, float]]] = {}
    for saved in (experiment.get("data_by_trial") or {}).values():
        for _, data in saved["value"]:  # by time
            columns = json.loads(data["df"]["value"])
            steps = columns.get("step") or {}
            for row, arm in columns["arm_name"].items():
                step = -math.inf if steps.get(row) is None else float(steps[row])
                mean = columns["mean"][row]
                metrics = found.setdefault((columns["trial_index"][row], arm), {})
                metric = columns["metric_name"][row]
                if metric not in metrics or step >= metrics[metric][0]:
                    metrics[metric] = (step, math.nan if mean is None else float(mean))
    for key, metrics in found.items():
        yield key, {name: mean for name, (_, mean) in metrics.items()}


def _objectives(plain: Mapping[str, Any]) -> dict[str, str]:
    """Return metrics and their directions; none if the objective is a sum of metrics."""
    if "expression" in plain:  # such as "-loss, accuracy", all maximised
        terms = [_TERM.fullmatch(term.strip()) for term in plain["expression"].split(",")]
        return {
            term["name"]: "minimize" if term["minus"] else "maximize"
            for term in terms
            if term is not None and all(terms)
        }
    single = plain.get("objectives") or [plain]
    if not all("metric" in entry for entry in single):
        return {}
    return {
        entry["metric"]["name"]: "minimize" if entry["minimize"] else "maximize" for entry in single
    }


def _notes(config: Mapping[str, Any], objectives: Mapping[str, str]) -> tuple[str, ...]:
    notes = []
    limits = [_limit(entry) for entry in config.get("outcome_constraints") or ()]
    if limits:
        notes.append(f"Outcome constraints are not taken into account: {', '.join(limits)}.")
    if config and not objectives:
        notes.append("The experiment's objective is a combination of metrics, not one of them.")
    return tuple(notes)


def _limit(entry: Mapping[str, Any]) -> str:
    if "expression" in entry:
        return str(entry["expression"])
    sign = _SIGNS.get(entry["op"]["name"], entry["op"]["name"])
    name = entry["metric"]["name"] if "metric" in entry else "a sum of metrics"
    return f"{name} {sign} {entry['bound']:g}"


def space_of(plain: Mapping[str, Any]) -> Space:
    """Return the domains of a search space that Ax saved, dependent parameters with conditions."""
    domains: dict[str, Domain] = {}
    parents: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
    notes = []
    for entry in plain["parameters"]:
        name, kind = entry["name"], entry["__type"]
        if kind in _NOT_TUNED:
            continue
        try:
            domains[name] = _domain(entry)
        except (KeyError, TypeError, ValueError) as error:
            raise SpaceError(
                f"The domain of {name!r} in the Ax search space cannot be read ({error}). Give the "
                "domains as a space."
            ) from error
        if entry.get("logit_scale"):
            notes.append(f"{' '.join(name.split())}: its logit scale is taken as linear.")
        for dependent, values in _dependents(entry).items():
            parents.setdefault(dependent, []).append((name, values))
    if plain.get("parameter_constraints"):
        count = len(plain["parameter_constraints"])
        notes.append(f"Constraints between parameters are not taken into account: {count}.")
    return Space(
        {
            name: Alternative(domain, _condition(parents.get(name, ())))
            for name, domain in domains.items()
            if not domain.single
        },
        notes=notes,
    )


def _domain(entry: Mapping[str, Any]) -> Domain:
    whole = entry["parameter_type"]["name"] == "INT"
    if entry["__type"] == "RangeParameter":
        kind = Int if whole else Float
        return kind(entry["lower"], entry["upper"], log=bool(entry["log_scale"]))
    if entry["__type"] != "ChoiceParameter":
        raise ValueError(f"unknown kind {entry['__type']!r}")
    choices = entry["values"]
    # A range with steps is saved as its values.
    step = _step(choices) if entry["is_ordered"] and not entry.get("log_scale") else None
    if step is None:
        return Categorical(choices)
    if whole:
        return Int(choices[0], choices[-1], step=int(step))
    stepped = Float(choices[0], choices[-1], step=step)
    return stepped if stepped.high > choices[-1] - step / 2 else Categorical(choices)


def _step(choices: Sequence[Any]) -> float | None:
    """Return the step between evenly spaced numbers, None otherwise."""
    numbers = [c for c in choices if isinstance(c, (int, float)) and not isinstance(c, bool)]
    if len(numbers) < max(len(choices), 3):
        return None
    step = (numbers[-1] - numbers[0]) / (len(numbers) - 1)
    even = all(
        math.isclose(number, numbers[0] + place * step, abs_tol=1e-9 * abs(step))
        for place, number in enumerate(numbers)
    )
    # Sums of steps carry a rounding error that the step itself should not have.
    return float(f"{step:.12g}") if even and step > 0 else None


def _dependents(entry: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return each dependent parameter with the choices that activate it."""
    by_text = {_as_key(choice): choice for choice in entry.get("values", ())}
    found: dict[str, tuple[Any, ...]] = {}
    for text, names in (entry.get("dependents") or {}).items():
        for name in names:
            found[name] = (*found.get(name, ()), by_text.get(text, text))
    return found


def _as_key(choice: Any) -> str:
    """Return a choice as a JSON key."""
    return choice if isinstance(choice, str) else json.dumps(choice)


def _condition(parents: Sequence[tuple[str, tuple[Any, ...]]]) -> Condition | None:
    if not parents:
        return None
    leaves: list[Node] = [
        Comparison(name, "==", values[0])
        if len(values) == 1
        else Membership(name, values, negated=False)
        for name, values in parents
    ]
    return condition_of(alternative(leaves))
