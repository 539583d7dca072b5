"""
Does the answer depend on what I call good?
===========================================

"Important for reaching the best 10 %" is one question. What separates decent trials from bad ones
may be quite different from what separates the best from the good.
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# The learning rate decides whether training works at all; augmentation and label smoothing account
# for the last few percent.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-5, 1.0, log=True))
    augmentation = trial.suggest_float("augmentation", 0.0, 1.0)
    smoothing = trial.suggest_float("label_smoothing", 0.0, 0.3)
    trial.suggest_int("seed", 0, 99)
    works = 1 / (1 + np.exp(-12 * (abs(rate + 2.5) - 1.5)))  # 0: it does, 1: it does not
    fine = 0.3 * (augmentation - 0.6) ** 2 + 1.5 * (smoothing - 0.1) ** 2
    return float(0.05 + 0.6 * works + fine + rng.normal(0, 0.003))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=600)

# %%
# The answer
# ----------
# ``sweep`` computes the importances for every share of trials to count as good, from the best 1 %
# to the best 99 %, in one go.

curve = condped.sweep(study, intervals="jackknife")
condped.plot.sweep(curve, backend="matplotlib")

# %%
# **How to read it.** On the left are the very best trials, on the right nearly all of them. The
# bands are simultaneous for all curves and shares. For the best half only the learning rate
# matters: does training work? Among the best few percent, all of which have a good learning rate,
# the others take over. At the right end the question is what the very worst have in common.
#
# With many hyperparameters a heat map is easier to read:

condped.plot.heatmap(curve, backend="matplotlib")

# %%
# **What to do.** Early on, use a large share (what makes training work?), at the end a small one
# (what is left to gain?). If the answer changes along the way, say which share you mean.
