"""``condped.branches``: from trials to the activation tree, with the analysis of each branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Unpack

import numpy as np

from condped.analyse.branches.gates import choosing
from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.branches.splits import Split, splits_of
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.branches.trials import LastTried, StudyMembers
from condped.analyse.effects.result import Reached
from condped.analyse.importance.analysis import Analysis, answered, count_sets, question_ties
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, Question, open_trials
from condped.arrays import FloatArray, IntArray
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.errors import SettingsError, SpaceError
from condped.estimate.settings import Method
from condped.options import takes
from condped.space.condition import Condition
from condped.space.nodes import Node as Test
from condped.space.simplify import condition_of, conjunction

# How deep branches may be nested, and how many there may be: more are of no use to anybody, and
# even a small space can have any number, since each is analysed for every path that leads to it.
_DEEPEST, _MOST = 100, 10_000
_MOST_PER_GATE = 10


@dataclass(frozen=True, slots=True, eq=False)
class GrownBranch:
    """Certain values of a gate, and the trials that have them.

    Attributes
    ----------
    sizes
        (T + 1,): trials of each target set of the whole study, and of its region set last.
    left_out
        How many more trials are here that were not used.
    analyses
        Analyses of what varies among the branch's own trials, by method.
    reached, last
        What the trials reached in each objective, and when the branch was last tried; empty and
        None if the trials are not in memory.
    """

    label: str
    condition: Condition
    sizes: IntArray
    left_out: int
    best: float | None
    nodes: tuple[GrownNode, ...]
    analyses: Mapping[Method, Analysis]
    reached: tuple[Reached, ...] = ()
    last: LastTried | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GrownNode:
    """A parameter, and the branches that its values switch.

    ``choosing`` is (T,): the share of the variance of reaching the target set that lies between
    the branches; None without branches.
    """

    parameter: str
    branches: tuple[GrownBranch, ...] = ()
    choosing: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Grower:
    """Grows the tree, from the trials and the structure of their space."""

    trials: Trials
    structure: Structure
    top: NestedSets  # of the whole study
    question: Question
    methods: Sequence[Method]
    numbers: Iterator[int] = field(default_factory=count, init=False)  # of branches

    @cached_property
    def members(self) -> StudyMembers | None:
        """The trials themselves, if they are in memory."""
        return StudyMembers.of(self.trials, self.top)

    def tree(self) -> tuple[GrownNode, ...]:
        """Return the parameters that nothing switches, with all below them.

        The p-values of all branches are adjusted together.
        """
        roots = tuple(self._node(name) for name in self.structure.roots)
        # Methods share their counts, so those of any method will do.
        grown = [branch for branch in branches_of(roots) if branch.analyses]
        together = tuple(next(iter(branch.analyses.values())).counts for branch in grown)
        for counts in together:
            counts.together = together
        return roots

    def _node(self, name: str, path: Test | None = None, depth: int = 0) -> GrownNode:
        """Return a parameter inside the trials that a path leads to."""
        children = self.structure.gates.get(name, ())
        if not children:
            return GrownNode(name)
        splits = splits_of(self.structure.space, name, children, path)
        if not any(split.children for split in splits):  # on this path it switches nothing
            return GrownNode(name)
        conditions = [_extend_path(path, split.test) for split in splits]
        counted = self.trials.count_where(self.top, conditions)
        found = tuple(
            self._branch(split, condition, sizes, float(best), left_out=int(left_out), depth=depth)
            for split, condition, sizes, best, left_out in zip(
                splits, conditions, counted.sizes, counted.best, counted.left_out, strict=True
            )
            # A gate with several domains does not have all of its values on each path.
            if len(self.structure.space[name]) == 1 or sizes[-1] or left_out
        )
        sizes = np.array([branch.sizes for branch in found]).reshape(len(found), -1)
        return GrownNode(name, found, choosing(sizes, self.top.target_sizes, self.top.region_size))

    def _branch(
        self,
        split: Split,
        condition: Condition,
        sizes: IntArray,
        best: float,
        *,
        left_out: int,
        depth: int,
    ) -> GrownBranch:
        self._check(depth)
        if sizes[-1] or left_out:
            nodes = tuple(self._node(n, condition.root, depth + 1) for n in split.children)
        else:  # there are no trials below
            nodes = tuple(map(GrownNode, split.children))
        return GrownBranch(
            label=split.label,
            condition=condition,
            sizes=sizes,
            left_out=left_out,
            best=self._best_value(best),
            nodes=nodes,
            analyses=self._analyse_branch(condition),
            reached=() if self.members is None else self.members.reached(condition),
            last=None if self.members is None else self.members.last_tried(condition),
        )

    def _check(self, depth: int) -> None:
        """Raise if there are too many branches, or too many inside each other."""
        most = max(_MOST, _MOST_PER_GATE * len(self.structure.gates))
        if depth < _DEEPEST and next(self.numbers) < most:
            return
        many = (
            f"{most:,} branches" if depth < _DEEPEST else f"{_DEEPEST} branches inside each other"
        )
        raise SpaceError(
            f"The conditions of the space make more than {many}, which is too many. Select some "
            "parameters with the option parameters, or leave some conditions out of the space."
        )

    def _analyse_branch(self, condition: Condition) -> dict[Method, Analysis]:
        """Analyse what varies among the trials of a branch; all methods share the counts."""
        if not self.methods:
            return {}
        here = self.trials.inside(condition)
        return analyses_of(here.with_parameters(here.varying()), self.question, self.methods)

    def _best_value(self, lowest: float) -> float | None:
        if np.isnan(lowest):
            return None
        return -lowest if self.trials.goals[0].direction == "maximize" else lowest


def analyses_of(
    trials: Trials, question: Question, methods: Sequence[Method]
) -> dict[Method, Analysis]:
    """Answer a question by several methods, from the same counts."""
    counts = count_sets(trials, question)
    ties = question_ties(counts, question)
    return {method: answered(counts, question.by(method), ties) for method in methods}


def branches_of(nodes: Sequence[GrownNode]) -> Iterator[GrownBranch]:
    """Iterate over all branches, each before those inside it."""
    for node in nodes:
        for branch in node.branches:
            yield branch
            yield from branches_of(branch.nodes)


def _extend_path(path: Test | None, test: Test) -> Condition:
    both = conjunction(path, test)
    assert both is not None  # a split has a test
    return condition_of(both)


@takes(AnalysisOptions, *ANALYSIS)
def branches(
    source: Any, *, target_quantile: float = 0.1, **options: Unpack[AnalysisOptions]
) -> Branches:
    """Find which parameter switches which, and what matters inside each branch.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share are the target set, in the study and in each branch.
    **options
        As for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> found = condped.branches(condped.problems.get("activation-disjoint").sample(500, seed=0))
    >>> [(branch.condition, branch.target_trials) for branch in found]
    [('c < 0.5', 50), ('c >= 0.5', 0)]
    >>> found.roots[0].branches[1].inside.names[0]  # what matters where nothing is good
    'y'
    """
    parsed = Options.of(branches, options)
    question = parsed.question((target_quantile,))
    require_conditions("branches", question)
    trials = open_trials(source, **parsed.reading)
    counts = count_sets(trials, question)
    assert counts.trials is not None
    structure = structure_of(trials)  # first: it may leave a note for the account
    whole = importance_result(answered(counts, question))
    method = question.settings.method
    grown = Grower(trials, structure, counts.trials.top, question, (method,)).tree()
    return Branches(
        roots=tuple(_node(node, structure, whole) for node in grown),
        parents=structure.parents,
        found_from=structure.found_from,
        unexplained=structure.unexplained,
        inactive=structure.inactive,
        whole=whole,
    )


def require_conditions(function: str, question: Question) -> None:
    """Raise if the measure ignores conditions."""
    if question.settings.measure == "unconditional":
        raise SettingsError(
            f"{function} is about conditions, which the measure 'unconditional' ignores. Use "
            "within, standard or unweighted."
        )


def _node(grown: GrownNode, structure: Structure, whole: ImportanceResult) -> Node:
    """Return a parameter's node of the result, with its numbers in the whole study."""
    own = whole[grown.parameter]
    evidence = whole.ready_evidence
    whens = [a.when.text for a in structure.space[grown.parameter] if a.when is not None]
    condition = " or ".join(f"({text})" if len(whens) > 1 else text for text in whens)
    return Node(
        parameter=grown.parameter,
        importance=own.importance,
        eta_squared=own.eta_squared,
        verdict=None if evidence is None else evidence[grown.parameter].verdict,
        branches=tuple(
            Branch(
                label=branch.label,
                condition=branch.condition.text,
                trials=int(branch.sizes[-1]),
                target_trials=int(branch.sizes[0]),
                best=branch.best,
                left_out=branch.left_out,
                nodes=tuple(_node(inner, structure, whole) for inner in branch.nodes),
                inside=importance_result(next(iter(branch.analyses.values()))),
                reached=branch.reached,
                last=branch.last,
            )
            for branch in grown.branches
        ),
        choosing=None if grown.choosing is None else float(grown.choosing[0]),
        condition=condition or None,
    )
