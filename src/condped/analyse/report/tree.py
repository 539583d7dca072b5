"""The branches at every step: who gets there, and what matters inside."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.report.numbers import shares
from condped.analyse.report.steps import Question, answers_of, letters, verdicts_of
from condped.arrays import FloatArray, IntArray
from condped.count.target_sets import Sets
from condped.count.trials import Trials
from condped.space.condition import Condition

_MOST_INSIDE = 12  # parameters that are shown of a branch


def tree_data(found: Branches, trials: Trials, top: Sets, question: Question) -> dict[str, Any]:
    """Return the activation tree; parameters by their places in the report."""
    places = {name: place for place, name in enumerate(trials.names)}
    plan = replace(question, intervals=None)
    maker = _Maker(trials, top, plan, places)
    roots = [maker.node(node) for node in found.roots]
    maker.judge()
    return {
        "found_from": found.found_from,
        "unexplained": [places[name] for name in found.unexplained],
        "inactive": list(found.inactive),
        "roots": roots,
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Maker:
    """Makes the nodes, from all trials and the sets of each step."""

    trials: Trials
    top: Sets
    question: Question
    places: dict[str, int]
    # Of each branch: p-values (T, P) and the entries of the parameters that are shown.
    tested: list[tuple[FloatArray, dict[int, dict[str, Any]]]] = field(default_factory=list)

    def judge(self) -> None:
        """Fill in the verdicts, adjusted over the parameters of all branches at each step."""
        if not self.tested:
            return
        p_values = np.concatenate([own for own, _ in self.tested], axis=1)
        verdicts = verdicts_of(p_values)
        start = 0
        for own, entries in self.tested:
            for place, entry in entries.items():
                entry["verdict"] = letters([row[start + place] for row in verdicts])
            start += own.shape[1]

    def node(self, node: Node) -> dict[str, Any]:
        """Return a parameter and what it switches."""
        made: dict[str, Any] = {"parameter": self.places[node.parameter]}
        if node.branches:
            conditions = [Condition.parse(branch.condition) for branch in node.branches]
            sizes = self.trials.count_where(self.top, conditions).sizes
            made["choosing"] = shares(self._choosing(sizes))
            made["branches"] = [
                self.branch(branch, condition, size)
                for branch, condition, size in zip(node.branches, conditions, sizes, strict=True)
            ]
        return made

    def branch(self, branch: Branch, condition: Condition, sizes: IntArray) -> dict[str, Any]:
        """Return one branch: its trials, what matters inside, and what it switches on."""
        best = None if branch.best is None else float(f"{branch.best:.6g}")
        return {
            "label": branch.label,
            "condition": branch.condition,
            "trials": int(sizes[-1]),
            "target": sizes[:-1].tolist(),
            "best": best,
            "inside": self._inside(condition, branch.inside.names),
            "nodes": [self.node(node) for node in branch.nodes],
        }

    def _choosing(self, sizes: IntArray) -> Any:
        """Return (T,): the share of the variance of reaching the target set between branches."""
        trials, reached = sizes[:, -1:].astype(float), sizes[:, :-1].astype(float)
        size, target = self.top.region_size, self.top.target_sizes.astype(float)
        spread = target * (1.0 - target / max(size, 1))
        between = (reached**2 / np.maximum(trials, 1.0)).sum(axis=0)
        between -= reached.sum(axis=0) ** 2 / max(trials.sum(), 1.0)
        share = np.divide(between, spread, out=np.zeros_like(spread), where=spread > 0)
        return np.clip(share, 0.0, None)

    def _inside(self, condition: Condition, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the importances among a branch's own trials, of what varies there."""
        here = self.trials.inside(condition).with_parameters(names)
        answers = answers_of(here, self.question)
        found = answers.by_method
        highest = answers.paper.eta_squared.max(axis=0, initial=0.0)
        shown = sorted(range(len(names)), key=lambda p: -highest[p])[:_MOST_INSIDE]
        entries = {
            p: {
                "parameter": self.places[names[p]],
                "importance": {m: shares(a.importance[:, p]) for m, a in found.items()},
                "eta": {m: shares(a.eta_squared[:, p]) for m, a in found.items()},
            }
            for p in shown
        }
        self.tested.append((answers.p_values, entries))
        return {
            "sizes": answers.paper.counts.target_sizes.tolist(),
            "more": len(names) - len(shown),
            "reasons": {method: _once(a.reasons) for method, a in found.items()},
            "parameters": list(entries.values()),
        }


def _once(reasons: tuple[str | None, ...]) -> list[str | None]:
    """Return reasons of all steps, or one where they are the same."""
    return list(reasons[:1] if len(set(reasons)) == 1 else reasons)
