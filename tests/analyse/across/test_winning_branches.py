"""Whether another branch wins in the second of two studies."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped

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
