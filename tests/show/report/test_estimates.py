"""What the page says of its estimates: whose they are, and how near to the truth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from tests.optuna_version import needs_optuna_5
from tests.show.report.conftest import Opener
from tests.show.report.studies import conditional
from tests.show.report.test_words import open_all, words


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "equal to Optuna's for"),
        ({"reference": "space"}, "equal to Optuna's with evaluate_on_local=False for"),
        ({"measure": "standard"}, "nor Optuna's."),
        ({"measure": "unweighted"}, "nor Optuna's."),
        ({"measure": "unconditional"}, "nor Optuna's."),
        ({"failed": "worst"}, "Optuna's would differ: trials that did not end well"),
        ({"pruned": "worst"}, "equal to Optuna's for"),  # there are none
        ({"target": "failed"}, "Optuna's would differ: it explains no outcomes"),
    ],
)
def test_equal_to_optuna_is_said_where_it_is_so(
    opened: Opener, options: dict[str, Any], said: str
) -> None:
    """By the settings and what was done with the trials."""
    page = opened(condped.report(conditional(), **options))
    open_all(page)
    assert said in words(page, "#importance-made")


@needs_optuna_5
def test_pooled_domains_are_not_optunas_and_several_objectives_are() -> None:
    """Optuna pools nothing; of several objectives it takes the best by Pareto rank, too."""
    rng = np.random.default_rng(4)
    high = rng.uniform(0.5, 2, 200)
    x = rng.uniform(0, high)
    bounds = [{"type": "float", "low": 0, "high": float(bound)} for bound in high]
    one = [{"c": c, "x": value, "loss": value} for c, value in zip(high, x, strict=True)]
    space = {
        "c": {"type": "float", "low": 0.5, "high": 2},
        "x": [
            {"when": f"c == {c!r}", **bound} for c, bound in zip(high.tolist(), bounds, strict=True)
        ],
    }
    pooled = condped.report(one, objective="loss", space=space).data["definition"]
    assert "pooled here" in pooled
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
    study.optimize(_two_objectives, n_trials=120)
    two = condped.report(study, method="paper").data
    assert "equal to Optuna's for the same trials" in two["definition"]
    theirs = optuna.importance.get_param_importances(study)
    step = two["start"]
    ours = {one["name"]: one["importance"]["paper"][step] for one in two["parameters"]}
    assert ours == pytest.approx(theirs, abs=5e-4)


def _two_objectives(trial: optuna.Trial) -> tuple[float, float]:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    return x + 0.1 * y, x * y


def test_which_method_is_nearer_to_the_truth_is_what_was_measured(opened: Opener) -> None:
    """By the errors in benchmarks/statistics.json."""
    path = Path(__file__).parents[3] / "benchmarks" / "statistics.json"
    cases: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in json.loads(path.read_text(encoding="utf-8"))["errors"]:
        key = tuple(row[name] for name in ("group", "problem", "trials", "idle", "quantile"))
        cases.setdefault(key, {})[row["method"]] = row["error"]
    page = opened(condped.report(conditional()))
    open_all(page)
    told = words(page, "#importance-made")
    for trials in (50, 200):
        pairs = [errors for key, errors in cases.items() if key[2] == trials]
        nearer = sum(errors["calibrated"] < errors["paper"] for errors in pairs) / len(pairs)
        assert re.search(rf"\b{100 * nearer:.0f} % (of cases )?with {trials}\b", told)
