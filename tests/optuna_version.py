"""Tests of what only newer versions of Optuna have, which `make lowest` skips."""

from __future__ import annotations

import optuna
import pytest

BEFORE_5 = int(optuna.__version__.partition(".")[0]) < 5
needs_optuna_5 = pytest.mark.skipif(
    BEFORE_5, reason=f"needs Optuna 5, and this is {optuna.__version__}"
)


def skip_before_optuna_5(what: str) -> None:
    """Skip a test, or a whole module, for something that Optuna 5 has brought."""
    if BEFORE_5:
        pytest.skip(f"needs Optuna 5: {what}", allow_module_level=True)


def constrain(trial: optuna.Trial, name: str, value: float) -> None:
    """Record a constraint, as trials can since Optuna 5."""
    skip_before_optuna_5("Trial.set_constraint")
    trial.set_constraint(name, value)
