"""The stored studies of the benchmark: all there, and loaded as they were run."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import optuna
import pytest

import condped
from benchmarks.studies.generate import cells
from benchmarks.studies.load import DATA, StoredStudy, stored_studies
from benchmarks.studies.objectives import OBJECTIVES


@pytest.fixture(scope="module", name="studies")
def _studies() -> list[StoredStudy]:
    return list(stored_studies())


def test_every_study_of_the_generator_is_stored_once(studies: list[StoredStudy]) -> None:
    """The cells are those that the generator lists, with their seeds and numbers of trials."""
    stored = [(own.name, own.seed, own.trials) for own in studies]
    listed = [
        (f"{cell.objective}/{cell.sampler}/{cell.number}", cell.seed, cell.trials)
        for cell in cells()
    ]
    assert sorted(stored) == sorted(listed)


def test_there_are_enough_studies_of_every_sampler(studies: list[StoredStudy]) -> None:
    """Two hundred in all, most of them TPE's; the data stay small."""
    counts = Counter(own.sampler for own in studies)
    assert sum(counts.values()) >= 200
    assert min(counts["tpe"], counts["tpe_univariate"]) >= 60
    assert min(counts.values()) >= 10
    assert sum(own.trials >= 500 for own in studies) >= 15
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 6e6


def test_objectives_cover_what_they_promise() -> None:
    """Regression and classification, ties, pruning, branches, two objectives; five dead each."""
    found = list(OBJECTIVES.values())
    assert {own.task for own in found} == {"classification", "regression"}
    for trait in ("conditional", "ties", "pruning"):
        assert {getattr(own, trait) for own in found} == {True, False}
    assert {own.objectives for own in found} == {1, 2}
    assert all(len(own.dead) == 5 for own in found)
    assert all(own.deciding in {p.name for p in own.space} for own in found)


def test_a_study_is_loaded_as_from_a_storage() -> None:
    """Values, marks of the sampler and times are there; the storage is not the in-memory one."""
    (stored,) = stored_studies(["digits_models"], ["tpe"], [0])
    study = stored.study(60)
    trials = study.get_trials(deepcopy=False)
    assert len(trials) == 60
    assert not isinstance(study._storage, optuna.storages.InMemoryStorage)
    assert {trial.state.name for trial in trials} == {"COMPLETE", "PRUNED"}
    assert "tpe:relative_params:0" in trials[-1].system_attrs
    assert trials[-1].last_step is not None
    for earlier, later in pairwise(trials):
        assert earlier.datetime_complete is not None
        assert later.datetime_start is not None
        assert earlier.datetime_complete <= later.datetime_start
    assert len(condped.read(**stored.source(60))) == 60


def test_trials_of_several_workers_overlap() -> None:
    """Some trial starts before the one before it has ended."""
    (stored,) = stored_studies(["diabetes_kernel"], ["tpe_workers"], [0])
    trials = stored.study(20).get_trials(deepcopy=False)
    assert any(
        later.datetime_start < earlier.datetime_complete  # type: ignore[operator]
        for earlier, later in pairwise(trials)
    )


def test_smac_studies_tell_which_trials_were_drawn_at_random() -> None:
    """As the origins say that configurations had when they were run, with hardly an exception."""
    wrong, trials = 0, 0
    for stored in stored_studies(samplers=["smac"]):
        drawing = condped.read(**stored.source()).drawing
        assert drawing is not None
        assert drawing.independent is not None
        origins = stored.plain["origins"]
        chosen = [origin == "Acquisition Function Maximizer: Local Search" for origin in origins]
        assert {origin.split(":")[0] for origin in origins} <= {
            "Acquisition Function Maximizer", "Initial Design", "Random Search",
            "Random Search (max retries, no candidates)",
        }  # fmt: skip
        wrong += int(np.count_nonzero(drawing.independent == np.array(chosen)))
        trials += stored.trials
    assert wrong <= 0.02 * trials


@pytest.mark.parametrize("sampler", ["smac", "hyperopt"])
def test_studies_of_other_tools_are_read_with_their_space(sampler: str) -> None:
    """Absent values are those of inactive parameters."""
    (stored,) = stored_studies(["wine_models"], [sampler], [0])
    table = condped.read(**stored.source(50))
    assert len(table) == 50
    assert set(table.names) == {own.name for own in stored.objective.space}


def test_stored_values_are_those_of_the_objective() -> None:
    """Evaluating a stored configuration again gives the stored value."""
    (stored,) = stored_studies(["diabetes_kernel"], ["tpe_univariate"], [0])
    trial = stored.study(12).trials[-1]
    assert stored.objective.values(trial.params) == pytest.approx(tuple(trial.values), rel=1e-9)
