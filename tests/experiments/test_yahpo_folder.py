"""Folders of evaluation sets: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from condped.errors import DataError
from experiments.yahpo.folder import (
    ANOTHER_GENERATION,
    DEFAULT,
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
