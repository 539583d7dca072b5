"""Branches: the activation tree, with importances in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from condped.analyse.branches.structure import FoundFrom
from condped.analyse.branches.trials import LastTried
from condped.analyse.effects.result import Reached
from condped.analyse.evidence.evidence import Verdict
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import plain_tie
from condped.analyse.result import Result


@dataclass(frozen=True)
class Branch:
    """What happens while a gate has certain values.

    Attributes
    ----------
    label
        The values, such as ``svm``, ``< 0.5`` or ``1..3``.
    condition
        All conditions of this branch and those around it; usable as ``where``.
    trials, target_trials
        How many trials of the study's region set and target set are here.
    best
        The best objective here; None without a trial or with several objectives.
    left_out
        How many more trials are here that were not used: pruned, failed, running. They show the
        structure, but do not count in any number.
    nodes
        What this branch switches on.
    inside
        The importances among the trials of this branch, for reaching the best of these, so that a
        branch that loses is explained, too. Only parameters that vary here; verdicts are adjusted
        over the parameters of all branches.
    reached
        The median with its interval and the best of the trials here, for each objective.
    last
        When the branch was last tried, also by a trial that was not used. It and ``reached`` are
        unknown if the trials are not in memory.
    """

    label: str
    condition: str
    trials: int
    target_trials: int
    best: float | None
    nodes: tuple[Node, ...]
    inside: ImportanceResult = field(repr=False)
    left_out: int = 0
    reached: tuple[Reached, ...] = field(default=(), compare=False)
    last: LastTried | None = field(default=None, compare=False)

    @property
    def median(self) -> float | None:
        """The median objective here; None without a trial or with several objectives."""
        return self.reached[0].median if len(self.reached) == 1 else None


@dataclass(frozen=True)
class Node:
    """A parameter and what its values switch.

    Attributes
    ----------
    importance, eta_squared, verdict
        For the whole study, as :func:`condped.importance` gives them; no verdict if the test would
        take long.
    branches
        Empty if it switches nothing.
    choosing
        Share of the variance of "reaches the target set" that lies between its branches: what
        choosing the branch does, whatever happens inside. None if it switches nothing.
    condition
        When it is active, as the space says or the trials show; None: always.
    """

    parameter: str
    importance: float
    eta_squared: float
    verdict: Verdict | None
    branches: tuple[Branch, ...] = ()
    choosing: float | None = None
    condition: str | None = None


@dataclass(frozen=True)
class Branches(Result):
    """The activation tree of a study.

    Attributes
    ----------
    roots
        The parameters that nothing switches, in the order of the space.
    parents
        Each conditional parameter's gates, without gates of gates.
    found_from
        ``space`` if conditions were given or recorded, ``data`` if they were inferred from trials.
    unexplained
        Parameters whose activity or domain varies, by a condition that could not be inferred.
    inactive
        Parameters that no trial has.
    whole
        The importances of the whole study.

    Examples
    --------
    >>> import condped
    >>> found = condped.branches(condped.problems.get("nested").sample(500, seed=0))
    >>> found.parents
    {'c1': ('c0',), 'x': ('c1',), 'y': ('c1',), 'z': ('c0',)}
    >>> [branch.label for branch in found.roots[0].branches]
    ['< 0.75', '>= 0.75']
    """

    schema: ClassVar[str] = "condped.branches/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "condition",
        "gate",
        "branch",
        "trials",
        "target_trials",
        "best",
        "median",
        "last_trial",
        "trials_ago",
        "parameter",
        "importance",
        "eta_squared",
        "p_value",
        "verdict",
        "reason",
        "status",
        "choosing",
        "note",
    )

    roots: tuple[Node, ...]
    parents: dict[str, tuple[str, ...]]
    found_from: FoundFrom
    unexplained: tuple[str, ...]
    inactive: tuple[str, ...]
    whole: ImportanceResult = field(repr=False)

    def __iter__(self) -> Iterator[Branch]:
        """Iterate over all branches, each before those inside it."""
        return (branch for _, branch in self._walk(self.roots))

    def _walk(self, nodes: tuple[Node, ...]) -> Iterator[tuple[Node, Branch]]:
        for node in nodes:
            for branch in node.branches:
                yield node, branch
                yield from self._walk(branch.nodes)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per branch and parameter inside; the whole study comes first."""
        whole = self.whole
        unknown = ("condition", "gate", "branch", "best", "median", "last_trial", "trials_ago")
        start = dict.fromkeys(unknown) | {
            "trials": whole.account.region_size,
            "target_trials": whole.target_size,
        }
        records = self._records(start, whole)
        for node, branch in self._walk(self.roots):
            place = {
                "condition": branch.condition,
                "gate": node.parameter,
                "branch": branch.label,
                "trials": branch.trials,
                "target_trials": branch.target_trials,
                "best": branch.best,
                "median": branch.median,
                "last_trial": None if branch.last is None else branch.last.number,
                "trials_ago": None if branch.last is None else branch.last.ago,
            }
            records += self._records(place, branch.inside)
        return records

    def _records(self, place: dict[str, Any], result: ImportanceResult) -> list[dict[str, Any]]:
        # A branch in which nothing varies has a record, too.
        inside: list[dict[str, Any]] = result.rows() or [{}]
        status = {"status": result.status}
        return [
            {name: (place | row | status).get(name) for name in self._columns} for row in inside
        ]

    def _readable(self) -> dict[str, Any]:
        return {
            "found_from": self.found_from,
            "parents": self.parents,
            "unexplained": self.unexplained,
            "inactive": self.inactive,
            "target_quantile": self.whole.target_quantile,
            "target_size": self.whole.target_size,
            "tie": plain_tie(self.whole.tie),
            "settings": self.whole.settings,
            "roots": [_plain_node(node) for node in self.roots],
            "account": self.whole.account,
        }


def _plain_node(node: Node) -> dict[str, Any]:
    below = [
        vars(branch)
        | {
            "inside": _plain_inside(branch.inside),
            "nodes": [_plain_node(inner) for inner in branch.nodes],
        }
        for branch in node.branches
    ]
    return vars(node) | {"branches": below}


def _plain_inside(result: ImportanceResult) -> dict[str, Any]:
    """Return a branch's importances; settings and source are the study's."""
    evidence = result.ready_evidence
    return {
        "status": result.status,
        "reason": result.reason,
        "target_size": result.target_size,
        "tie": plain_tie(result.tie),
        "region_size": result.account.region_size,
        "evidence": None if evidence is None else evidence.message,
        "parameters": result.rows(),
    }
