"""
What should I do next?
======================

The budget of the first study is spent. Which hyperparameters can be fixed, which ranges narrowed,
and where do good trials crowd at the edge of a range that should be widened?
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-5, 1.0, log=True))
    dropout = trial.suggest_float("dropout", 0.0, 0.8)
    warmup = trial.suggest_int("warmup", 0, 1000)
    if trial.suggest_categorical("model", ["transformer", "lstm"]) == "transformer":
        heads = trial.suggest_int("heads", 1, 16, log=True)
        loss = 1.0 + 0.15 * (rate + 3.2) ** 2 + 0.05 * abs(np.log2(heads) - 3)
    else:
        units = trial.suggest_int("units", 32, 512, log=True)
        loss = 1.8 + 0.08 * (rate + 2) ** 2 - 0.1 * np.log10(units / 32)
    return float(loss + 0.5 * dropout**2 + 1e-6 * warmup + rng.normal(0, 0.03))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=200)

# %%
# The answer
# ----------

advice = condped.advise(study)
print(advice)

# %%
# **How to read it.** Each step says what it keeps and what it gives up; without evidence there is
# no step. The code can be pasted into a new objective.
#
# **What to do.** ``advice.start`` creates a new study in the smaller space that includes the old
# trials; the objective stays unchanged. A fifth of the new trials are still drawn from the old
# space, in case the advice is wrong.

new = advice.start(study)
new.optimize(objective, n_trials=60)
condped.plot.history(condped.summary(new), backend="matplotlib")

# %%
# The first 200 trials are those of the first study; later ones follow the advice.
