"""The activation tree with the analysis of each branch, at all target quantiles of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.branches.splits import splits_of
from condped.analyse.branches.structure import Structure
from condped.analyse.importance.analysis import Analysis, answered, count_sets
from condped.analyse.question import Question
from condped.arrays import FloatArray, IntArray
from condped.count.target_sets import Sets
from condped.count.trials import Trials
from condped.estimate.settings import Method
from condped.space.build_condition import conjunction, text_of
from condped.space.condition import Condition
from condped.space.condition import Node as Test


@dataclass(frozen=True, slots=True, eq=False)
class GrownBranch:
    """Certain values of a gate, and the trials that have them.

    Attributes
    ----------
    sizes
        (T + 1,): trials of each target set of the whole study, and of its region set last.
    analyses
        Of what varies among the branch's own trials, by each method.
    """

    label: str
    condition: Condition
    sizes: IntArray
    best: float | None
    nodes: tuple[GrownNode, ...]
    analyses: Mapping[Method, Analysis]


@dataclass(frozen=True, slots=True, eq=False)
class GrownNode:
    """A parameter, and the branches that its values switch.

    ``choosing`` is (T,): the share of the variance of reaching the target set that lies between
    the branches; None without branches.
    """

    parameter: str
    branches: tuple[GrownBranch, ...] = ()
    choosing: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Grower:
    """Makes nodes, from trials and what is known of all of them."""

    trials: Trials
    structure: Structure
    top: Sets  # of the whole study
    question: Question
    methods: Sequence[Method]

    def tree(self) -> tuple[GrownNode, ...]:
        """Return the parameters that nothing switches, with all below them.

        The branches are looked at together, so their p-values are adjusted together.
        """
        roots = tuple(self._node(name, None) for name in self.structure.roots)
        # Methods share their counts, so any of them will do.
        together = tuple(next(iter(b.analyses.values())).counts for b in branches_of(roots))
        for counts in together:
            counts.together = together
        return roots

    def _node(self, name: str, path: Test | None) -> GrownNode:
        """Return a parameter inside the trials that a path leads to."""
        children = self.structure.gates.get(name, ())
        if not children:
            return GrownNode(name)
        splits = splits_of(self.structure.space, name, children)
        conditions = [_joined(path, split.test) for split in splits]
        counted = self.trials.count_where(self.top, conditions)
        found = tuple(
            GrownBranch(
                label=split.label,
                condition=condition,
                sizes=sizes,
                best=self._best(float(best)),
                nodes=tuple(self._node(child, condition.root) for child in split.children),
                analyses=self._inside(condition),
            )
            for split, condition, sizes, best in zip(
                splits, conditions, counted.sizes, counted.best, strict=True
            )
            # A gate with several domains has not all of its values on each way to it.
            if len(self.structure.space[name]) == 1 or sizes[-1]
        )
        sizes = np.array([branch.sizes for branch in found]).reshape(len(found), -1)
        return GrownNode(name, found, _choosing(sizes, self.top))

    def _inside(self, condition: Condition) -> dict[Method, Analysis]:
        """Analyse what varies among some of the trials; the counts serve all methods."""
        here = self.trials.inside(condition)
        counts = count_sets(here.with_parameters(here.varying()), self.question)
        return {method: answered(counts, self.question.by(method)) for method in self.methods}

    def _best(self, lowest: float) -> float | None:
        if np.isnan(lowest):
            return None
        return -lowest if self.trials.goals[0].direction == "maximize" else lowest


def branches_of(nodes: Sequence[GrownNode]) -> Iterator[GrownBranch]:
    """Iterate over all branches, each before those inside it."""
    for node in nodes:
        for branch in node.branches:
            yield branch
            yield from branches_of(branch.nodes)


def _joined(path: Test | None, test: Test) -> Condition:
    way = conjunction(path, test)
    assert way is not None  # a split has a test
    return Condition(text_of(way) or "", way)


def _choosing(sizes: IntArray, top: Sets) -> FloatArray:
    """Return (T,) from the sizes of branches, (branches, T + 1)."""
    target = top.target_sizes.astype(float)
    spread = target * (1.0 - target / max(top.region_size, 1))
    if not len(sizes):
        return np.zeros_like(spread)
    trials, reached = sizes[:, -1:].astype(float), sizes[:, :-1].astype(float)
    between = (reached**2 / np.maximum(trials, 1.0)).sum(axis=0)
    between -= reached.sum(axis=0) ** 2 / max(trials.sum(), 1.0)
    share = np.divide(between, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(np.maximum(share, 0.0))
