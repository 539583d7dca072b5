"""The branches at every step: who gets there, and what matters inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condped.analyse.branches.grow_tree import GrownBranch, GrownNode
from condped.analyse.branches.structure import Structure
from condped.analyse.report.rounding import shares
from condped.analyse.report.steps import letters, verdicts_of

_MOST_INSIDE = 12  # parameters that are shown of a branch


def tree_data(
    grown: Sequence[GrownNode], structure: Structure, names: Sequence[str]
) -> dict[str, Any]:
    """Return the activation tree; parameters by their places among ``names``."""
    places = {name: place for place, name in enumerate(names)}
    return {
        "found_from": structure.found_from,
        "unexplained": [places[name] for name in structure.unexplained],
        "inactive": list(structure.inactive),
        "roots": [_node(node, places) for node in grown],
    }


def _node(node: GrownNode, places: dict[str, int]) -> dict[str, Any]:
    """Return a parameter and what it switches."""
    made: dict[str, Any] = {"parameter": places[node.parameter]}
    if node.branches and node.choosing is not None:
        made["choosing"] = shares(node.choosing)
        made["branches"] = [_branch(branch, places) for branch in node.branches]
    return made


def _branch(branch: GrownBranch, places: dict[str, int]) -> dict[str, Any]:
    """Return one branch: its trials, what matters inside, and what it switches on."""
    return {
        "label": branch.label,
        "condition": branch.condition.text,
        "trials": int(branch.sizes[-1]),
        "target": branch.sizes[:-1].tolist(),
        "best": None if branch.best is None else float(f"{branch.best:.6g}"),
        "inside": _inside(branch, places),
        "nodes": [_node(node, places) for node in branch.nodes],
    }


def _inside(branch: GrownBranch, places: dict[str, int]) -> dict[str, Any]:
    """Return the importances among a branch's own trials, of what varies there."""
    paper = branch.analyses["paper"]
    numbers = {method: analysis.numbers for method, analysis in branch.analyses.items()}
    names, counts = paper.numbers.names, paper.counts
    verdicts = verdicts_of(counts.p_values, counts.adjusted_p_values)
    highest = paper.numbers.eta_squared.max(axis=0, initial=0.0)
    # The highest at any step first; equal ones in the order of the space.
    shown = sorted(range(len(names)), key=lambda p: -highest[p])[:_MOST_INSIDE]
    return {
        "sizes": paper.numbers.target_sizes.tolist(),
        "more": len(names) - len(shown),
        "reasons": {method: _once(found.reasons) for method, found in numbers.items()},
        "parameters": [
            {
                "parameter": places[names[p]],
                "importance": {m: shares(found.importance[:, p]) for m, found in numbers.items()},
                "eta": {m: shares(found.eta_squared[:, p]) for m, found in numbers.items()},
                "verdict": letters([row[p] for row in verdicts]),
            }
            for p in shown
        ],
    }


def _once(reasons: tuple[str | None, ...]) -> list[str | None]:
    """Return reasons of all steps, or one where they are the same."""
    return list(reasons[:1] if len(set(reasons)) == 1 else reasons)
