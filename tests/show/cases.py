"""Results that pictures must cope with."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import condped

HOSTILE = ("<img src=x onerror=alert(1)>", "</script>", "$x^2$ cost$", "a & b", "%s {0}")


def wide(parameters: int, *, long: bool = False, trials: int = 120) -> dict[str, Any]:
    """Return trials of many parameters, of which the first decides; long names differ late."""
    rng = np.random.default_rng(0)
    names = [f"parameter <{i}>" for i in range(parameters)]
    if long:
        names = [f"{'encoder/block/' * 8}{i:03d}/{'dropout/' * 4}"[:120] for i in range(parameters)]
    columns = {name: rng.random(trials) for name in names}
    loss = next(iter(columns.values())) + rng.normal(0, 0.05, trials)
    return columns | {"loss": loss}


def hostile() -> dict[str, Any]:
    """Return trials of parameters whose names are markup or formulas."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {name: rng.random(150) for name in HOSTILE}
    codes = rng.integers(0, 2, 150)
    columns["choice"] = [("<b>bold</b>", "$y$")[code] for code in codes]
    return columns | {"loss": columns[HOSTILE[0]] + codes}


def branching(branches: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return trials and the space of a parameter with many regimes."""
    rng = np.random.default_rng(1)
    branch = rng.integers(0, branches, 60 * branches)
    x = rng.uniform(branch, branch + 2.0)
    space = {
        "branch": {"type": "int", "low": 0, "high": branches - 1},
        "x": [
            {"when": f"branch == {i}", "type": "float", "low": i, "high": i + 2}
            for i in range(branches)
        ],
    }
    return {"branch": branch, "x": x, "loss": (x - branch - 0.5) ** 2 + 0.01 * branch}, space


EQUAL: dict[str, Any] = {"x": [0.1, 0.2, 0.3], "y": [1.0, 2.0, 3.0], "loss": [1.0, 1.0, 1.0]}
NOTHING: dict[str, Any] = {"loss": [1.0, 2.0, 3.0]}
_SOURCES: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "one": (wide(1), None),
    "three": (wide(3), None),
    "three hundred": (wide(300, long=True), None),
    "hostile": (hostile(), None),
    "twenty regimes": branching(20),
    "equal": (EQUAL, None),
    "nothing": (NOTHING, None),
}
CASES = tuple(_SOURCES)


@cache
def result(case: str, **options: Any) -> condped.ImportanceResult:
    """Return the importances of a case, with intervals."""
    source, space = _SOURCES[case]
    given: dict[str, Any] = {"sampling": "random"} | ({} if space is None else {"space": space})
    return condped.importance(source, objective="loss", intervals="jackknife", **given, **options)


@cache
def curve(case: str) -> condped.SweepResult:
    """Return the sweep of a case, with bands."""
    source, space = _SOURCES[case]
    given: dict[str, Any] = {"sampling": "random"} | ({} if space is None else {"space": space})
    quantiles = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8]
    return condped.sweep(
        source, objective="loss", target_quantiles=quantiles, intervals="jackknife", **given
    )


def pictures(case: str, backend: Any) -> dict[str, Any]:
    """Return every picture of a case."""
    of, over = result(case), curve(case)
    both = {"paper": of, "calibrated": result(case, method="calibrated")}
    return {
        "importance": condped.plot.importance(of, backend=backend),
        "regimes": condped.plot.regimes(of, backend=backend),
        "densities": condped.plot.densities(of, backend=backend),
        "comparison": condped.plot.comparison(both, backend=backend),
        "sweep": condped.plot.sweep(over, backend=backend),
        "heatmap": condped.plot.heatmap(over, backend=backend),
    }
