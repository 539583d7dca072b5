"""Two studies: what changed, whether they can be compared, false alarms and power."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import DataError, SettingsError
from tests.analyse.across.test_statistics import shifted


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


SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["net", "svm"]},
    "rate": {"type": "float", "low": 0, "high": 1, "when": "model == 'net'"},
    "c": {"type": "float", "low": 0, "high": 1, "when": "model == 'svm'"},
}


def two_models(seed: int, ahead: float, trials: int = 300, net: float = 0.5) -> dict[str, Any]:
    """Return random trials in which the net is ahead by so much; the models are alike otherwise."""
    rng = np.random.default_rng(seed)
    is_net = rng.random(trials) < net
    rate, c = rng.random((2, trials))
    loss = np.where(is_net, (rate - 0.3) ** 2, (c - 0.3) ** 2 + ahead)
    return {
        "model": np.where(is_net, "net", "svm"),
        "rate": np.where(is_net, rate, np.nan),
        "c": np.where(is_net, np.nan, c),
        "loss": loss,
    }


def winners(a: Any, b: Any, **options: Any) -> condped.Difference:
    """Compare columns of two models."""
    return condped.difference(
        a, b, **({"objective": "loss", "space": SPACE, "sampling": "random"} | options)
    )


def test_a_branch_that_no_longer_wins_is_the_answer() -> None:
    """What its parameters explain cannot be compared; that another model wins is said first."""
    before, after = two_models(0, 1.0), two_models(1, -1.0)
    found = winners(before, after)
    told = " ".join(str(found).split())
    assert "(300): the winning branch of model changed from net to svm; " in told
    assert "Target trials of model" not in told  # the sentences on the branches count them
    verdicts = {(one.branch, one.verdict) for one in found.branches_changed}
    assert verdicts == {("net", "won before"), ("svm", "wins now")}
    assert "net of model won before and loses now: it has 30 of 30 target trials before" in (
        found.branch_changes[0].sentence
    )
    assert "Cannot be compared: rate (no target trial has it after); c (no target" in told
    assert found["rate"].reason == "no target trial has it after"
    assert found["model"].reason == ""
    assert found.best == (min(before["loss"]), min(after["loss"]))
    assert f"Best value: {found.best[0]:.3g} → {found.best[1]:.3g}." in told
    standings = {(row["study"], row["branch"]): row["standing"] for row in found.branch_rows()}
    assert standings["before", "net"] == standings["after", "svm"] == "wins"
    assert standings["before", "svm"] == standings["after", "net"] == "loses"


def test_the_chance_of_a_change_is_that_of_dealing_out_target_trials() -> None:
    """Of the net's target trials, so many fell to the first study: by shuffling."""
    pair = [two_models(4, 0.003, 150, 0.5), two_models(9, -0.003, 200, 0.4)]
    found = winners(*pair)
    net, _ = found.branch_changes
    models = [one["model"] == "net" for one in pair]
    hits = [one["loss"] <= np.sort(one["loss"])[len(one["loss"]) // 10 - 1] for one in pair]
    own = [int((m & h).sum()) for m, h in zip(models, hits, strict=True)]
    rng = np.random.default_rng(0)
    drawn = np.array(
        [
            [rng.permutation(m)[h].sum() for m, h in zip(models, hits, strict=True)]
            for _ in range(40_000)
        ]
    )
    same = drawn[drawn.sum(axis=1) == sum(own), 0]
    assert len(same) > 500
    simulated = min(1.0, 2 * min((same <= own[0]).mean(), (same >= own[0]).mean()))
    assert 0.001 < simulated < 0.5
    assert net.p_value == pytest.approx(simulated, abs=4 * math.sqrt(0.25 / len(same)))
    assert net.adjusted_p_value == net.p_value  # one test for two branches


@pytest.mark.parametrize("sampling", ["random", "tpe"])
def test_trials_that_count_as_worst_are_counted_in_branches(sampling: str) -> None:
    """As if they had reached the same bad objective; medians leave them out."""
    pair = [two_models(0, 1.0), two_models(1, -1.0)]
    for one in pair:
        one["loss"][np.random.default_rng(2).random(300) < 0.4] = np.nan
    found = winners(*pair, nonfinite="worst", sampling=sampling)
    bad = [one | {"loss": np.nan_to_num(one["loss"], nan=9.0)} for one in pair]
    same = winners(*bad, sampling=sampling)
    counted = ("study", "branch", "trials", "of", "target_trials", "target_of", "p_value")
    for row, other in zip(found.branch_rows(), same.branch_rows(), strict=True):
        assert [row[name] for name in counted] == [other[name] for name in counted]
        columns = pair[row["study"] == "after"]
        reached = columns["loss"][columns["model"] == row["branch"]]
        assert row["median"] == pytest.approx(np.nanmedian(reached))
    sizes = {(one.of, one.target_of) for one in found.branches}
    assert sizes == {(one.used, one.target_size) for one in found.studies} == {(300, 30)}
    assert [one.sentence for one in found.branch_changes] == [
        one.sentence for one in same.branch_changes
    ]


def test_branches_that_win_in_both_or_none_have_not_changed() -> None:
    """Of 60 pairs of each kind at most three are alarms; of real changes most are found."""
    for ahead in (0.0, 0.02):
        pairs = [(two_models(2 * k, ahead, 100), two_models(2 * k + 1, ahead, 150))
                 for k in range(60)]  # fmt: skip
        assert sum(bool(winners(*pair).branches_changed) for pair in pairs) <= 3
    found = [winners(two_models(k, 0.05), two_models(k + 100, -0.05)) for k in range(10)]
    assert sum(bool(one.branches_changed) for one in found) >= 8


def test_a_branch_that_was_not_tried_is_not_testable() -> None:
    """Neither is one where ties make target sets differ in size."""
    found = winners(two_models(0, 1.0), two_models(1, 0.0, net=0.0))
    (net, svm) = found.branch_changes
    assert net.verdict == svm.verdict == "not testable"
    assert "it was not tried after" in net.sentence
    assert "no other branch was tried after" in svm.sentence
    tied = two_models(1, -1.0)
    tied["loss"] = np.floor(tied["loss"])
    found = winners(two_models(0, 1.0), tied)
    assert {one.verdict for one in found.branch_changes} == {"not testable"}
    assert found.branches_changed == ()


def tpe(ahead: float, seed: int) -> optuna.Study:
    """Optimise two models, of which one is ahead."""

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("model", ["net", "svm"]) == "net":
            return (trial.suggest_float("rate", 0, 1) - 0.3) ** 2
        return (trial.suggest_float("c", 0, 1) - 0.3) ** 2 + ahead

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=60)
    return study


def test_runs_of_tpe_show_another_winner_and_not_which_one_they_settled_in() -> None:
    """Models that are alike have not changed, though most target trials are of one or the other."""
    runs = [tpe(0.0, seed) for seed in range(8)]
    settled = [run.best_params["model"] for run in runs]
    assert len(set(settled)) == 2
    pairs = [(one, other) for k, one in enumerate(runs) for other in runs[:k]]
    assert sum(bool(condped.difference(*pair).branches_changed) for pair in pairs) <= 2
    found = [condped.difference(tpe(1.0, k), tpe(-1.0, k + 20)) for k in range(3)]
    assert all(one.branches_changed for one in found)
    told = " ".join(str(found[0]).split())
    assert "the winning branch of model changed from net to svm" in told
    assert "(two runs of a sampler that learns can rarely show this)" in told
    assert "draw some 300 trials of each study at random" in told
    assert "the first trials of each branch decide" in found[0].branches_changed[0].sentence


def test_files_without_branches_are_loaded(tmp_path: Path) -> None:
    """Results were saved before branches were compared; with them, everything comes back."""
    found = winners(two_models(0, 1.0), two_models(1, -1.0))
    file = tmp_path / "difference.json"
    found.save(file)
    assert condped.load(file) == found
    data = json.loads(file.read_text())
    for name in ("branches", "branch_changes"):
        del data[name]
    for study in data["studies"]:
        del study["learnt"]
    file.write_text(json.dumps(data))
    old = condped.load(file)
    assert isinstance(old, condped.Difference)
    assert (old.parameters, old.branches_changed) == (found.parameters, ())
    assert "no evidence that a parameter matters more or less" in " ".join(str(old).split())


def test_another_branch_that_may_be_luck_is_told_by_counts() -> None:
    """Where most target trials lie elsewhere without evidence of a change; a few do not matter."""
    runs = [tpe(0.0, seed) for seed in (0, 1, 2, 9, 12)]
    target = [
        [t.params["model"] for t in sorted(r.trials, key=lambda t: t.values)[:6]] for r in runs
    ]
    seen = set()
    for k, one in enumerate(runs):
        for j in range(k):
            found = condped.difference(one, runs[j])
            told = " ".join(str(found).split())
            counts = [
                [(model, own.count(model)) for model in ("net", "svm") if own.count(model) > 3]
                for own in (target[k], target[j])
            ]
            (before, m), (after, n) = (own[0] if own else ("", 0) for own in counts)
            luck = "" not in (before, after) and before != after and not found.branches_changed
            expected = (
                f"Target trials of model: {before} {m} of 6 before, {after} {n} of 6 after; with "
                "samplers that learn this may be luck."
            )
            assert expected in told if luck else "Target trials of" not in told
            seen.add(luck)
    assert seen == {True, False}


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
