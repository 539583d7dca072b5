"""
Why do trials fail?
===================

A fifth of the trials ended with an error or a loss of NaN. Bad luck, or do some settings cause it?
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# Large batches of large models do not fit into memory; high learning rates make the loss diverge,
# unless gradients are clipped.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    width = trial.suggest_int("width", 64, 2048, log=True)
    batch = trial.suggest_int("batch_size", 16, 1024, log=True)
    rate = trial.suggest_float("learning_rate", 1e-5, 1.0, log=True)
    clipped = trial.suggest_categorical("clip_gradients", [True, False])
    trial.suggest_float("dropout", 0.0, 0.5)
    if width * batch > 400_000:
        raise MemoryError("the model and its batch do not fit")
    if rate > 0.05 and not clipped:
        return float("nan")
    return float(0.2 + 0.03 * (np.log10(rate) + 3) ** 2 + 8 / width + rng.normal(0, 0.01))


optuna.logging.set_verbosity(optuna.logging.CRITICAL)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=400, catch=(MemoryError,))

# %%
# The answer
# ----------
# The target set need not be the best trials. ``target="failed"`` asks what failed trials have in
# common; ``pruned``, ``nonfinite`` and your own mask work as well.

failed = condped.importance(study, target="failed")
condped.plot.importance(failed, backend="matplotlib")

# %%
# **How to read it.** The bars now explain failures: filled bars are hyperparameters with a
# statistically significant effect on failures. The densities show which values fail:

condped.plot.densities(failed, ["width", "batch_size", "learning_rate"], backend="matplotlib")

# %%
# **What to do.** Exclude what fails (a condition in the objective, a smaller range), or fix the
# cause. For importances of *good* trials, ``failed="worst"`` ranks failed trials last instead of
# leaving them out.
