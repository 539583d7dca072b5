"""Nothing is invented where nothing can be told."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import condped

SPACE = {"x": {"type": "float", "low": 0, "high": 1}, "k": {"type": "int", "low": 1, "high": 5}}


def columns(n: int, **changes: Any) -> dict[str, Any]:
    """Return plain trials, changed as a test needs them."""
    rng = np.random.default_rng(0)
    made = {"x": rng.random(n), "k": rng.integers(1, 6, n), "loss": rng.random(n)}
    return made | changes


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        (columns(1), "only one trial to learn from"),
        (columns(5, loss=[np.nan] * 5), "no trial to learn from \\(5 of 5"),
        (columns(40, loss=[1.0] * 40), "all 40 trials have the same objective"),
        (columns(40, loss=[0.0] * 39 + [np.inf]), "same objective"),
        (columns(40, x=[0.5] * 40, k=[3] * 40), "no parameter takes different values"),
        (columns(40, x=[None] * 40, k=[None] * 40), "no parameter takes different values"),
    ],
)
def test_undetermined_is_said_with_its_reason(trials: dict[str, Any], reason: str) -> None:
    """Status, reason and zeros, for importance and sweep alike."""
    result = condped.importance(trials, objective="loss", space=SPACE)
    assert result.status == "undetermined"
    assert re.search(reason, str(result.reason))
    assert result.to_dict() == {"x": 0.0, "k": 0.0}
    assert "Undetermined" in str(result)
    curve = condped.sweep(trials, objective="loss", space=SPACE)
    assert not curve.determined.any()
    assert not curve.importance.any()
    assert "Undetermined" in str(curve)


def test_a_target_set_that_is_the_whole_region_set_is_undetermined() -> None:
    """Ties at the threshold can make both sets the same."""
    loss = [0.0] * 30 + [1.0] * 10
    result = condped.importance(
        columns(40, loss=loss), objective="loss", space=SPACE, region_quantile=0.5
    )
    assert result.status == "undetermined"
    assert "the same 30 trials" in str(result.reason)


def test_constant_parameters_get_nothing() -> None:
    """A single-valued parameter has importance 0 beside one that matters."""
    x = np.linspace(0, 1, 50)
    result = condped.importance(columns(50, x=x, loss=x, k=[3] * 50), objective="loss")
    assert result.account.space_inferred
    assert result.to_dict() == {"x": 1.0, "k": 0.0}


def test_no_parameters_at_all_is_undetermined() -> None:
    """A table of objectives only has nothing to say."""
    result = condped.importance({"loss": [1.0, 2.0, 3.0]}, objective="loss")
    assert result.status == "undetermined"
    assert result.to_dict() == {}
    assert result.reason == "there are no parameters."


def test_an_empty_study_is_undetermined() -> None:
    """No trials: no parameters, no error."""
    optuna = pytest.importorskip("optuna")
    result = condped.importance(optuna.create_study())
    assert (result.status, result.to_dict()) == ("undetermined", {})
