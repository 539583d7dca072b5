"""
Which branch should I keep?
===========================

A study chooses between model families. After some trials a sampler has settled on one of them: is
the other one really worse, or was it given up too early?
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
            random_state=0,
        )
    return float(1 - model.fit(train_x, train_y).score(test_x, test_y))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
study.optimize(objective, n_trials=200)

# %%
# The answer
# ----------

tree = condped.branches(study)
print(tree)

# %%
# **How to read it.** The tree is the conditional structure, here inferred from the trials
# themselves. *In the study* is what a hyperparameter explains of reaching the best trials of the
# study; *in the branch* what it explains of reaching the best of its own branch. So the forest's
# hyperparameters, which no target trial has, are covered as well.

effects = condped.effects(study)
condped.plot.parallel(effects, ["model", "kernel", "gamma", "C"], backend="matplotlib")

# %%
# Each line is a trial, the blue ones are in the target set. Where a trial does not have a
# hyperparameter, its line passes below that axis, at *absent*. All blue lines start at ``svm``,
# and most of them pass through a narrow range of ``gamma``.

condped.plot.slice(effects, ["model", "kernel"], backend="matplotlib")

# %%
# **What to do.** Compare branches by what they *can* reach, not by their medians: RBF kernels are
# worse than linear ones in the median, because most values of ``gamma`` are bad, and still reach
# the lowest errors. A branch with enough trials and none in the target set can be dropped.
