"""The page on transfer says what was measured, and the benchmark counts rightly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import optuna
import pytest

from benchmarks.transfer_page import fewer, page, typical
from benchmarks.transfer_tasks import FAMILIES, random_study, spread_of

ROOT = Path(__file__).parents[1]
MEASURED = json.loads((ROOT / "benchmarks" / "transfer.json").read_text(encoding="utf-8"))


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    assert page(MEASURED) == (ROOT / "docs" / "trust" / "transfer.md").read_text(encoding="utf-8")


def test_every_family_and_movement_was_measured() -> None:
    """With all movements."""
    found = {(one["family"], one["movement"]) for one in MEASURED["entries"]}
    expected = {(f.name, movement) for f in FAMILIES for movement in ("little", "much", "jump")}
    assert expected <= found


def test_fewer_trials_are_counted() -> None:
    """Half of the trials are two times fewer; what is never reached is bounded."""
    slow = [[1.0, 0.9, 0.5, 0.1]] * 3
    fast = [[0.9, 0.1, 0.1, 0.1]] * 3
    assert fewer(slow, fast) == 2.0
    assert fewer(fast, slow) == 0.5
    assert fewer(fast, [[1.0] * 4] * 3) == pytest.approx(2 / 5)
    assert typical([[1.0, 0.01], [0.01, 0.01]]).tolist() == pytest.approx([0.1, 0.01])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("jump", [False, True])
def test_the_optimum_is_where_the_family_says(family: object, jump: bool) -> None:
    """Its value is the lowest, and no random draw is lower."""
    own = next(one for one in FAMILIES if one is family)
    new = own.instance(np.random.default_rng(3), spread_of("much"), jump)
    trial = optuna.trial.FixedTrial({"idle": 0.5, "idle_0": 0.5, "idle_1": 0.5, **new.optimum})
    assert new.objective(trial) == pytest.approx(new.lowest, abs=1e-6)
    study = random_study(new.objective, 200, 0)
    assert study.best_value >= new.lowest
