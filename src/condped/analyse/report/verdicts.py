"""Fresh numbers of a running study, with the verdicts of an earlier, slower look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from condped.errors import SettingsError

Data = dict[str, Any]
# What only tests show about the study as a whole, about a parameter and about a regime.
_STUDY = (
    "advice", "missing", "pairs", "cost", "endings", "sampling", "remedy", "level", "forecast"
)  # fmt: skip
_PARAMETER = ("verdict", "reason", "p", "adjusted", "low", "high", "joint_low", "joint_high")
_REGIME = ("good", "p")


def finished_trials(data: Mapping[str, Any]) -> int:
    """Return how many trials of a page had ended, well or not."""
    trials = data["account"]["trials"]
    return int(trials["total"] - trials["running"])


def merged(fresh: Data, earlier: Data) -> Data:
    """Return fresh numbers with the verdicts of an earlier page, and all that comes with them.

    What only one of the two has is left as it is: a new parameter has not been tested.
    """
    if earlier["tested"] is None:
        return fresh
    for name in ("steps", "outcome", "region_quantile"):
        if fresh[name] != earlier[name]:
            raise SettingsError(
                f"with_verdicts_of takes an earlier report of the same study and question: {name} "
                f"is {earlier[name]!r} there and {fresh[name]!r} here. Make both with the same "
                "target_quantile, target and region_quantile."
            )
    known = {one["name"]: one for one in earlier["parameters"]}
    methods = earlier["methods"]
    return fresh | {
        **{name: earlier[name] for name in _STUDY if name in earlier},
        "tested": earlier["tested"],
        # Whether the verdicts hold over repeated looks.
        "settings": fresh["settings"] | {"looks": earlier["settings"]["looks"]},
        "methods": methods,
        "method": earlier["method"],
        **{name: _by_method(fresh[name], earlier[name]) for name in ("reasons", "unattributed")},
        "parameters": [
            _parameter(one, known.get(one["name"]), methods) for one in fresh["parameters"]
        ],
        "tree": _tree(fresh, earlier),
    }


def _by_method(fresh: Mapping[str, Any], earlier: Mapping[str, Any]) -> Data:
    """Return the numbers by method; those of methods that need tests are the earlier ones."""
    return {**earlier, **fresh}


def _parameter(fresh: Data, earlier: Data | None, methods: Iterable[str]) -> Data:
    if earlier is None:
        nothing = [0] * len(fresh["verdict"])
        shares = {
            name: dict.fromkeys(methods, nothing) | fresh[name] for name in ("importance", "eta")
        }
        regimes = [_with_parts(one, methods) for one in fresh["regimes"]]
        return fresh | shares | {"regimes": regimes}
    known = {_domain_key(one): one for one in earlier["regimes"]}
    return fresh | {
        **{name: earlier[name] for name in _PARAMETER if name in earlier},
        **{name: _by_method(fresh[name], earlier[name]) for name in ("importance", "eta")},
        "regimes": [_regime(one, known.get(_domain_key(one)), methods) for one in fresh["regimes"]],
    }


def _regime(fresh: Data, earlier: Data | None, methods: Iterable[str]) -> Data:
    made = _with_parts(fresh, methods)
    if earlier is None:
        return made
    made |= {name: earlier[name] for name in _REGIME if name in earlier}
    if "part" in fresh and "part" in earlier:
        made["part"] = _by_method(fresh["part"], earlier["part"])
    if "effect" in fresh and "contrast" in earlier.get("effect", {}):
        made["effect"] = fresh["effect"] | {"contrast": earlier["effect"]["contrast"]}
    return made


def _with_parts(regime: Data, methods: Iterable[str]) -> Data:
    """Return a regime with a share by every method: 0 by those that did not have it."""
    if "part" not in regime:
        return dict(regime)
    nothing = [0] * len(regime["target"])
    return regime | {"part": dict.fromkeys(methods, nothing) | regime["part"]}


def _domain_key(regime: Data) -> str:
    return "" if regime["domain"] is None else str(regime["label"])


def _tree(fresh: Data, earlier: Data) -> Data | None:
    """Return the tree with fresh counts, and earlier findings on what matters inside."""
    now: Data | None = fresh["tree"]
    if now is None or earlier["tree"] is None:
        return now
    places = {one["name"]: place for place, one in enumerate(fresh["parameters"])}
    names = [one["name"] for one in earlier["parameters"]]
    inside = {
        branch["condition"]: _by_current_places(branch["inside"], names, places)
        for branch in _branches(earlier["tree"]["roots"])
    }
    return now | {"roots": [_node(node, inside) for node in now["roots"]]}


def _node(node: Data, inside: Mapping[str, Data | None]) -> Data:
    if "branches" not in node:
        return node
    branches = [
        branch
        | {
            "inside": inside.get(branch["condition"]),
            "nodes": [_node(below, inside) for below in branch["nodes"]],
        }
        for branch in node["branches"]
    ]
    return node | {"branches": branches}


def _branches(nodes: Iterable[Data]) -> Iterator[Data]:
    for node in nodes:
        for branch in node.get("branches", ()):
            yield branch
            yield from _branches(branch["nodes"])


def _by_current_places(
    inside: Data | None, names: list[str], places: Mapping[str, int]
) -> Data | None:
    """Return what matters inside a branch, with parameters by their current places."""
    if inside is None:
        return None
    kept = [
        one | {"parameter": places[names[one["parameter"]]]}
        for one in inside["parameters"]
        if names[one["parameter"]] in places
    ]
    return inside | {"parameters": kept}
