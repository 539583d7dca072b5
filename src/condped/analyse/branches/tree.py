"""``condped.branches``: from trials to the activation tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from condped.analyse.branches.grow_tree import Grower, GrownNode
from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.importance.analysis import answered, count_sets
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.question import ANALYSIS, AnalysisOptions, Options, Question, open_trials
from condped.errors import SettingsError
from condped.options import takes


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
        γ': the best trials of this share are the target set, of the study as of each branch.
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
    asked = Options.of(branches, options)
    question = asked.question((target_quantile,))
    require_conditions("branches", question)
    trials = open_trials(source, **asked.reading)
    counts = count_sets(trials, question)
    assert counts.trials is not None
    whole = importance_result(answered(counts, question))
    structure = structure_of(trials)
    method = question.settings.method
    grown = Grower(trials, structure, counts.trials.top, question, (method,)).tree()
    told = _Told(structure, whole)
    return Branches(
        roots=tuple(told.node(node) for node in grown),
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


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """Turns grown nodes into those of a result."""

    structure: Structure
    whole: ImportanceResult

    def node(self, grown: GrownNode) -> Node:
        """Return a parameter with its numbers in the whole study."""
        own = self.whole[grown.parameter]
        evidence = self.whole.ready_evidence
        whens = [a.when.text for a in self.structure.space[grown.parameter] if a.when is not None]
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
                    nodes=tuple(self.node(inner) for inner in branch.nodes),
                    inside=importance_result(next(iter(branch.analyses.values()))),
                )
                for branch in grown.branches
            ),
            choosing=None if grown.choosing is None else float(grown.choosing[0]),
            condition=condition or None,
        )
