"""Ray Data counts on its workers what memory counts, and says in one line what went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped.count.order_statistics import exact
from condped.errors import SettingsError
from tests.read.databases.cluster_trials import (
    ANALYSES,
    FEW,
    LOSS,
    PATHS,
    READING,
    SORTED,
    UNLIKE,
    check_lost_worker,
    check_value_outside,
    failed,
    python_without_condped,
    trials,
    write_with_a_bad_file,
)
from tests.servers.ray import put

pytestmark = pytest.mark.usefixtures("ray_workers")


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Return trials in memory."""
    return trials()


@pytest.fixture(scope="module")
def dataset(ray_workers: Any, table: pa.Table) -> Any:
    """Return them as a dataset."""
    return put(table)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_numbers_are_those_of_memory(
    dataset: Any, table: pa.Table, analysis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every integer and every number, from three blocks and an empty one."""
    monkeypatch.setattr(exact, "_SHORT", SORTED)
    ask = ANALYSES[analysis]
    assert ask(dataset, **READING) == ask(table, **READING)


def test_files_are_read_by_the_workers(
    table: pa.Table, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing is printed; a dataset that is drawn anew each time is drawn once."""
    import ray.data  # noqa: PLC0415

    for number in range(3):
        pq.write_table(table.slice(number * 12_500, 12_500), tmp_path / f"{number}.parquet")

    def drawn(block: pa.Table) -> pa.Table:
        noise = np.random.default_rng().normal(size=block.num_rows)
        return block.append_column("noise", pa.array(noise))

    files = ray.data.read_parquet(str(tmp_path))
    capfd.readouterr()
    found = condped.importance(files, **READING)
    assert repr(found.parameters) == repr(condped.importance(table, **READING).parameters)
    assert capfd.readouterr() == ("", "")
    noisy = files.map_batches(drawn, batch_format="pyarrow")
    assert condped.importance(noisy, **{**READING, "objective": "noise"}).target_size


def test_a_value_that_does_not_fit_is_named() -> None:
    """With the text that memory has, but for the number of a row, which rows do not have here."""
    check_value_outside(put)


def test_datasets_that_cannot_be_counted_are_refused() -> None:
    """Without rows, without a space, without numbers for intervals."""
    assert "no rows" in str(failed(put(FEW.slice(0, 0))))
    with pytest.raises(SettingsError, match="A space is needed"):
        condped.importance(put(FEW), objective=LOSS)
    with pytest.raises(SettingsError, match=r"these rows have none.*source: Ray Data"):
        condped.importance(put(FEW), intervals="jackknife", **READING)
    whole = condped.importance(put(FEW), engine="memory", objective=LOSS)
    assert whole.account.space_inferred


def test_a_lost_worker_ends_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker raises is raised here; one that is killed is told of after another try."""
    from condped.read.databases.clusters import ray_data  # noqa: PLC0415

    monkeypatch.setattr(ray_data, "_RETRIES", 1)
    check_lost_worker(put, "Ray Data failed while counting: The worker died")


def test_a_bad_file_in_the_middle_ends_in_one_line(tmp_path: Path) -> None:
    """The error is one of ours."""
    import ray.data  # noqa: PLC0415

    write_with_a_bad_file(tmp_path)
    assert "Ray Data failed" in str(failed(ray.data.read_parquet(str(tmp_path)), **UNLIKE))


_LACKING = """
import sys
import condped, ray
from tests.read.databases.cluster_trials import FEW, READING
from tests.servers.ray import put

_, address, python = sys.argv

def connect(**sent):
    environment = {"py_executable": python, **sent}
    ray.init(address, runtime_env=environment, log_to_driver=False, logging_level="CRITICAL")

connect()
try:
    condped.importance(put(FEW), **READING)
except condped.errors.SettingsError as error:
    print(error)
ray.shutdown()
connect(py_modules=[condped])
found = condped.importance(put(FEW), **READING)
print(repr(found.parameters) == repr(condped.importance(FEW, **READING).parameters))
"""


def test_workers_without_condped_are_told_how_to_get_it(ray_workers: Any, tmp_path: Path) -> None:
    """Workers of another Python lack it; with the package sent along they count."""
    address = ray_workers.get_runtime_context().gcs_address
    done = subprocess.run(
        [sys.executable, "-c", _LACKING, address, str(python_without_condped(tmp_path))],
        env={**os.environ, "PYTHONPATH": PATHS},
        capture_output=True,
        text=True,
        check=False,
    )
    told, same = done.stdout.splitlines()
    assert told.startswith("The workers of Ray Data do not have this version of condped")
    assert "py_modules" in told
    assert same == "True"
