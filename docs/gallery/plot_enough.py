"""
Is my study large enough?
=========================

Some hyperparameters show no evidence of an effect yet. Would 50 more trials settle that, or
5,000?
"""

import matplotlib.pyplot as plt
import numpy as np
import optuna

import condped

# %%
# The study
# ---------
# One strong effect, a weak one, and a hyperparameter that does nothing.

rng = np.random.default_rng(0)


def objective(trial: optuna.Trial) -> float:
    rate = np.log10(trial.suggest_float("learning_rate", 1e-5, 1.0, log=True))
    dropout = trial.suggest_float("dropout", 0.0, 0.6)
    trial.suggest_int("workers", 1, 16)
    return float(0.1 + 0.05 * (rate + 2.5) ** 2 + 0.2 * abs(dropout - 0.2) + rng.normal(0, 0.03))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=120)

# %%
# The answer
# ----------

print(condped.forecast(study))

# %%
# **How to read it.** For a parameter that matters, the table says at which trial that was settled.
# For the others the forecast says about how many more trials it would take, with an 80 % interval,
# or that more trials of this kind are unlikely to settle it.
#
# Was it right?
# -------------
# Trials are cheap here, so continue and see how the evidence grows.

study.optimize(objective, n_trials=480)
table = condped.read(study)
sizes = range(40, len(table) + 1, 40)
results = [condped.importance(table.first(size)) for size in sizes]

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name in ("learning_rate", "dropout", "workers"):
    axes.semilogy(sizes, [result.evidence[name].p_value for result in results], "o-", label=name)
axes.axhline(0.05, color="grey", linestyle="--", linewidth=1)
axes.axvline(120, color="grey", linestyle=":", linewidth=1)
axes.set(xlabel="finished trials", ylabel="p-value", ylim=(1e-12, 2))
axes.set_title("Evidence as trials finish; dotted: when the forecast was made", loc="left")
axes.legend(frameon=False)

# %%
# **What to do.** Stop when everything you care about is settled. While a study is still running,
# use ``looks="repeated"`` (``condped watch`` and ``condped serve`` do): if you look at such curves
# often enough, you will see a false alarm sooner or later.
