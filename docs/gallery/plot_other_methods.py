"""
What would other methods say?
=============================

f-ANOVA, PED-ANOVA, MDI and SHAP were made for spaces without conditions. On a conditional space,
each needs a rule for hyperparameters that a trial does not have.
"""

import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# A network beats a support vector machine. For the network the learning rate decides; ``C``
# belongs to the losing model.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "network"]) == "svm":
        return float(0.3 + 0.05 * abs(np.log10(trial.suggest_float("C", 1e-3, 1e3, log=True))))
    trial.suggest_int("layers", 1, 6)
    rate = trial.suggest_float("learning_rate", 1e-5, 1.0, log=True)
    return float(0.1 + 0.05 * (np.log10(rate) + 2.5) ** 2 + rng.normal(0, 0.01))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=300)

# %%
# The answer
# ----------

comparison = condped.compare(study, methods=["paper", "ped-anova", "f-anova", "mdi"], seed=0)
condped.plot.comparison(comparison, backend="matplotlib")

# %%
# **How to read it.** One row per hyperparameter, one mark per method. *Filtering* keeps only the
# trials that have the hyperparameter, so ``C`` is assessed among support vector machines, as if
# the best of these were good trials. *Imputation* fills in values that were never tried.
# condPED-ANOVA gives ``C`` nothing: none of the best trials has it.

print(comparison)

# %%
# **What to do.** If methods disagree about a conditional hyperparameter, ask how each treats the
# trials that do not have it; :doc:`/understand/regimes` shows that in pictures.
