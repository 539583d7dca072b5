"""Advice: steps, each with what it keeps and what it risks, and the space that they lead to."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from condped.analyse.advice.code.configspace_code import configspace_code
from condped.analyse.advice.code.hyperopt_code import hyperopt_code
from condped.analyse.advice.code.ray_code import ray_code
from condped.analyse.advice.code.space_json import space_json
from condped.analyse.advice.optuna_code import suggest_code
from condped.analyse.importance.importance import ImportanceResult
from condped.analyse.importance.ties import plain_tie
from condped.analyse.result import Result
from condped.space.domain import Domain
from condped.space.space import Space

Kind = Literal["fix", "narrow", "choices", "leave"]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do with one parameter, in one of its regimes.

    Attributes
    ----------
    kind
        ``fix`` to one value, ``narrow`` to a range, keep fewer ``choices``, or ``leave`` as it is.
    regime
        The label of the domain that it is about, where a parameter has several.
    domain
        Before.
    proposal
        After; None for leave. A fixed value is the only choice of a categorical domain.
    kept, of
        How many of the target trials with this domain stay, and how many there are.
    covered
        The share of the domain that stays, on its own scale.
    reason, risk
        A sentence each.
    """

    kind: Kind
    parameter: str
    regime: str | None
    domain: Domain
    proposal: Domain | None
    kept: int
    of: int
    covered: float
    reason: str
    risk: str


@dataclass(frozen=True, slots=True)
class UnknownCondition:
    """A parameter of the new space that is not active in all trials, or not in one domain.

    When that is could not be inferred. It was ``active`` in so many of all ``trials``.
    """

    parameter: str
    active: int
    trials: int


@dataclass(frozen=True)
class Advice(Result):
    """What to do next.

    Attributes
    ----------
    steps
        What changes comes first, the most important parameter before others; then what to leave.
    space
        The space after all steps, with its conditions. It lists parameters with ``unknown``
        conditions as well, without one.
    dropped
        Parameters that become inactive: nothing in the new space switches them on.
    kept_target, target_size
        How many trials of the target set lie in the new space, and how many there are.
    kept_region, region_size
        The same for the region set.
    importance
        The importances that the advice rests on.
    notes
        What the user should know of the space, one sentence each.
    unknown
        Parameters of the new space whose conditions could not be inferred. The code has a comment
        in place of each.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
    >>> advice = condped.advise(table)
    >>> [(step.kind, step.parameter) for step in advice.steps]
    [('narrow', 'x'), ('narrow', 'c')]
    >>> advice.dropped
    ('y',)
    """

    schema: ClassVar[str] = "condped.advice/1"
    _columns: ClassVar[tuple[str, ...]] = tuple(one.name for one in fields(Step))

    steps: tuple[Step, ...]
    space: Space
    dropped: tuple[str, ...]
    kept_target: int
    target_size: int
    kept_region: int
    region_size: int
    importance: ImportanceResult = field(repr=False)
    notes: tuple[str, ...] = ()
    unknown: tuple[UnknownCondition, ...] = ()

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The parameters of the new space whose conditions could not be inferred."""
        return tuple(entry.parameter for entry in self.unknown)

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.kind != "leave")

    def optuna_code(self) -> str:
        """Return a function for Optuna that draws from the new space, ready to paste.

        A parameter whose condition is unknown is not drawn: a comment says where to put in an
        ``if``.

        Examples
        --------
        >>> import condped
        >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
        >>> print(condped.advise(table).optuna_code())
        def suggest(trial):
            p = {}
            p["c"] = trial.suggest_float("c", 0.0, 0.49...)
            p["x"] = trial.suggest_float("x", -5.0, -4.3...)
            return p
        """
        return suggest_code(self.space, self._active_counts)

    def configspace_code(self) -> str:
        """Return the new space for ConfigSpace, which SMAC takes, ready to paste.

        It defines ``space``. What ConfigSpace cannot express is said in a comment.

        Examples
        --------
        >>> import condped
        >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
        >>> print(condped.advise(table).configspace_code().splitlines()[-1])
        space.add(*p.values())
        """
        return configspace_code(self.space, self._active_counts)

    def ray_code(self) -> str:
        """Return the new space for Ray Tune, ready to paste.

        It defines ``param_space``. Conditional parameters are drawn by ``tune.sample_from`` and
        None where they are not active; one whose condition is unknown is left to the user.
        """
        return ray_code(self.space, self._active_counts)

    def hyperopt_code(self) -> str:
        """Return the new space for Hyperopt, ready to paste.

        It defines ``space``, and ``config_of``, which makes values by name of what was drawn. A
        parameter whose condition is unknown is left to the user in a comment.
        """
        return hyperopt_code(self.space, self._active_counts)

    def space_json(self) -> str:
        """Return the new space as JSON, which :func:`condped.read` takes as ``space``.

        A fixed parameter has one choice.

        Examples
        --------
        >>> import condped, json
        >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
        >>> list(json.loads(condped.advise(table).space_json()))
        ['c', 'x']
        """
        return space_json(self.space)

    @property
    def _active_counts(self) -> dict[str, tuple[int, int]]:
        return {entry.parameter: (entry.active, entry.trials) for entry in self.unknown}

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per step."""
        return [
            {name: _shown(getattr(step, name)) for name in self._columns} for step in self.steps
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "space": self.space,
            "dropped": self.dropped,
            "unexplained": self.unexplained,
            "kept_target": self.kept_target,
            "target_size": self.target_size,
            "kept_region": self.kept_region,
            "region_size": self.region_size,
            "target_quantile": self.importance.target_quantile,
            "tie": plain_tie(self.importance.tie),
            "optuna_code": self.optuna_code(),
            "settings": self.importance.settings,
            "account": self.importance.account,
            "notes": self.notes,
        }


def _shown(value: Any) -> Any:
    return value.label if isinstance(value, Domain) else value
