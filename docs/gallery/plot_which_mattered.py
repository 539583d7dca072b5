"""
Which hyperparameters mattered?
===============================

Two classifiers for handwritten digits, tuned in one study: a support vector machine or a random
forest, each with hyperparameters of its own. Which of them decided whether a trial was among the
best 10 %?
"""

import optuna
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

import condped

# %%
# The study
# ---------
# A plain Optuna objective, not written for condped.

images, digits = load_digits(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(
    images / 16, digits, train_size=400, test_size=800, random_state=0
)


def objective(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
        model = SVC(
            C=trial.suggest_float("C", 1e-2, 1e3, log=True),
            kernel=kernel,
            gamma=trial.suggest_float("gamma", 1e-4, 10, log=True) if kernel == "rbf" else "scale",
        )
    else:
        model = RandomForestClassifier(
            n_estimators=trial.suggest_int("trees", 5, 25, log=True),
            max_depth=trial.suggest_int("depth", 2, 16),
            min_samples_leaf=trial.suggest_int("leaf", 1, 20),
            random_state=0,
        )
    return float(1 - model.fit(train_x, train_y).score(test_x, test_y))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=250)

# %%
# The answer
# ----------

result = condped.importance(study, intervals="half-sampling")
condped.plot.importance(result, backend="matplotlib")

# %%
# **How to read it.** A bar is a hyperparameter's share of everything that they explain; the bars
# sum to 1. The thick line is the 90 % interval of that bar alone, the thin one is simultaneous for
# all bars. Fill, hatching and the word on the right show the verdict: whether the effect is
# statistically significant.
#
# ``gamma`` exists in only a quarter of the trials and is still the most important: among RBF
# kernels it decides between a very good and a useless model. The forest's hyperparameters are *not
# testable*: no forest is among the best trials, so nothing about forests can have helped a trial
# to get there. That is credited to ``model``.

print(result)

# %%
# **What to do.** Tune what matters, and leave at a default what shows no evidence of an effect.
# Which values to choose is the next question: :doc:`plot_good_values`.
