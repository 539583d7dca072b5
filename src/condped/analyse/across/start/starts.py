"""Configurations to try first in the next study."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from condped.analyse.across.start.configurations import (
    Config,
    active_domain,
    configuration,
    fits,
    meets,
)
from condped.analyse.across.start.past import Past, past_of
from condped.analyse.across.start.portfolio import portfolio
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.advice.code.configspace_code import configspace_code
from condped.analyse.advice.code.python_text import literal
from condped.analyse.advice.code.ray_code import inactive_value
from condped.analyse.advice.narrow import narrowed
from condped.analyse.advice.propose import inside
from condped.analyse.branches.splits import splits_of
from condped.analyse.effects.trials import tried_value
from condped.analyse.result import Result
from condped.arrays import BoolArray
from condped.errors import DataError, SettingsError
from condped.optional import load_optional
from condped.options import is_whole_number
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain
from condped.space.space import Space

if TYPE_CHECKING:
    import optuna

    from condped.analyse.across.result import Across


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration to try first.

    Attributes
    ----------
    values
        By parameter; those that are not active are left out.
    study, trial
        Where it comes from: the study, and the position of the trial in it.
    place
        The share of its own study's trials that are better.
    expected
        The same in the other studies, on average, estimated from their nearest trials.
    best_in
        In how many studies none of the other configurations is expected to be better.
    branch
        The branch that it was chosen for, if none of the best trials of the studies is in it;
        else None.
    """

    values: dict[str, Any]
    study: str
    trial: int
    place: float
    expected: float
    best_in: int
    branch: str | None = None


@dataclass(frozen=True)
class Starts(Result):
    """Configurations to try first, the one that is best on average first.

    Attributes
    ----------
    space
        The space of the configurations.
    inside
        Whether this is a smaller space, as requested.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(5)])
    >>> starts = past.starts(3)
    >>> [sorted(start.values) for start in starts.starts]
    [['c0', 'c1', 'x'], ['c0', 'c1', 'x'], ['c0', 'c1', 'x']]
    """

    schema: ClassVar[str] = "condped.starts/1"
    _fixed: ClassVar[tuple[str, ...]] = (
        "study", "trial", "place", "expected", "best_in", "branch",
    )  # fmt: skip

    starts: tuple[Start, ...]
    space: Space
    studies: int
    notes: tuple[str, ...] = ()
    inside: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`: where each comes from, and a column per parameter."""
        return (*self._fixed, *(f"param_{name}" for name in self.space))

    @property
    def configurations(self) -> list[Config]:
        """The configurations as dictionaries, by parameter."""
        return [dict(start.values) for start in self.starts]

    def __len__(self) -> int:
        return len(self.starts)

    def enqueue(self, study: optuna.Study) -> None:
        """Let an Optuna study try them first; parameters that it does not suggest are ignored."""
        for start in self.starts:
            study.enqueue_trial(dict(start.values), user_attrs={"condped:start": start.study})

    def study(self, **options: Any) -> optuna.Study:
        """Return a new Optuna study that tries them first.

        Parameters
        ----------
        **options
            As for ``optuna.create_study``.

        Examples
        --------
        >>> import condped
        >>> nested = condped.problems.get("nested")
        >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(5)])
        >>> len(past.starts(3).study(direction="minimize").trials)
        3
        """
        module = load_optional(
            "condped.optuna.new_study", feature="Starts.study", library="optuna", extra="optuna"
        )
        made: optuna.Study = module.study_with_starts(self, options)
        return made

    def optuna_code(self) -> str:
        """Return code that lets ``study`` try them first, ready to paste."""
        lines = ["for params in ["]
        lines += [f"    {_mapping(values)}," for values in self.configurations]
        return "\n".join([*lines, "]:", "    study.enqueue_trial(params, skip_if_exists=True)"])

    def ray_code(self) -> str:
        """Return ``points_to_evaluate`` for a search algorithm of Ray Tune, ready to paste.

        A parameter that is not active has the value that :meth:`StartSpace.ray_code` gives it.
        """
        lines = ["points_to_evaluate = ["]
        for values in self.configurations:
            whole = {
                name: values.get(name, inactive_value(self.space, name)) for name in self.space
            }
            lines.append(f"    {_mapping(whole)},")
        return "\n".join([*lines, "]"])

    def configspace_code(self) -> str:
        """Return the whole space for ConfigSpace and ``initial_configurations`` of it.

        SMAC takes them as ``additional_configs`` of its initial design.
        """
        placed = [
            {n: (self._domain(n, values), values[n]) for n in values}
            for values in self.configurations
        ]
        return configspace_code(self.space, configurations=placed)

    def _domain(self, name: str, values: Mapping[str, Any]) -> Domain:
        found = active_domain(self.space[name], values)
        assert found is not None
        return found

    def to_json(self) -> str:
        """Return the configurations as JSON: a list of values by parameter."""
        return json.dumps(self.configurations, indent=2, ensure_ascii=False, default=str)

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per configuration; None where a parameter is not active."""
        return [
            {name: getattr(start, name) for name in self._fixed}
            | {f"param_{name}": start.values.get(name) for name in self.space}
            for start in self.starts
        ]

    def _readable(self) -> dict[str, Any]:
        return {**self._saved(), "optuna_code": self.optuna_code()}


def _mapping(values: Mapping[str, Any]) -> str:
    return f"{{{', '.join(f'{literal(key)}: {literal(one)}' for key, one in values.items())}}}"


def starts_of(across: Across, number: int, smaller: StartSpace | None = None) -> Starts:
    """Return configurations to try first; see :meth:`condped.Across.starts`."""
    if not is_whole_number(number, 1):
        raise SettingsError(
            f"The number of starts must be a whole number, 1 or above (got {brief(number)})."
        )
    if not isinstance(smaller, StartSpace | None):
        raise SettingsError(f"space must be what across.space() returns (got {brief(smaller)}).")
    past = past_of(across)
    allowed = (
        np.ones(len(past.order), dtype=bool) if smaller is None else _rows_inside(past, smaller)
    )
    if not allowed.any():
        raise DataError("No trial lies in the smaller space: there is nothing to start with.")
    found = portfolio(past, int(number), allowed)
    notes = list(past.notes)
    best = found.expected == found.expected.min(axis=0)
    starts, filled = [], 0
    space = past.known_space
    if smaller is not None:
        unknown = [one.parameter for one in smaller.unknown]
        space = narrowed(smaller.space, {}, unknown)[0]
    named = _branch_names(past)
    candidates = [past.config(row) for row in found.candidates.tolist()]
    for place, row in enumerate(found.rows.tolist()):
        values, missing = _in_common_space(past, space, row)
        filled += missing
        study = int(past.study[row])
        others = found.expected[place][found.studies != study]
        starts.append(
            Start(
                values=values,
                study=past.names[study],
                trial=int(past.number[row]),
                place=float(past.order[row]),
                expected=float(others.mean() if len(others) else past.order[row]),
                best_in=int(best[place].sum()),
                branch=named(past.config(row), candidates) if found.other[place] else None,
            )
        )
    if filled:
        notes.append(
            f"{filled} values that a study does not have were taken from the best trial with them."
        )
    if len(starts) < number:
        notes.append(f"There are only {len(starts)} different configurations to choose from.")
    if smaller is not None and not smaller.changes:
        notes.append("The space is not narrowed, so these are chosen from the whole space.")
    inside_it = smaller is not None and bool(smaller.changes)
    return Starts(tuple(starts), space, len(past.names), tuple(notes), inside_it)


def _rows_inside(past: Past, smaller: StartSpace) -> BoolArray:
    """Return (trials,): which lie in a smaller space; domains that it does not know are ignored."""
    allowed = np.ones(len(past.order), dtype=bool)
    for step in smaller.changes:
        parameter = past.parameters.get(step.parameter)
        if parameter is not None and step.proposal is not None and step.domain in parameter.domains:
            rows = past.having(step.parameter, step.domain)
            allowed[rows] &= inside(step.proposal, step.domain, parameter.values[rows])
    return allowed


def _branch_names(past: Past) -> Callable[[Config, Sequence[Config]], str]:
    """Return a function that names a configuration's branch by how it differs from others."""
    splits = {
        gate: splits_of(past.structure.space, gate, children)
        for gate, children in past.structure.gates.items()
    }

    def named(config: Config, others: Sequence[Config]) -> str:
        own = [
            (f"{split.label} of {gate}", any(meets(split.test, one) for one in others))
            for gate, found in splits.items()
            for split in found
            if meets(split.test, config)
        ]
        # Only the branches that no other configuration is in; all if it is new in combination.
        return ", ".join([name for name, known in own if not known] or [name for name, _ in own])

    return named


def _in_common_space(past: Past, space: Space, row: int) -> tuple[Config, int]:
    """Return a trial as a configuration of the common space, and how many values were filled in."""
    own = past.config(row)
    missing = 0

    def value(name: str, domain: Domain) -> Any:
        nonlocal missing
        if name in own and fits(domain, own[name]):
            return own[name]
        missing += 1
        return _best_value(past, name, domain)

    return configuration(space, value), missing


def _best_value(past: Past, name: str, domain: Domain) -> Any:
    """Return the value of the best trial with a parameter's domain, or any value in the domain."""
    parameter = past.parameters[name]
    for own in sorted(parameter.domains, key=lambda one: one != domain):
        rows = past.having(name, own)
        for row in rows[np.argsort(past.order[rows], kind="stable")].tolist():
            value = tried_value(own, parameter.values[row])
            if fits(domain, value):
                return value
    return domain.choices[0] if isinstance(domain, Categorical) else domain.low
