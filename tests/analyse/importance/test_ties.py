"""Ties: a target set that the objective makes larger than requested is said to be so."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.importance.ties import Tie, value_text
from tests.data import WINE, WINE_OPTIONS, wine

SAID = "91 of 139 trials share the best value 0.99; this objective cannot separate them further"
SHARES = "(asked for 10 %, used 65.5 %)"


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def of(losses: Any, **options: Any) -> condped.ImportanceResult:
    """Return the importances of one parameter for some objectives."""
    rng = np.random.default_rng(0)
    return condped.importance(
        {"x": rng.random(len(losses)), "y": rng.random(len(losses)), "loss": losses},
        objective="loss", **options,
    )  # fmt: skip


def outputs() -> dict[str, str]:
    """Return what people read of the study of classifiers."""
    table = wine()
    result = condped.importance(table)
    return {
        "importance": str(result),
        "narrow": result.to_text(60),
        "calibrated": str(condped.importance(table, method="calibrated")),
        "branches": str(condped.branches(table)),
        "advice": str(condped.advise(table)),
        "robustness": str(result.robustness()),
        "comparison": str(condped.compare(table, methods=["paper", "ped-anova"])),
        "baseline": str(condped.baselines.importance(table, method="ped-anova")),
        "report": str(condped.report(table)),
    }


def test_every_text_says_it_first() -> None:
    """Before the question and before any number of the result."""
    found = outputs()
    for name, text in found.items():
        assert flat(text).startswith(f"{SAID} {SHARES}. "), name
    assert "reaching the best 65.5 % of 139 trials" in flat(found["importance"])
    assert "91 in the target set (14 without ties)" in flat(found["importance"])


def test_the_numbers_are_those_of_the_trials() -> None:
    """Counted from the file's own column."""
    tie = condped.importance(wine()).tie
    values = wine().objectives[0].values[wine().states == 0]
    best = int((values == values.max()).sum())
    assert tie == Tie(0.1, 14, best, len(values), "best", best, best, 0.99)
    assert tie.same == (0.0, best / len(values))


def test_a_sweep_says_where_nothing_changes() -> None:
    """The ranges are those in which the sets are identical, and the numbers, too."""
    curve = condped.sweep(wine())
    told = [(one.first, one.last, one.tie.kind, one.tie.value) for one in curve.flat]
    assert told == [(0.01, 0.65, "best", 0.99), (0.66, 0.96, "cut-off", 0.98)]
    for one in curve.flat:
        inside = (curve.target_quantiles >= one.first) & (curve.target_quantiles <= one.last)
        assert set(curve.target_sizes[inside]) == {one.tie.size}
        assert one.tie.size not in curve.target_sizes[~inside]
        assert (curve.importance[inside] == curve.importance[inside][0]).all()
        low, high = one.tie.same or (0.0, 0.0)
        assert low < one.first <= one.last <= high
    text = flat(str(curve))
    assert text.startswith(
        "This objective cannot separate all trials. 91 of 139 trials share the best value 0.99: "
        "from γ' = 0.01 to 0.65 the target set is the same 91 trials. 43 of 139 trials share the "
        "value 0.98 at the cut-off: from γ' = 0.66 to 0.96 the target set is the same 134 trials."
    )
    assert "γ' used" in text


def test_rows_and_plain_data_have_it() -> None:
    """A note in every row, a field with all numbers in plain data."""
    result, curve = condped.importance(wine()), condped.sweep(wine(), target_quantiles=[0.1, 0.99])
    assert {row["note"] for row in result.rows()} == {f"{SAID} {SHARES}."}
    data = result.to_data()
    assert (data["tie"]["tied"], data["tie"]["asked"], data["tie"]["notable"]) == (91, 14, True)
    assert data["tie"]["message"] == f"{SAID} {SHARES}."
    assert data["tie"]["used_share"] == pytest.approx(91 / 139)
    by_quantile = {(row["target_quantile"], row["note"]) for row in curve.rows()}
    assert by_quantile == {(0.1, f"{SAID} {SHARES}."), (0.99, None)}
    assert curve.to_data()["ties"][0]["size"] == 91
    for found in (condped.branches(wine()), condped.advise(wine())):
        assert found.to_data()["tie"]["tied"] == 91


def test_saved_loaded_and_pickled_results_still_say_it(tmp_path: Path) -> None:
    """All that is said of ties and gates survives."""
    for result in (condped.importance(wine()), condped.sweep(wine()), condped.branches(wine())):
        path = tmp_path / "result.json"
        result.save(path)
        assert str(condped.load(path)) == str(result)
        assert str(pickle.loads(pickle.dumps(result))) == str(result)


@pytest.mark.parametrize("quantile", [0.1, 0.7, 0.98])
def test_rows_in_batches_say_the_same(quantile: float) -> None:
    """Ties at the best value and further down, and a small one, as in memory."""
    options = {"target_quantile": quantile, **WINE_OPTIONS}
    counted = condped.importance(WINE, engine="stream", **options)
    assert counted.tie == condped.importance(WINE, **options).tie
    assert counted.tie is not None
    assert counted.tie.kind == ("best" if quantile == 0.1 else "cut-off")


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_ties_below_the_best_name_the_value_of_the_study(direction: str) -> None:
    """Not the negated one that is ranked by."""
    sign = 1 if direction == "minimize" else -1
    losses = sign * np.r_[np.arange(5.0), np.full(31, 9.1), 20 + np.arange(64.0)]
    result = of(losses, direction=direction)
    assert result.tie is not None
    assert (result.tie.kind, result.tie.tied, result.tie.size) == ("cut-off", 31, 36)
    assert str(result).startswith(
        f"31 of 100 trials share the value {sign * 9.1} at the cut-off; this objective cannot"
    )
    assert result.tie.same == (0.05, 0.36)


def test_a_small_excess_is_a_remark_in_the_account() -> None:
    """Eleven trials instead of ten are no headline."""
    result = of(np.r_[np.arange(9.0), 9, 9, 20 + np.arange(89.0)])
    assert result.tie is not None
    assert not result.tie.notable
    assert str(result).startswith("What mattered for reaching the best 10 % of 100 trials")
    assert "11 in the target set (10 without ties)." in flat(str(result))
    assert {row["note"] for row in result.rows()} == {None}


def test_nothing_is_said_without_ties() -> None:
    """Nor where they lie inside the target set or outside of it."""
    inside, outside = np.r_[np.zeros(10), 1:91], np.r_[0:10, np.full(90, 50)]
    for losses in (np.arange(100.0), inside, outside.astype(float)):
        result = of(losses)
        assert result.tie is None
        assert "ties" not in str(result)


def test_equal_objectives_are_said_once_to_be_all_equal() -> None:
    """All trials share the value, and nothing can be told."""
    result = of(np.full(40, -0.0), direction="maximize")
    assert flat(str(result)).startswith("All 40 trials share the best value 0; this objective")
    assert result.status == "undetermined"


def test_trials_that_count_as_worst_are_named_as_such() -> None:
    """They have no value to name."""
    losses = np.r_[np.arange(30.0), np.full(70, np.nan)]
    result = of(losses, nonfinite="worst", target_quantile=0.4)
    assert result.tie is not None
    assert (result.tie.kind, result.tie.tied, result.tie.value) == ("worst", 70, None)
    assert str(result).startswith("70 of 100 trials count as worst; nothing separates them")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.97, "0.97"), (1 / 3, "0.333333"), (-1234567.0, "-1234567"), (1e300, "1e+300"),
        (999999999999999.0, "999999999999999"), (2.0**60, "1.15292e+18"), (5e-324, "4.94066e-324"),
        (-0.0, "0"), (None, "?"),
    ],
)  # fmt: skip
def test_values_of_any_size_are_written_shortly(value: float | None, shown: str) -> None:
    """Whole numbers with all digits that are known, others with six."""
    assert value_text(value) == shown


@pytest.mark.parametrize("low", [-1.7976931348623157e308, -(2.0**60), 0.0, 5e-324, 1e300])
def test_extreme_values_are_counted(low: float) -> None:
    """Also the smallest and the largest number that there is, and integers beyond 2^53."""
    losses = np.r_[np.full(20, low), np.full(80, 1.7e308)]
    tie = of(losses).tie
    assert tie is not None
    assert (tie.kind, tie.tied, tie.value) == ("best", 20, low)
    above = of(np.r_[[-1.79e308], losses]).tie if low > -1e308 else tie
    assert above is not None
    assert above.tied == 20


def test_trials_with_the_same_objectives_are_not_all_taken() -> None:
    """With several objectives the sets are as large as requested, and this is what is said."""
    rng = np.random.default_rng(0)
    first = np.r_[np.zeros(40), 1 + rng.random(60)]
    table = {"x": rng.random(100), "y": rng.random(100), "a": first, "b": first}
    result = condped.importance(table, objective=["a", "b"])
    assert result.target_size == 10
    assert result.tie is not None
    assert (result.tie.kind, result.tie.tied, result.tie.inside) == ("objectives", 40, 10)
    assert flat(str(result)).startswith(
        "40 of 100 trials share all objectives with another one at the cut-off; the objectives "
        "cannot separate them, and the first 10 count. What mattered for reaching the best 10 %"
    )


def test_several_objectives_without_repeats_have_no_ties() -> None:
    """Trials of one front are ordered by hypervolume."""
    rng = np.random.default_rng(0)
    table = {"x": rng.random(100), "a": rng.random(100)}
    result = condped.importance(table | {"b": 1 - table["a"]}, objective=["a", "b"])
    assert (result.tie, result.target_size) == (None, 10)


def test_an_outcome_has_no_ties() -> None:
    """The target set is the trials that had it."""
    table = wine()
    assert condped.importance(table, target="pruned").tie is None


def test_target_sets_that_ties_make_the_same_show_no_stability() -> None:
    """Other target quantiles inside the range say nothing."""
    found = condped.importance(wine()).robustness()
    assert [v.same_set for v in found.variants if v.choice.startswith("best")] == [True] * 3
    assert "same: ties make it the same target set" in str(found)
