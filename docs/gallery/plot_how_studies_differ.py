"""
How do studies differ?
======================

The same pipeline tuned on several data sets: what matters everywhere, what only on some of them,
and which data set is unlike the others?
"""

from functools import partial

import numpy as np
import optuna

import condped

# %%
# The studies
# -----------
# Gradient boosting on five data sets. One of them is tiny: there regularisation matters instead of
# the learning rate.

rng = np.random.default_rng(0)


def boosting(trial: optuna.Trial, small: bool) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-3, 1.0, log=True))
    depth = trial.suggest_int("max_depth", 1, 12)
    penalty = np.log10(trial.suggest_float("l2", 1e-4, 1e2, log=True))
    trial.suggest_float("colsample", 0.5, 1.0)
    if small:
        loss = 0.05 * (penalty - 1) ** 2 + 0.002 * depth
    else:
        loss = 0.10 * (rate + 1.2) ** 2 + 0.004 * abs(depth - 6)
    return float(0.2 + loss + rng.normal(0, 0.02))


optuna.logging.set_verbosity(optuna.logging.WARNING)
studies = {}
for seed, name in enumerate(["adult", "credit", "higgs", "jannis", "iris"]):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    study.optimize(partial(boosting, small=name == "iris"), n_trials=250)
    studies[name] = study

# %%
# All of them
# -----------

across = condped.across(studies)
condped.plot.across(across, backend="matplotlib")

# %%
# **How to read it.** A row is a hyperparameter, a column a study; darker is more important, grey
# means no evidence of an effect. Similar studies are side by side, and what is odd in one of them
# is outlined. On the right is the mean over studies with its interval, and a diamond where studies
# differ by more than chance explains.

print(across)

# %%
# Two of them
# -----------

print(condped.difference(studies["adult"], studies["iris"]))

# %%
# **What to do.** For the next data set fix what matters nowhere, narrow to what is good everywhere
# (``across.space()`` and ``across.starts()`` do that, and state the risk), and look at the odd one
# separately.
