"""Optuna's storages on the command line, and the list of what can be read."""

from __future__ import annotations

import json
from pathlib import Path

import optuna

import condped
from condped.read.registry import readers
from tests.cli.test_commands import condped_command


def test_a_study_in_sqlite_is_analysed_by_its_url(tmp_path: Path) -> None:
    """URL and study name on the command line give what Python gives."""
    url = f"sqlite:///{tmp_path}/study.db"
    problem = condped.problems.get("three-way")
    for name in ("one", "two"):
        optuna.create_study(
            storage=url, study_name=name, sampler=optuna.samplers.RandomSampler(seed=0)
        ).optimize(problem.objective, n_trials=40)
    done = condped_command("importance", url, "--study", "two", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    expected = condped.importance(optuna.load_study(study_name="two", storage=url)).to_dict()
    assert {p["parameter"]: p["importance"] for p in data["parameters"]} == expected
    without = condped_command("importance", url)
    assert without.returncode == 2
    assert "name one with study= ('one', 'two')" in without.stderr


def test_sources_lists_every_reader() -> None:
    """Name, description and the extra that is needed."""
    done = condped_command("sources")
    assert done.returncode == 0
    for reader in readers():
        assert f"{reader.name} " in done.stdout
        assert reader.description in done.stdout
    assert "condped[parquet]" in done.stdout
