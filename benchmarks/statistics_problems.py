"""The problems of benchmarks.statistics: the paper's, new ones, and other ways to draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
import optuna

import condped
from benchmarks.exact_problems import FAMILIES, ExactProblem
from condped import Categorical, Float, Int, TrialTable
from condped.problems.branching import BranchingProblem, Gate, Leaf
from condped.problems.catalogue import Problem
from condped.problems.switching import SwitchingProblem
from condped.trials.table import Parameter

PAPER = ("activation-disjoint", "activation-overlap", "nested", "three-way", "regime-dependent")
Kind = Literal["as it is", "categorical gates", "categorical gates, log values",
               "int gates, int and log values", "drawn by TPE"]  # fmt: skip
_GATE_LEVELS = 20  # of int gates: all cuts of the new problems fall between levels
_LEAF_LEVELS = 64
TPE_TRIALS = 200

# Other thresholds, unequal weights, four branches, three levels: nothing was tuned on these.
NEW: tuple[Problem, ...] = (
    BranchingProblem(
        "unequal", "a rare good branch",
        Gate("c", (0.15,), (Leaf("x", -4, 0), Leaf("y", -2, 6))),
    ),
    BranchingProblem(
        "four", "four branches that overlap",
        Gate("c", (0.2, 0.5, 0.8),
             (Leaf("x", 0, 3), Leaf("y", -1, 5), Leaf("z", -2, 2), Leaf("w", 1, 8))),
    ),
    BranchingProblem(
        "deep", "three levels of gates",
        Gate("a", (0.6,), (
            Gate("b", (0.3,), (Leaf("x", -3, 1), Gate("d", (0.5,), (Leaf("y", -4, 2),
                                                                    Leaf("z", 0, 4))))),
            Leaf("w", -1, 3))),
    ),
    BranchingProblem(
        "one-sided", "a branch that is never good",
        Gate("c", (0.7,), (Leaf("x", -1, 4), Leaf("y", 5, 9))),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A problem in one of its forms."""

    group: str
    problem: Problem | ExactProblem
    kind: Kind

    def sample(self, trials: int, idle: int, seed: int) -> TrialTable:
        """Return trials in this form, and parameters that do nothing."""
        if self.kind == "drawn by TPE":
            return drawn_by_tpe(self.problem, idle, seed).only(np.arange(TPE_TRIALS) < trials)
        table = self.problem.sample(trials, seed=seed)
        changed = tuple(self._changed(parameter) for parameter in table.parameters)
        return replace(table, parameters=(*changed, *idle_parameters(trials, idle, seed)))

    def truth(self, table: TrialTable, quantile: float = 0.1) -> dict[str, float]:
        """Return the exact importances at a target quantile."""
        if not isinstance(self.problem, BranchingProblem | SwitchingProblem):
            return self.problem.truth(quantile)
        if self.kind == "drawn by TPE":
            return truth_among(self.problem, table, quantile)
        exact = self.problem.truth(target_quantile=quantile, region_quantile=1.0)
        if self.kind != "int gates, int and log values":
            return exact.to_dict()
        found = dict(zip(exact.names, exact.within, strict=True))
        for name in found:
            if name not in gates(self.problem) and self._is_int(name):
                found[name] -= self._lost_to_levels(name, quantile)
        total = sum(found.values())
        return {name: float(value / total) for name, value in found.items()}

    def _changed(self, parameter: Parameter) -> Parameter:
        cuts = gates(self.problem).get(parameter.name)
        if self.kind == "as it is":
            return parameter
        if self.kind == "int gates, int and log values":
            if cuts is not None or self._is_int(parameter.name):
                return _whole(parameter, _GATE_LEVELS if cuts is not None else _LEAF_LEVELS)
            return _logarithmic(parameter)
        if cuts is not None:
            return _chosen(parameter, cuts)
        return _logarithmic(parameter) if self.kind != "categorical gates" else parameter

    def _is_int(self, name: str) -> bool:
        """Return whether a value becomes an int: every second one."""
        leaves = [n for n in self.problem.space if n not in gates(self.problem)]
        return leaves.index(name) % 2 == 0

    def _lost_to_levels(self, name: str, quantile: float) -> float:
        """Return what a leaf no longer explains, because the level at the cut-off is half good."""
        assert isinstance(self.problem, BranchingProblem)
        (path,) = (path for path in self.problem.paths if path.leaf.name == name)
        part = (_reached(path.leaf, _cutoff(self.problem, quantile)) * _LEAF_LEVELS) % 1
        return path.weight * (part - part**2) / _LEAF_LEVELS


def cases() -> Iterator[Case]:
    """Iterate over all problems in all their forms."""
    for name in PAPER:
        yield Case("paper's", condped.problems.get(name), "as it is")
    for name in PAPER:
        yield Case("paper's, categorical gates", condped.problems.get(name), "categorical gates")
    for problem in NEW:
        yield Case("new", problem, "as it is")
        for kind in _NEW_KINDS:
            yield Case(f"new, {kind}", problem, kind)
    for family in FAMILIES:
        yield Case(family.name, family, "as it is")


_NEW_KINDS: tuple[Kind, ...] = (
    "categorical gates, log values", "int gates, int and log values", "drawn by TPE"
)  # fmt: skip


def idle_parameters(trials: int, count: int, seed: int) -> list[Parameter]:
    """Return parameters that do nothing: floats, ints and choices in turn."""
    rng = np.random.default_rng(10_000 + seed)
    always = np.zeros(trials, dtype=np.int8)
    parameters = []
    for number in range(count):
        name = f"idle{number}"
        if number % 3 == 0:
            parameters.append(Parameter(name, rng.random(trials), always, (Float(0, 1),)))
        elif number % 3 == 1:
            parameters.append(Parameter(name, rng.integers(0, 9, trials), always, (Int(0, 8),)))
        else:
            codes = rng.integers(0, 3, trials).astype(np.int32)
            parameters.append(Parameter(name, codes, always, (Categorical(["a", "b", "c"]),)))
    return parameters


@cache
def drawn_by_tpe(problem: Problem, idle: int, seed: int) -> TrialTable:
    """Return a study that Optuna's TPE sampler drew, idle parameters among the others."""

    def objective(trial: optuna.Trial) -> float:
        suggest: tuple[Callable[[str], Any], ...] = (
            lambda name: trial.suggest_float(name, 0, 1),
            lambda name: trial.suggest_int(name, 0, 8),
            lambda name: trial.suggest_categorical(name, ["a", "b", "c"]),
        )
        for number in range(idle):
            suggest[number % 3](f"idle{number}")
        return problem.objective(trial)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=TPE_TRIALS)
    return condped.read(study)


def truth_among(problem: Problem, table: TrialTable, quantile: float) -> dict[str, float]:
    """Return exact importances for trials as they were drawn: each leaf decides alone.

    For a leaf with a share β of the trials, of which q are good: β q (1 - q). For a gate: the
    differences between the good shares of its branches.
    """
    assert isinstance(problem, BranchingProblem)
    losses = table.objectives[0].values
    good = losses <= np.sort(losses)[int(np.ceil(quantile * len(losses))) - 1]
    values = {p.name: p for p in table.parameters}
    inside = [values[path.leaf.name].domain_ids >= 0 if path.leaf.name in values
              else np.zeros(len(losses), dtype=bool) for path in problem.paths]  # fmt: skip
    variance: dict[str, float] = {}
    for path, rows in zip(problem.paths, inside, strict=True):
        share = rows.mean()
        chance = good[rows].mean() if rows.any() else 0.0
        variance[path.leaf.name] = share * chance * (1 - chance)
    for gate in gates(problem):
        branches: dict[int, Any] = {}
        for path, rows in zip(problem.paths, inside, strict=True):
            for turn, branch in path.turns:
                if turn.name == gate:
                    branches[branch] = branches.get(branch, np.zeros(len(losses), bool)) | rows
        parts = [*branches.values()]
        whole = np.logical_or.reduce(parts)
        variance[gate] = sum(_squared(good, part) for part in parts) - _squared(good, whole)
    total = sum(variance.values())
    return {name: value / total for name, value in variance.items()}


def _squared(good: Any, rows: Any) -> float:
    return float(rows.mean() * good[rows].mean() ** 2) if rows.any() else 0.0


def _reached(leaf: Leaf, loss: float) -> float:
    """Return the share of a leaf's values below a loss."""
    return float(np.clip((loss - leaf.low) / (leaf.high - leaf.low), 0, 1))


@cache
def _cutoff(problem: BranchingProblem, quantile: float) -> float:
    """Return the loss that this share of all trials is below, by bisection."""
    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        below = sum(path.weight * _reached(path.leaf, middle) for path in problem.paths)
        low, high = (middle, high) if below < quantile else (low, middle)
    return low


def gates(problem: Problem | ExactProblem) -> dict[str, tuple[float, ...]]:
    """Return the cuts of each gate."""
    if not isinstance(problem, BranchingProblem):
        return {"c": (0.5,)}
    found: dict[str, tuple[float, ...]] = {}
    todo: list[Any] = [problem.root]
    while todo:
        node = todo.pop()
        if isinstance(node, Gate):
            found[node.name] = node.cuts
            todo.extend(node.branches)
    return found


def _chosen(parameter: Parameter, cuts: tuple[float, ...]) -> Parameter:
    codes = np.searchsorted(cuts, parameter.values, side="right").astype(np.int32)
    return Parameter(
        parameter.name, codes, parameter.domain_ids, (Categorical(range(len(cuts) + 1)),)
    )


def _logarithmic(parameter: Parameter) -> Parameter:
    """Return a number's exponential on a log scale: the same ranks, the same truth."""
    if any(isinstance(domain, Categorical) for domain in parameter.domains):
        return parameter
    domains = tuple(
        Float(float(np.exp(d.low)), float(np.exp(d.high)), log=True)
        for d in parameter.domains
        if not isinstance(d, Categorical)
    )
    return replace(parameter, values=np.exp(parameter.values), domains=domains)


def _whole(parameter: Parameter, levels: int) -> Parameter:
    """Return a number as one of ``levels`` equal steps of its domain."""
    (domain,) = parameter.domains
    assert isinstance(domain, Float)
    place = (parameter.values - domain.low) / (domain.high - domain.low) * levels
    steps = np.clip(np.nan_to_num(np.floor(place)), 0, levels - 1).astype(np.int64)
    return replace(parameter, values=steps, domains=(Int(0, levels - 1),))
