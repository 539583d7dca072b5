"""The paper's own numbers, as printed in its tables.

Transcribed from "Conditional PED-ANOVA: Hyperparameter Importance in Hierarchical & Dynamic
Search Spaces" (Baba, Ozaki, Watanabe; KDD 2026): Tables 1 and 3 (objective per learner), Table 2
(correlations on ``rbv2_super``) and Table 4 (correlations on ``iaml_super``). The figures 5 and 15
print no numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "Baba, Ozaki and Watanabe, KDD 2026"

# In the order of the columns of Tables 2 and 4, by the names that condped gives them.
METHODS = (
    "paper",
    "ped-anova/filtering",
    "ped-anova/imputation",
    "f-anova/filtering",
    "f-anova/imputation",
    "mdi/filtering",
    "mdi/imputation",
    "shap/filtering",
    "shap/imputation",
)


@dataclass(frozen=True, slots=True)
class Published:
    """A number of the paper with its standard error over ten seeds."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Learner:
    """One row of Tables 1 and 3: the objective of one learner's trials."""

    name: str
    low: Published
    mean: Published
    high: Published


def _rows(text: str) -> tuple[Learner, ...]:
    """Read lines of a name and three numbers, each with its error."""
    found = []
    for line in text.strip().splitlines():
        name, *numbers = line.split()
        pairs = [Published(float(numbers[i]), float(numbers[i + 1])) for i in (0, 2, 4)]
        found.append(Learner(name, *pairs))
    return tuple(found)


# Instance → learners, in the paper's order. Table 1 is 1053, Table 3 the others.
OBJECTIVES = {
    "1053": _rows("""
        svm     0.727 0.004  0.796 0.001  0.926 0.005
        xgboost 0.591 0.011  0.765 0.001  0.853 0.004
        rpart   0.736 0.001  0.774 0.001  0.846 0.003
        glmnet  0.731 0.001  0.778 0.001  0.842 0.003
        ranger  0.738 0.002  0.777 0.000  0.815 0.002
        aknn    0.174 0.001  0.591 0.006  0.809 0.002
    """),
    "1457": _rows("""
        ranger  0.014 0.001  0.555 0.004  0.832 0.003
        svm     0.000 0.000  0.211 0.008  0.803 0.003
        glmnet  0.007 0.000  0.146 0.002  0.657 0.019
        rpart   0.003 0.000  0.063 0.002  0.362 0.006
        aknn    0.014 0.000  0.132 0.002  0.354 0.003
        xgboost 0.008 0.001  0.046 0.001  0.354 0.017
    """),
    "1063": _rows("""
        svm     0.711 0.006  0.816 0.001  0.933 0.005
        xgboost 0.524 0.008  0.746 0.001  0.902 0.002
        rpart   0.733 0.002  0.818 0.001  0.897 0.003
        ranger  0.727 0.001  0.818 0.000  0.874 0.002
        glmnet  0.728 0.003  0.802 0.001  0.883 0.002
        aknn    0.187 0.002  0.649 0.006  0.846 0.001
    """),
    "1479": _rows("""
        aknn    0.449 0.002  0.630 0.003  0.987 0.002
        svm     0.418 0.003  0.554 0.003  0.820 0.009
        xgboost 0.406 0.007  0.524 0.001  0.652 0.006
        glmnet  0.430 0.002  0.513 0.001  0.646 0.006
        rpart   0.444 0.002  0.498 0.001  0.629 0.008
        ranger  0.446 0.005  0.513 0.001  0.583 0.005
    """),
    "15": _rows("""
        ranger  0.588 0.003  0.905 0.002  0.985 0.000
        svm     0.776 0.008  0.921 0.001  0.980 0.001
        aknn    0.312 0.001  0.721 0.006  0.972 0.001
        rpart   0.648 0.005  0.886 0.002  0.963 0.001
        xgboost 0.469 0.007  0.714 0.002  0.931 0.003
        glmnet  0.646 0.004  0.795 0.001  0.929 0.001
    """),
    "1468": _rows("""
        svm     0.049 0.004  0.471 0.010  0.968 0.001
        ranger  0.087 0.003  0.782 0.004  0.943 0.002
        aknn    0.252 0.014  0.808 0.002  0.934 0.002
        glmnet  0.102 0.002  0.404 0.005  0.890 0.003
        rpart   0.083 0.001  0.309 0.004  0.786 0.007
        xgboost 0.080 0.003  0.206 0.001  0.744 0.010
    """),
}


def _correlations(text: str) -> dict[str, dict[str, float]]:
    """Read lines of an instance and one number per method."""
    found = {}
    for line in text.strip().splitlines():
        instance, *numbers = line.split()
        found[instance] = dict(zip(METHODS, map(float, numbers), strict=True))
    return found


# Family of scenarios → instance → method → correlation. Table 2 is rbv2, Table 4 iaml.
CORRELATIONS = {
    "rbv2": _correlations("""
        1053 0.98  0.92 0.93  0.19 -0.46 -0.14 -0.46 -0.44 -0.44
        1457 0.76 -0.14 0.61 -0.60  0.70 -0.38  0.60  0.50  0.51
        1063 0.62  0.22 0.51 -0.08 -0.72 -0.45 -0.71 -0.65 -0.59
        1479 0.87 -0.03 0.72  0.72  0.90  0.73  0.91  0.96  0.98
        15   0.59 -0.11 0.54  0.18  0.24 -0.02  0.21  0.14  0.20
        1468 0.80  0.13 0.55 -0.27  0.49 -0.19  0.33  0.20  0.30
    """),
    "iaml": _correlations("""
        40981 0.83 -0.06  0.78 -0.78 -0.17  0.08 -0.05  0.18  0.17
        41146 0.42 -0.98  0.35  0.07  0.09 -0.97 -0.02 -0.60 -0.31
        1489  0.85  0.34  0.43  0.22  0.02  0.28  0.27  0.52  0.60
        1067  0.78 -0.54 -0.05  0.52 -0.06  0.75  0.04  0.16  0.12
    """),
}

# The last row of Tables 2 and 4: mean and standard error over the instances.
MEANS = {
    "rbv2": dict(
        zip(
            METHODS,
            [
                Published(0.77, 0.05), Published(0.16, 0.15), Published(0.64, 0.06),
                Published(0.02, 0.17), Published(0.19, 0.24), Published(-0.07, 0.16),
                Published(0.15, 0.23), Published(0.12, 0.22), Published(0.16, 0.22),
            ],
            strict=True,
        )
    ),
    "iaml": dict(
        zip(
            METHODS,
            [
                Published(0.72, 0.09), Published(-0.31, 0.25), Published(0.37, 0.15),
                Published(0.01, 0.24), Published(-0.03, 0.05), Published(0.03, 0.31),
                Published(0.06, 0.06), Published(0.07, 0.20), Published(0.15, 0.16),
            ],
            strict=True,
        )
    ),
}  # fmt: skip
