"""From SMAC's runs (of a configuration on an instance, seed and budget) to one trial each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from condped.errors import DataError, SettingsError
from condped.safe_text import brief
from condped.trials.columns import number_of
from condped.trials.notes import Caution
from condped.trials.table import State

# SMAC's StatusType.
_STATES = {
    0: State.RUNNING,
    1: State.COMPLETE,
    2: State.FAILED,  # crashed
    3: State.FAILED,  # timeout
    4: State.FAILED,  # memory out
}
# The entries of a run up to SMAC 2.1, which wrote lists; later ones have cpu_time after time.
_LISTED = ("config_id", "instance", "seed", "budget", "cost", "time", "status")


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation of a configuration."""

    pair: tuple[Any, Any]  # instance and seed
    budget: float | None
    costs: tuple[float, ...]  # one per objective; meaningless while running
    state: State
    times: tuple[Any, Any]  # start and end in seconds, 0 where SMAC does not know
    duration: Any  # seconds
    extra: Mapping[str, Any]  # what the target function recorded beside its costs


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration and its runs."""

    values: Mapping[str, Any]
    origin: str | None = None  # how SMAC chose it
    independent: bool = False  # whether it was drawn without regard to results
    runs: list[Run] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trial:
    """A configuration with the runs that count."""

    values: Mapping[str, Any]
    runs: Sequence[Run]
    state: State
    independent: bool = False  # whether it was drawn without regard to results

    @property
    def times(self) -> tuple[float | None, float | None]:
        """The start of its first run and the end of its last one, in seconds."""
        begun = [run.times[0] for run in self.runs if run.times[0]]
        ended = [run.times[1] for run in self.runs if run.times[1]]
        running = self.state is State.RUNNING
        return min(begun, default=None), None if running else max(ended, default=None)

    @property
    def duration(self) -> float | None:
        """The seconds that its runs took together."""
        known = [run.duration for run in self.runs if isinstance(run.duration, int | float)]
        return sum(known) if known and self.state is not State.RUNNING else None

    @property
    def extra(self) -> dict[str, float]:
        """The mean over instances and seeds of each number that was recorded beside the costs."""
        found: dict[str, list[float]] = {}
        for run in self.runs if self.state is not State.RUNNING else ():
            for name, value in run.extra.items():
                number = number_of(value)
                if number is not None:
                    found.setdefault(name, []).append(number)
        return {name: sum(held) / len(held) for name, held in found.items()}

    @property
    def costs(self) -> list[float]:
        """The mean over instances and seeds of each cost; none while running."""
        if self.state is State.RUNNING:
            return []
        means: list[float] = np.mean([run.costs for run in self.runs], axis=0).tolist()
        return means


def run_of(entry: Any, where: str) -> tuple[str, Run]:
    """Return the id of its configuration and a run, as runhistory.json has it."""
    if isinstance(entry, list):
        names = _LISTED if len(entry) == 10 else (*_LISTED[:-1], "cpu_time", "status")
        entry = dict(zip((*names, "starttime", "endtime", "additional_info"), entry, strict=False))
    lacking = [key for key in _LISTED if key not in entry] if isinstance(entry, dict) else _LISTED
    if lacking:
        raise DataError(f"{where} has a run without {lacking[0]!r} (got {str(entry)[:80]}).")
    _check_fields(entry, where)
    status, cost = entry["status"], entry["cost"]
    if isinstance(status, bool) or not isinstance(status, int) or status not in _STATES:
        raise DataError(
            f"{where} has the unknown status {status!r} in a run of configuration "
            f"{entry['config_id']}. Known: 0 running, 1 success, 2 crashed, 3 timeout, 4 memory "
            "out, as SMAC 2 writes them."
        )
    listed = cost if isinstance(cost, list) else [cost]
    costs = [
        n for c in listed if isinstance(c, (int, float)) and (n := number_of(c)) is not None
    ]  # fmt: skip
    if not costs or len(costs) < len(listed):
        raise DataError(
            f"{where} has a cost that is not a number in a run of configuration "
            f"{entry['config_id']} (got {brief(cost)})."
        )
    run = Run(
        (entry["instance"], entry["seed"]),
        number_of(entry["budget"]),
        tuple(costs),
        _STATES[status],
        (entry.get("starttime"), entry.get("endtime")),
        entry["time"],
        extra if isinstance(extra := entry.get("additional_info"), Mapping) else {},
    )
    return str(entry["config_id"]), run


def _check_fields(entry: Mapping[str, Any], where: str) -> None:
    """Raise if the ids, the budget or the times of a run are not single values."""
    for key in ("config_id", "instance", "seed", "budget", "time", "starttime", "endtime"):
        value = entry.get(key)
        number = key not in ("config_id", "instance", "seed")
        if isinstance(value, (list, dict)) or (
            number and value is not None and not isinstance(value, (int, float))
        ):
            raise DataError(
                f"{where} has the {key} {brief(value)} in a run of configuration "
                f"{brief(entry['config_id'])}. It must be a "
                f"{'number' if number else 'single value'}."
            )


def trials_of(
    configurations: Sequence[Configuration], budget: float | None
) -> tuple[list[Trial], list[str]]:
    """Return one trial per configuration, and notes for the user.

    As in SMAC's ``RunHistory.get_cost``, the cost is the mean over instances and seeds, each at
    the highest budget it was run with, failed runs with the cost that SMAC gave them. Runs that
    have not ended do not count. With a ``budget`` only runs at that budget count.
    """
    if budget is None:
        trials = [_trial(c, _highest(c.runs)) for c in configurations]
        return trials, list(_notes(configurations, trials))
    chosen = _match_budget(configurations, budget)
    kept = [(c, [r for r in c.runs if r.budget == chosen]) for c in configurations]
    trials = [_trial(configuration, runs) for configuration, runs in kept if runs]
    gone, total = len(configurations) - len(trials), _count(configurations)
    notes = [
        f"Only runs at budget {chosen:g}: {gone} of {len(configurations)} configurations have "
        f"none and are left out; {total - _count(trials)} of {total} runs do not count."
    ]
    return trials, [*notes, *_notes_on_means(trials)]


def _trial(configuration: Configuration, runs: Sequence[Run]) -> Trial:
    values, independent = configuration.values, configuration.independent
    ended = [run for run in runs if run.state is not State.RUNNING]
    if not ended:
        return Trial(values, runs, State.RUNNING, independent)
    failed = all(run.state is State.FAILED for run in ended)
    return Trial(values, ended, State.FAILED if failed else State.COMPLETE, independent)


def _highest(runs: Sequence[Run]) -> list[Run]:
    """Return, of each instance and seed, the run with the highest budget that ended."""
    best: dict[tuple[Any, Any], Run] = {}
    for run in runs:
        if run.state is not State.RUNNING:
            known = best.get(run.pair)
            if known is None or (run.budget or 0.0) > (known.budget or 0.0):
                best[run.pair] = run
    return list(best.values()) or list(runs)


def _match_budget(configurations: Sequence[Configuration], budget: float) -> float:
    known = sorted({r.budget for c in configurations for r in c.runs if r.budget is not None})
    listed = ", ".join(f"{value:.10g}" for value in known) or "none"
    for value in known:
        # Budgets are often such as 11.111111111111112.
        if math.isclose(value, budget, rel_tol=1e-6):
            return value
    raise SettingsError(f"There are no runs at budget {budget:g}. Available: {listed}.")


def _count(entries: Iterable[Configuration | Trial]) -> int:
    return sum(len(entry.runs) for entry in entries)


def _notes(configurations: Sequence[Configuration], trials: Sequence[Trial]) -> Iterator[str]:
    total = _count(configurations)
    tops = Counter(
        max((run.budget for run in trial.runs if run.budget is not None), default=None)
        for trial in trials
        if trial.state is not State.RUNNING
    )
    budgets = sorted((value, count) for value, count in tops.items() if value is not None)
    if len(budgets) > 1:
        listed = ", ".join(f"{count} at {value:g}" for value, count in budgets)
        yield Caution(
            "Configurations were run at several budgets, and each counts at its highest "
            f"({listed}): costs at different budgets are compared as if they were equal, and "
            f"{total - _count(trials)} of {total} runs, at lower budgets, do not count. To compare "
            f"at one budget, set budget (--budget {budgets[-1][0]:g})."
        )
    waiting = sum(
        run.state is State.RUNNING
        for configuration, trial in zip(configurations, trials, strict=True)
        for run in configuration.runs
        if trial.state is not State.RUNNING
    )
    if waiting:
        yield f"Unfinished runs of configurations with finished ones, not counted: {waiting}."
    yield from _notes_on_means(trials)


def _notes_on_means(trials: Sequence[Trial]) -> Iterator[str]:
    several = sum(len(trial.runs) > 1 for trial in trials if trial.state is not State.RUNNING)
    if several:
        yield (
            f"One trial per configuration, as in SMAC: the costs of {several} of {len(trials)} are "
            "means over several instances or seeds."
        )
    mixed = sum(
        trial.state is State.COMPLETE and any(run.state is State.FAILED for run in trial.runs)
        for trial in trials
    )
    if mixed:
        yield (
            f"{mixed} configurations failed in some of their runs; as in SMAC, these runs "
            "count in the mean with the crash cost."
        )
