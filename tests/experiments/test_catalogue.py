"""The catalogue holds every figure, and the command line finds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.catalogue import all_experiments
from experiments.cli import main


def test_every_synthetic_figure_has_an_experiment() -> None:
    """Figures 1–4 and 6–14 by number, with the seeds of the reference."""
    found = {one.place: one for one in all_experiments()}
    for number in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14):
        experiment = found[f"Figure {number}"]
        assert experiment.name == f"figure-{number}"
        seeds = experiment.seeds
        assert seeds == tuple(range(42, 42 + len(seeds)))
        assert len(seeds) == 10 or number == 6


def test_names_are_unique_and_in_the_papers_order() -> None:
    """Figure 2 stands before Figure 10."""
    names = [one.name for one in all_experiments()]
    assert len(set(names)) == len(names)
    assert names.index("figure-2") < names.index("figure-10")


def test_list_shows_name_place_and_description() -> None:
    """One line each."""
    done = CliRunner().invoke(main, ["list"])
    assert done.exit_code == 0
    assert "figure-13    Figure 13    condPED-ANOVA where gates are nested" in done.stdout
    assert len(done.stdout.splitlines()) == len(all_experiments())


def test_an_unknown_name_is_answered_with_a_near_one(tmp_path: Path) -> None:
    """Exit code 2, and nothing is run."""
    done = CliRunner().invoke(main, ["run", "figure-1", "figur-12", "--output", str(tmp_path)])
    assert done.exit_code == 2
    assert "There is no experiment 'figur-12'" in done.output
    assert "Did you mean 'figure-12'?" in done.output
    assert not list(tmp_path.iterdir())


def test_run_needs_a_name() -> None:
    """Exit code 2 with the usage."""
    assert CliRunner().invoke(main, ["run"]).exit_code == 2


@pytest.mark.parametrize("name", ["figure-14"])
def test_a_figure_runs_from_the_command_line(tmp_path: Path, name: str) -> None:
    """Data, settings, pictures and the distance from the truth; again, nothing is done."""
    words = ["run", name, "--quick", "--workers", "1", "--output", str(tmp_path)]
    first, second = (CliRunner().invoke(main, words) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    folder = tmp_path / "quick" / name
    found = {path.name for path in folder.iterdir()}
    assert {f"{name}.png", f"{name}.svg", f"{name}.csv", "errors.csv", "settings.json"} <= found
    assert {f"seed-{seed}.parquet" for seed in (42, 43, 44)} <= found
    assert "mean |estimate − truth|: three-way branching 0.0" in first.stdout
    assert f"{name}: up to date." in second.stdout
    assert "Everything is up to date." in second.stdout
