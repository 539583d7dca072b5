"""Two studies: what changed, whether they can be compared, false alarms and power."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import DataError, SettingsError
from tests.analyse.across.test_statistics import shifted
from tests.analyse.across.test_winning_branches import tpe


def frame(seed: int, *, slope: float = 1.0, trials: int = 200, **extra: Any) -> dict[str, Any]:
    """Return columns in which x counts for as much as its slope says."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, trials))
    return {"x": x, "y": y, "loss": slope * x + y, **extra}


def difference(a: Any, b: Any, **options: Any) -> condped.Difference:
    """Compare columns that were drawn at random."""
    return condped.difference(a, b, objective="loss", sampling="random", **options)


def test_what_matters_more_and_less_is_named_with_a_sentence() -> None:
    """Of x, y and z, x decides before and z after; y stays."""
    found = difference(shifted(0, False), shifted(1, True))
    verdicts = {one.name: one.verdict for one in found}
    assert verdicts == {"x": "less", "z": "more", "y": "no evidence"}
    assert {one.name for one in found.changed} == {"x", "z"}
    assert found["z"].sentence.startswith("z matters more than before: it explains")
    assert "no evidence of a change" in found["y"].sentence
    text = str(found)
    assert "z matters more; x matters less than before" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_difference_is_that_of_what_across_shows() -> None:
    """Importances are those of importance, what is explained that of across."""
    before, after = frame(0), frame(1, slope=3.0)
    found = difference(before, after)
    both = condped.across({"a": before, "b": after}, objective="loss", sampling="random")
    for one in found:
        cells = [both.cell(one.name, name) for name in "ab"]
        assert [one.before, one.after] == [cell.importance for cell in cells if cell]
        shares = [cell.explained for cell in cells if cell]
        assert [one.explained_before, one.explained_after] == shares
        assert one.difference == pytest.approx((shares[1] or 0) - (shares[0] or 0))
        low, middle, high = (number or 0.0 for number in (one.low, one.difference, one.high))
        assert low < middle < high
        # By the normal distribution: the interval's reach gives the p-value back.
        z = middle / ((high - low) / 2 / 1.6448536)
        assert one.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-4)


def test_a_study_and_itself_do_not_differ() -> None:
    """Every p-value is 1."""
    found = difference(frame(0), frame(0))
    assert [one.p_value for one in found] == [1.0, 1.0]
    assert found.changed == ()


def test_false_alarms_are_rare_among_random_runs_and_real_changes_are_found() -> None:
    """Of 60 pairs each: at most 5 % and three of them by chance, and most."""
    alarms = sum(bool(difference(frame(2 * k), frame(2 * k + 1)).changed) for k in range(60))
    assert alarms <= 6
    hits = sum(
        "x" in {one.name for one in difference(frame(k), frame(500 + k, slope=0.1)).changed}
        for k in range(20)
    )
    assert hits >= 14


def test_two_runs_of_tpe_are_compared_with_larger_errors() -> None:
    """No alarm for two runs of one problem, and it is said that neither was drawn at random."""
    problem = condped.problems.get("activation-disjoint")
    runs = []
    for sampler in (
        optuna.samplers.TPESampler(seed=0), optuna.samplers.TPESampler(seed=1),
        optuna.samplers.RandomSampler(seed=0),
    ):  # fmt: skip
        study = optuna.create_study(sampler=sampler)
        study.optimize(problem.objective, n_trials=60)
        runs.append(study)
    found = condped.difference(*runs[:2])
    assert [study.name for study in found.studies] == ["before", "after"]
    assert found.changed == ()
    assert any("Neither study was drawn at random" in note for note in found.comparable)
    mixed = condped.difference(*runs[1:])
    assert {one.verdict for one in mixed} == {"not testable"}
    assert any("One study was drawn without regard" in note for note in mixed.comparable)
    every = condped.across({"tpe 0": runs[0], "tpe 1": runs[1], "random": runs[2]})
    assert max(one.compared for one in every) == 2
    assert any("drawn at random: random." in note for note in every.notes)


def test_what_limits_the_comparison_is_said() -> None:
    """Other parameters, domains, sizes; those of one study are listed."""
    before = frame(0, trials=100, old=np.linspace(0, 1, 100))
    after = frame(1, trials=300, new=np.linspace(0, 1, 300))
    domains = {"x": condped.Float(0, 1), "y": condped.Float(0, 1)}
    wider = domains | {"x": condped.Float(0, 2), "new": condped.Float(0, 1)}
    found = condped.difference(
        condped.read(before, objective="loss", space=domains | {"old": condped.Float(0, 1)}),
        condped.read(after, objective="loss", space=wider),
        sampling="random",
    )
    assert (found.only_before, found.only_after) == (("old",), ("new",))
    notes = "\n".join(found.comparable)
    assert "Only before has old." in notes
    assert "Only after has new." in notes
    assert "x has different domains: [0, 1] in before, [0, 2] in after." in notes
    assert "after has 300 trials, before 100" in notes
    assert "its target set is the best of its own trials" in notes
    assert found.target_shares == pytest.approx((0.1, 0.1))


def test_the_order_of_domains_does_not_make_them_differ() -> None:
    """Of a parameter with a domain in each branch, whichever branch was tried first."""

    def study(first: str, seed: int) -> optuna.Study:
        def objective(trial: optuna.Trial) -> float:
            deep = trial.suggest_categorical("model", ["deep", "flat"]) == "deep"
            return trial.suggest_float("x", *((-5, -1) if deep else (-3, 0)))

        made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        made.enqueue_trial({"model": first})
        made.optimize(objective, n_trials=40)
        return made

    pair = study("deep", 0), study("flat", 1)
    assert "other domains" not in " ".join(condped.difference(*pair).comparable)
    both = condped.across(pair)
    assert not any("Domains differ" in note for note in both.notes)
    assert both["x"].domains == ()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_common_cutoff_is_a_quantile_of_all_trials(sign: int) -> None:
    """Each study has the share that reaches it, whatever the direction."""
    before, after = frame(0), frame(1)
    after["loss"] = after["loss"] + 0.1
    for columns in (before, after):
        columns["loss"] = sign * columns["loss"]
    direction = "minimize" if sign == 1 else "maximize"
    found = difference(before, after, cutoff="common", direction=direction)
    every = np.sort(np.concatenate([sign * before["loss"], sign * after["loss"]]))
    assert found.cutoff_value == sign * every[39]
    shares = [float(np.mean(sign * one["loss"] <= every[39])) for one in (before, after)]
    assert found.target_shares == pytest.approx(shares)
    assert any("One cut-off for both" in note for note in found.comparable)


def test_a_parameter_that_few_target_trials_have_is_not_testable() -> None:
    """And the sentence counts them."""
    problem = condped.problems.get("activation-disjoint")
    found = condped.difference(
        problem.sample(100, seed=0), problem.sample(100, seed=1), sampling="random"
    )
    assert found["y"].verdict == "not testable"
    assert "0 target trials have it before, 0 after" in found["y"].sentence
    told = " ".join(str(found).split())
    assert "Cannot be compared: y (no target trial has it in either study)." in told
    assert (found["y"].difference, found["y"].p_value) == (None, None)


def test_bad_input_is_named() -> None:
    """Nothing in common, an unknown cut-off, a cut-off that one study never reaches."""
    other = {"u": np.random.default_rng(0).random(50), "loss": np.arange(50.0)}
    with pytest.raises(DataError, match="'before' and 'after' have no parameter in common"):
        difference(frame(0), other)
    with pytest.raises(SettingsError, match="cutoff must be one of own, common"):
        difference(frame(0), frame(1), cutoff="both")
    far = frame(1)
    far["loss"] = far["loss"] + 100
    with pytest.raises(DataError, match="No trial of the study 'after' reaches"):
        difference(frame(0), far, cutoff="common")


def test_results_are_saved_and_loaded(tmp_path: Path) -> None:
    """The loaded one equals it; rows have the stated columns."""
    found = difference(frame(0), frame(1, slope=0.2))
    found.save(tmp_path / "difference.json")
    assert condped.load(tmp_path / "difference.json") == found
    assert found.to_data()["schema"] == "condped.difference/1"
    assert [tuple(row) for row in found.rows()] == [found.columns] * len(found)
    found.save(tmp_path / "difference.csv")
    assert (tmp_path / "difference.csv").read_text().startswith("parameter,before,after")


def test_the_same_trials_are_the_answer() -> None:
    """Said first, not as a note; two studies in which nothing counts are not the same trials."""
    found = difference(frame(0), frame(0))
    assert found.same_trials
    first = " ".join(str(found).split("\n\n")[0].split())
    assert first.endswith("both have the same trials, so there is nothing to compare.")
    assert not difference(frame(0), frame(1)).same_trials
    failed = optuna.create_study()
    failed.optimize(lambda t: float("nan") * t.suggest_float("x", 0, 1), n_trials=2)
    assert not condped.difference(failed, failed).same_trials


def test_a_study_without_trials_is_named() -> None:
    """Not as one that has no parameter in common."""
    empty = optuna.create_study()
    for pair, who in (
        ((tpe(0.0, 0), empty), "study 'after' has"),
        ((empty, empty), "studies 'bef"),
    ):
        with pytest.raises(DataError, match=f"The {who}.* no trials that count"):
            condped.difference(*pair)


def test_estimates_below_zero_are_shown_as_they_are() -> None:
    """So that the difference is that of the two numbers beside it, but for rounding."""
    below = 0
    for seed in range(5):
        found = difference(frame(seed, slope=0.0), frame(seed + 50, slope=0.0))
        for line in str(found).splitlines():
            if line[:1] in "xy" and line[1:2] == " ":
                before, after, apart = (int(line.split()[k]) for k in (3, 5, 6))
                assert abs(after - before - apart) <= 1
                below += min(before, after) < 0
        assert "is for one parameter by itself" in " ".join(str(found).split())
    assert below
