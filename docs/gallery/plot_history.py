"""
How did the study go?
=====================

Is the sampler still making progress, or has nothing improved for a while? How did trials end, and
how long did they take?
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# TPE with pruning: the loss of every epoch is reported, and hopeless trials are stopped early.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-5, 1.0, log=True))
    layers = trial.suggest_int("layers", 1, 6)
    reached = 0.1 + 0.05 * (rate + 2.5) ** 2 + 0.01 * abs(layers - 3) + rng.normal(0, 0.01)
    for epoch in range(1, 11):
        trial.report(reached + 0.2 / epoch, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return float(reached)


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(
    sampler=optuna.samplers.TPESampler(seed=0),
    pruner=optuna.pruners.MedianPruner(n_startup_trials=30),
)
study.optimize(objective, n_trials=150)

# %%
# The answer
# ----------

summary = condped.summary(study)
condped.plot.history(summary, backend="matplotlib")

# %%
# **How to read it.** Dots are trials, diamonds pruned ones, and the line is the best so far; a
# long plateau is shaded. ``over="time"`` shows the same over time.

print(summary)

# %%
# Which values did the sampler try?

condped.plot.parallel(condped.effects(study), backend="matplotlib")

# %%
# **What to do.** After a long plateau, more trials of the same kind help little. Ask
# :doc:`what to change <plot_next_step>`, or whether :doc:`the verdicts are settled <plot_enough>`.
