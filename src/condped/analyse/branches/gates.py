"""Gates: parameters that choose a branch, and where the target set lies among the branches.

The paper shows that the variance between the regimes of a conditional parameter is its gate's
(``inter`` of the children is what choosing the branch does). It is small if the sampler already
keeps to the winning branch, so the target trials of each branch are given as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condped.analyse.branches.splits import splits_of
from condped.analyse.branches.structure import Structure
from condped.arrays import FloatArray, IntArray
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.space.simplify import condition_of


@dataclass(frozen=True, slots=True)
class GateBranch:
    """Values of a gate that switch on the same parameters, and the trials that have them."""

    label: str
    target_trials: int
    region_trials: int


@dataclass(frozen=True, slots=True)
class Gate:
    """A parameter that switches others on and off.

    Attributes
    ----------
    switches
        The parameters that it switches.
    branches
        Those with the most target trials first.
    choosing
        Share of the variance of "reaches the target set" that lies between the branches.
    target_size, region_size
        Trials of the target set and of the region set in which the gate is active.
    always
        Whether these are all.
    """

    parameter: str
    switches: tuple[str, ...]
    branches: tuple[GateBranch, ...]
    choosing: float
    target_size: int
    region_size: int
    always: bool

    @property
    def first(self) -> GateBranch:
        """The branch with the most target trials."""
        return self.branches[0]


def gates_with_targets(structure: Structure, trials: Trials, top: NestedSets) -> tuple[Gate, ...]:
    """Return the gates at the first target set, in the order of the space."""
    found = []
    for name, children in structure.gates.items():
        splits = splits_of(structure.space, name, children)
        conditions = [condition_of(split.test) for split in splits]
        sizes = trials.count_where(top, conditions).sizes
        branches = [
            GateBranch(split.label, int(size[0]), int(size[-1]))
            for split, size in zip(splits, sizes, strict=True)
            if size[-1]
        ]
        if branches:
            branches.sort(key=lambda branch: (-branch.target_trials, branch.region_trials))
            between = float(choosing(sizes[:, [0, -1]], top.target_sizes[:1], top.region_size)[0])
            target, region = int(sizes[:, 0].sum()), int(sizes[:, -1].sum())
            always = region == top.region_size
            found.append(Gate(name, children, tuple(branches), between, target, region, always))
    return tuple(found)


def choosing(sizes: IntArray, target_sizes: IntArray, region_size: int) -> FloatArray:
    """Return (T,): the share of the variance that lies between branches.

    ``sizes`` (branches, T + 1) are those of the branches in the target sets and the region set.
    """
    target = target_sizes.astype(float)
    spread = target * (1.0 - target / max(region_size, 1))
    if not len(sizes):
        return np.zeros_like(spread)
    trials, reached = sizes[:, -1:].astype(float), sizes[:, :-1].astype(float)
    between = (reached**2 / np.maximum(trials, 1.0)).sum(axis=0)
    between -= reached.sum(axis=0) ** 2 / max(trials.sum(), 1.0)
    share = np.divide(between, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(np.maximum(share, 0.0))
