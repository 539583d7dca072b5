"""
Which values were good?
=======================

An importance says that the learning rate matters, not where to set it. Where were the good trials,
and how much better were they, in units of the objective?
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# A network with one of two optimizers. Adam and SGD need different learning rates, and only SGD
# has a momentum. Results are noisy, as they are in practice.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    layers = trial.suggest_int("layers", 1, 6)
    if trial.suggest_categorical("optimizer", ["adam", "sgd"]) == "adam":
        rate = trial.suggest_float("learning_rate", 1e-5, 1e-1, log=True)
        miss = np.log10(rate) + 3
    else:
        rate = trial.suggest_float("learning_rate", 1e-4, 1.0, log=True)
        miss = np.log10(rate) + 1 + 0.5 * trial.suggest_float("momentum", 0, 0.99)
    return float(0.05 + 0.02 * miss**2 + 0.004 * abs(layers - 4) + rng.normal(0, 0.004))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=400)

# %%
# Where the best trials are
# -------------------------

result = condped.importance(study)
condped.plot.densities(result, ["learning_rate", "layers"], backend="matplotlib")

# %%
# **How to read it.** Each panel is one regime: the learning rate has a panel for each of its two
# ranges. The curve is the share of target trials at a value, relative to all trials drawn there;
# the horizontal line is the level expected by chance. Good values are green; they are marked only
# if the effect is statistically significant.

for density in result.densities["learning_rate"]:
    for good in density.good:
        print(f"{density.label}: {good.label}")
        print(f"  {good.kept:.0%} of the target trials, {good.covered:.0%} of all trials")

# %%
# How much better they are
# ------------------------

effects = condped.effects(study)
condped.plot.slice(effects, ["learning_rate", "layers"], backend="matplotlib")

# %%
# Each dot is a trial (blue: in the target set); medians over groups of about equally many trials
# are shown with intervals. The same in a sentence:

print(effects["learning_rate"].sentence)

# %%
# **What to do.** Start the next study with the green range: see :doc:`plot_next_step`.
