"""
Did it matter only because of its switch?
=========================================

``momentum`` exists only if the optimizer is SGD. If SGD is better, trials *with* a momentum
are better than trials without. Does that make momentum important?
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# SGD is better than Adam here. With SGD the learning rate matters, the momentum hardly.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("optimizer", ["adam", "sgd"]) == "adam":
        rate = trial.suggest_float("learning_rate", 1e-5, 1e-2, log=True)
        return float(0.16 + 0.02 * (np.log10(rate) + 3.5) ** 2 + rng.normal(0, 0.01))
    rate = trial.suggest_float("learning_rate", 1e-3, 1.0, log=True)
    momentum = trial.suggest_float("momentum", 0.0, 0.99)
    miss = np.log10(rate) + 1.5
    return float(0.10 + 0.02 * miss**2 + 0.002 * momentum + rng.normal(0, 0.01))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=400)

# %%
# The answer
# ----------

result = condped.importance(study, target_quantile=0.25)
condped.plot.regimes(result, backend="matplotlib")

# %%
# **How to read it.** A bar is a hyperparameter, its parts are *regimes*: absent, or present with
# one range. Only what the value does *within* a regime counts. That trials with a momentum are
# better is an effect of the switch, and credited to ``optimizer``.

for gate in result.gates:
    for branch in gate.branches:
        print(
            f"{gate.parameter} {branch.label}: {branch.target_trials} of {gate.target_size} target "
            f"trials, {branch.region_trials} of all {gate.region_size} trials"
        )

# %%
# A method without regimes has to do something about trials without a momentum. If it fills in a
# value (*imputation*), ``momentum`` gets credit for being present:

methods = condped.compare(study, methods=["paper", "ped-anova"], target_quantile=0.25)
condped.plot.comparison(methods, backend="matplotlib")

# %%
# **What to do.** Keep the switch where it is good, and do not spend trials on ``momentum``.
# :doc:`/understand/regimes` explains this in pictures.
