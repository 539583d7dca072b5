"""
Do two hyperparameters act together?
====================================

Learning rate and batch size are said to go together: larger batches need larger rates. Neither
alone may show how much they matter.
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-4, 1.0, log=True))
    batch = np.log2(trial.suggest_int("batch_size", 16, 1024, log=True))
    decay = np.log10(trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True))
    trial.suggest_float("dropout", 0.0, 0.5)
    best_rate = -3.5 + 0.45 * (batch - 4)  # grows with the batch
    return float(
        0.1 + 0.05 * (rate - best_rate) ** 2 + 0.004 * (decay + 4) ** 2 + rng.normal(0, 0.01)
    )


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=500)

# %%
# The answer
# ----------

pairs = condped.joint_effects(study, target_quantile=0.2)
condped.plot.pairs(pairs, backend="matplotlib")

# %%
# **How to read it.** Colours are the share of target trials for each combination of values. The
# diagonal means that neither value is good by itself, only the combination. Pairs are shown only
# if their joint effect, beyond the two separate ones, is statistically significant. All pairs at
# once:

condped.plot.joint(pairs, backend="matplotlib")

# %%
# **What to do.** Tune such a pair together, or replace one of the two by a ratio, here the
# learning rate per sample: a sampler that treats hyperparameters one by one cannot follow a
# diagonal.

print(pairs)
