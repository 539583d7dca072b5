"""The five synthetic problems of the condPED-ANOVA paper, by name."""

from __future__ import annotations

from typing import TypeAlias

from condped.errors import not_found
from condped.problems.branching import BranchingProblem, Gate, Leaf
from condped.problems.switching import SwitchingProblem
from condped.space.domain import Float

Problem: TypeAlias = BranchingProblem | SwitchingProblem

_PROBLEMS: tuple[Problem, ...] = (
    BranchingProblem(
        "activation-disjoint",
        "c chooses x or y; their ranges do not meet",
        Gate("c", (0.5,), (Leaf("x", -5, -2), Leaf("y", 2, 5))),
    ),
    BranchingProblem(
        "activation-overlap",
        "c chooses x or y; their ranges overlap",
        Gate("c", (0.5,), (Leaf("x", -5, 2), Leaf("y", -2, 5))),
    ),
    SwitchingProblem(
        "regime-dependent",
        "c switches the domains of x and y",
        0.5,
        x=(Float(-7, -2), Float(2, 7)),
        y=(Float(-5, -2), Float(2, 5)),
    ),
    BranchingProblem(
        "nested",
        "c0 chooses z or the gate c1, which chooses x or y",
        Gate(
            "c0",
            (0.75,),
            (Gate("c1", (0.5,), (Leaf("x", -7, -4), Leaf("y", -3, 0))), Leaf("z", 2, 5)),
        ),
    ),
    BranchingProblem(
        "three-way",
        "c chooses x in one of two domains, or y",
        Gate("c", (1 / 3, 2 / 3), (Leaf("x", -7, -4), Leaf("x", -3, 0), Leaf("y", 4, 7))),
    ),
)


def names() -> tuple[str, ...]:
    """Return the names of all problems.

    Examples
    --------
    >>> names()
    ('activation-disjoint', 'activation-overlap', 'regime-dependent', 'nested', 'three-way')
    """
    return tuple(problem.name for problem in _PROBLEMS)


def get(name: str) -> Problem:
    """Return a problem by name.

    It has a ``space``; ``sample(trials, seed=0)`` draws random trials, ``objective(trial)`` is for
    Optuna, and ``truth(target_quantile=0.1, region_quantile=1.0)`` are the exact importances.

    Parameters
    ----------
    name
        One of :func:`names`.

    Examples
    --------
    >>> len(get("activation-disjoint").sample(100, seed=0))
    100
    >>> get("activation-disjoint").truth(target_quantile=0.25).to_dict()
    {'c': 0.33..., 'x': 0.66..., 'y': 0.0}
    """
    for problem in _PROBLEMS:
        if problem.name == name:
            return problem
    raise not_found("problem", name, names())
