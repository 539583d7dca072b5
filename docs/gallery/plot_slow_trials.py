"""
What makes trials slow?
=======================

A setting that costs a lot and gains nothing is the first to change. Most tools record how long
trials took, so durations can be explained like any other objective.
"""

import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

import condped

# %%
# The study
# ---------

train_x, test_x, train_y, test_y = train_test_split(
    *load_breast_cancer(return_X_y=True), train_size=0.5, random_state=0
)


def objective(trial: optuna.Trial) -> float:
    model = ExtraTreesClassifier(
        n_estimators=trial.suggest_int("trees", 2, 60, log=True),
        max_features=trial.suggest_float("features", 0.05, 1.0),
        max_depth=trial.suggest_int("depth", 1, 12),
        random_state=0,
    )
    model.fit(train_x, train_y)
    return float(((model.predict_proba(test_x)[:, 1] - test_y) ** 2).mean())


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=150)

# %%
# The answer
# ----------
# ``objective="duration"`` explains how long trials took; here the fastest 20 % count as good.

quality = condped.importance(study, target_quantile=0.2)
speed = condped.importance(study, target_quantile=0.2, objective="duration")
condped.plot.comparison({"low error": quality, "short time": speed}, backend="matplotlib")

# %%
# **How to read it.** One mark for what makes a model good, one for what makes it fast. ``trees``
# affects both, which calls for a compromise. Where the mark for *short time* is hollow, these
# trials show no effect on the time.

condped.plot.slice(
    condped.effects(study, objective="duration"), ["trees", "depth"], backend="matplotlib"
)

# %%
# **What to do.** Limit what costs time; first tune what costs none. Any metric or user attribute
# that trials record can be explained in the same way.
