"""The page on several studies says what was measured, and the benchmark counts rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import benchmarks.across as benchmark
import condped
from benchmarks.across_families import FAMILIES, MIDDLE, TWINS, WINNERS, Family
from benchmarks.across_page import named, page, plain_numbers, summaries, winners

ROOT = Path(__file__).parents[1]


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    measured = json.loads((ROOT / "benchmarks" / "across.json").read_text(encoding="utf-8"))
    assert page(measured) == (ROOT / "docs" / "trust" / "across.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("member", [MIDDLE, "odd"])
def test_exact_shares_are_those_of_many_trials(family: Family, member: Any) -> None:
    """By the calibrated estimator with 20,000 trials, for every member that is used."""
    table = family.sample(member, 20_000, seed=0)
    found = condped.importance(table, method="calibrated", sampling="random")
    truth = family.explained(member)
    for parameter in found:
        assert parameter.eta_squared == pytest.approx(truth[parameter.name], abs=0.05)


def test_other_units_change_no_effect() -> None:
    """All numbers have other domains, and the same importances."""
    family = FAMILIES[2]
    plain, wide = (family.sample(MIDDLE, 300, 0, wide=wide) for wide in (False, True))
    one, other = (condped.importance(table, sampling="random") for table in (plain, wide))
    for name, importance in one.to_dict().items():
        assert other[name].importance == pytest.approx(importance, abs=1e-9)
    labels = [[r.label for r in found["rate"].regimes] for found in (one, other)]
    assert labels[0] != labels[1]


def test_objectives_are_the_problems_that_are_sampled() -> None:
    """Random trials by Optuna have the same quantiles."""
    for family in FAMILIES:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        study.optimize(family.objective(MIDDLE, seed=0), n_trials=600)
        losses = family.sample(MIDDLE, 5_000, seed=0).objectives[0].values
        wanted = np.quantile(losses, [0.1, 0.5, 0.9])
        found = np.quantile([trial.value for trial in study.trials], [0.1, 0.5, 0.9])
        np.testing.assert_allclose(found, wanted, atol=0.1 * np.ptp(losses))


def test_pairs_are_compared_as_difference_does() -> None:
    """The same parameters are named from plain numbers."""
    family = FAMILIES[1]
    pair = [family.sample(MIDDLE, 300, 3), family.sample("odd", 300, 4)]
    rows = [plain_numbers(benchmark.numbers(table, sampling="random")) for table in pair]
    found = condped.difference(*pair, sampling="random")
    assert sorted(named(*rows)) == sorted(one.name for one in found.changed)


@pytest.mark.parametrize(("family", "other"), [(FAMILIES[0], True), (FAMILIES[2], False)])
def test_winners_are_compared_as_difference_does(family: Family, other: bool) -> None:
    """The same branches from plain numbers, written down and read again."""
    pair = [family.sample(MIDDLE, 300, 3), family.sample("odd", 300, 4)]
    rows = [plain_numbers(benchmark.numbers(table, sampling="random")) for table in pair]
    found = condped.difference(*pair, sampling="random")
    assert bool(found.branches_changed) == other
    assert len(winners(*json.loads(json.dumps(rows)))) == len(found.branches_changed)


@pytest.mark.parametrize(
    ("family", "member", "share"),
    [(WINNERS, MIDDLE, (0.8, 1.0)), (WINNERS, "odd", (0.0, 0.2)), (TWINS, MIDDLE, (0.47, 0.53))],
    ids=lambda given: given.name if isinstance(given, Family) else None,
)
def test_the_branch_that_should_win_has_most_target_trials(
    family: Family, member: Any, share: tuple[float, float]
) -> None:
    """Of 40,000 random trials, half of which are of the first model."""
    table = family.sample(member, 40_000, seed=0)
    losses = table.objectives[0].values
    first = next(one for one in table.parameters if one.name == "model").values == 0
    part = first[losses <= np.quantile(losses, 0.1)].mean()
    assert share[0] <= part <= share[1]


def test_a_small_block_has_every_kind_of_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coverage and rates are shares; what has no draws has none."""
    for name, value in (
        ("BLOCK", 8), ("CALIBRATED", 3), ("SIZES", 2), ("ODD_ONES", 1), ("STUDIES", (3, 10)),
    ):  # fmt: skip
        monkeypatch.setattr(benchmark, name, value)
    told = summaries(list(benchmark.measure_families(FAMILIES[1], 100, 0)))
    cells = {(row["method"], row["kind"], row["studies"]): row for row in told["pooled"]}
    assert cells["paper", "alike", 3]["draws"] == 2
    assert 0 <= cells["paper", "alike", 3]["coverage"] <= 1
    assert cells["paper", "alike", 10]["coverage"] is None
    assert {row["kind"] for row in told["odd"]} == {"odd, others alike", "odd, others smooth"}
    assert sum(row["pairs"] for row in told["random pairs"]) == 5
