"""Studies that several processes really write while they are followed."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import optuna
import pytest

import condped
from condped.trials.table import State, TrialTable
from tests.optuna_version import needs_optuna_5
from tests.read.follow.same import assert_same_as_read
from tests.read.follow.worker import running_worker, storage_at

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@needs_optuna_5
@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_a_followed_table_is_what_a_full_read_gives(kind: str, tmp_path: Path) -> None:
    """While two workers write, what has ended stays; whenever they pause, all columns agree."""
    place = f"sqlite:///{tmp_path}/study.db" if kind == "sqlite" else str(tmp_path / "journal.log")
    storage = storage_at(place)
    study = optuna.create_study(study_name="followed", storage=storage)
    optuna.create_study(study_name="other", storage=storage)
    updates = 0
    with ExitStack() as stack:
        followed = stack.enter_context(condped.follow(place, study="followed"))
        workers = [
            stack.enter_context(running_worker(place, name, seed))
            for seed, name in enumerate(("followed", "followed", "other"))
        ]
        for pause in range(6):
            for worker in workers:
                worker.start(8)
            if pause == 2:
                study.enqueue_trial({"n_läyers": 2})
            for worker in workers:
                earlier = followed.table
                for _ in range(20):
                    time.sleep(0.02)
                    changed = followed.update()
                    updates += changed
                    assert changed == (followed.table is not earlier)
                    _assert_goes_on(earlier, followed.table)
                    earlier = followed.table
                worker.wait()
            followed.update()
            assert_same_as_read(followed, place, study="followed")
            assert not followed.update()
    assert len(followed.table) >= 95  # one fewer where two took the same
    assert updates > 6


def _assert_goes_on(earlier: TrialTable, later: TrialTable) -> None:
    """What had ended is as it was, and what has ended since has its value."""
    ended = np.flatnonzero(earlier.states != State.RUNNING)
    assert np.array_equal(earlier.states[ended], later.states[ended])
    one, other = earlier.objectives[0].values, later.objectives[0].values
    assert np.array_equal(one[ended], other[ended], equal_nan=True)
    assert not np.isnan(other[later.states == State.COMPLETE]).any()
