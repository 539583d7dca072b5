"""Steps that lead to a new space; its code for other tools, and a record per step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from condped.analyse.advice.code.configspace_code import configspace_code
from condped.analyse.advice.code.hyperopt_code import hyperopt_code
from condped.analyse.advice.code.ray_code import ray_code
from condped.analyse.advice.code.space_json import space_json
from condped.analyse.result import Result
from condped.space.domain import Domain
from condped.space.space import Space
from condped.trials.table import Parameter

Kind = Literal["fix", "narrow", "choices", "widen", "leave"]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do with one parameter, in one of its regimes.

    Attributes
    ----------
    kind
        ``fix`` to one value, ``narrow`` to a range, keep fewer ``choices``, ``widen`` because the
        best trials press against a bound, or ``leave`` as it is.
    regime
        The label of the domain that it is about, where a parameter has several.
    domain
        Before.
    proposal
        After; None for leave. A fixed value is the only choice of a categorical domain.
    kept, of
        How many of the target trials with this domain stay, and how many there are.
    covered
        The share of the domain that stays, on its own scale; above 1 if it is widened.
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

    @classmethod
    def of(cls, parameter: Parameter) -> UnknownCondition:
        """Return how often a parameter is active whose condition is unknown."""
        ids = parameter.domain_ids
        return cls(parameter.name, int(np.count_nonzero(ids >= 0)), len(ids))


class StepsResult(Result):
    """Steps, and the space that they lead to."""

    _columns: ClassVar[tuple[str, ...]] = tuple(one.name for one in fields(Step))

    steps: tuple[Step, ...]
    space: Space
    unknown: tuple[UnknownCondition, ...]

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that narrow the space."""
        return tuple(step for step in self.steps if step.kind not in ("leave", "widen"))

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
            {name: _plain_value(getattr(step, name)) for name in self._columns}
            for step in self.steps
        ]


def _plain_value(value: Any) -> Any:
    return value.label if isinstance(value, Domain) else value
