"""Means, standard errors and correlations over seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy import stats

import condped
from experiments.registry import Row
from experiments.yahpo import learners, summary
from experiments.yahpo.folder import VARIABLE, read_folder
from tests.experiments.yahpo_sets import LEARNERS, write_sets


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the experiments find."""
    folder = write_sets(tmp_path / "sets")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def test_correlations_are_scipy_s() -> None:
    """Pearson's and Spearman's, ties included; undefined where nothing varies."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 4, 7).tolist(), rng.normal(size=7).tolist()
        assert summary.pearson(one, other) == pytest.approx(stats.pearsonr(one, other)[0])
        assert summary.spearman(one, other) == pytest.approx(stats.spearmanr(one, other)[0])
    assert summary.pearson([1, 1, 1], [1, 2, 3]) is None


def test_seeds_are_brought_together_both_ways() -> None:
    """By hand: one seed correlates perfectly, one perfectly the other way, one not at all."""
    importances = {42: [0.0, 0.2, 0.4], 43: [0.4, 0.2, 0.0], 44: [0.1, 0.1, 0.1]}
    rows: list[Row] = [
        {"seed": seed, "learner": str(place), "objective": float(place), "importance": value}
        for seed, values in importances.items()
        for place, value in enumerate(values)
    ]
    found = summary.correlation(rows)
    assert (found.seeds, found.undetermined) == (3, 1)
    assert found.mean == pytest.approx(0.0)
    assert found.error == pytest.approx(1 / 2**0.5)  # variance 1, divided by n = 2
    flat = summary.correlation(rows[6:])
    assert flat.mean is flat.error is flat.of_means is None
    tilted = summary.correlation([*rows[:3], *rows[6:]])
    assert tilted.of_means == pytest.approx(1.0)


def test_a_lead_is_measured_seed_by_seed() -> None:
    """By hand: ahead by 2 on one seed and by 0 on the other, of the better of two baselines."""
    rows: list[Row] = []
    for method, by_seed in {
        "paper": ([1, 2, 3], [1, 2, 3]),
        "mdi/filtering": ([3, 2, 1], [1, 2, 3]),
        "mdi/imputation": ([3, 2, 1], [3, 2, 1]),
    }.items():
        for seed, values in enumerate(by_seed):
            for place, value in enumerate(values):
                rows.append(
                    {"instance": "1", "method": method, "seed": seed, "learner": str(place),
                     "objective": float(place), "importance": float(value)}
                )  # fmt: skip
    (lead,) = summary.leads(rows, "paper").values()
    assert lead.rival == "mdi/filtering"
    assert lead.value == pytest.approx(1)
    assert lead.error == pytest.approx(1 / 2**0.5)
    assert lead.state == "tie"


@pytest.mark.parametrize(
    ("value", "error", "state"),
    [
        (0.02, 0.009, "ahead"),
        (0.08, 0.06, "tie"),
        (0.004, 0.001, "tie"),  # printed as +0.00
        (-0.22, 0.09, "behind"),
    ],
)
def test_a_lead_within_chance_or_rounding_is_a_tie(value: float, error: float, state: str) -> None:
    """Two standard errors, and something left of it with two digits."""
    assert summary.Lead("mdi/filtering", value, error).state == state


def test_objectives_per_learner_are_those_of_the_file(sets: Path) -> None:
    """The oracle is a group-by of pandas."""
    rows = [r for s in (42, 43, 44) for r in learners.objectives(s, False, family="rbv2")]
    found = summary.objectives(rows)["1457"]
    frame = pq.read_table(sets / "rbv2_test_1457.parquet").to_pandas()
    each = frame.groupby(["learner_id", "seed"], observed=True)["acc"].agg(["min", "mean", "max"])
    for learner in LEARNERS:
        for number, column in (("low", "min"), ("mean", "mean"), ("high", "max")):
            values = each.loc[learner][column]
            assert found[learner][number].value == pytest.approx(values.mean())
            expected = values.std(ddof=0) / 3**0.5
            assert found[learner][number].error == pytest.approx(expected)
    highest = [numbers["high"].value for numbers in found.values()]
    assert highest == sorted(highest, reverse=True)


def test_each_learner_gets_the_highest_importance_of_its_own(sets: Path) -> None:
    """Seeds are matched by position; the importances are asked for a second time, directly."""
    own = learners.side_by_side(43, True, family="rbv2", methods=("paper", "ped-anova/imputation"))
    table = read_folder(sets)["rbv2"]["1053"].trials(1)
    expected = condped.importance(table, target_quantile=0.1, sampling="random").to_dict()
    shown = [row for row in own if row["instance"] == "1053" and row["method"] == "paper"]
    assert {row["learner"] for row in shown} == set(LEARNERS)
    for row in shown:
        assert row["data_seed"] == 1
        names = LEARNERS[row["learner"]]
        assert row["importance"] == max(expected[name] for name in names)
        assert row["parameter"] in names
    best = {row["learner"]: row["importance"] for row in shown}
    assert max(best, key=lambda name: best[name]) == "svm"


def test_a_quick_run_leaves_shap_out_and_a_full_run_has_every_method(sets: Path) -> None:
    """The tables name what is not there."""
    quick = learners.side_by_side(42, True, family="iaml")
    assert {row["method"] for row in quick} == set(learners.METHODS) - {
        "shap/filtering",
        "shap/imputation",
    }
    assert sets.is_dir()


def test_seeds_that_the_data_have_not_are_refused(sets: Path) -> None:
    """Three seeds in the data serve 42 to 44 only."""
    assert sets.is_dir()
    with pytest.raises(condped.errors.DataError, match="no evaluations of rbv2"):
        learners.importances(45, False, family="rbv2")
    rows = learners.importances(44, False, family="rbv2", only=("1053",))
    assert {row["instance"] for row in rows} == {"1053"}
    shares = [row["importance"] for row in rows if row["method"] == "paper"]
    assert sum(shares) == pytest.approx(1)
