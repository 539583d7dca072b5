"""Studies of Optuna in which conditions show in trials that did not end well."""

from __future__ import annotations

import math

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial: optuna.Trial) -> float:
    """Choose a model; trees are so bad that a pruner stops all of them."""
    model = trial.suggest_categorical("model", ["net", "tree"])
    if model == "net":
        rate = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
        final = abs(math.log10(rate) + 2.5) + 0.05 * trial.suggest_float("dropout", 0, 0.5)
    else:
        final = 20 + 0.05 * trial.suggest_int("depth", 1, 10)
    trial.suggest_int("seed", 0, 9)
    for step in range(3):
        trial.report(final + 1 - 0.3 * step, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return final


def losing_branch_pruned(trials: int = 120, seed: int = 0) -> optuna.Study:
    """Return a study in which every complete trial is a net."""
    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=seed),
        pruner=optuna.pruners.PercentilePruner(75, n_startup_trials=5),
    )
    for _ in range(6):
        study.enqueue_trial({"model": "net"})
    study.optimize(objective, n_trials=trials)
    trees = [t.state for t in study.trials if t.params["model"] == "tree"]
    assert set(trees) == {optuna.trial.TrialState.PRUNED}
    return study
