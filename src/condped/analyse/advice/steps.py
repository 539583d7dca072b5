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
        The label of the domain that it is about, if the parameter has several.
    domain
        The old domain.
    proposal
        The new one; None for leave. A fixed value is the only choice of a categorical domain.
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
    """A parameter of the new space whose activity or domain varies, by an unknown condition.

    It was ``active`` in that many of all ``trials``.
    """

    parameter: str
    active: int
    trials: int

    @classmethod
    def of(cls, parameter: Parameter) -> UnknownCondition:
        """Count how often such a parameter is active."""
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
        """Return code that defines the new space for ConfigSpace (and SMAC) as ``space``.

        A comment says what ConfigSpace cannot express.

        Examples
        --------
        >>> import condped
        >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
        >>> print(condped.advise(table).configspace_code().splitlines()[-1])
        space.add(*p.values())
        """
        return configspace_code(self.space, self._active_counts)

    def ray_code(self) -> str:
        """Return code that defines the new space for Ray Tune as ``param_space``.

        Conditional parameters are drawn by ``tune.sample_from`` and None where they are not active;
        those whose conditions are unknown are left to the user.
        """
        return ray_code(self.space, self._active_counts)

    def hyperopt_code(self) -> str:
        """Return code that defines the new space for Hyperopt as ``space``.

        It also defines ``config_of``, which turns what was drawn into values by name. A comment
        leaves parameters whose conditions are unknown to the user.
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
