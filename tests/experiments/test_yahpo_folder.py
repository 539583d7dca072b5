"""Folders of evaluation sets: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from condped.errors import DataError
from experiments.yahpo import catalogue
from experiments.yahpo.folder import (
    ANOTHER_GENERATION,
    DEFAULT,
    SURROGATES,
    VARIABLE,
    find_folder,
    read_folder,
)
from tests.experiments.yahpo_sets import LEARNERS, columns, write_sets

needs_data = pytest.mark.skipif(
    not DEFAULT.is_dir(), reason="no evaluation sets beside the project (../shared/data/yahpo)"
)


def test_a_folder_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Families, instances, seeds, learners by their conditions, and each trial's objective."""
    found = read_folder(write_sets(tmp_path))
    assert {family: list(instances) for family, instances in found.items()} == {
        "iaml": ["1489"],
        "rbv2": ["1053", "1457"],
    }
    data = found["rbv2"]["1053"]
    assert data.seeds == (0, 1, 2)
    assert dict(data.scenario.learners) == LEARNERS
    assert data.scenario.learner_of("svm.cost") == "svm"
    assert data.scenario.learner_of("trainsize") is None
    written = columns((0, 1, 2), 120, 0)
    table = data.trials(1)
    assert len(table) == 120
    np.testing.assert_array_equal(table.objectives[0].values, written["acc"][120:240])
    assert table.objectives[0].direction == "maximize"
    learner = np.array(written["learner_id"].to_pylist())[120:240]
    for name, values in data.by_learner(1).items():
        np.testing.assert_array_equal(values, written["acc"][120:240][learner == name])


def test_the_folder_is_named_by_argument_environment_or_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of the three that is there; one that was named must exist."""
    one, other = write_sets(tmp_path / "one"), write_sets(tmp_path / "other")
    monkeypatch.setenv(VARIABLE, str(other))
    assert find_folder(one) == one
    assert find_folder() == other
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(DataError, match=r"No evaluation sets.*experiments.yahpo.sample"):
        find_folder()
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("experiments.yahpo.folder.DEFAULT", tmp_path / "none")
    assert find_folder() is None


def test_where_evaluations_come_from_is_said(tmp_path: Path) -> None:
    """Another generation, unless the sampler recorded which."""
    plain = read_folder(write_sets(tmp_path / "plain"))["rbv2"]["1053"].scenario
    assert plain.label == ANOTHER_GENERATION
    folder = write_sets(tmp_path / "recorded", surrogates={"yahpo_gym": "1.0.2"})
    assert "yahpo_gym 1.0.2" in read_folder(folder)["rbv2"]["1053"].scenario.label


def test_broken_folders_are_refused(tmp_path: Path) -> None:
    """Missing domains, a missing seed column, an unknown seed, an instance twice."""
    folder = write_sets(tmp_path)
    data = read_folder(folder)["rbv2"]["1053"]
    with pytest.raises(DataError, match="has no seed 7"):
        data.trials(7)
    table = pq.read_table(folder / "rbv2_test_1053.parquet")
    pq.write_table(table.drop_columns(["seed"]), folder / "rbv2_test_9.parquet")
    with pytest.raises(DataError, match="no column 'seed'"):
        _ = read_folder(folder)["rbv2"]["9"].seeds
    (folder / "rbv2_test_9.parquet").rename(folder / "rbv2_other_1053.parquet")
    with pytest.raises(DataError, match=r"rbv2_other.domains.json is missing"):
        read_folder(folder)
    text = (folder / "rbv2_test.domains.json").read_text()
    (folder / "rbv2_other.domains.json").write_text(text)
    with pytest.raises(DataError, match="twice"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{not json", "not a file of domains"),
        ("{}", "lacks 'hyperparameters'"),
        ("[]", "not a file of domains"),
        ('{"hyperparameters": [], "learner_key": "learner"}', "no hyperparameter 'learner'"),
    ],
)
def test_a_bad_folder_stops_no_other_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    """It is told why, and the experiments are listed as unavailable."""
    folder = write_sets(tmp_path)
    (folder / "rbv2_test.domains.json").write_text(text)
    with pytest.raises(DataError, match=told):
        read_folder(folder)
    monkeypatch.setenv(VARIABLE, str(folder))
    assert all(told in (one.unavailable or "") for one in catalogue._found())


def test_seeds_are_those_of_the_data(tmp_path: Path) -> None:
    """Three instead of ten, which is said."""
    found = {one.name: one for one in catalogue.experiments(write_sets(tmp_path))}
    assert found["table-2"].seeds == (42, 43, 44)
    assert found["table-2"].seeds_for(quick=True) == (42, 43)
    assert "rbv2_test_1053.parquet 3" in found["table-2"].notice
    full = write_sets(tmp_path / "full", seeds=tuple(range(10)), trials=10)
    assert {one.notice for one in catalogue.experiments(full)} == {""}


def test_a_folder_of_two_surrogates_is_refused(tmp_path: Path) -> None:
    """Each file says which it was evaluated with."""
    folder = write_sets(tmp_path, surrogates={"model.onnx sha256": "aa"})
    file = folder / "rbv2_test_1053.parquet"
    for model, refused in (("aa", False), ("bb", True)):
        metadata = {SURROGATES: f'{{"model.onnx sha256": "{model}"}}'}
        pq.write_table(pq.read_table(file).replace_schema_metadata(metadata), file)
        if refused:
            with pytest.raises(DataError, match=r"mixes surrogates.*sha256 bb.*sha256 aa"):
                read_folder(folder)
        else:
            assert "1053" in read_folder(folder)["rbv2"]


@needs_data
def test_the_shared_sets_have_values_exactly_where_their_conditions_hold() -> None:
    """Each condition is evaluated with pandas, and compared with what condped takes as absent."""
    for instances in read_folder(DEFAULT).values():
        for data in instances.values():
            assert data.seeds == tuple(range(10))
            frame = pq.read_table(data.path).to_pandas()
            for parameter in data.table.parameters:
                absent = np.asarray(parameter.domain_ids) < 0
                np.testing.assert_array_equal(absent, frame[parameter.name].isna())
                owner = data.scenario.learner_of(parameter.name)
                if owner is not None:
                    used = frame[data.scenario.learner_key][~absent]
                    assert parameter.name.startswith(f"{owner}.")
                    assert set(used) == {owner}
