"""
Can I believe it?
=================

Importances always sum to 1, even if nothing has an effect, and a sampler that learns moves *all*
hyperparameters towards its good trials, those without any effect included. So does an importance
of 15 % mean anything?
"""

import optuna

import condped

# %%
# The study
# ---------
# A simulated network training: the learning rate matters a lot, weight decay a little. The other
# four hyperparameters do nothing.


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("log10_rate", -5, 0)
    decay = trial.suggest_float("log10_decay", -6, -1)
    trial.suggest_float("shuffle_seed", 0, 1)
    trial.suggest_int("log_interval", 1, 100)
    trial.suggest_categorical("prefetch", [1, 2, 4, 8])
    trial.suggest_int("workers", 1, 16)
    return 0.1 + 0.03 * (rate + 2.5) ** 2 + 0.01 * (decay + 4) ** 2


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=4))
study.optimize(objective, n_trials=60)

# %%
# The answer
# ----------
# The default method computes Optuna's importances and adds a verdict to each. ``calibrated`` gives
# nothing to hyperparameters without evidence of an effect.

paper = condped.importance(study)
calibrated = condped.importance(study, method="calibrated")
condped.plot.comparison({"paper": paper, "calibrated": calibrated}, backend="matplotlib")

# %%
# **How to read it.** A filled mark is a statistically significant effect, a hollow one is not. The
# test compares each hyperparameter with *replays* of the sampler: how far would TPE have moved
# this hyperparameter if it had no effect, given the same results? The other four were moved,
# ``shuffle_seed`` quite far, but not further than in the replays.

for row in paper.rows():
    evidence = paper.evidence[row["parameter"]]
    print(f"{row['parameter']:14}{row['importance']:7.1%}  {evidence.verdict}")
print(paper.evidence.sampling)

# %%
# Does the answer depend on this definition of *good*, or on one half of the trials?

print(paper.robustness())

# %%
# **What to do.** Act on *matters*. With *unclear*, run more trials (:doc:`plot_enough` estimates
# how many). *No evidence* does not prove that there is no effect, only that these trials do not
# show one.
