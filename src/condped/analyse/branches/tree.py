"""``condped.branches``: from trials to the activation tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.branches.splits import splits_of
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.branches.together import TestedTogether
from condped.analyse.importance.importance import importance
from condped.analyse.importance.options import AnalysisOptions, split_options
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.opening import open_trials
from condped.count.target_sets import Sets
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.space.condition import Condition
from condped.space.condition import Node as Test
from condped.space.simplify import conjunction, text_of
from condped.trials.table import TrialTable
from condped.trials.topsets import Handling

_HANDLING = ("failed", "pruned", "nonfinite", "infeasible")


def branches(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[AnalysisOptions]
) -> Branches:
    """Tell which parameter switches which, and what matters inside each branch.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share are the target set, of the study as of each branch.
    **options
        Options of :func:`condped.importance` and of :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> found = condped.branches(condped.problems.get("activation-disjoint").sample(500, seed=0))
    >>> [(branch.condition, branch.target_trials) for branch in found]
    [('c < 0.5', 50), ('c >= 0.5', 0)]
    >>> found.roots[0].branches[1].inside.names[0]  # what matters where nothing is good
    'y'
    """
    analysis, opening = split_options("branches", options)
    require_conditions("branches", analysis)
    trials = open_trials(source, **opening)
    whole = importance(trials, target_quantile=target_quantile, **analysis)
    top = sets_of(trials, target_quantile, analysis)
    structure = structure_of(trials)
    builder = _Builder(trials, structure, whole, top, analysis)
    roots = tuple(builder.node(name, None) for name in structure.roots)
    return Branches(
        roots=roots,
        parents=structure.parents,
        found_from=structure.found_from,
        unexplained=structure.unexplained,
        inactive=structure.inactive,
        whole=whole,
    )


def require_conditions(function: str, analysis: dict[str, Any]) -> None:
    """Refuse the measure that knows no conditions."""
    if analysis.get("measure") == "unconditional":
        raise SettingsError(
            f"{function} is about conditions, which the measure 'unconditional' ignores. Use "
            "within, standard or unweighted."
        )


def sets_of(trials: TrialTable | Trials, target_quantile: float, analysis: dict[str, Any]) -> Sets:
    """Return the sets that an analysis with these options is about."""
    handling = Handling(**{name: analysis[name] for name in _HANDLING if name in analysis})
    region_quantile = analysis.get("region_quantile", 1.0)
    return Trials.of(trials).top_sets((target_quantile,), region_quantile, handling)


@dataclass(frozen=True, slots=True, eq=False)
class _Builder:
    """Makes nodes, from trials and what is known of all of them."""

    trials: Trials
    structure: Structure
    whole: ImportanceResult
    top: Sets
    analysis: dict[str, Any]
    tested: TestedTogether = field(default_factory=TestedTogether)

    def node(self, name: str, path: Test | None) -> Node:
        """Return a parameter inside the trials that a path leads to."""
        own = self.whole[name]
        tested = self.whole.quickly_tested
        whens = [a.when.text for a in self.structure.space[name] if a.when is not None]
        made = Node(
            parameter=name,
            importance=own.importance,
            eta_squared=own.eta_squared,
            verdict=self.whole.evidence[name].verdict if tested else None,
            condition=" or ".join(f"({text})" if len(whens) > 1 else text for text in whens)
            or None,
        )
        children = self.structure.gates.get(name, ())
        if not children:
            return made
        found = self._branches(name, children, path)
        return replace(made, branches=found, choosing=self._choosing(found))

    def _branches(
        self, gate: str, children: tuple[str, ...], path: Test | None
    ) -> tuple[Branch, ...]:
        splits = splits_of(self.structure.space, gate, children)
        conditions = []
        for split in splits:
            way = conjunction(path, split.test)
            assert way is not None  # a split has a test
            conditions.append(Condition(text_of(way) or "", way))
        sizes = self.trials.count_where(self.top, conditions)
        found = []
        for place, (split, condition) in enumerate(zip(splits, conditions, strict=True)):
            target, trials = sizes.sizes[place].tolist()
            # A gate with several domains has not all of its values on each way to it.
            if len(self.structure.space[gate]) > 1 and not trials:
                continue
            found.append(
                Branch(
                    label=split.label,
                    condition=condition.text,
                    trials=trials,
                    target_trials=target,
                    best=self._best(float(sizes.best[place])),
                    nodes=tuple(self.node(child, condition.root) for child in split.children),
                    find_inside=self.tested.member(partial(self._inside, condition)),
                )
            )
        return tuple(found)

    def _inside(self, condition: Condition) -> ImportanceResult:
        """Return the importances among some of the trials, of what varies there."""
        here = self.trials.inside(condition)
        return importance(
            here.with_parameters(here.varying()),
            target_quantile=self.whole.target_quantile or 0.1,
            **self.analysis,
        )

    def _best(self, lowest: float) -> float | None:
        if np.isnan(lowest):
            return None
        return -lowest if self.trials.goals[0].direction == "maximize" else lowest

    def _choosing(self, found: tuple[Branch, ...]) -> float:
        """Return the share of the variance of reaching the target set between branches."""
        trials = np.array([branch.trials for branch in found], dtype=float)
        reached = np.array([branch.target_trials for branch in found], dtype=float)
        size, target = self.top.region_size, float(self.top.target_sizes[0])
        spread = target * (1.0 - target / size) if size else 0.0
        if not trials.sum() or not spread:
            return 0.0
        between = (reached**2 / np.maximum(trials, 1.0)).sum() - reached.sum() ** 2 / trials.sum()
        return max(0.0, float(between) / spread)
