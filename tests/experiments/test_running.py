"""Runs: resumable, atomic, parallel, and clear about what failed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from condped.errors import DataError
from experiments import store as store_module
from experiments.running import RunError, run
from experiments.store import Store, write_whole
from tests.experiments.fakes import experiment


def computed(log: Path) -> list[int]:
    """Return the seeds that were computed, in order of time."""
    return [int(line) for line in log.read_text().split()] if log.exists() else []


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of computed seeds."""
    return tmp_path / "log.txt"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "out", quick=False)


def test_a_second_run_computes_nothing(store: Store, log: Path) -> None:
    """All seeds are there, and so are the pictures."""
    fake, said = experiment(log=log), list[str]()
    (first,) = run([fake], store, workers=1)
    (second,) = run([fake], store, workers=1, say=said.append)
    assert (first.computed, second.computed) == (4, 0)
    assert computed(log) == [1, 2, 3, 4]
    assert said == ["fake: up to date."]
    assert first.files == second.files == (store.of("fake") / "table.csv",)


def test_a_killed_run_goes_on_with_what_is_missing(store: Store, log: Path) -> None:
    """Only the seed whose file is gone is computed, half-written files vanish, all is drawn."""
    fake = experiment(log=log)
    run([fake], store, workers=1)
    store.seed_file("fake", 3).unlink()
    half = store.of("fake") / ".seed-3.parquet.part-123"
    half.write_bytes(b"PAR1")
    (store.of("fake") / "table.csv").unlink()
    run([fake], store, workers=1)
    assert computed(log) == [1, 2, 3, 4, 3]
    assert not half.exists()
    assert (store.of("fake") / "table.csv").read_text().split() == ["1", "2", "3", "4"]


def test_a_lost_picture_is_drawn_again_without_computing(store: Store, log: Path) -> None:
    """The data suffice."""
    fake = experiment(log=log)
    run([fake], store, workers=1)
    (store.of("fake") / "table.csv").unlink()
    (outcome,) = run([fake], store, workers=1)
    assert outcome.files[0].exists()
    assert len(computed(log)) == 4


def test_parallel_rows_equal_those_of_one_process(tmp_path: Path) -> None:
    """The number of workers changes nothing."""
    fakes = [experiment("one"), experiment("two", seeds=(5, 6))]
    alone, together = Store(tmp_path / "a", False), Store(tmp_path / "b", False)
    run(fakes, alone, workers=1)
    run(fakes, together, workers=2)
    for fake in fakes:
        assert alone.rows(fake.name) == together.rows(fake.name)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_seed_is_named_and_leaves_nothing(store: Store, workers: int) -> None:
    """The others are written, and the next run computes the failed seed alone."""
    with pytest.raises(RunError, match=r"fake, seed 2: RuntimeError: no luck"):
        run([experiment(broken=(2,)), experiment("good")], store, workers=workers)
    assert sorted(path.name for path in store.of("fake").iterdir()) == [
        "seed-1.parquet",
        "seed-3.parquet",
        "seed-4.parquet",
        "settings.json",
    ]
    assert (store.of("good") / "table.csv").exists()
    (outcome,) = run([experiment()], store, workers=1)
    assert outcome.computed == 1


def test_other_settings_are_computed_anew(store: Store, log: Path) -> None:
    """Rows of two settings never mix."""
    run([experiment(log=log, settings={"trials": 10})], store, workers=1)
    said: list[str] = []
    changed = experiment(log=log, settings={"trials": 20})
    (outcome,) = run([changed], store, workers=1, say=said.append)
    assert outcome.computed == 4
    assert "other settings" in said[0]


def test_quick_runs_have_a_folder_and_seeds_of_their_own(tmp_path: Path) -> None:
    """Three seeds, beside the full run."""
    quick, full = Store(tmp_path, True), Store(tmp_path, False)
    run([experiment()], quick, workers=1)
    assert [row["seed"] for row in quick.rows("fake")] == [1, 2, 3]
    assert all(row["quick"] for row in quick.rows("fake"))
    with pytest.raises(DataError, match="python -m experiments run fake"):
        full.rows("fake")


def test_settings_say_what_the_numbers_depend_on(store: Store) -> None:
    """Seeds, parameters and versions are written beside the data."""
    run([experiment(settings={"trials": 10})], store, workers=1)
    found = json.loads((store.of("fake") / "settings.json").read_text(encoding="utf-8"))
    assert found["seeds"] == [1, 2, 3, 4]
    assert found["parameters"] == {"trials": 10}
    assert {"python", "condped", "numpy", "optuna", "scikit-learn", "shap"} <= set(
        found["versions"]
    )


def test_rows_keep_their_types_and_their_time(store: Store) -> None:
    """A float, a truth value and a missing value come back as they were."""
    run([experiment(seeds=(1,))], store, workers=1)
    assert store.rows("fake") == [{"seed": 1, "quick": False, "value": 1 / 3, "nothing": None}]
    metadata = pq.read_schema(store.seed_file("fake", 1)).metadata
    assert float(metadata[b"seconds"]) >= 0


def test_versions_of_the_run_are_kept_and_differences_said(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is computed anew by itself; files that do not tell take those of the settings."""
    run([experiment()], store, workers=1)
    (before,) = store.versions("fake")
    assert before == store_module.versions()
    later = before | {"numpy": "99.0"}
    monkeypatch.setattr("experiments.running.versions", lambda: later)
    said: list[str] = []
    (outcome,) = run([experiment()], store, workers=1, say=said.append)
    assert outcome.computed == 0
    assert f"computed with numpy {before['numpy']} (now 99.0); --again" in said[0]
    file = store.seed_file("fake", 1)
    pq.write_table(pq.read_table(file).replace_schema_metadata({"seconds": "1"}), file)
    assert store.versions("fake") == [before]


@pytest.mark.parametrize("name", ["settings.json", "report.json", "seed-1.parquet"])
def test_a_broken_file_is_named(store: Store, name: str) -> None:
    """A sentence, not a traceback of the parser."""
    run([experiment()], store, workers=1)
    (store.of("fake") / name).write_text("{not json")
    with pytest.raises((DataError, RunError), match=name):
        run([experiment()], store, workers=1)


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    """What was there before stays if writing fails half-way."""
    path = tmp_path / "file.txt"
    path.write_text("before")

    def fail(part: Path) -> None:
        part.write_text("hal")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
